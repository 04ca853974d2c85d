#include "emit/operations.h"

#include <algorithm>

namespace skelgen::emit {
namespace {

/// MPI_Bcast_c is MPI_Bcast with other types of numbers.
int without_c(const mpi::Function& function) { return function.replayed_as >= 0 ? function.replayed_as : function.id; }

}  // namespace

bool Collective::operator==(const Collective& other) const {
  return root == other.root && op == other.op &&
         (call == other.call || without_c(*call->function) == without_c(*other.call->function));
}

Id Operations::start(std::uint32_t owner, Operation::What what, const skeleton::Communicator* comm, std::int64_t peer,
                     std::int64_t tag) {
  Id id;
  if (free_.empty()) {
    id = operations_.size();
    operations_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  operations_[id] = {owner, what, false, false, true, Sending::synchronous, comm, peer, tag};
  return id;
}

void Operations::finish(Id id) {
  auto& operation = operations_[id];
  operation.done = true;
  if (operation.how == Sending::buffered)
    if (auto& buffer = buffers_[rank_of_[operation.owner]]; --buffer.messages == 0)
      for (const auto drain : std::exchange(buffer.drains, {})) finish(drain);
  if (operation.how != Sending::synchronous) return release(id);
  if (!operation.waited) return;
  operation.waited = false;
  if (--missing_[operation.owner] == 0) ready_.push_back(operation.owner);
}

void Operations::wait(Id id) {
  auto& operation = operations_[id];
  if (operation.done || operation.waited) return;
  operation.waited = true;
  ++missing_[operation.owner];
}

bool Operations::fits(const Posted& receive, const Posted& send) {
  return (receive.peer == kUnknown || receive.peer == send.peer) &&
         (receive.tag == send.tag || (receive.tag == kUnknown && send.tag >= 0));
}

Id Operations::send(std::uint32_t l, const skeleton::Communicator& comm, std::int64_t dest, std::int64_t tag,
                    Sending how, const Load& load) {
  const auto id = start(l, Operation::What::send, &comm, dest, tag);
  if (how != Sending::synchronous || dest < 0) finish(id);
  if (dest < 0) return id;
  const auto message = how == Sending::synchronous ? id : start(l, Operation::What::send, &comm, dest, tag);
  operations_[message].how = how;
  if (how == Sending::buffered) ++buffers_[rank_of_[l]].messages;
  auto& box = mailboxes_[{comm.peers(), dest}];
  const Posted posted{message, comm.rank, tag, true, load};
  for (auto receive = box.receives.begin(); receive != box.receives.end(); ++receive) {
    if (!fits(*receive, posted)) continue;
    const auto other = *receive;
    box.receives.erase(receive);
    match(other, posted);
    return id;
  }
  // Probes see what no receive that is there takes.
  for (auto probe = box.probes.begin(); probe != box.probes.end();) {
    if (fits(*probe, posted)) {
      finish(probe->operation);
      probe = box.probes.erase(probe);
    } else {
      ++probe;
    }
  }
  box.sends.push_back(posted);
  return id;
}

/// A message has come to its receive, or to a probe that keeps it.
void Operations::match(const Posted& receive, const Posted& send) {
  const bool chosen = receive.peer == kUnknown || receive.tag == kUnknown;  // another message might fit
  chose_ |= chosen;
  if (!truncated_ && !chosen && receive.load.bytes >= 0 && send.load.bytes > receive.load.bytes)
    truncated_ = Truncated{receive.load, send.load};
  finish(receive.operation);
  if (receive.takes)
    finish(send.operation);
  else
    matched_[receive.operation] = send.operation;
}

Id Operations::receive(std::uint32_t l, const skeleton::Communicator& comm, std::int64_t source, std::int64_t tag,
                       bool takes, const Load& load) {
  const auto id = start(l, Operation::What::receive, &comm, source, tag);
  if (source == mpi::kProcNull) {
    finish(id);
    return id;
  }
  auto& box = mailboxes_[{comm.identity, comm.rank}];
  const Posted posted{id, source, tag, takes, load};
  for (auto send = box.sends.begin(); send != box.sends.end(); ++send) {
    if (!fits(posted, *send)) continue;
    const auto other = *send;
    box.sends.erase(send);
    match(posted, other);
    return id;
  }
  box.receives.push_back(posted);
  return id;
}

Id Operations::probe(std::uint32_t l, const skeleton::Communicator& comm, std::int64_t source, std::int64_t tag) {
  const auto id = start(l, Operation::What::probe, &comm, source, tag);
  auto& box = mailboxes_[{comm.identity, comm.rank}];
  const Posted posted{id, source, tag};
  if (source == mpi::kProcNull) finish(id);
  for (const auto& send : box.sends)
    if (!operations_[id].done && fits(posted, send)) finish(id);
  if (!operations_[id].done) box.probes.push_back(posted);
  return id;
}

Id Operations::meet(std::uint32_t l, const skeleton::Communicator& comm, const Collective& call, std::uint64_t who,
                    std::size_t size, Waits waits) {
  const auto id = start(l, Operation::What::meeting, &comm, kUnknown, kUnknown);
  const std::pair key{who, met_[{rank_of_[l], who}]++};
  auto& meeting = meetings_.try_emplace(key, Meeting{{l, call}, size, {}, {}, {}, false}).first->second;
  if (!clash_ && call != meeting.first.call) clash_ = {meeting.first, {l, call}};
  meeting.present.push_back(l);
  meeting.root_came |= comm.rank == call.root;
  if (waits == Waits::for_nobody)
    finish(id);
  else
    (waits == Waits::for_root ? meeting.for_root : meeting.for_all).push_back(id);
  if (meeting.root_came)
    for (const auto each : std::exchange(meeting.for_root, {})) finish(each);
  if (meeting.present.size() == size) {
    const auto all = std::move(meeting.for_all);
    meetings_.erase(key);
    for (const auto each : all) finish(each);
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
  const auto id = start(l, Operation::What::drain, nullptr, kUnknown, kUnknown);
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

void Operations::take(Id kept) {
  const auto from = matched_.find(kept);
  if (from == matched_.end()) return;
  finish(from->second);
  matched_.erase(from);
}

void Operations::release(Id id) {
  operations_[id].active = false;
  free_.push_back(id);
}

bool Operations::next(std::uint32_t& l) {
  if (ready_.empty()) return false;
  l = ready_.front();
  ready_.pop_front();
  return true;
}

}  // namespace skelgen::emit
