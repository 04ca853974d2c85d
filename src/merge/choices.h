#pragma once
// The different sequences that an argument has, each kept once.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "skeleton/skeleton.h"

namespace skelgen::merge {

class Choices {
 public:
  /// Number of this sequence; numbers go by first use. O(1) expected.
  std::uint32_t add(skeleton::Sequence sequence);
  std::uint32_t add_constant(std::int64_t value);
  const std::vector<skeleton::Sequence>& all() const { return all_; }
  std::vector<skeleton::Sequence> take() { return std::move(all_); }

 private:
  std::vector<skeleton::Sequence> all_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;  // only for looking up, used from kFew sequences on
};

}  // namespace skelgen::merge
