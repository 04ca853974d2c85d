#pragma once
// Which communicators and channels of different ranks are the same. Internal to src/metrics.

#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "metrics/rank_reader.h"

namespace skelgen::metrics {

/// Numbers what the ranks have numbered each for itself, as far as it was read. A rank is its index in `readers`.
class Matching {
 public:
  struct Member {
    std::uint32_t rank, own;  ///< own: the rank's number of the communicator
  };
  struct Comm {
    std::uint32_t size = 0;
    std::unordered_map<std::uint32_t, Member> members;  ///< by rank in it; those seen so far
  };

  /// The readers must outlive it.
  explicit Matching(std::span<const RankReader> readers) : readers_(readers), comm_of_(readers.size()) {
    channel_of_.resize(readers.size());
  }

  std::uint32_t comm(std::size_t rank, std::uint32_t own);
  std::uint32_t channel(std::size_t rank, std::uint32_t own);
  const Comm& comm(std::uint32_t number) const { return comms_[number]; }
  /// Who sends into a channel; kNone if that is not known yet.
  std::uint32_t sender(std::uint32_t channel) const;

  /// Messages that only one side knows, of all that was read.
  void count_unmatched(Unmatched& unmatched);

 private:
  struct Ends {
    std::uint32_t comm, source;
    std::uint64_t sent = 0, received = 0;
  };

  std::span<const RankReader> readers_;
  std::vector<std::vector<std::uint32_t>> comm_of_, channel_of_;  // by rank and its own number
  std::map<std::tuple<std::int64_t, int, int, int>, std::uint32_t> comm_numbers_;
  std::map<std::tuple<std::uint32_t, int, int, int>, std::uint32_t> channel_numbers_;
  std::vector<Comm> comms_;
  std::vector<Ends> channels_;
};

}  // namespace skelgen::metrics
