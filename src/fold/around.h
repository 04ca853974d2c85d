#pragma once
// Folds texts whose iterations differ, with loops around what all texts have equally often.

#include <optional>
#include <span>
#include <vector>

#include "fold/fold.h"

namespace skelgen::fold {

/// A program for each text, folded around symbols that all texts have equally often, the anchors: they are folded by
/// themselves, with what a text has once; what stands before each of them, or behind each, becomes loops whose trips vary,
/// none among them (fold_between, also of the texts read backwards): `awbwcwawcw` -> `5 x { (1 0 0 1 0) x { a } (0 1 0 0 0)
/// x { b } (0 0 1 0 1) x { c } w }`. Anchors are the symbols of the k highest numbers of occurrences or of the k-th one, k
/// up to 6, before and behind: those with which the first symbols of each text, 2^12 or its share of 2^16, cost least
/// (fold::cost, four times that without a main loop). Nothing if there are none, or a text cannot be folded so. Up to 22
/// times the cost of folding these, then once that of all, in parallel.
std::optional<std::vector<Program>> fold_around(std::span<const std::vector<Symbol>> texts);

}  // namespace skelgen::fold
