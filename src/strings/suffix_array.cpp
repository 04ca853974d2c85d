#include "strings/suffix_array.h"

#include "strings/sort_suffixes.h"
#include "support/error.h"

namespace skelgen::strings {
namespace {

using Sorter = void(std::span<const Symbol> text, std::span<Index> suffixes, Symbol alphabet);

std::vector<Index> sorted(std::span<const Symbol> text, Symbol alphabet, Sorter& sort) {
  check_length(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] >= alphabet)
      throw Error(Code::invalid_argument, "symbol " + std::to_string(text[i]) + " at position " + std::to_string(i) +
                                              " is outside an alphabet of " + std::to_string(alphabet));
  }
  std::vector<Index> suffixes(text.size());
  if (text.empty()) return suffixes;
  if (alphabet <= 2 * text.size() + 256) {
    sort(text, suffixes, alphabet);
  } else {  // buckets for all of it would cost more than the text
    const Compacted small = compact(text);
    sort(small.text, suffixes, small.alphabet);
  }
  return suffixes;
}

}  // namespace

std::vector<Index> suffix_array(std::span<const Symbol> text, Symbol alphabet) {
  return sorted(text, alphabet, sort_by_induction);
}

std::vector<Index> suffix_array_dc3(std::span<const Symbol> text, Symbol alphabet) {
  return sorted(text, alphabet, sort_by_difference_cover);
}

std::vector<Index> inverse(std::span<const Index> suffixes) {
  std::vector<Index> rank(suffixes.size());
  for (std::size_t r = 0; r < suffixes.size(); ++r) rank[suffixes[r]] = static_cast<Index>(r);
  return rank;
}

std::vector<Index> lcp_array(std::span<const Symbol> text, std::span<const Index> suffixes,
                             std::span<const Index> rank) {
  const std::size_t n = text.size();
  std::vector<Index> lcp(n);
  std::size_t common = 0;  // at most one less than for the suffix before
  for (std::size_t i = 0; i < n; ++i) {
    if (rank[i] == 0) {
      common = 0;
      continue;
    }
    const std::size_t j = suffixes[rank[i] - 1];
    while (i + common < n && j + common < n && text[i + common] == text[j + common]) ++common;
    lcp[rank[i]] = static_cast<Index>(common);
    if (common > 0) --common;
  }
  return lcp;
}

}  // namespace skelgen::strings
