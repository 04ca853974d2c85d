#include "strings/range_minimum.h"

#include <algorithm>
#include <bit>

namespace skelgen::strings {
namespace {

constexpr Index kBlock = 32;

}  // namespace

RangeMinimum::RangeMinimum(std::vector<Index> values) : values_(std::move(values)), minima_(values_.size()) {
  const std::size_t n = values_.size();
  std::vector<Index> smallest;
  for (std::size_t begin = 0; begin < n; begin += kBlock) {
    const std::size_t end = std::min<std::size_t>(begin + kBlock, n);
    std::uint32_t set = 0;
    for (std::size_t i = begin; i < end; ++i) {
      while (set != 0) {
        const int top = 31 - std::countl_zero(set);
        if (values_[begin + top] < values_[i]) break;
        set &= ~(1u << top);
      }
      minima_[i] = set |= 1u << (i - begin);
    }
    smallest.push_back(*std::min_element(values_.begin() + begin, values_.begin() + end));
  }
  for (std::size_t span = 1; !smallest.empty(); span *= 2) {
    blocks_.push_back(smallest);
    if (smallest.size() <= span) break;
    for (std::size_t b = 0; b + span < smallest.size(); ++b) smallest[b] = std::min(smallest[b], smallest[b + span]);
    smallest.resize(smallest.size() - span);
  }
}

Index RangeMinimum::in_block(Index begin, Index last) const {
  const std::uint32_t set = minima_[last] >> (begin % kBlock);
  return values_[begin + static_cast<Index>(std::countr_zero(set))];
}

Index RangeMinimum::minimum(Index begin, Index end) const {
  const Index last = end - 1, first_block = begin / kBlock, last_block = last / kBlock;
  if (first_block == last_block) return in_block(begin, last);
  Index result = std::min(in_block(begin, first_block * kBlock + (kBlock - 1)), in_block(last_block * kBlock, last));
  if (const Index between = last_block - first_block - 1; between > 0) {
    const int k = std::bit_width(between) - 1;
    result = std::min({result, blocks_[k][first_block + 1], blocks_[k][last_block - (Index{1} << k)]});
  }
  return result;
}

}  // namespace skelgen::strings
