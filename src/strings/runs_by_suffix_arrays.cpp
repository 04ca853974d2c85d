#include <algorithm>

#include "strings/extension.h"
#include "strings/runs.h"

namespace skelgen::strings {
namespace {

/// Adds the runs whose Lyndon root is one in the order of symbols (flipped or not).
void add_runs(std::span<const Symbol> text, bool flipped, const Extension& extension, std::vector<Run>& out) {
  const auto n = static_cast<Index>(text.size());
  std::vector<Index> next(n);  // next smaller suffix; n: none
  for (Index i = n; i-- > 0;) {
    Index j = i + 1, common = extension.forward(i, j);
    // the suffix that ends first is the smaller one, in both orders
    while (j + common < n && (text[i + common] < text[j + common]) != flipped) {
      j = next[j];
      common = extension.forward(i, j);
    }
    next[i] = j;
    if (j == n) continue;
    const Index period = j - i, left = extension.backward(i, j);
    // A run has many roots and is reported at the leftmost: behind another one, the symbols agree for a whole period.
    if (left < period && left + common >= period) out.push_back({i - left, j + common, period});
  }
}

}  // namespace

std::vector<Run> runs_by_suffix_arrays(std::span<const Symbol> text) {
  const Compacted small = compact(text);
  const Extension extension(small.text, small.alphabet);
  std::vector<Run> found;
  add_runs(text, false, extension, found);
  add_runs(text, true, extension, found);
  std::ranges::sort(found);  // those at the end of the text have been found twice
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace skelgen::strings
