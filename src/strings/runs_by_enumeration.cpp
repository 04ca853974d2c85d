#include <algorithm>

#include "strings/extension.h"
#include "strings/runs.h"

namespace skelgen::strings {

std::vector<Run> runs_by_enumeration(std::span<const Symbol> text, SuffixArray& sort) {
  const Compacted small = compact(text);
  const Extension extension(small.text, small.alphabet, sort);
  const std::uint64_t n = text.size();
  std::vector<Run> found;
  for (std::uint64_t p = 1; 2 * p <= n; ++p) {
    for (std::uint64_t at = 0; at + p < n;) {
      // A run of period p contains some at with its right neighbour; these two symbols are equal.
      std::uint64_t past = at + 1;
      if (text[at] == text[at + p]) {
        const auto i = static_cast<Index>(at), j = static_cast<Index>(at + p);
        const std::uint64_t right = extension.forward(i, j), left = extension.backward(i, j);
        if (left + right >= p)
          found.push_back({static_cast<Index>(i - left), static_cast<Index>(j + right), static_cast<Index>(p)});
        past = at + right + 1;  // the pairs up to there give the same run
      }
      at = (past + p - 1) / p * p;
    }
  }
  // A multiple of the shortest period gives the same begin and end (Fine & Wilf), and comes behind it in this order.
  std::ranges::sort(found);
  const auto same = [](const Run& a, const Run& b) { return a.begin == b.begin && a.end == b.end; };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
  return found;
}

}  // namespace skelgen::strings
