#pragma once
// Runs the steps of all locations in an order that respects who waits for whom, with the papers' clocks. Internal.

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/collect.h"
#include "metrics/metrics.h"

namespace skelgen::metrics {

/// Where a step waited for another location: the last of those that it needed.
struct Cause {
  std::uint32_t location = kNone, step = kNone;
};

struct Replayed {
  // By location, at its end.
  std::vector<double> computing, blocked;                ///< seconds
  std::vector<double> scaled_computing, scaled_blocked;  ///< times rho
  std::vector<double> events;                            ///< V_i[i]
  double height = 0;                                     ///< max W_i[i]
  double scaled_chain = 0;                               ///< max HT_i
  double chain = 0;                                      ///< the same with all speeds 1
  std::vector<std::vector<Cause>> causes;                ///< by location: of its receive and leave steps, in order
  std::vector<Region> regions;                           ///< the longest, longest first
  std::uint64_t circular = 0;                            ///< steps that had to be let go without what they need
};

/// rho: by location, empty for all 1. regions: how many to find; 0 keeps the cost at O(steps).
Replayed replay(const Steps& steps, std::span<const double> rho, std::size_t regions);

}  // namespace skelgen::metrics
