#pragma once
// One location's calls in order, one at a time: what expand visits, for those who must stop in between.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "skeleton/skeleton.h"

namespace skelgen::skeleton {

/// Loops of which fewer iterations are visited, and how many.
using Shortened = std::unordered_map<const Node*, std::uint64_t>;

class Cursor {
 public:
  /// shortened: must live as long as the cursor. timed: before_s() is wanted.
  Cursor(const Skeleton& skeleton, std::uint32_t location, const Shortened& shortened, bool timed = false);
  /// The next call, nullptr at the end. O(1) amortised, O(nodes) memory.
  const Call* next();
  /// Value of a parameter of the call that next() returned last.
  std::int64_t value(int parameter) const;
  /// From whom that call got its message, if it named MPI_ANY_SOURCE; kAnySource if unknown.
  std::int64_t matched() const;
  /// Computation since the call before, in seconds: means, or where it varies the samples, one after the other and again from
  /// the first one on, with the mean that it has.
  double before_s() const { return before_s_; }
  /// Mean time inside that call, in seconds.
  double duration_s() const;
  /// The loop of the top level that it stands in, nullptr: none; and the iteration, from 1.
  struct Lap {
    const Node* loop = nullptr;
    std::uint64_t number = 0;
  };
  Lap lap() const { return lap_; }

 private:
  /// A node that the location executes, those of its body behind it.
  struct Entry {
    const Node* node;
    std::size_t position, end;       ///< in Node::where; of the body
    std::uint64_t executions;        ///< so far
    std::uint64_t repeated = 0;      ///< of a loop's body: iterations but the first of each execution
    double before = 1, between = 1;  ///< factors of the samples
  };
  struct Frame {
    std::size_t begin, end, at;  ///< entries of the block, behind that of the loop whose body it is
    std::uint64_t trips_left;    ///< of the loop whose body this is, after the current one
  };
  void list(const Block& block, std::uint32_t location);

  const Shortened& shortened_;
  const bool timed_;
  std::vector<Entry> entries_;
  std::vector<Frame> stack_;
  const Call* call_ = nullptr;
  std::size_t position_ = 0;
  std::uint64_t occurrence_ = 0;
  double before_s_ = 0;
  Lap lap_;
};

}  // namespace skelgen::skeleton
