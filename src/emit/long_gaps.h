#pragma once
// Long computation that all locations do at the same place, as in programs with few iterations: a skeleton spends only
// a part of what they have in common and counts the rest. What is taken away is the same on all locations, so they meet
// as before.

#include <cstdint>
#include <vector>

#include "skeleton/skeleton.h"

namespace skelgen::emit {

/// Shorter common computation is spent whole.
inline constexpr double kLongGap_s = 0.05;
/// Of a long one at least this much is spent (and 1 / K of it).
inline constexpr double kLeastSpent_s = 0.01;

/// Seconds that each of `locations` locations computes at least at every occurrence of a place; 0 if that is less than
/// kLongGap_s, or if not all of them pass the place, equally often. occurrences: by position.
double common_gap(const skeleton::Compute& compute, const std::vector<std::uint64_t>& occurrences,
                  std::size_t locations);

/// What a skeleton scaled down by k >= 1 leaves out of common computation, as skel_compute_long does. Seconds.
double left_out(double common_s, double k);

/// A long gap and how often it happens in the traced program, or in a part of it on average.
struct LongGap {
  double common_s = 0, times = 0;
};

}  // namespace skelgen::emit
