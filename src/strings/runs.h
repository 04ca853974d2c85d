#pragma once
// All maximal repetitions of a string of integers.

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "strings/suffix_array.h"
#include "strings/symbols.h"

namespace skelgen::strings {

/// A maximal repetition (run): text[begin, end) has `period` as its smallest period, end - begin >= 2 * period, and
/// neither the symbol before nor the one behind continues the period.
template <typename Position>
struct BasicRun {
  Position begin, end, period;
  auto operator<=>(const BasicRun&) const = default;
};
using Run = BasicRun<Index>;

/// All runs of `text`, ordered by begin, end, period; fewer than text.size() of them. Any symbols will do.
///
/// By Lyndon roots (Bannai, I, Inenaga, Nakashima, Takeda & Tsuruta: The "Runs" Theorem, SIAM J. Comput. 2017): for
/// both orders of the symbols, the next smaller suffix of i gives the longest Lyndon word at i, and every run has such
/// a word as its root. Both orders in one scan, suffixes compared by words and vectors, long runs scanned in a few of
/// their periods and repeated in the others. O(n log n) symbols are compared at most, 8 to 32 of one byte at a time, and
/// few in practice (docs/theory/runs.md has the proof).
///
/// Position: std::uint32_t for at most kMaxLength symbols, std::uint64_t. S: std::uint8_t, 16, 32, 64. Symbols are
/// copied to the narrowest integers that hold their range: 1 to 8 bytes per symbol. Besides that and the result (up to
/// three times while it grows), two positions for each suffix on two stacks: next to nothing, but 8 bytes per symbol of
/// a text that rises or falls all the way or is the power of one symbol (16 with 64 bits); and 16 bytes (32) per run in
/// the period of a long run.
/// Throws Error{invalid_argument} on a longer text.
template <typename Position, typename S>
std::vector<BasicRun<Position>> runs_of(std::span<const S> text);

/// The same for what this tool folds.
inline std::vector<Run> runs(std::span<const Symbol> text) { return runs_of<Index, Symbol>(text); }

/// The same by the enumeration of Zhang 2010, section 3.2 and algorithm 3: for every period p, positions 0, p, 2p, ...
/// are compared with their right neighbours, and where these agree, both are extended both ways, in O(1) by the suffix
/// arrays that `sort` makes of the text and of its reverse, their lcp arrays and range minima. Only the shortest period
/// of a run is kept. O(n log n), 40 times slower than runs() and more; about 60 bytes per symbol, more while DC3 sorts.
/// Throws Error{invalid_argument} above kMaxLength symbols.
std::vector<Run> runs_by_enumeration(std::span<const Symbol> text, SuffixArray& sort = suffix_array);

}  // namespace skelgen::strings
