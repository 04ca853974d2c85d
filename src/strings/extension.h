#pragma once
// Longest common extensions: how far two positions of a string agree, right and left, in constant time.

#include <span>
#include <vector>

#include "strings/range_minimum.h"
#include "strings/suffix_array.h"
#include "strings/symbols.h"

namespace skelgen::strings {

/// Longest common prefixes of suffixes: the smallest lcp value between their ranks. O(n) to build for symbols below
/// 2n + 256, about 17n bytes.
class CommonPrefix {
 public:
  /// text: each symbol in [0, alphabet). sort: how its suffix array is made. Throws as suffix_array does.
  CommonPrefix(std::span<const Symbol> text, Symbol alphabet, SuffixArray& sort);

  /// Number of equal symbols from positions i and j (both <= n) on. O(1).
  Index operator()(Index i, Index j) const;

 private:
  std::vector<Index> rank_;
  RangeMinimum lcp_;
};

/// Longest common extensions in both directions: suffix array, lcp and range minimum of the string and of the reversed
/// string, as in Zhang 2010, algorithm 3. About 34n bytes.
class Extension {
 public:
  /// As CommonPrefix.
  Extension(std::span<const Symbol> text, Symbol alphabet, SuffixArray& sort);

  /// Number of k > 0 in a row with text[i + k - 1] == text[j + k - 1]; i, j <= n. O(1).
  Index forward(Index i, Index j) const { return forward_(i, j); }
  /// Number of k > 0 in a row with text[i - k] == text[j - k]; i, j <= n. O(1).
  Index backward(Index i, Index j) const { return backward_(size_ - i, size_ - j); }

 private:
  Index size_;
  CommonPrefix forward_, backward_;
};

}  // namespace skelgen::strings
