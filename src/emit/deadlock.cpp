#include <fmt/format.h>

#include <deque>
#include <map>

#include "emit/cursor.h"
#include "emit/emit.h"
#include "emit/shortened.h"
#include "support/error.h"

namespace skelgen::emit {
namespace {

using mpi::Kind;
using mpi::Role;

constexpr std::int64_t kUnknown = -1000;  ///< of a tag or peer that may be anything

/// A message or collective that somebody may wait for.
struct Operation {
  enum class What : std::uint8_t { send, receive, probe, meeting };
  std::uint32_t owner = 0;
  What what = What::send;
  bool done = false;
  bool waited = false;  ///< the owner is blocked on it
  bool active = false;
  const skeleton::Communicator* comm = nullptr;
  std::int64_t peer = 0, tag = 0;  ///< kUnknown: any
};
using Id = std::size_t;
constexpr Id kNobody = ~Id{0};  ///< nobody waits for the operation any more

struct Posted {
  Id operation;
  std::int64_t peer, tag;  ///< of a receive: kUnknown = any; ranks of the communicator
  bool takes = true;       ///< false: a probe that only matches the message, which is received later
};
/// What a persistent request does each time.
struct Persistent {
  const mpi::Function* function = nullptr;
  const skeleton::Communicator* comm = nullptr;
  std::int64_t peer = 0, tag = 0;
};
/// What is on its way between the members of a communicator to one of them.
struct Mailbox {
  std::deque<Posted> sends, receives, probes;
};
struct Meeting {
  std::size_t arrived = 0;
  std::vector<Id> operations;
};

struct State {
  State(const skeleton::Skeleton& skeleton, std::uint32_t l, const Shortened& shortened)
      : cursor(skeleton, l, shortened) {}
  Cursor cursor;
  std::map<std::int64_t, std::size_t> communicator;  ///< slot -> index in LocationData::communicators
  std::size_t created = 0;                           ///< how many of them exist
  std::map<std::int64_t, Id> request;
  std::map<std::int64_t, Persistent> persistent;       ///< by request
  std::map<std::int64_t, Id> message;                  ///< matched: the send
  std::map<std::uint64_t, std::uint64_t> collectives;  ///< communicator identity -> calls so far
  std::vector<Id> held;                                ///< operations of the call at hand that no request owns
  std::size_t missing = 0;                             ///< operations that the location still waits for
  const mpi::Function* function = nullptr;
};

/// Does not wait for its receiver.
bool is_buffered(const mpi::Function& send) {
  return send.name == "MPI_Bsend" || send.name == "MPI_Ibsend" || send.name == "MPI_Bsend_init";
}

class Simulation {
 public:
  explicit Simulation(const skeleton::Skeleton& skeleton) : skeleton_(skeleton), shortened_(shortened(skeleton)) {
    for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l) {
      states_.emplace_back(skeleton, l, shortened_);
      auto& state = states_.back();
      const auto& all = skeleton.locations[l].communicators;
      for (std::size_t i = 0; i < 2 && i < all.size(); ++i) state.communicator[all[i].slot] = i;
      state.created = std::min<std::size_t>(2, all.size());
      for (const auto& comm : all) members_[comm.identity][comm.rank] = l;
      ready_.push_back(l);
    }
  }

  Deadlock run() {
    while (!ready_.empty()) {
      const auto l = ready_.front();
      ready_.pop_front();
      auto& state = states_[l];
      for (;;) {
        release(state);
        if (state.missing > 0) break;
        const auto* call = state.cursor.next();
        if (!call) {
          state.function = nullptr;
          break;
        }
        state.function = call->function;
        step(l, *call->function);
        if (state.missing > 0) break;
      }
    }
    return explain();
  }

 private:
  const skeleton::Communicator& communicator(const State& state, std::uint32_t l, std::int64_t slot) const {
    const auto found = state.communicator.find(slot);
    if (found == state.communicator.end())
      throw Error(Code::internal, fmt::format("rank {} uses communicator {} before it exists", l, slot));
    return skeleton_.locations[l].communicators[found->second];
  }

  Id start(std::uint32_t owner, Operation::What what, const skeleton::Communicator& comm, std::int64_t peer,
           std::int64_t tag) {
    Id id;
    if (free_.empty()) {
      id = operations_.size();
      operations_.emplace_back();
    } else {
      id = free_.back();
      free_.pop_back();
    }
    operations_[id] = {owner, what, false, false, true, &comm, peer, tag};
    return id;
  }

