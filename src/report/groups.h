#pragma once
// Consecutive ranks as one row, so that what is shown of a run does not grow with its ranks.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "support/units.h"

namespace skelgen::report {

/// At most so many groups of consecutive ranks, of equal size up to one.
class Groups {
 public:
  Groups(std::size_t ranks, std::size_t most)
      : ranks_(std::max<std::size_t>(1, ranks)), count_(std::min(ranks_, most)) {}
  std::size_t count() const { return count_; }
  std::size_t of(Rank rank) const { return static_cast<std::size_t>(rank) * count_ / ranks_; }
  Rank first(std::size_t group) const { return static_cast<Rank>((group * ranks_ + count_ - 1) / count_); }
  std::size_t size(std::size_t group) const { return static_cast<std::size_t>(first(group + 1) - first(group)); }
  /// "rank 3", "ranks 4-7".
  std::string name(std::size_t group) const {
    const Rank last = first(group + 1) - 1;
    return last == first(group) ? "rank " + std::to_string(last)
                                : "ranks " + std::to_string(first(group)) + "-" + std::to_string(last);
  }

 private:
  std::size_t ranks_, count_;
};

}  // namespace skelgen::report
