#include "strings/symbols.h"

#include <algorithm>

#include "support/error.h"

namespace skelgen::strings {

void check_length(std::uint64_t length) {
  if (length > kMaxLength)
    throw Error(Code::invalid_argument,
                "a string of " + std::to_string(length) + " symbols, more than " + std::to_string(kMaxLength),
                "split it");
}

Compacted compact(std::span<const Symbol> text) {
  check_length(text.size());
  Compacted result;
  if (text.empty()) return result;
  result.text.resize(text.size());
  const std::uint64_t largest = std::ranges::max(text);
  if (largest < 2 * text.size() + 256) {
    std::vector<Symbol> rank(largest + 1);
    for (const Symbol s : text) rank[s] = 1;
    for (Symbol& r : rank) r = r ? result.alphabet++ : 0;
    std::ranges::transform(text, result.text.begin(), [&](Symbol s) { return rank[s]; });
  } else {
    std::vector<Symbol> distinct(text.begin(), text.end());
    std::ranges::sort(distinct);
    const auto rest = std::ranges::unique(distinct);
    distinct.erase(rest.begin(), rest.end());
    result.alphabet = static_cast<Symbol>(distinct.size());
    std::ranges::transform(text, result.text.begin(), [&](Symbol s) {
      return static_cast<Symbol>(std::ranges::lower_bound(distinct, s) - distinct.begin());
    });
  }
  return result;
}

}  // namespace skelgen::strings
