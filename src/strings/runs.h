#pragma once
// All maximal repetitions of a string of integers.

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "strings/symbols.h"

namespace skelgen::strings {

/// A maximal repetition (run): text[begin, end) has `period` as its smallest period, end - begin >= 2 * period, and
/// neither the symbol before nor the one behind continues the period.
struct Run {
  Index begin, end, period;
  auto operator<=>(const Run&) const = default;
};

/// Symbols per symbol of text that runs() compares one after the other before it builds suffix arrays instead.
inline constexpr std::uint64_t kWordWiseWork = 64;

/// All runs of `text`, ordered by begin, end, period; fewer than text.size() of them. By Lyndon roots (Bannai, I,
/// Inenaga, Nakashima, Takeda & Tsuruta: The "Runs" Theorem, SIAM J. Comput. 2017): for both orders of the symbols, the
/// next smaller suffix of i gives the longest Lyndon word at i, and every run has such a word as its root.
///
/// Suffixes are compared word by word. Two that agree with a third one to different lengths are not compared at all;
/// for every distance between two suffixes the stretch known to agree is kept: so a^n and a^k b a^k c are walked once.
/// That is O(n) on all strings that we know, but there is no proof: once more than `work` times the length has been
/// compared, the answer comes from suffix arrays, O(n) but for the sorting of symbols.
/// 16 bytes per symbol besides the result, 60 in the second case. Any symbols will do.
/// Throws Error{invalid_argument} above kMaxLength symbols.
std::vector<Run> runs(std::span<const Symbol> text, std::uint64_t work = kWordWiseWork);

/// The same set by the enumeration of Zhang 2010, section 3.2: for every period p, positions 0, p, 2p, ... are compared
/// with their right neighbours, and where these agree, both are extended both ways. Only the shortest period of a run
/// is kept. O(n log n), slow: the reference.
std::vector<Run> runs_by_enumeration(std::span<const Symbol> text);

}  // namespace skelgen::strings
