#include "merge/choices.h"

#include <algorithm>

namespace skelgen::merge {
namespace {

using skeleton::Sequence;
constexpr std::size_t kFew = 8;

std::uint64_t hash(const Sequence& sequence) {
  std::uint64_t h = static_cast<std::uint64_t>(sequence.kind) + 0x9e3779b97f4a7c15u;
  for (const std::int64_t v : sequence.values)
    h = (h ^ static_cast<std::uint64_t>(v)) * 0x2545f4914f6cdd1du ^ (h >> 29);
  return h;
}

}  // namespace

std::uint32_t Choices::add_constant(std::int64_t value) {
  if (all_.size() <= kFew)
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i].kind == Sequence::Kind::constant && all_[i].values[0] == value) return static_cast<std::uint32_t>(i);
  return add({Sequence::Kind::constant, {value}});
}

std::uint32_t Choices::add(Sequence sequence) {
  const auto number = static_cast<std::uint32_t>(all_.size());
  if (all_.size() < kFew) {
    const auto found = std::find(all_.begin(), all_.end(), sequence);
    if (found != all_.end()) return static_cast<std::uint32_t>(found - all_.begin());
    all_.push_back(std::move(sequence));
    return number;
  }
  if (by_hash_.empty())
    for (std::uint32_t i = 0; i < number; ++i) by_hash_.emplace(hash(all_[i]), i);
  const std::uint64_t h = hash(sequence);
  const auto [first, last] = by_hash_.equal_range(h);
  for (auto it = first; it != last; ++it)
    if (all_[it->second] == sequence) return it->second;
  by_hash_.emplace(h, number);
  all_.push_back(std::move(sequence));
  return number;
}

}  // namespace skelgen::merge
