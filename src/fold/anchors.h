#pragma once
// Iterations that each make another choice of calls. Internal to src/fold.

#include <span>

#include "fold/fold.h"

namespace skelgen::fold {

/// A folded form of `text` in which frequent symbols, the anchors, are folded by themselves, and all others are loops
/// before or behind them, of trips that vary, none among them (fold_between, also of the text read backwards):
/// `awbwcwawcw` -> `5 x { (1 0 0 1 0) x { a } (0 1 0 0 0) x { b } (0 0 1 0 1) x { c } w }`. Each stretch of the text
/// that shares no symbol with the others, and is long and irregular in `best` (mode best's form of the text), gets
/// anchors of its own, if the result has 64 symbols at most, is no longer, costs less (strain, blocks.h, and three times
/// the length), and makes no loop of many trips smaller. Anchors are looked for in the first 2^12 symbols of a stretch,
/// the longest stretches first, 2^18 symbols in all, for up to fifty times the cost of folding these; then the stretch
/// is folded once more.
Program around_anchors(std::span<const Symbol> text, Program best);

}  // namespace skelgen::fold