  void finish(Id id) {
    if (id == kNobody) return;
    auto& operation = operations_[id];
    operation.done = true;
    if (!operation.waited) return;
    operation.waited = false;
    if (--states_[operation.owner].missing == 0) ready_.push_back(operation.owner);
  }

  void wait(State& state, Id id) {
    auto& operation = operations_[id];
    if (operation.done || operation.waited) return;
    operation.waited = true;
    ++state.missing;
  }

  /// Gives back what only the call that just ended held.
  void release(State& state) {
    if (state.missing > 0) return;
    for (const auto id : state.held) {
      operations_[id].active = false;
      free_.push_back(id);
    }
    state.held.clear();
  }

  Mailbox& mailbox(std::uint64_t identity, std::int64_t rank) { return mailboxes_[{identity, rank}]; }

  static bool fits(const Posted& receive, const Posted& send) {
    return (receive.peer == kUnknown || receive.peer == send.peer) &&
           (receive.tag == kUnknown || receive.tag == send.tag);
  }

  Id send(std::uint32_t l, const skeleton::Communicator& comm, std::int64_t dest, std::int64_t tag, bool buffered) {
    const auto id = start(l, Operation::What::send, comm, dest, tag);
    if (buffered || dest < 0) finish(id);
    if (dest < 0) return id;
    auto& box = mailbox(comm.identity, dest);
    const Posted posted{buffered ? kNobody : id, comm.rank, tag};
    for (auto probe = box.probes.begin(); probe != box.probes.end();) {
      if (fits(*probe, posted)) {
        finish(probe->operation);
        probe = box.probes.erase(probe);
      } else {
        ++probe;
      }
    }
    for (auto receive = box.receives.begin(); receive != box.receives.end(); ++receive) {
      if (!fits(*receive, posted)) continue;
      const auto other = *receive;
      box.receives.erase(receive);
      meet(other, posted);
      return id;
    }
    box.sends.push_back(posted);
    return id;
  }

  /// A message has come to its receive, or to a probe that keeps it.
  void meet(const Posted& receive, const Posted& send) {
    finish(receive.operation);
    if (receive.takes)
      finish(send.operation);
    else
      matched_[receive.operation] = send.operation;
  }

  Id receive(std::uint32_t l, const skeleton::Communicator& comm, std::int64_t source, std::int64_t tag,
             bool takes = true) {
    const auto id = start(l, Operation::What::receive, comm, source, tag);
    if (source == mpi::kProcNull) {
      finish(id);
      return id;
    }
    auto& box = mailbox(comm.identity, comm.rank);
    const Posted posted{id, source, tag, takes};
    for (auto send = box.sends.begin(); send != box.sends.end(); ++send) {
      if (!fits(posted, *send)) continue;
      const auto other = *send;
      box.sends.erase(send);
      meet(posted, other);
      return id;
    }
    box.receives.push_back(posted);
    return id;
  }

  Id probe(std::uint32_t l, const skeleton::Communicator& comm, std::int64_t source, std::int64_t tag) {
    const auto id = start(l, Operation::What::probe, comm, source, tag);
    auto& box = mailbox(comm.identity, comm.rank);
    const Posted posted{id, source, tag};
    if (source == mpi::kProcNull) finish(id);
    for (const auto& send : box.sends)
      if (!operations_[id].done && fits(posted, send)) finish(id);
    if (!operations_[id].done) box.probes.push_back(posted);
    return id;
  }

  /// All members must come; nobody leaves before.
  Id meet(std::uint32_t l, const skeleton::Communicator& comm) {
    return meet(l, comm, comm.identity, static_cast<std::size_t>(comm.size));
  }

  /// The same for `size` ranks of the communicator that know `key`.
  Id meet(std::uint32_t l, const skeleton::Communicator& comm, std::uint64_t who, std::size_t size) {
    const auto id = start(l, Operation::What::meeting, comm, kUnknown, kUnknown);
    const std::pair key{who, states_[l].collectives[who]++};
    auto& meeting = meetings_[key];
    meeting.operations.push_back(id);
    if (++meeting.arrived == size) {
      const auto all = std::move(meeting.operations);
      meetings_.erase(key);
      for (const auto each : all) finish(each);
    }
    return id;
  }

  std::string describe(const Operation& operation) const {
    if (operation.what == Operation::What::meeting)
      return fmt::format("the other ranks of a communicator of {}", operation.comm->size);
    const auto peer = operation.peer == kUnknown ? "any rank" : member(*operation.comm, operation.peer);
    const auto tag = operation.tag == kUnknown ? "" : fmt::format(" (tag {})", operation.tag);
    return (operation.what == Operation::What::probe ? "a message of " : "") + peer + tag;
  }

