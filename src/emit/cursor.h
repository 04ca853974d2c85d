#pragma once
// One location's calls in order, one at a time: what skeleton::expand visits, for those who must stop in between.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "skeleton/skeleton.h"

namespace skelgen::emit {

/// Loops of which fewer iterations are visited, and how many.
using Shortened = std::unordered_map<const skeleton::Node*, std::uint64_t>;

class Cursor {
 public:
  /// shortened: must live as long as the cursor.
  Cursor(const skeleton::Skeleton& skeleton, std::uint32_t location, const Shortened& shortened);
  /// The next call, nullptr at the end. O(1) amortised, O(nodes) memory.
  const skeleton::Call* next();
  /// Value of a parameter of the call that next() returned last.
  std::int64_t value(int parameter) const;
  /// From whom that call got its message, if it named MPI_ANY_SOURCE; kAnySource if unknown.
  std::int64_t matched() const;

 private:
  /// A node that the location executes, those of its body behind it.
  struct Entry {
    const skeleton::Node* node;
    std::size_t position, end;  ///< in Node::where; of the body
    std::uint64_t executions;   ///< so far
  };
  struct Frame {
    std::size_t begin, end, at;  ///< entries of the block
    std::uint64_t trips_left;    ///< of the loop whose body this is, after the current one
  };
  void list(const skeleton::Block& block, std::uint32_t location);

  const Shortened& shortened_;
  std::vector<Entry> entries_;
  std::vector<Frame> stack_;
  const skeleton::Call* call_ = nullptr;
  std::size_t position_ = 0;
  std::uint64_t occurrence_ = 0;
};

}  // namespace skelgen::emit
