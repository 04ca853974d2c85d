#pragma once
// Suffix arrays and what is read off them. A suffix that is a prefix of another one is the smaller of the two.

#include <span>
#include <vector>

#include "strings/symbols.h"

namespace skelgen::strings {

/// Suffix array of `text` by induced sorting (Nong, Zhang & Chan: Linear Suffix Array Construction by Almost Pure
/// Induced-Sorting, DCC 2009): the begins of all suffixes in lexicographic order.
/// text: n symbols, each in [0, alphabet). Returns n positions. O(n) time, besides input and output at most
/// 16 min(alphabet, 2n) + n / 4 bytes; above 2n + 256 symbols the alphabet is compacted first, O(n log n).
/// Throws Error{invalid_argument} on a symbol outside the alphabet and above kMaxLength symbols.
std::vector<Index> suffix_array(std::span<const Symbol> text, Symbol alphabet);

/// The same by the difference cover modulo 3, as Zhang 2010 has it (Kärkkäinen, Sanders & Burkhardt: Linear Work Suffix
/// Array Construction, J. ACM 2006). O(n) time, about 30n bytes; several times slower than suffix_array.
std::vector<Index> suffix_array_dc3(std::span<const Symbol> text, Symbol alphabet);

/// Type of both functions.
using SuffixArray = std::vector<Index>(std::span<const Symbol> text, Symbol alphabet);

/// rank[suffixes[r]] = r. O(n).
std::vector<Index> inverse(std::span<const Index> suffixes);

/// lcp[r] = length of the longest common prefix of the suffixes at suffixes[r - 1] and suffixes[r]; lcp[0] = 0. Zhang
/// 2010 calls it height. By Kasai et al. (Linear-Time Longest-Common-Prefix Computation in Suffix Arrays, CPM 2001).
/// suffixes, rank: the suffix array of `text` and its inverse. O(n).
std::vector<Index> lcp_array(std::span<const Symbol> text, std::span<const Index> suffixes,
                             std::span<const Index> rank);

}  // namespace skelgen::strings
