#pragma once
// Smallest value of any range of an array, in constant time.

#include <span>
#include <vector>

#include "strings/symbols.h"

namespace skelgen::strings {

/// Built in O(n + n / 32 log n) time; keeps the values, 4 bytes more for each and a sparse table over blocks of 32
/// (n / 8 log2(n / 32) bytes). Inside a block, a bit set per position has the positions that are minima of all up to it
/// (after Fischer & Heun, ESCAPE 2007, with machine words in place of their table).
class RangeMinimum {
 public:
  explicit RangeMinimum(std::vector<Index> values);

  /// Smallest of values[begin, end); begin < end <= size. O(1).
  Index minimum(Index begin, Index end) const;

 private:
  Index in_block(Index begin, Index last) const;

  std::vector<Index> values_;
  std::vector<std::uint32_t> minima_;       // by position: which of its block up to it are smaller than all behind
  std::vector<std::vector<Index>> blocks_;  // [k][b]: smallest of blocks b .. b + 2^k - 1
};

}  // namespace skelgen::strings
