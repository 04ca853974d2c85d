#pragma once
// All maximal repetitions of a string of integers. Knows no MPI.

#include <cstdint>
#include <span>
#include <vector>

namespace skelgen::strings {

using Symbol = std::uint32_t;
using Index = std::uint32_t;

/// A maximal repetition: text[begin, end) has the (smallest) period `period`, end - begin >= 2 * period, and cannot be
/// extended to either side.
struct Run {
  Index begin, end, period;
  auto operator<=>(const Run&) const = default;
};

/// All maximal repetitions of `text`, ordered by begin, end, period; fewer than text.size() of them. By Lyndon roots
/// (Bannai, I, Inenaga, Nakashima, Takeda, Tsuruta: The "Runs" Theorem, SIAM J. Comput. 2017): for both orders of the
/// symbols, the next smaller suffix of i gives the longest Lyndon word at i, and every run has such a word as its root.
/// Suffixes are compared word by word; for every distance between two suffixes the stretch known to agree is kept, so
/// that a long agreement is walked once. Typical cost O(n) with 16 bytes per symbol besides the result. Throws
/// Error{invalid_argument} above 2^32 - 2 symbols.
std::vector<Run> runs(std::span<const Symbol> text);

}  // namespace skelgen::strings
