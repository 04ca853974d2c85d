#pragma once
// The shortest folded form there is, by dynamic programming over all substrings: O(n^3) time, 4n^2 bytes.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace skelgen::fold::exact {

/// Symbols in the shortest folded form of `text`.
inline std::uint32_t shortest(const std::vector<std::uint32_t>& text) {
  const std::size_t n = text.size();
  if (n == 0) return 0;
  std::vector<std::vector<std::uint32_t>> cost(n + 1, std::vector<std::uint32_t>(n + 1, 0));  // [begin][end]
  for (std::size_t length = 1; length <= n; ++length) {
    for (std::size_t begin = 0; begin + length <= n; ++begin) {
      const std::size_t end = begin + length;
      std::uint32_t best = cost[begin][end - 1] + 1;
      for (std::size_t middle = begin + 1; middle < end; ++middle)
        best = std::min(best, cost[begin][middle] + cost[middle][end]);
      for (std::size_t period = 1; 2 * period <= length; ++period) {
        if (length % period != 0) continue;
        if (std::equal(text.begin() + static_cast<std::ptrdiff_t>(begin + period),
                       text.begin() + static_cast<std::ptrdiff_t>(end),
                       text.begin() + static_cast<std::ptrdiff_t>(begin)))
          best = std::min(best, cost[begin][begin + period]);
      }
      cost[begin][end] = best;
    }
  }
  return cost[0][n];
}

}  // namespace skelgen::fold::exact
