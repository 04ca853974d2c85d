#pragma once
// Which repetitions mode seed takes. Internal to src/fold.

#include <cstdint>
#include <vector>

#include "strings/runs.h"

namespace skelgen::fold {

using strings::Index;

/// A part of the text that is folded by itself. Once split it is: the part left of the loop, the loop over its body,
/// the part right of it.
struct Segment {
  Index begin, end;
  std::uint64_t trips = 0;                      // 0: not split
  std::uint32_t left = 0, body = 0, right = 0;  // if split: indices into the result of longest_first
};

/// Splits a text of this length, whose runs these are, by the longest-first rule (fold.h). Element 0 is the whole text.
std::vector<Segment> longest_first(Index length, std::vector<strings::Run> runs);

}  // namespace skelgen::fold
