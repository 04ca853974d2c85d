#include "metrics/matching.h"

#include "metrics/numbers.h"

namespace skelgen::metrics {

std::uint32_t Matching::new_comm(std::size_t rank, std::uint32_t own) {
  // The same communicator has the same number on all ranks: parent, how many were made from it before, leader.
  auto& known = comm_of_[rank];
  const auto& all = readers_[rank].comms();
  while (known.size() <= own) {
    const CommIdentity& is = all[known.size()];
    const std::int64_t parent = is.parent >= 0 ? std::int64_t{known[static_cast<std::size_t>(is.parent)]} : is.parent;
    const int owner = is.parent == CommIdentity::kSelf ? static_cast<int>(rank) : is.leader;
    const int size = is.parent == CommIdentity::kForeign ? is.size : 0;
    const auto [found, fresh] =
        comm_numbers_.try_emplace({parent, is.ordinal, owner, size}, static_cast<std::uint32_t>(comms_.size()));
    if (fresh) comms_.push_back({static_cast<std::uint32_t>(is.size), {}});
    // Where only one of two groups sends, ranks are not those of one group.
    if (is.parent != CommIdentity::kFromGroup)
      comms_[found->second].members[static_cast<std::uint32_t>(is.rank)] = {static_cast<std::uint32_t>(rank),
                                                                            static_cast<std::uint32_t>(known.size())};
    known.push_back(found->second);
  }
  return known[own];
}

std::size_t Matching::HashOfChannel::operator()(const ChannelKey& key) const {
  return hash_of({static_cast<int>(key.comm), key.source, key.destination, key.tag});
}

std::uint32_t Matching::channel(std::size_t rank, std::uint32_t own) {
  auto& known = channel_of_[rank];
  if (known.size() <= own) known.resize(own + 1, kNone);
  if (known[own] != kNone) return known[own];
  const Channel& is = readers_[rank].channels()[own];
  const auto index = static_cast<std::uint32_t>(is.comm);
  const int self = readers_[rank].comms()[index].rank;
  const ChannelKey key{comm(rank, index), is.sends ? self : is.peer, is.sends ? is.peer : self, is.tag};
  const auto [found, fresh] = channel_numbers_.try_emplace(key);
  if (fresh) {
    found->second = use_again(channels_, free_channels_);
    channels_[found->second].key = key;
  }
  Ends& ends = channels_[found->second];
  (is.sends ? ends.sender : ends.receiver) = {static_cast<std::uint32_t>(rank), own};
  return known[own] = found->second;
}

std::uint32_t Matching::rank_of(const ChannelKey& key, bool sender) const {
  const auto& members = comms_[key.comm].members;
  const auto found = members.find(static_cast<std::uint32_t>(sender ? key.source : key.destination));
  return found == members.end() ? kNone : found->second.rank;
}

std::uint32_t Matching::messages(const Member& end) const {
  return end.rank == kNone ? 0 : readers_[end.rank].channels()[end.own].messages;
}

bool Matching::drop_channel(std::uint32_t channel, std::uint32_t messages) {
  const Ends ends = channels_[channel];
  for (const Member& end : {ends.sender, ends.receiver})
    if (ends.kept || this->messages(end) != messages) return false;
  for (const auto& [rank, own] : {ends.sender, ends.receiver}) {
    if (rank == kNone) continue;
    readers_[rank].drop_channel(own);
    channel_of_[rank][own] = kNone;
  }
  channel_numbers_.erase(ends.key);
  channels_[channel] = {};
  free_channels_.push_back(channel);
  return true;
}

void Matching::count_unmatched(Unmatched& unmatched) {
  for (std::size_t rank = 0; rank < readers_.size(); ++rank) {
    const auto& channels = readers_[rank].channels();
    for (std::uint32_t i = 0; i < channels.size(); ++i)
      if (channels[i].comm != Channel::kNoComm) channel(rank, i);
  }
  for (const Ends& ends : channels_) {
    const std::uint64_t sent = messages(ends.sender), received = messages(ends.receiver);
    (sent > received ? unmatched.sends : unmatched.receives) += sent > received ? sent - received : received - sent;
  }
}

}  // namespace skelgen::metrics
