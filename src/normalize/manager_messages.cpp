#include "normalize/manager_messages.h"

#include <algorithm>
#include <set>

#include "normalize/answers.h"

namespace skelgen::normalize {

using mpi::Kind;
using mpi::Role;

ManagerMessages::ManagerMessages(const Normalized& normalized, std::size_t manager)
    : normalized_(normalized), manager_(manager) {
  listen();
  if (plain_) pair();
}

const mpi::Function& ManagerMessages::function(std::size_t l, std::uint64_t call) const {
  return *normalized_.symbols[normalized_.records[record(l, call)].symbol].function;
}

std::int64_t ManagerMessages::value(std::size_t l, std::uint64_t call, Role role) const {
  const int at = function(l, call).find(role);
  return at < 0 ? mpi::kUndefined : normalized_.records[record(l, call)].values[static_cast<std::size_t>(at)];
}

/// Of the message that a blocking send or receive has room for; -1 if that is not known.
std::int64_t ManagerMessages::bytes(std::size_t l, std::uint64_t call) const {
  const std::int64_t type = value(l, call, Role::datatype), count = value(l, call, Role::count);
  if (type < 0 || type >= mpi::kMade || normalized_.name_bytes[static_cast<std::size_t>(type)] <= 0) return -1;
  return count * normalized_.name_bytes[static_cast<std::size_t>(type)];
}

/// Whom the manager hears from.
void ManagerMessages::listen() {
  const auto& all = normalized_.locations;
  for (std::size_t l = 0; l < all.size(); ++l)
    plain_ = plain_ && all[l].where.thread == 0 && all[l].where.rank == static_cast<Rank>(l);
  std::set<std::size_t> workers;
  for (const Match& match : all[manager_].matches) {
    const Record& taken = normalized_.records[record(manager_, match.call)];
    const std::int64_t comm = value(manager_, match.call, Role::comm);
    const Kind kind = function(manager_, match.call).kind;
    plain_ = plain_ && takes_any(function(manager_, match.call), taken.values) &&
             (kind == Kind::recv || kind == Kind::probe) && match.source >= 0 &&
             match.source < static_cast<std::int64_t>(all.size()) && (comm_ < 0 || comm == comm_);
    comm_ = comm;
    if (!plain_) return;
    takes_.push_back(match.call);
    heard_[match.call] = static_cast<std::size_t>(match.source);
    workers.insert(static_cast<std::size_t>(match.source));
  }
  workers_.assign(workers.begin(), workers.end());
  plain_ = plain_ && !workers.contains(manager_);
  for (std::size_t l = 0; l < all.size(); ++l) {
    int known = 0;
    for (const Communicator& comm : all[l].communicators)
      if (comm.slot == comm_)
        known += comm.size == static_cast<int>(all.size()) && comm.rank == static_cast<int>(l) ? 1 : 2;
    plain_ = plain_ && known == 1;
  }
}

/// What a location says to `others` and hears from them, by whom.
std::map<std::size_t, ManagerMessages::Ends> ManagerMessages::ends(std::size_t l,
                                                                   const std::vector<std::size_t>& others) {
  std::map<std::size_t, Ends> found;
  for (const std::size_t other : others) found[other];
  for (std::uint64_t i = 0; i < normalized_.locations[l].calls.size(); ++i) {
    const mpi::Function& f = function(l, i);
    if (f.kind == Kind::send_init || f.kind == Kind::recv_init || f.kind == Kind::match) plain_ = false;
    if ((f.kind != Kind::send && f.kind != Kind::recv && f.kind != Kind::sendrecv) || value(l, i, Role::comm) != comm_)
      continue;
    const auto take = l == manager_ ? heard_.find(i) : heard_.end();
    const std::int64_t peer = take != heard_.end() ? static_cast<std::int64_t>(take->second) : value(l, i, Role::peer);
    const auto other = peer < 0 ? found.end() : found.find(static_cast<std::size_t>(peer));
    // Another way to speak with one of them, or with anybody.
    if (f.kind == Kind::sendrecv || f.nonblocking || peer == mpi::kAnySource)
      plain_ = plain_ && peer >= 0 && other == found.end() && f.kind != Kind::sendrecv;
    else if (other != found.end())
      (f.kind == Kind::send ? other->second.sends : other->second.receives).push_back({i, value(l, i, Role::tag)});
  }
  return found;
}

/// First with first, second with second: messages between two ranks do not overtake if they fit each other.
void ManagerMessages::pair() {
  const auto match = [&](const std::vector<End>& sends, const std::vector<End>& receives, auto keep) {
    plain_ = plain_ && sends.size() == receives.size();
    for (std::size_t i = 0; plain_ && i < sends.size(); ++i) {
      plain_ = receives[i].tag == mpi::kAnyTag || receives[i].tag == sends[i].tag;
      keep(sends[i].call, receives[i].call);
    }
  };
  const auto managers = ends(manager_, workers_);
  for (std::size_t w = 0; plain_ && w < workers_.size(); ++w) {
    const std::size_t worker = workers_[w];
    const Ends& manager = managers.at(worker);
    const Ends own = ends(worker, {manager_}).at(manager_);
    match(manager.sends, own.receives,
          [&](std::uint64_t send, std::uint64_t receive) { down_[worker][receive] = send; });
    match(own.sends, manager.receives, [&](std::uint64_t send, std::uint64_t receive) {
      up_[worker][send] = receive;
      from_[receive] = {worker, send};
    });
  }
}

std::vector<std::int64_t> ManagerMessages::shape(std::size_t l, std::uint64_t call) const {
  const mpi::Function& f = function(l, call);
  std::vector<std::int64_t> key{f.id};
  const Record& r = normalized_.records[record(l, call)];
  for (std::size_t i = 0; i < f.parameters.size(); ++i) {
    switch (f.parameters[i].role) {
      case Role::buffer:
      case Role::count:
      case Role::status:
      case Role::statuses:
        break;
      case Role::tag:
        if (f.kind == Kind::send) break;
        [[fallthrough]];
      default:
        key.push_back(r.values[i]);
    }
  }
  return key;
}

bool ManagerMessages::same_but_status(std::size_t l, std::uint64_t a, std::uint64_t b) const {
  const Record &left = normalized_.records[record(l, a)], &right = normalized_.records[record(l, b)];
  if (left.symbol != right.symbol) return false;
  const auto parameters = function(l, a).parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].role != Role::status && left.values[i] != right.values[i]) return false;
  return true;
}

