#include "strings/extension.h"

#include <algorithm>

namespace skelgen::strings {
namespace {

std::vector<Symbol> reversed(std::span<const Symbol> text) { return {text.rbegin(), text.rend()}; }

/// Of the text whose suffix array has the inverse `rank`.
std::vector<Index> lcp_of(std::span<const Symbol> text, const std::vector<Index>& rank) {
  return lcp_array(text, inverse(rank), rank);
}

}  // namespace

CommonPrefix::CommonPrefix(std::span<const Symbol> text, Symbol alphabet, SuffixArray& sort)
    : rank_(inverse(sort(text, alphabet))), lcp_(lcp_of(text, rank_)) {}

Index CommonPrefix::operator()(Index i, Index j) const {
  const auto n = static_cast<Index>(rank_.size());
  if (i == j) return n - i;
  if (i == n || j == n) return 0;
  const auto [low, high] = std::minmax(rank_[i], rank_[j]);
  return lcp_.minimum(low + 1, high + 1);
}

Extension::Extension(std::span<const Symbol> text, Symbol alphabet, SuffixArray& sort)
    : size_(static_cast<Index>(text.size())),
      forward_(text, alphabet, sort),
      backward_(reversed(text), alphabet, sort) {}

}  // namespace skelgen::strings
