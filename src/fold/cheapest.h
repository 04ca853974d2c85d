#pragma once
// Repetitions that mode best takes. Internal to src/fold.

#include <span>
#include <vector>

#include "fold/longest_first.h"
#include "strings/symbols.h"

namespace skelgen::fold {

/// Loops for the fewest symbols, by dynamic programming over the runs of the text (docs/fold.md), in the order of
/// by_begin. `work`: how many symbols' worth of bodies may be solved, as a multiple of the text's length; what is
/// beyond it is folded at one phase, then not at all.
/// 4 bytes per symbol, 8 per run with a period above 4, and about 12 per run that may be of use.
std::vector<Repetition> cheapest(std::span<const strings::Symbol> text, const std::vector<strings::Run>& runs,
                                 double work);

}  // namespace skelgen::fold
