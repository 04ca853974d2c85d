#pragma once
// Strings of integers: their symbols and positions.

#include <cstdint>
#include <span>
#include <vector>

namespace skelgen::strings {

using Symbol = std::uint32_t;
using Index = std::uint32_t;

/// The longest string that this layer takes, in symbols. Positions and "no position" fit into an Index.
inline constexpr std::uint64_t kMaxLength = 0xffff'fffe;

/// Throws Error{invalid_argument} if `length` is above kMaxLength.
void check_length(std::uint64_t length);

/// A string whose symbols are exactly 0 .. alphabet - 1.
struct Compacted {
  std::vector<Symbol> text;
  Symbol alphabet = 0;
};

/// Replaces each symbol by its rank among the distinct symbols of `text`, so that order and equality stay. O(n) where
/// symbols are below 2n + 256, O(n log n) otherwise; 4n to 12n bytes besides the result.
/// Throws Error{invalid_argument} above kMaxLength symbols.
Compacted compact(std::span<const Symbol> text);

}  // namespace skelgen::strings
