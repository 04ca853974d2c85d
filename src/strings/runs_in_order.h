#pragma once
// Puts runs into order while they are being found. Internal to src/strings.

#include <algorithm>
#include <array>
#include <vector>

#include "strings/runs.h"

namespace skelgen::strings {

/// Takes runs from a scan that goes from right to left and finds at i runs that begin at or before i. Positions are
/// taken by blocks: once the scan has left a block, its runs are complete, are sorted within the cache and appended.
/// Runs of blocks still to come (those with long periods, few) wait in a list per block.
template <typename Position>
class RunsInOrder {
 public:
  using Found = BasicRun<Position>;

  explicit RunsInOrder(Position length)
      : length_(length), waiting_((length >> kShift) + 1), low_(length >> kShift << kShift) {}

  /// To be called with falling i, before runs that are found at i are added. Returns where the block of i begins.
  Position reach(Position i) {
    while (i < low_) next_block();
    return low_;
  }

  void add(const Found& run) {
    if (run.begin >= low_) {
      block_.push_back(run);
    } else {
      lists_.push_back({run, waiting_[run.begin >> kShift]});
      waiting_[run.begin >> kShift] = lists_.size();
    }
  }

  /// All runs by begin, then end.
  std::vector<Found> finish() && {
    reach(0);
    flush();
    std::ranges::reverse(falling_);
    return std::move(falling_);
  }

 private:
  static constexpr unsigned kShift = 12;
  static constexpr Position kBlock = Position{1} << kShift;
  static constexpr std::size_t kFew = 100;  // faster sorted by comparing than by counting

  void next_block() {
    flush();
    low_ -= kBlock;
    for (std::size_t at = waiting_[low_ >> kShift]; at != 0; at = lists_[at - 1].next)
      block_.push_back(lists_[at - 1].run);
  }

  void flush() {
    if (block_.empty()) return;
    make_room(block_.size());
    if (block_.size() < kFew) {
      std::ranges::sort(block_, std::greater{});
      falling_.insert(falling_.end(), block_.begin(), block_.end());
    } else {
      sort_by_counting();
    }
    block_.clear();
  }

  void sort_by_counting() {
    const auto key = [&](const Found& run) { return kBlock - 1 - (run.begin - low_); };
    place_.fill(0);
    for (const Found& run : block_) ++place_[key(run) + 1];
    for (std::size_t k = 1; k < place_.size(); ++k) place_[k] += place_[k - 1];
    const std::size_t before = falling_.size();
    falling_.resize(before + block_.size());
    Found* const sorted = falling_.data() + before;
    for (const Found& run : block_) sorted[place_[key(run)]++] = run;
    for (std::size_t k = 1; k < block_.size(); ++k) {  // only O(log n) runs begin at one position
      if (sorted[k].begin != sorted[k - 1].begin || sorted[k].end < sorted[k - 1].end) continue;
      const Found run = sorted[k];
      std::size_t to = k;
      for (; to > 0 && sorted[to - 1].begin == run.begin && sorted[to - 1].end < run.end; --to)
        sorted[to] = sorted[to - 1];
      sorted[to] = run;
    }
  }

  /// Room for as many runs as all positions have if they have as many as those so far.
  void make_room(std::size_t more) {
    const std::size_t need = falling_.size() + more;
    if (need <= falling_.capacity()) return;
    const double done = static_cast<double>(length_ - low_) / static_cast<double>(length_);
    const auto all = static_cast<std::size_t>(1.05 * static_cast<double>(need) / done);
    falling_.reserve(std::max(all, need + need / 2));
  }

  struct Waiting {
    Found run;
    std::size_t next;  // in lists_, from 1; 0: none
  };

  Position length_;
  std::vector<Found> falling_;  // of all blocks behind the present one
  std::vector<Found> block_;    // of the present block
  std::vector<Waiting> lists_;
  std::vector<std::size_t> waiting_;  // by block: first of its list
  std::array<std::uint32_t, kBlock + 1> place_;
  Position low_;  // begin of the present block
};

}  // namespace skelgen::strings
