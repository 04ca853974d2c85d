// DC3: suffixes at positions 1 and 2 modulo 3 (the sample) are sorted by recursion on the names of their first three
// symbols, those at 0 modulo 3 by one symbol and the rank of the sample suffix behind it; then both are merged.
#include <algorithm>
#include <vector>

#include "strings/sort_suffixes.h"

namespace skelgen::strings {
namespace {

/// Stable counting sort of `positions` by keys[position + offset], which is at most `largest`.
void counting_sort(std::vector<Index>& positions, std::vector<Index>& scratch, const std::vector<Symbol>& keys,
                   Index offset, Symbol largest) {
  std::vector<Index> begin(static_cast<std::size_t>(largest) + 2);
  for (const Index p : positions) ++begin[keys[p + offset] + std::size_t{1}];
  for (std::size_t s = 1; s < begin.size(); ++s) begin[s] += begin[s - 1];
  scratch.resize(positions.size());
  for (const Index p : positions) scratch[begin[keys[p + offset]]++] = p;
  positions.swap(scratch);
}

/// padded: n symbols in [1, largest], then three zeros.
std::vector<Index> difference_cover(const std::vector<Symbol>& padded, Symbol largest) {
  const auto n = static_cast<Index>(padded.size() - 3);
  if (n == 1) return {0};
  // With n = 1 modulo 3 the empty suffix at n joins, so that every position 0 modulo 3 has a sample suffix behind it.
  const Index limit = n + (n % 3 == 1 ? 1 : 0), ones = (limit + 1) / 3;
  std::vector<Index> sample, scratch;
  for (Index i = 1; i < limit; ++i)
    if (i % 3 != 0) sample.push_back(i);
  for (const Index offset : {2u, 1u, 0u}) counting_sort(sample, scratch, padded, offset, largest);

  const auto place = [&](Index i) { return i % 3 == 1 ? i / 3 : i / 3 + ones; };
  std::vector<Symbol> reduced(sample.size() + 3);
  Symbol names = 0;
  for (std::size_t r = 0; r < sample.size(); ++r) {
    const Symbol* triple = padded.data() + sample[r];
    if (r == 0 || !std::equal(triple, triple + 3, padded.data() + sample[r - 1])) ++names;
    reduced[place(sample[r])] = names;
  }
  if (names < sample.size()) {
    const std::vector<Index> order = difference_cover(reduced, names);
    for (std::size_t r = 0; r < order.size(); ++r)
      sample[r] = order[r] < ones ? 3 * order[r] + 1 : 3 * (order[r] - ones) + 2;
  }
  std::vector<Index> rank(n + 3);  // of sample suffixes, from 1; 0 behind the end
  for (std::size_t r = 0; r < sample.size(); ++r) rank[sample[r]] = static_cast<Index>(r + 1);

  std::vector<Index> others;
  for (const Index i : sample)
    if (i % 3 == 1) others.push_back(i - 1);
  counting_sort(others, scratch, padded, 0, largest);

  const auto before = [&](Index i, Index other) {  // is sample suffix i smaller than the one at `other`?
    if (padded[i] != padded[other]) return padded[i] < padded[other];
    if (i % 3 == 1) return rank[i + 1] < rank[other + 1];
    if (padded[i + 1] != padded[other + 1]) return padded[i + 1] < padded[other + 1];
    return rank[i + 2] < rank[other + 2];
  };
  if (limit > n) sample.erase(sample.begin());  // the empty suffix is the smallest
  std::vector<Index> result(n);
  std::ranges::merge(sample, others, result.begin(), [&](Index a, Index b) {
    // ranges::merge asks whether an element of the second range is smaller than one of the first
    return a % 3 == 0 ? !before(b, a) : before(a, b);
  });
  return result;
}

}  // namespace

void sort_by_difference_cover(std::span<const Symbol> text, std::span<Index> suffixes, Symbol alphabet) {
  if (text.empty()) return;
  std::vector<Symbol> padded(text.size() + 3);
  std::ranges::transform(text, padded.begin(), [](Symbol s) { return s + 1; });
  std::ranges::copy(difference_cover(padded, alphabet), suffixes.begin());
}

}  // namespace skelgen::strings