bool ManagerMessages::is_local(std::size_t l, std::uint64_t call) const {
  const mpi::Function& f = function(l, call);
  return f.kind == Kind::environment || f.kind == Kind::file_delete ||
         (f.kind == Kind::local && f.find(Role::newgroup) < 0) || (f.kind == Kind::opaque && f.harmless);
}

bool ManagerMessages::speaks_with_manager(std::size_t worker, std::uint64_t call) const {
  const auto down = down_.find(worker), up = up_.find(worker);
  return (down != down_.end() && down->second.contains(call)) || (up != up_.end() && up->second.contains(call));
}

std::vector<std::uint64_t> ManagerMessages::receives(std::size_t worker) const {
  std::vector<std::uint64_t> calls;
  const auto down = down_.find(worker);
  if (down == down_.end()) return calls;
  for (const auto& [receive, send] : down->second) calls.push_back(receive);
  return calls;
}

std::optional<std::uint64_t> ManagerMessages::sent_by_manager(std::size_t worker, std::uint64_t receive) const {
  const auto& down = down_.at(worker);
  const auto found = down.find(receive);
  return found == down.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::uint64_t> ManagerMessages::last_received(std::size_t worker, std::uint64_t before) const {
  const auto up = up_.find(worker);
  if (up == up_.end()) return {};
  const auto next = up->second.lower_bound(before);
  return next == up->second.begin() ? std::nullopt : std::optional(std::prev(next)->second);
}

std::optional<std::size_t> ManagerMessages::received_from(std::uint64_t call) const {
  const auto found = heard_.find(call);
  return found == heard_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> ManagerMessages::peer(std::uint64_t call) const {
  const mpi::Function& f = function(manager_, call);
  if ((f.kind != Kind::send && f.kind != Kind::recv) || f.nonblocking) return {};
  const std::int64_t rank = value(manager_, call, Role::peer);
  if (value(manager_, call, Role::comm) != comm_ || rank < 0) return {};
  return static_cast<std::size_t>(rank);
}

bool ManagerMessages::fits(const Pool& pool, const std::vector<std::vector<std::uint64_t>>& received) const {
  struct Room {
    std::int64_t least = INT64_MAX, most = 0;  // that a receive has, that a message needs
    std::set<std::int64_t> tags{};             // that receives wait for
    bool good() const { return most >= 0 && most <= least && tags.size() <= 1; }
  };
  const auto add = [&](Room& room, std::size_t to, std::uint64_t receive, std::size_t from, std::uint64_t send) {
    room.least = std::min(room.least, bytes(to, receive));
    const std::int64_t needs = bytes(from, send);
    room.most = needs < 0 ? INT64_MAX : std::max(room.most, needs);
    room.tags.insert(value(to, receive, Role::tag));
  };
  std::vector<Room> rooms(pool.body);  // the manager's, by position; a worker says less than its body is long
  for (const auto& receives : received)
    for (std::size_t i = 0; i < receives.size(); ++i) {
      const auto& [worker, send] = from_.at(receives[i]);
      if (i >= rooms.size()) return false;
      add(rooms[i], manager_, receives[i], worker, send);
    }
  // What a worker receives after that is known by the message's number.
  Room own;
  for (const Pool::Worker& worker : pool.workers)
    for (const std::uint64_t call : worker.receives)
      add(own, worker.location, call, manager_, *sent_by_manager(worker.location, call));
  // Probes wait for one tag, too.
  std::set<std::int64_t> tags;
  for (const std::uint64_t take : takes_) tags.insert(value(manager_, take, Role::tag));
  const auto good = [](const Room& room) { return room.good(); };
  return tags.size() == 1 && own.good() && std::all_of(rooms.begin(), rooms.end(), good);
}

bool ManagerMessages::undisturbed(std::uint64_t end) const {
  const std::int64_t tag = value(manager_, takes_.front(), Role::tag);
  for (std::uint64_t i = end + 1; i < normalized_.locations[manager_].calls.size(); ++i) {
    const mpi::Function& f = function(manager_, i);
    const bool meets = (f.kind == Kind::comm_create && !f.nonblocking && f.way != mpi::Way::members &&
                        f.find(Role::comm) >= 0 && value(manager_, i, Role::comm) == comm_) ||
                       (f.kind == Kind::collective && !f.nonblocking && f.flow == mpi::Flow::all &&
                        value(manager_, i, Role::comm) == comm_) ||
                       (f.kind == Kind::collective && !f.nonblocking && f.flow == mpi::Flow::from_root &&
                        f.find(Role::counts) < 0 && value(manager_, i, Role::comm) == comm_ &&
                        value(manager_, i, Role::root) == static_cast<std::int64_t>(manager_));
    if (meets) return true;
    if (f.kind != Kind::recv && f.kind != Kind::probe && f.kind != Kind::sendrecv) continue;
    if (value(manager_, i, Role::comm) != comm_) continue;
    std::int64_t waits = value(manager_, i, Role::tag);
    for (std::size_t p = 0; p < f.parameters.size(); ++p)  // the last one, of a Sendrecv
      if (f.parameters[p].role == Role::tag) waits = normalized_.records[record(manager_, i)].values[p];
    if (tag == mpi::kAnyTag || waits == mpi::kAnyTag || waits == tag) return false;
  }
  return true;
}

}  // namespace skelgen::normalize
