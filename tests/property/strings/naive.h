#pragma once
// The definitions, written down as they are read.

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "strings/runs.h"

namespace skelgen::strings::naive {

inline std::vector<Index> suffix_array(std::span<const Symbol> text) {
  std::vector<Index> suffixes(text.size());
  std::iota(suffixes.begin(), suffixes.end(), 0);
  std::ranges::sort(suffixes, [&](Index a, Index b) {
    return std::ranges::lexicographical_compare(text.subspan(a), text.subspan(b));
  });
  return suffixes;
}

inline Index forward(std::span<const Symbol> text, std::size_t i, std::size_t j) {
  Index length = 0;
  while (i + length < text.size() && j + length < text.size() && text[i + length] == text[j + length]) ++length;
  return length;
}

inline Index backward(std::span<const Symbol> text, std::size_t i, std::size_t j) {
  Index length = 0;
  while (length < i && length < j && text[i - 1 - length] == text[j - 1 - length]) ++length;
  return length;
}

/// All (begin, end, period) that cannot be extended and have two periods; only the shortest period of a part.
inline std::vector<Run> runs(std::span<const Symbol> text) {
  const std::size_t n = text.size();
  std::vector<Run> found;
  for (std::size_t p = 1; 2 * p <= n; ++p) {
    for (std::size_t begin = 0; begin + p < n;) {
      const std::size_t end = begin + p + forward(text, begin, begin + p);
      if (end - begin >= 2 * p)
        found.push_back({static_cast<Index>(begin), static_cast<Index>(end), static_cast<Index>(p)});
      begin = end - p + 1;
    }
  }
  std::ranges::sort(found);
  const auto same = [](const Run& a, const Run& b) { return a.begin == b.begin && a.end == b.end; };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
  return found;
}

}  // namespace skelgen::strings::naive
