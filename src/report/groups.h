#pragma once
// Consecutive ranks, or locations, as one row, so that what is shown of a run does not grow with them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

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

/// At most so many groups of consecutive locations: ranks, and where several threads of a rank call MPI, these.
class Rows {
 public:
  /// threads: of each rank; at least one each counts.
  Rows(const std::vector<int>& threads, std::size_t most);
  std::size_t count() const { return groups_.count(); }
  std::size_t locations() const { return first_.back(); }
  bool are_ranks() const { return locations() + 1 == first_.size(); }
  std::size_t index(Location where) const {
    return first_[static_cast<std::size_t>(where.rank)] + static_cast<std::size_t>(where.thread);
  }
  std::size_t of(Location where) const { return groups_.of(static_cast<Rank>(index(where))); }
  std::size_t size(std::size_t row) const { return groups_.size(row); }
  /// "rank 3", "ranks 4-7"; "rank 3, thread 1", "rank 3, thread 2 to rank 5, thread 0".
  std::string name(std::size_t row) const;

 private:
  std::vector<std::size_t> first_;  // by rank, and one more: number of its first location
  Groups groups_;
};

}  // namespace skelgen::report
