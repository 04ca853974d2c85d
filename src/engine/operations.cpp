#include "engine/operations.h"

#include <algorithm>

namespace skelgen::engine {
namespace {

/// MPI_Bcast_c is MPI_Bcast with other types of numbers.
int without_c(const mpi::Function& function) { return function.replayed_as >= 0 ? function.replayed_as : function.id; }

}  // namespace

bool Collective::operator==(const Collective& other) const {
  return root == other.root && op == other.op &&
         (function == other.function || without_c(*function) == without_c(*other.function));
}

Id Operations::start(std::uint32_t owner, Operation::What what, const mpi::Communicator* comm, std::int64_t peer,
                     std::int64_t tag, bool held) {
  Id id;
  if (free_.empty()) {
    id = operations_.size();
    operations_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  const double now = times_ ? times_->now(owner) : 0;
  operations_[id] = {owner, what, false, false, held, false, comm, peer, tag, now, now};
  return id;
}

void Operations::finish(Id id) {
  auto& operation = operations_[id];
  operation.done = true;
  if (operation.buffered)
    if (auto& buffer = buffers_[rank_of_[operation.owner]]; --buffer.messages == 0)
      for (const auto drain : std::exchange(buffer.drains, {})) finish(drain);
  if (!operation.held) free_.push_back(id);
  if (!operation.waited) return;
  operation.waited = false;
  if (--missing_[operation.owner] == 0) ready_.push_back(operation.owner);
}

void Operations::release(Id id) {
  operations_[id].held = false;
  if (operations_[id].done) free_.push_back(id);
}

void Operations::wait(Id id) {
  auto& operation = operations_[id];
  if (operation.done || operation.waited) return;
  operation.waited = true;
  ++missing_[operation.owner];
}

bool Operations::fits(const Posted& receive, const Posted& send) {
  return (receive.peer == mpi::kAnySource || receive.peer == send.peer) &&
         (receive.tag == send.tag || (receive.tag == mpi::kAnyTag && send.tag >= 0));
}

Operations::Posted Operations::take_first(Box::Named& all, Box::Named::iterator at) {
  Posted first = at->second.front();
  at->second.pop_front();
  if (at->second.empty()) all.erase(at);
  return first;
}

std::optional<Operations::Posted> Operations::take_receive(Box& box, const Posted& send) {
  const auto named = box.receives.find({send.peer, send.tag});
  const auto any = std::ranges::find_if(box.wildcards, [&](const Posted& receive) { return fits(receive, send); });
  const bool is_named = named != box.receives.end();
  if (any != box.wildcards.end() && (!is_named || any->number < named->second.front().number)) {
    const Posted first = *any;
    box.wildcards.erase(any);
    return first;
  }
  return is_named ? std::optional(take_first(box.receives, named)) : std::nullopt;
}

const Operations::Posted* Operations::find_send(const Box& box, const Posted& receive) {
  if (receive.peer != mpi::kAnySource && receive.tag != mpi::kAnyTag) {
    const auto found = box.sends.find({receive.peer, receive.tag});
    return found == box.sends.end() ? nullptr : &found->second.front();
  }
  const Posted* first = nullptr;
  for (const auto& [_, sends] : box.sends)
    if (fits(receive, sends.front()) && (!first || sends.front().number < first->number)) first = &sends.front();
  return first;
}

std::optional<Operations::Posted> Operations::take_send(Box& box, const Posted& receive) {
  const Posted* found = find_send(box, receive);
  if (!found) return {};
  return take_first(box.sends, box.sends.find({found->peer, found->tag}));
}

Id Operations::send(std::uint32_t l, const mpi::Communicator& comm, std::int64_t dest, std::int64_t tag, Sending how,
                    const MessageSide& load) {
  const auto id = start(l, Operation::What::send, &comm, dest, tag);
  if (times_ && dest >= 0) {
    const bool to_itself = !comm.inter() && dest == comm.rank;
    operations_[id].begun_s = times_->send(l, load.bytes, how == Sending::synchronous, to_itself);
    operations_[id].over_s = times_->now(l);
  }
  const double leaves_s = operations_[id].begun_s;
  if (how != Sending::synchronous || dest < 0) finish(id);
  if (dest < 0) return id;
  const auto message = how == Sending::synchronous
                           ? id
                           : start(l, Operation::What::send, &comm, dest, tag, false);  // it outlives its send
  operations_[message].begun_s = leaves_s;
  operations_[message].buffered = how == Sending::buffered;
  if (how == Sending::buffered) ++buffers_[rank_of_[l]].messages;
  const auto at = boxes_.try_emplace({comm.peers(), dest}).first;
  Box& box = at->second;
  const Posted posted{message, comm.rank, tag, ++posted_, true, load};
  if (const auto receive = take_receive(box, posted)) {
    if (box.empty()) boxes_.erase(at);
    match(*receive, posted);
    return id;
  }
  // Probes see what no receive that is there takes.
  for (auto probe = box.probes.begin(); probe != box.probes.end();) {
    if (fits(*probe, posted)) {
      auto& probing = operations_[probe->operation];
      probing.over_s = std::max(probing.over_s, operations_[message].begun_s);
      finish(probe->operation);
      probe = box.probes.erase(probe);
    } else {
      ++probe;
    }
  }
  box.sends[{posted.peer, posted.tag}].push_back(posted);
  return id;
}

/// A message has come to its receive, or to a probe that keeps it.
void Operations::match(const Posted& receive, const Posted& send) {
  const bool chosen = receive.peer == mpi::kAnySource || receive.tag == mpi::kAnyTag;  // another message might fit
  chose_ |= chosen;
  if (!truncated_ && !chosen && receive.load.bytes >= 0 && send.load.bytes > receive.load.bytes)
    truncated_ = Truncated{receive.load, send.load};
  if (times_) {
    auto &in = operations_[receive.operation], &out = operations_[send.operation];
    const auto over = times_->receive({out.owner, in.owner, send.load.bytes, out.begun_s, in.begun_s,
                                       /*waits=*/out.held || out.waited, receive.operation});
    if (!over) {
      passing_.emplace(receive.operation, std::pair(receive, send));
      return;
    }
    in.over_s = out.over_s = *over;
  }
  received(receive, send);
}

void Operations::received(const Posted& receive, const Posted& send) {
  finish(receive.operation);
  if (receive.takes)
    finish(send.operation);
  else
    kept_[receive.operation] = send.operation;
}

Id Operations::receive(std::uint32_t l, const mpi::Communicator& comm, std::int64_t source, std::int64_t tag,
                       bool takes, const MessageSide& load) {
  const auto id = start(l, Operation::What::receive, &comm, source, tag);
  if (source == mpi::kProcNull) {
    finish(id);
    return id;
  }
  const auto at = boxes_.try_emplace({comm.identity, comm.rank}).first;
  Box& box = at->second;
  const Posted posted{id, source, tag, ++posted_, takes, load};
  if (const auto send = take_send(box, posted)) {
    if (box.empty()) boxes_.erase(at);
    match(posted, *send);
  } else if (source == mpi::kAnySource || tag == mpi::kAnyTag) {
    box.wildcards.push_back(posted);
  } else {
    box.receives[{source, tag}].push_back(posted);
  }
  return id;
}

Id Operations::probe(std::uint32_t l, const mpi::Communicator& comm, std::int64_t source, std::int64_t tag) {
  const auto id = start(l, Operation::What::probe, &comm, source, tag);
  const Posted posted{id, source, tag, ++posted_};
  const auto found = boxes_.find({comm.identity, comm.rank});
  if (source == mpi::kProcNull || (found != boxes_.end() && find_send(found->second, posted)))
    finish(id);
  else
    boxes_[{comm.identity, comm.rank}].probes.push_back(posted);
  return id;
}

Id Operations::meet(std::uint32_t l, const mpi::Communicator& comm, const Collective& call, std::uint64_t who,
                    std::size_t size, CollectiveWait waits, double takes_s) {
  const auto id = start(l, Operation::What::meeting, &comm, mpi::kAnySource, mpi::kAnyTag);
  const std::pair key{who, met_[{rank_of_[l], who}]++};
  auto& meeting = meetings_.try_emplace(key, Meeting{{l, call}, size, {}, {}, {}}).first->second;
  if (!clash_ && call != meeting.first.call) clash_ = {meeting.first, {l, call}};
  meeting.present.push_back(l);
  const double now = operations_[id].begun_s;
  if (comm.rank == call.root) {
    meeting.root_came = true;
    meeting.root_s = now;
  }
  meeting.last_s = std::max(meeting.last_s, now);
  meeting.takes_s = std::max(meeting.takes_s, takes_s);
  if (waits == CollectiveWait::for_nobody)
    finish(id);
  else
    (waits == CollectiveWait::for_root ? meeting.for_root : meeting.for_all).push_back(id);
  if (meeting.root_came)
    for (const auto each : std::exchange(meeting.for_root, {}))
      finish_at(each, std::max(operations_[each].begun_s, meeting.root_s) + meeting.takes_s);
  if (meeting.present.size() == size) {
    const auto all = std::move(meeting.for_all);
    const double over = meeting.last_s + meeting.takes_s;
    meetings_.erase(key);
    for (const auto each : all) finish_at(each, over);
  }
  return id;
}

std::vector<std::uint32_t> Operations::present(Id meeting) const {
  for (const auto& [key, own] : meetings_)
    for (const auto* all : {&own.for_all, &own.for_root})
      if (std::ranges::find(*all, meeting) != all->end() &&
          own.size == static_cast<std::size_t>(operations_[meeting].comm->all_size()))
        return own.present;
  return {};
}

Id Operations::drain(std::uint32_t l) {
  const auto id = start(l, Operation::What::drain, nullptr, 0, 0);
  auto& buffer = buffers_[rank_of_[l]];
  if (buffer.messages == 0)
    finish(id);
  else
    buffer.drains.push_back(id);
  return id;
}

Id Operations::turn(std::uint32_t l, std::int64_t thread, std::int64_t calls) {
  const auto id = start(l, Operation::What::turn, nullptr, thread, calls);
  wait(id);
  return id;
}

void Operations::pass() {
  const auto arrival = times_->pass();
  if (!arrival) return;
  const auto [receive, send] = std::move(passing_.extract(arrival->id).mapped());
  operations_[receive.operation].over_s = operations_[send.operation].over_s = arrival->received_s;
  received(receive, send);
}

void Operations::take(Id kept) {
  const auto from = kept_.find(kept);
  if (from == kept_.end()) return;
  finish(from->second);
  kept_.erase(from);
}

bool Operations::next(std::uint32_t& l) {
  if (ready_.empty()) return false;
  l = ready_.front();
  ready_.pop_front();
  return true;
}

}  // namespace skelgen::engine
