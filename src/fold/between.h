#pragma once
// Loops around what several programs have in common.

#include <optional>
#include <set>
#include <span>

#include "fold/fold.h"

namespace skelgen::fold {

/// Folds the `steady` symbols of the text by themselves (mode best); what stands before each of them becomes loops in
/// front of it, one for each body that repeats there, with trips that vary from one time to the next, 0 among them. So
/// texts with the same steady symbols get the same loops around them, whatever stands between. Nothing if the text does
/// not end with a steady symbol, if more than 64 loops would stand before one, or if all lists together would have more than
/// 2^24 trips. O(n log n) for what is folded; and for each of up to 64 stretches of each different word between steady
/// symbols, the bodies that begin there.
std::optional<Program> fold_between(std::span<const Symbol> text, const std::set<Symbol>& steady);

}  // namespace skelgen::fold