  std::string member(const skeleton::Communicator& comm, std::int64_t rank) const {
    const auto& all = members_.at(comm.identity);
    const auto found = all.find(static_cast<int>(rank));
    return fmt::format("rank {}", found == all.end() ? rank : skeleton_.locations[found->second].where.rank);
  }

  void step(std::uint32_t l, const mpi::Function& f) {
    auto& state = states_[l];
    const auto value = [&](int parameter) { return state.cursor.value(parameter); };
    const auto scalar = [&](Role role) { return value(f.find(role)); };
    const auto array = [&](Role role) -> const std::vector<std::int64_t>& {
      static const std::vector<std::int64_t> none;
      const int at = f.find(role);
      return at < 0 ? none : skeleton_.arrays.at(static_cast<std::size_t>(value(at)));
    };
    const auto second = [&](Role role) {
      int seen = 0;
      for (std::size_t i = 0; i < f.parameters.size(); ++i)
        if (f.parameters[i].role == role && ++seen == 2) return value(static_cast<int>(i));
      return kUnknown;
    };
    // A wildcard takes the message that it took in the traced run, if that is known here.
    const auto matched = [&](std::size_t which, std::int64_t wildcard, std::int64_t given) {
      if (given != wildcard) return given;
      if (which == 0 && state.cursor.matched() >= 0) return state.cursor.matched();
      const auto& status = array(Role::status);
      return status.size() == 2 && status[which] >= 0 ? status[which] : kUnknown;
    };
    // The operation belongs to the call, or to its request.
    const auto keep = [&](Id id) {
      if (f.nonblocking) {
        state.request[scalar(Role::request)] = id;
      } else {
        state.held.push_back(id);
        wait(state, id);
      }
    };
    const auto complete = [&](std::int64_t slot) {
      const auto found = state.request.find(slot);
      if (found == state.request.end()) return;  // a null request
      state.held.push_back(found->second);
      wait(state, found->second);
      state.request.erase(found);
    };
    const auto complete_at = [&](std::int64_t index) {
      const auto& slots = array(Role::requests);
      if (index >= 0 && static_cast<std::size_t>(index) < slots.size())
        complete(slots[static_cast<std::size_t>(index)]);
    };

    switch (f.kind) {
      case Kind::send:
        keep(
            send(l, communicator(state, l, scalar(Role::comm)), scalar(Role::peer), scalar(Role::tag), is_buffered(f)));
        break;
      case Kind::recv:
        keep(receive(l, communicator(state, l, scalar(Role::comm)), matched(0, mpi::kAnySource, scalar(Role::peer)),
                     matched(1, mpi::kAnyTag, scalar(Role::tag))));
        break;
      case Kind::sendrecv: {
        const auto& comm = communicator(state, l, scalar(Role::comm));
        // Sendrecv_replace has one buffer and still two peers and two tags.
        keep(receive(l, comm, matched(0, mpi::kAnySource, second(Role::peer)),
                     matched(1, mpi::kAnyTag, second(Role::tag))));
        keep(send(l, comm, scalar(Role::peer), scalar(Role::tag), false));
        break;
      }
      case Kind::match: {
        const int flag = f.find(Role::flag);
        if (flag >= 0 && value(flag) == 0) break;
        const auto id =
            receive(l, communicator(state, l, scalar(Role::comm)), matched(0, mpi::kAnySource, scalar(Role::peer)),
                    matched(1, mpi::kAnyTag, scalar(Role::tag)), false);
        state.message[scalar(Role::message)] = id;
        wait(state, id);
        break;
      }
      case Kind::recv_matched: {
        const auto found = state.message.find(scalar(Role::message));
        if (found != state.message.end()) {
          const auto from = matched_.find(found->second);
          if (from != matched_.end()) finish(from->second);
          matched_.erase(found->second);
          state.held.push_back(found->second);
          state.message.erase(found);
        }
        if (f.nonblocking) state.request.erase(scalar(Role::request));  // it is there already
        break;
      }
      case Kind::send_init:
      case Kind::recv_init:
        state.persistent[scalar(Role::request)] = {&f, &communicator(state, l, scalar(Role::comm)), scalar(Role::peer),
                                                   scalar(Role::tag)};
        break;
      case Kind::start: {
        const auto begin = [&](std::int64_t slot) {
          const auto found = state.persistent.find(slot);
          if (found == state.persistent.end()) return;
          const auto& [function, comm, peer, tag] = found->second;
          const auto any = [](std::int64_t given, std::int64_t wildcard) {
            return given == wildcard ? kUnknown : given;
          };
          state.request[slot] = function->kind == Kind::send_init
                                    ? send(l, *comm, peer, tag, is_buffered(*function))
                                    : receive(l, *comm, any(peer, mpi::kAnySource), any(tag, mpi::kAnyTag));
        };
        if (f.find(Role::request) >= 0) begin(scalar(Role::request));
        for (const auto slot : array(Role::requests)) begin(slot);
        break;
      }
      case Kind::request_free:  // whatever it stands for goes on
        state.persistent.erase(scalar(Role::request));
        state.request.erase(scalar(Role::request));
        break;
      case Kind::probe:
        if (const int flag = f.find(Role::flag); flag < 0 || value(flag) == 1)
          keep(probe(l, communicator(state, l, scalar(Role::comm)), matched(0, mpi::kAnySource, scalar(Role::peer)),
                     matched(1, mpi::kAnyTag, scalar(Role::tag))));
        break;
      case Kind::complete:
      case Kind::test:
        if (const int flag = f.find(Role::flag); flag >= 0 && value(flag) == 0) break;
        if (const int index = f.find(Role::index); index >= 0) {
          complete_at(value(index));
        } else if (f.find(Role::indices) >= 0) {
          for (const auto each : array(Role::indices)) complete_at(each);
        } else if (f.find(Role::requests) >= 0) {
          for (const auto slot : array(Role::requests)) complete(slot);
        } else {
          complete(scalar(Role::request));
        }
        break;
      case Kind::collective:
        keep(meet(l, communicator(state, l, scalar(Role::comm))));
        break;
      case Kind::comm_create: {
        const auto& comm = communicator(state, l, scalar(Role::comm));
        if (f.find(Role::tag) >= 0) {  // the members of the group only
          const auto group = static_cast<std::uint64_t>(value(f.find(Role::group)));
          const auto tag = static_cast<std::uint64_t>(scalar(Role::tag));
          keep(meet(l, comm, comm.identity ^ (group + 1) << 32 ^ (tag + 1) << 8,
                    skeleton_.arrays.at(static_cast<std::size_t>(group)).size()));
        } else {
          keep(meet(l, comm));
        }
        create(l, scalar(Role::newcomm));
        break;
      }
      case Kind::comm_free:
        state.communicator.erase(scalar(Role::comm));
        break;
      case Kind::opaque:
      case Kind::environment:
      case Kind::attach:
      case Kind::detach:
      case Kind::type_create:
      case Kind::type_free:
      case Kind::op_create:
      case Kind::op_free:
      case Kind::local:
      case Kind::init:
      case Kind::finalize:
      case Kind::abort:
        break;
    }
  }

