#include "metrics/matching.h"

namespace skelgen::metrics {

std::uint32_t Matching::comm(std::size_t rank, std::uint32_t own) {
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

std::uint32_t Matching::channel(std::size_t rank, std::uint32_t own) {
  auto& known = channel_of_[rank];
  const auto& all = readers_[rank].channels();
  while (known.size() <= own) {
    const Channel& is = all[known.size()];
    const auto index = static_cast<std::uint32_t>(is.comm);
    const std::uint32_t where = comm(rank, index);
    const int self = readers_[rank].comms()[index].rank;
    const int source = is.sends ? self : is.peer, destination = is.sends ? is.peer : self;
    const auto [found, fresh] = channel_numbers_.try_emplace({where, source, destination, is.tag},
                                                             static_cast<std::uint32_t>(channels_.size()));
    if (fresh) channels_.push_back({where, static_cast<std::uint32_t>(source)});
    known.push_back(found->second);
  }
  return known[own];
}

std::uint32_t Matching::sender(std::uint32_t channel) const {
  const Ends& ends = channels_[channel];
  const auto& members = comms_[ends.comm].members;
  const auto found = members.find(ends.source);
  return found == members.end() ? kNone : found->second.rank;
}

void Matching::count_unmatched(Unmatched& unmatched) {
  for (std::size_t rank = 0; rank < readers_.size(); ++rank) {
    const auto& channels = readers_[rank].channels();
    for (std::size_t i = 0; i < channels.size(); ++i) {
      Ends& ends = channels_[channel(rank, static_cast<std::uint32_t>(i))];
      (channels[i].sends ? ends.sent : ends.received) += channels[i].messages;
    }
  }
  for (const Ends& ends : channels_)
    (ends.sent > ends.received ? unmatched.sends : unmatched.receives) +=
        ends.sent > ends.received ? ends.sent - ends.received : ends.received - ends.sent;
}

}  // namespace skelgen::metrics
