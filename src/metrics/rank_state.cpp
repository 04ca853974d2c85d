#include "metrics/rank_state.h"

#include <algorithm>

#include "metrics/numbers.h"

namespace skelgen::metrics {

void HandleHistory::set(std::uint64_t handle, double time_s, int index) {
  auto& all = of_[handle];
  all.insert(std::ranges::upper_bound(all, time_s, {}, &std::pair<double, int>::first), {time_s, index});
}

int HandleHistory::at(std::uint64_t handle, double time_s) const {
  if (!last_ || last_->first != handle) {
    const auto found = of_.find(handle);
    if (found == of_.end()) return -1;
    last_ = &*found;
  }
  const auto next = std::ranges::upper_bound(last_->second, time_s, {}, &std::pair<double, int>::first);
  return next == last_->second.begin() ? -1 : std::prev(next)->second;
}

int Shared::add(const CommIdentity& identity) {
  comms.push_back(identity);
  collectives.push_back(0);
  sources.emplace_back();
  turns.emplace_back();
  made.push_back(0);
  persistent_collectives.push_back(0);
  return static_cast<int>(comms.size()) - 1;
}

int Shared::add_between(const trace::CommDefinition& is) {
  const bool lower = is.leader < is.remote_leader;
  std::vector<int> who{is.leader, is.size, is.remote_leader, is.remote_size};
  if (!lower) std::ranges::rotate(who, who.begin() + 2);
  CommIdentity identity{.parent = CommIdentity::kBetween, .leader = who[0], .size = is.size + is.remote_size};
  std::vector<std::int64_t> key(who.begin(), who.end());
  key.push_back(0);  // no parent
  identity.ordinal = ordinal(key, between[who]++);
  identity.rank = is.rank + (lower ? 0 : is.remote_size);
  const int index = add(identity);
  lower_group[index] = lower;
  own_size[index] = is.size;
  identity.parent = CommIdentity::kFromGroup;
  identity.rank = is.rank;
  for (const int leader : {is.leader, is.remote_leader}) {
    identity.leader = leader;
    add(identity);
  }
  return index;
}

int Shared::root_of(int comm, std::int64_t root) const {
  const auto known = lower_group.find(comm);
  if (known == lower_group.end()) return static_cast<int>(root);
  const CommIdentity& own = comms[static_cast<std::size_t>(comm)];
  if (root == mpi::kRoot) return own.rank;
  if (root < 0) return kNobody;
  // Ranks of the other group stand before the own ones, or behind them.
  return static_cast<int>(root) + (known->second ? own_size.at(comm) : 0);
}

std::size_t Shared::HashOfEnds::operator()(const Ends& ends) const {
  return hash_of({ends.comm, ends.peer, ends.tag, ends.sends});
}

std::pair<Shared::Ends, std::uint32_t>& Shared::recent_of(const Ends& ends) {
  const auto mixed = static_cast<unsigned>(ends.peer) * 37 + static_cast<unsigned>(ends.tag) * 10 +
                     static_cast<unsigned>(ends.comm) * 2 + ends.sends;
  return recent[mixed * 0x9e3779b1u >> 26];
}

std::pair<std::uint32_t, std::uint32_t> Shared::next_message(int comm, int peer, int tag, bool sends) {
  if (!matched) return {0, 0};
  const Ends ends{comm, peer, tag, sends};
  auto& [seen, at] = recent_of(ends);
  if (at == kNone || seen != ends) {
    const auto [found, fresh] = channel_of.try_emplace(ends);
    if (fresh) {
      found->second = use_again(channels, free_channels);
      Channel& channel = channels[found->second];
      channel.comm = comm;
      channel.peer = peer;
      channel.tag = tag;
      channel.sends = sends;
    }
    seen = ends;
    at = found->second;
  }
  Channel& channel = channels[at];
  return {at, channel.messages++ + static_cast<std::uint32_t>(channel.cancelled.size())};
}

void Shared::drop(std::uint32_t at) {
  Channel& channel = channels[at];
  const Ends ends{channel.comm, channel.peer, channel.tag, channel.sends};
  channel_of.erase(ends);
  if (auto& [seen, recent_at] = recent_of(ends); seen == ends) recent_at = kNone;
  channel = {};
  free_channels.push_back(at);
}

std::uint32_t Shared::post(int comm, int source, int tag) {
  const std::uint32_t at = use_again(receives, free_receives);
  receives[at] = {.comm = comm, .source = source, .tag = tag};
  if (!matched || (comm >= 0 && turns[static_cast<std::size_t>(comm)].post(at, source, tag))) number(at);
  return at;
}

void Shared::complete(std::uint32_t at, int source, int tag, std::uint32_t thread) {
  Receive& receive = receives[at];
  Queue& queue = queues[thread];
  receive.thread = thread;
  receive.step = queue.taken + queue.steps.size() - 1;
  if (receive.numbered) return tell(at);
  receive.source = source;
  receive.tag = tag;
  queue.steps.back().open = true;
  number(turns[static_cast<std::size_t>(receive.comm)].name(at, source, tag));
}

std::uint32_t Shared::number_of(const Receive& receive) const {
  const auto& cancelled = channels[receive.channel].cancelled;
  return receive.number -
         static_cast<std::uint32_t>(std::ranges::lower_bound(cancelled, receive.number) - cancelled.begin());
}

void Shared::forget(std::uint32_t at) {
  const Receive& receive = receives[at];
  if (!receive.numbered && receive.comm >= 0) number(turns[static_cast<std::size_t>(receive.comm)].drop(at));
  free_receives.push_back(at);
}

bool Shared::cancel(std::uint32_t at) {
  const Receive& receive = receives[at];
  if (receive.numbered && matched) {
    Channel& channel = channels[receive.channel];
    if (receive.number < channel.behind_taken) return false;
    auto& cancelled = channel.cancelled;
    cancelled.insert(std::ranges::upper_bound(cancelled, receive.number), receive.number);
    if (--channel.messages == 0 && !channel.posted) {
      drop(receive.channel);
    } else {
      while (!cancelled.empty() && cancelled.back() + 1 == channel.messages + cancelled.size()) cancelled.pop_back();
    }
  }
  forget(at);
  return true;
}

void Shared::take_for_cancelled(std::int64_t request) {
  for (Pending& pending : interpreter.operations(request))
    if (pending.receive && cancel(pending.at)) pending = {};
}

void Shared::take_doubtful_before(std::uint32_t at, int source, int tag) {
  const auto may_meet = [](int one, int other) { return one < 0 || other < 0 || one == other; };
  const auto stays = [&](std::int64_t request) {
    const auto operations = interpreter.operations(request);
    const auto receive = std::ranges::find(operations, true, &Pending::receive);
    if (receive == operations.end() || receive->at == at) return true;
    const Receive& before = receives[receive->at];
    return before.comm != receives[at].comm || before.posted > receives[at].posted ||
           !may_meet(before.source, source) || !may_meet(before.tag, tag);
  };
  const auto first = std::stable_partition(in_doubt.begin(), in_doubt.end(), stays);
  const std::vector<std::int64_t> cancelled(first, in_doubt.end());
  in_doubt.erase(first, in_doubt.end());
  for (const std::int64_t request : cancelled) take_for_cancelled(request);
}

void Shared::take_doubtful_for_cancelled() {
  for (const std::int64_t request : std::exchange(in_doubt, {})) take_for_cancelled(request);
}

void Shared::let_go(std::uint32_t at) {
  Receive& receive = receives[at];
  if (receive.numbered || receive.source < 0 || receive.tag < 0) return forget(at);
  receive.freed = true;
}

void Shared::number_the_rest() {
  for (ReceiveOrder& of_comm : turns)
    for (const std::uint32_t at : of_comm.give_up()) {
      const Receive& receive = receives[at];
      if (receive.source >= 0 && receive.tag >= 0)
        number(at);
      else if (receive.source >= 0)
        ++unmatched.receives;
    }
}

void Shared::number(std::uint32_t at) {
  Receive& receive = receives[at];
  std::tie(receive.channel, receive.number) = next_message(receive.comm, receive.source, receive.tag, false);
  receive.numbered = true;
  if (receive.thread != kNone)
    tell(at);
  else if (receive.freed)
    free_receives.push_back(at);
}

void Shared::number(const std::vector<std::uint32_t>& all) {
  for (const std::uint32_t at : all) number(at);
}

void Shared::tell(std::uint32_t at) {
  const Receive& receive = receives[at];
  Queue& queue = queues[receive.thread];
  Step& step = queue.steps[receive.step - queue.taken];
  step.link = receive.channel;
  step.open = false;
  free_receives.push_back(at);
  if (!matched) return;
  Channel& channel = channels[receive.channel];
  auto& cancelled = channel.cancelled;
  step.number = number_of(receive);
  channel.behind_taken = std::max(channel.behind_taken, receive.number + 1);
  if (++channel.taken == channel.messages) {  // who comes now need not know of those that were cancelled
    cancelled.clear();
    channel.behind_taken = channel.messages;
  }
}

int ordinal(std::span<const std::int64_t> who, int made) {
  std::uint64_t hash = static_cast<std::uint64_t>(made);
  for (const std::int64_t word : who.first(who.size() - 1))  // not the parent: its index differs between ranks
    hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x9e3779b97f4a7c15u;
  return -1 - static_cast<int>(hash >> 34);
}

}  // namespace skelgen::metrics
