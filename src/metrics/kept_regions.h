#pragma once
// The regions of the lowest alpha. Internal to src/metrics.

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "metrics/metrics.h"

namespace skelgen::metrics {

/// Keeps so many of those that are added; of the same alpha, those that were blocked longer, then the first ones.
class KeptRegions {
 public:
  explicit KeptRegions(std::size_t most) : most_(most) {}
  /// The region has an alpha. step: of the location.
  void add(Region region, std::uint32_t location, std::uint64_t step) {
    kept_.push({*region.alpha, -region.blocked_s, location, step, std::move(region)});
    if (kept_.size() > most_) kept_.pop();
  }
  /// Lowest alpha first; none are left.
  std::vector<Region> take() {
    std::vector<Region> result;
    for (; !kept_.empty(); kept_.pop()) result.push_back(kept_.top().region);
    std::ranges::reverse(result);
    return result;
  }

 private:
  struct Kept {  // the last of them goes first
    double alpha, minus_blocked;
    std::uint32_t location;
    std::uint64_t step;
    Region region;
    bool operator<(const Kept& other) const {
      return std::tie(alpha, minus_blocked, location, step) <
             std::tie(other.alpha, other.minus_blocked, other.location, other.step);
    }
  };
  std::size_t most_;
  std::priority_queue<Kept> kept_;
};

}  // namespace skelgen::metrics
