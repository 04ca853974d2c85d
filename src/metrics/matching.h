#pragma once
// Common numbers of communicators and channels that ranks number each for itself. Internal to src/metrics.

#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "metrics/rank_reader.h"

namespace skelgen::metrics {

/// Numbers what the ranks have numbered each for itself, as far as it was asked for. A rank is its index in `readers`.
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
  explicit Matching(std::span<RankReader> readers) : readers_(readers), comm_of_(readers.size()) {
    channel_of_.resize(readers.size());
  }

  std::uint32_t comm(std::size_t rank, std::uint32_t own) {
    const auto& known = comm_of_[rank];
    return own < known.size() ? known[own] : new_comm(rank, own);
  }
  std::uint32_t channel(std::size_t rank, std::uint32_t own);
  const Comm& comm(std::uint32_t number) const { return comms_[number]; }
  /// Who sends into a channel; kNone if that is not known yet.
  std::uint32_t sender(std::uint32_t channel) const { return rank_of(channels_[channel].key, true); }
  /// Who receives from it; the same.
  std::uint32_t receiver(std::uint32_t channel) const { return rank_of(channels_[channel].key, false); }
  std::size_t channels() const { return channel_numbers_.size(); }
  /// Drops the channel if its ranks know of just so many messages, which are all received. They number its next
  /// one as the first again, and the channel's number is that of another one then. Whether it did.
  bool drop_channel(std::uint32_t channel, std::uint32_t messages);
  /// It is never dropped.
  void keep_channel(std::uint32_t channel) { channels_[channel].kept = true; }

  /// Messages that only one side knows, of all that was read.
  void count_unmatched(Unmatched& unmatched);

 private:
  struct ChannelKey {
    std::uint32_t comm = 0;
    int source = 0, destination = 0, tag = 0;
    bool operator==(const ChannelKey&) const = default;
  };
  struct HashOfChannel {
    std::size_t operator()(const ChannelKey& key) const;
  };
  struct Ends {
    ChannelKey key;
    Member sender{kNone, kNone}, receiver{kNone, kNone};  // who asked for it
    bool kept = false;
  };
  std::uint32_t new_comm(std::size_t rank, std::uint32_t own);
  std::uint32_t messages(const Member& end) const;
  std::uint32_t rank_of(const ChannelKey& key, bool sender) const;

  std::span<RankReader> readers_;
  std::vector<std::vector<std::uint32_t>> comm_of_, channel_of_;  // by rank and its own number
  std::map<std::tuple<std::int64_t, int, int, int>, std::uint32_t> comm_numbers_;
  std::unordered_map<ChannelKey, std::uint32_t, HashOfChannel> channel_numbers_;
  std::vector<Comm> comms_;
  std::vector<Ends> channels_;
  std::vector<std::uint32_t> free_channels_;  // numbers that can be used again
};

}  // namespace skelgen::metrics
