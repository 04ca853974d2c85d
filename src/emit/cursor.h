#pragma once
// One location's calls in order, one at a time: what skeleton::expand visits, for those who must stop in between.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "skeleton/skeleton.h"

namespace skelgen::emit {

class Cursor {
 public:
  Cursor(const skeleton::Skeleton& skeleton, std::uint32_t location);
  /// The next call, nullptr at the end. O(1) amortised, O(nodes) memory.
  const skeleton::Call* next();
  /// Value of a parameter of the call that next() returned last.
  std::int64_t value(int parameter) const;
  /// From whom that call got its message, if it named MPI_ANY_SOURCE; kAnySource if unknown.
  std::int64_t matched() const;

 private:
  struct Frame {
    const skeleton::Block* block;
    std::size_t index;
    std::uint64_t trips_left;  ///< of the loop whose body this is, after the current one
  };
  std::uint32_t location_;
  std::vector<Frame> stack_;
  std::unordered_map<const skeleton::Node*, std::uint64_t> seen_;
  const skeleton::Call* call_ = nullptr;
  std::size_t position_ = 0;
  std::uint64_t occurrence_ = 0;
};

}  // namespace skelgen::emit
