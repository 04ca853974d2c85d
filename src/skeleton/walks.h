#pragma once
// Values of sequences that stand for all of them. Internal to src/skeleton.

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "skeleton/skeleton.h"

namespace skelgen::skeleton {

inline std::vector<std::int64_t> each_once(std::vector<std::int64_t> all) {
  std::ranges::sort(all);
  const auto rest = std::ranges::unique(all);
  all.erase(rest.begin(), rest.end());
  return all;
}

/// Values of an arithmetic sequence that suffice to check all: both ends, and the smallest four, among which are special
/// values (MPI_PROC_NULL, MPI_IN_PLACE).
inline std::vector<std::int64_t> ends(const Sequence& walk, std::uint64_t occurrences) {
  constexpr std::uint64_t kNamed = 4;  // ranks and places in memory have at most three
  if (occurrences == 0) return {};
  std::vector<std::int64_t> some{walk.at(0), walk.at(occurrences - 1)};
  for (std::uint64_t k = 0; k < std::min(kNamed, occurrences); ++k)
    some.push_back(walk.at(walk.values[1] < 0 ? occurrences - 1 - k : k));
  return each_once(std::move(some));
}

/// The values of sequences, each once; looked up where many locations have the same sequences, equally often. Refers to
/// the sequences.
class Walks {
 public:
  /// each: all values also of arithmetic sequences, otherwise those of ends(). nullptr: more than kMost.
  const std::vector<std::int64_t>* values(const Sequence& sequence, std::uint64_t occurrences, bool each) {
    const bool walk = sequence.kind == Sequence::Kind::arithmetic && sequence.values[1] != 0;
    auto& all = known_[{&sequence, walk ? occurrences : 0, walk && each}];
    if (!all.empty()) return &all;
    if (!walk) {
      all = each_once({sequence.values.begin(), sequence.values.end() - (sequence.kind == Sequence::Kind::arithmetic)});
    } else if (!each) {
      all = ends(sequence, occurrences);
    } else {
      walked_ += std::min(occurrences, kMost + 1);
      if (walked_ > kMost) return nullptr;
      for (std::uint64_t k = 0; k < occurrences; ++k) all.push_back(sequence.at(k));
      all = each_once(std::move(all));
    }
    return &all;
  }

 private:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 24;  ///< values of all walks, each
  std::map<std::tuple<const Sequence*, std::uint64_t, bool>, std::vector<std::int64_t>> known_;
  std::uint64_t walked_ = 0;
};

}  // namespace skelgen::skeleton
