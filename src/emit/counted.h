#pragma once
// Number of passes of a place in an iteration of a loop around it: exact, also where inner trip
// counts vary.

#include <cstdint>
#include <vector>

#include "emit/emit.h"
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

class Counted {
 public:
  /// The computation before `node`, or between its iterations. `around` is not empty: the loop whose iterations are
  /// counted, which may be the node itself, and those between it and the node.
  Counted(const Around& around, const skeleton::Node& node, bool between);
  /// How often the location at this position of node.where passes the place in iterations begin .. end - 1, as they are
  /// numbered over the whole program. Of the loop's own computation between iterations: no first ones of executions but
  /// the very first. O(depth).
  std::uint64_t passes(std::size_t at, std::uint64_t begin, std::uint64_t end) const;
  std::uint64_t passes(std::size_t at, std::uint64_t iteration) const { return passes(at, iteration, iteration + 1); }

 private:
  struct Level {
    const skeleton::Node* loop;
    std::vector<Sums> sums;  ///< by choice of trips
  };
  static const Sums& of(const Level& level, std::uint32_t location);

  const skeleton::Node* node_;
  bool own_;  ///< the place is between the iterations of the loop that is counted
  bool between_;
  std::vector<Level> levels_;  ///< inside it
};

}  // namespace skelgen::emit
