#pragma once
// Number of passes of a place in an iteration of the top-level loop around it: exact, also where inner trip
// counts vary.

#include <cstdint>
#include <vector>

#include "skeleton/skeleton.h"

namespace skelgen::emit {

/// Sums of a sequence's first values. O(values) to make, then O(1) each.
class Sums {
 public:
  explicit Sums(const skeleton::Sequence& sequence);
  std::uint64_t sum(std::uint64_t n) const;       ///< at(0) + ... + at(n - 1); the values are >= 0
  std::uint64_t positive(std::uint64_t n) const;  ///< how many of them are above 0

 private:
  const skeleton::Sequence* sequence_;
  std::vector<std::uint64_t> sum_, positive_;  ///< of one period, or of all values; [n]
};

/// The loops around a place, the one of the top level first.
using Around = std::vector<const skeleton::Node*>;

class Counted {
 public:
  /// The computation before `node`, or between its iterations. `around` is not empty: all loops around the node, or the
  /// node itself if it stands at the top level.
  Counted(const Around& around, const skeleton::Node& node, bool between);
  /// How often the location at this position of node.where passes the place in iterations begin .. end - 1. O(depth).
  std::uint64_t passes(std::size_t at, std::uint64_t begin, std::uint64_t end) const;
  std::uint64_t passes(std::size_t at, std::uint64_t iteration) const { return passes(at, iteration, iteration + 1); }

 private:
  struct Level {
    const skeleton::Node* loop;
    std::vector<Sums> sums;  ///< by choice of trips
  };
  static const Sums& of(const Level& level, std::uint32_t location);

  const skeleton::Node* node_;
  bool top_;  ///< the place is between the iterations of the loop of the top level itself
  bool between_;
  std::vector<Level> levels_;  ///< below the top
};

}  // namespace skelgen::emit
