#pragma once
// Which ranks are near each other, from a ping-pong of every pair (netbench --pairs).

#include <cstddef>
#include <vector>

#include "network/points.h"

namespace skelgen::network {

/// Groups of ranks between which messages take alike. Where pairs were not measured all ranks are one group.
class Distances {
 public:
  /// By the start-up time and the time per byte of the ping-pong, that of the first and the last rank.
  struct Way {
    double latency = 1, per_byte = 1;
  };

  Distances() = default;
  /// Two ranks are in one group if their messages, short and long, take less than kNear times as long as those of the
  /// nearest pair, or both are with a third one. O(ranks^2 log ranks).
  explicit Distances(const Points& points);
  static constexpr double kNear = 1.5;

  std::size_t ranks() const { return group_.size(); }  ///< 0: pairs were not measured
  std::size_t groups() const { return groups_; }
  std::size_t group(int rank) const { return group_[static_cast<std::size_t>(rank)]; }
  /// Index into ways(). Requires ranks below ranks().
  std::size_t way(int from, int to) const { return group(from) * groups_ + group(to); }
  const std::vector<Way>& ways() const { return ways_; }  ///< groups x groups
  /// The least time per byte of a way from the group: that of its ranks' own links.
  double own_per_byte(std::size_t group) const;
  /// Whether ranks of a group share a link to the others: all pairs of ranks i and i + n/2 at once, or messages of all ranks
  /// to the next one, take kShared times as long as the slowest of them alone.
  bool shared() const { return shared_; }
  static constexpr double kShared = 1.5;
  /// Messages on the fullest of these links at the same time in a pattern of all ranks: `pairs`, where messages go one way at a time, or
  /// `ring` if no two of its messages share one.
  struct Together {
    const char* pattern = "pairs";
    int messages = 0, back = 0;  ///< back: on the link of the other direction
    std::size_t way = 0;         ///< of the slowest of the pattern's messages alone
  };
  const Together& together() const { return together_; }

 private:
  std::vector<std::size_t> group_;
  std::size_t groups_ = 0;
  std::vector<Way> ways_;
  bool shared_ = false;
  Together together_{};
};

}  // namespace skelgen::network
