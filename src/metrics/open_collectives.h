#pragma once
// Collectives under way. Internal to src/metrics.

#include <deque>
#include <span>
#include <vector>

#include "metrics/matching.h"
#include "metrics/meetings.h"
#include "metrics/rank_reader.h"

namespace skelgen::metrics {

/// Of all communicators. A rank is its index in `readers`.
class OpenCollectives {
 public:
  /// running: by rank, its threads that are not over. All must outlive it.
  OpenCollectives(std::span<const RankReader> readers, Matching& matching, std::span<const int> running)
      : readers_(readers), matching_(matching), running_(running) {}

  /// A location of the rank comes, with what it brings. Returns the locations that waited.
  std::vector<std::uint32_t> enter(std::uint32_t rank, const Step& step, Clocks&& mine, Meeting& meeting);
  /// Whether all are there whose data the step needs; `from`: of those who are. Otherwise the location is among those that
  /// enter() or end() return, unless it is let go.
  bool leave(std::uint32_t location, std::uint32_t rank, const Step& step, bool let_go, Clocks& from, Meeting& meeting);
  /// In a collective of a root, which MPIs hand on from rank to rank: whether the step took so long that it may have waited
  /// for another one than it needs. leave() then has to be called when all have come that came before the step was over.
  bool may_wait_on_the_way(std::uint32_t rank, const Step& step) const;
  /// The rank is over, and who waits for it waits in vain. Returns the locations that do.
  std::vector<std::uint32_t> end(std::uint32_t rank);

  /// Collectives in which ranks are missing; calls that left without others that came later.
  void count_unmatched(Unmatched& unmatched);

 private:
  Meetings& meetings(std::uint32_t comm);
  void wait_on_the_way(std::uint32_t rank, const Step& step, const OpenCollective& open_collective, Clocks& from,
                       Meeting& meeting) const;
  bool all_here(std::uint32_t comm, const OpenCollective& open_collective, std::uint32_t number);
  bool gone(std::uint32_t comm, std::uint32_t rank, std::uint32_t number);
  bool gathered(std::uint32_t comm, std::uint32_t rank, const Step& step, OpenCollective& open_collective, Clocks& from,
                Meeting& meeting);

  std::span<const RankReader> readers_;
  Matching& matching_;
  std::span<const int> running_;
  std::deque<Meetings> meetings_;  // by communicator
  Spare<OpenCollective> spare_;
  std::uint32_t last_comm_ = kNone;  // that was asked for, and its
  Meetings* last_ = nullptr;
  std::uint64_t circular_ = 0;
};

}  // namespace skelgen::metrics
