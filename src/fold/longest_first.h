#pragma once
// Repetitions that mode seed takes. Internal to src/fold.

#include <vector>

#include "strings/runs.h"

namespace skelgen::fold {

using strings::Index;

/// text[begin, end) becomes a loop over text[begin, begin + period), end - begin being a multiple of the period.
struct Repetition {
  Index begin, end, period;
};

/// Loops of a text of this length, whose runs these are, by the longest-first rule (fold.h), in the order in which they
/// are taken. Each lies in one body of another one or in none.
std::vector<Repetition> longest_first(Index length, std::vector<strings::Run> runs);

/// Loops in the order in which they begin, outer ones first.
void by_begin(std::vector<Repetition>& loops);

}  // namespace skelgen::fold