  /// The communicator that the location made next in `slot` (none: MPI_COMM_NULL).
  void create(std::uint32_t l, std::int64_t slot) {
    auto& state = states_[l];
    const auto& all = skeleton_.locations[l].communicators;
    if (state.created < all.size() && all[state.created].slot == slot) state.communicator[slot] = state.created++;
  }

  Deadlock explain() const {
    Deadlock result;
    constexpr std::size_t kShown = 4;
    std::size_t blocked = 0;
    for (std::uint32_t l = 0; l < states_.size(); ++l) {
      const auto& state = states_[l];
      if (state.missing == 0) continue;
      result.safe = false;
      if (++blocked > kShown) continue;
      std::vector<std::string> whom;
      for (const auto& operation : operations_)
        if (operation.active && operation.owner == l && operation.waited && whom.size() < 3)
          whom.push_back(describe(operation));
      result.explanation += fmt::format("{}rank {} waits in {} for {}", blocked > 1 ? "; " : "",
                                        skeleton_.locations[l].where.rank, state.function->name, fmt::join(whom, ", "));
    }
    if (blocked > kShown) result.explanation += fmt::format("; {} more ranks wait", blocked - kShown);
    return result;
  }

  const skeleton::Skeleton& skeleton_;
  const Shortened shortened_;
  std::deque<State> states_;
  std::deque<std::uint32_t> ready_;
  std::deque<Operation> operations_;
  std::map<Id, Id> matched_;  ///< by operation of a probe that keeps its message: the send
  std::vector<Id> free_;
  std::map<std::uint64_t, std::map<int, std::uint32_t>> members_;  ///< identity -> rank -> location
  std::map<std::pair<std::uint64_t, std::int64_t>, Mailbox> mailboxes_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Meeting> meetings_;
};

}  // namespace

Deadlock check_deadlock(const skeleton::Skeleton& skeleton) { return Simulation(skeleton).run(); }

}  // namespace skelgen::emit
