#pragma once
// What one location's calls do: requests and what stands behind them, persistent and partitioned ones, matched messages,
// epochs of windows. Which operations begin, and which of them a call waits for, is said to a sink; matching them with
// those of others is the sink's.

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/call.h"
#include "engine/operations.h"
#include "engine/standard.h"

namespace skelgen::engine {

/// Tag of what is said of the n-th message of a tag that one rank partitions for another: its end, or that a part of it
/// is ready. No other message has it.
constexpr std::int64_t partitioned(std::int64_t tag, std::int64_t n, bool begun) {
  return tag - ((2 * n + begun + 1) << 32);
}
/// True for such tags.
constexpr bool is_of_parts(std::int64_t tag) { return tag < partitioned(0, 0, false) / 2; }
/// Tags of what MPI_Win_post and MPI_Win_complete say. No message has them.
inline constexpr std::int64_t kWinPosted = -2000, kWinCompleted = -2001;

/// What a call says of a message's size.
struct Amount {
  const void* origin = nullptr;  ///< of the call
  const mpi::Function* function = nullptr;
  std::int64_t count = -1, datatype = -1;  ///< -1: it does not say
};

/// Counts of a rank, which its threads share.
struct RankCounts {
  std::map<std::uint64_t, std::uint64_t> inits;  ///< by communicator: persistent collectives made
  /// Partitioned messages made, by communicator, other rank and tag, and whether they are sent.
  std::map<std::tuple<std::uint64_t, std::int64_t, std::int64_t, bool>, std::int64_t> partitioned;
};

/// Sink has, all but the first for the location whose call it is (Comm is const mpi::Communicator*, nullptr if it is not
/// known which one a slot is now; Operation is the interpreter's):
///   Comm comm(slot), window(slot), file(slot);
///   bool cancelled(slot)                              MPI_Cancel ends what the request starts now before it matches
///   Operation send(Comm, dest, tag, function, Amount) function: of the call that says how it is sent
///   Operation notify(Comm, dest, tag)                 a message that takes no room and for which nobody waits
///   Operation receive(Comm, source, tag, Load)        source, tag: may be wildcards
///   Operation keep(Comm, source, tag)                 receive of a matched probe; take(Operation) receives the message
///   Operation probe(Comm, source, tag)
///   Operation meet(Comm, Collective, function)        function: of the call that says for whom it waits
///   Operation meet_started(Comm, Collective, function, number)  the number-th persistent collective of its communicator
///   void made_collective(Comm, Collective)            such a one is made
///   void wait(Operation)                              the call waits, and the operation is the call's
///   void hold(Operation)                              the operation is the call's, which does not wait
///   void wait_for_request(Operation)                  the call waits; the operation stays its request's
///   void complete(Request)                            the call completes a request; its operations are the call's now
///   void ask(Operation)                               a query found this complete
///   void unknown(slot)                                the call completes a request that is not active and not persistent
///   void unknown_message(slot)                        the call receives a message that no probe has matched
///   void reopened(slot)                               an active request is started again
///   void abandon(Operation)                           nobody completes it any more
///   bool settled(slots)                               false: the call must wait before it starts or frees these requests
///   std::int64_t rank_in(Comm, world)                 rank of the window that is this one in MPI_COMM_WORLD
///   void other(Call)                                  calls of all other kinds
template <class Operation>
class Interpreter {
 public:
  using Comm = const mpi::Communicator*;

  /// What a persistent request does each time that it is started.
  struct Persistent {
    const mpi::Function* function = nullptr;  ///< that made it
    Comm comm = nullptr;
    std::int64_t peer = 0, tag = 0;
    Amount amount{};
    std::int64_t partitions = 0, number = 0;  ///< of a partitioned message; see partitioned(); of a collective: number
    Collective collective{};
  };
  struct Request {
    std::int64_t slot;
    std::span<const Operation> operations;
    bool persistent;
  };

  template <class Sink>
  void call(const Call& call, Sink& sink, RankCounts& counts) {
    using mpi::Kind;
    using mpi::Role;
    switch (call.function->kind) {
      case Kind::send:
        return begin(call, sink,
                     sink.send(sink.comm(call.number(Role::comm)), peer_of(call, sink, call.number(Role::peer)),
                               call.number(Role::tag), *call.function, amount(call)));
      case Kind::recv:
        return begin(call, sink,
                     sink.receive(sink.comm(call.number(Role::comm)), peer_of(call, sink, source(call)), tag(call),
                                  amount(call)));
      case Kind::sendrecv:
        return exchange(call, sink);
      case Kind::probe:
        if (call.found()) sink.wait(sink.probe(sink.comm(call.number(Role::comm)), source(call), tag(call)));
        return;
      case Kind::match:
        return match(call, sink);
      case Kind::recv_matched:
        return receive_matched(call, sink);
      case Kind::send_init:
      case Kind::recv_init:
      case Kind::collective_init:
        return make(call, sink, counts);
      case Kind::start:
        return start(call, sink);
      case Kind::cancel:
        if (call.number(Role::integer) == mpi::value_of(mpi::CancelOutcome::received))
          for (const Operation& each : operations_of(call.number(Role::request))) sink.wait_for_request(each);
        return;
      case Kind::ask:
        return ask(call, sink);
      case Kind::request_free:
        return free(call.number(Role::request), sink);
      case Kind::complete:
      case Kind::test:
        each_completed(call, [&](std::int64_t slot, std::size_t) { complete(slot, sink); });
        return;
      case Kind::collective: {
        const Comm comm = sink.comm(call.number(Role::comm));
        return begin(call, sink, sink.meet(comm, collective(call, comm), *call.function));
      }
      case Kind::win_free:
      case Kind::win_fence:
        return begin(call, sink,
                     sink.meet(sink.window(call.number(Role::win)), {call.function, call.origin}, *call.function));
      case Kind::file_close:
      case Kind::file_collective:
        return begin(call, sink,
                     sink.meet(sink.file(call.number(Role::file)), {call.function, call.origin}, *call.function));
      case Kind::local:
        ready(call, sink);
        return sink.other(call);
      case Kind::win_post: {
        const Comm window = sink.window(call.number(Role::win));
        const auto members = call.array(Role::group);
        for (const std::int64_t other : members)
          sink.hold(sink.notify(window, sink.rank_in(window, other), kWinPosted));
        posted_[call.number(Role::win)].assign(members.begin(), members.end());
        return;
      }
      case Kind::win_start: {
        const auto members = call.array(Role::group);
        begun_[call.number(Role::win)].assign(members.begin(), members.end());
        return;
      }
      case Kind::win_complete: {
        const Comm window = sink.window(call.number(Role::win));
        for (const std::int64_t other : begun_[call.number(Role::win)]) {
          sink.wait(sink.receive(window, sink.rank_in(window, other), kWinPosted, {}));
          sink.hold(sink.notify(window, sink.rank_in(window, other), kWinCompleted));
        }
        return;
      }
      case Kind::win_wait: {
        if (!call.found()) return;
        const Comm window = sink.window(call.number(Role::win));
        for (const std::int64_t other : posted_[call.number(Role::win)])
          sink.wait(sink.receive(window, sink.rank_in(window, other), kWinCompleted, {}));
        return;
      }
      default:
        if (call.function->nonblocking && call.has(Role::request)) open(call.number(Role::request), sink);
        return sink.other(call);
    }
  }

  /// An operation begins, which is the call's, or its request's.
  template <class Sink>
  void begin(const Call& call, Sink& sink, Operation operation) {
    if (!call.function->nonblocking) return sink.wait(operation);
    open(call.number(mpi::Role::request), sink).push_back(operation);
  }

  /// Requests that are active: started or begun, and not complete.
  std::vector<std::int64_t> active() const {
    std::vector<std::int64_t> slots;
    for (const auto& [slot, _] : requests_) slots.push_back(slot);
    return slots;
  }
  bool is_persistent(std::int64_t slot) const { return persistent_.contains(slot); }
  /// Messages that a probe matched and nobody has received.
  bool keeps_messages() const { return !messages_.empty(); }

 private:
  static Amount amount(const Call& call) {
    const bool says = call.has(mpi::Role::count) && call.has(mpi::Role::datatype);
    if (!says) return {call.origin, call.function};
    return {call.origin, call.function, call.number(mpi::Role::count), call.number(mpi::Role::datatype)};
  }

  /// A wildcard takes the message that it took in the traced run, if that is known here.
  static std::int64_t source(const Call& call) {
    const std::int64_t given = call.values[static_cast<std::size_t>(call.function->source())].scalar;
    if (given != mpi::kAnySource) return given;
    if (call.matched >= 0) return call.matched;
    const auto status = call.array(mpi::Role::status);
    return status.size() == 2 && status[0] >= 0 ? status[0] : given;
  }
  static std::int64_t tag(const Call& call) {
    const std::int64_t given = call.last(mpi::Role::tag);  // of an exchange: of what is received
    if (given != mpi::kAnyTag) return given;
    const auto status = call.array(mpi::Role::status);
    return status.size() == 2 && status[1] >= 0 ? status[1] : given;
  }

  /// In an intercommunicator ranks have different names for the root, and those beside it say nothing of what is done.
  /// Operations that the program made are other slots on other ranks.
  static Collective collective(const Call& call, Comm comm) {
    const auto common = [&](mpi::Role role) {
      return !comm || comm->inter() || !call.has(role) ? 0 : call.number(role);
    };
    return {call.function, call.origin, common(mpi::Role::root), std::min(common(mpi::Role::op), mpi::kMade)};
  }

  std::span<const Operation> operations_of(std::int64_t slot) const {
    const auto found = requests_.find(slot);
    return found == requests_.end() ? std::span<const Operation>() : std::span<const Operation>(found->second);
  }

  /// The request becomes active.
  template <class Sink>
  std::vector<Operation>& open(std::int64_t slot, Sink& sink) {
    const auto [at, fresh] = requests_.try_emplace(slot);
    if (!fresh) {
      sink.reopened(slot);
      for (const Operation& each : at->second) sink.abandon(each);
      at->second.clear();
    }
    return at->second;
  }

  template <class Sink>
  static std::int64_t peer_of(std::int64_t request, const Sink& sink, std::int64_t peer) {
    return sink.cancelled(request) ? mpi::kProcNull : peer;
  }
  template <class Sink>
  static std::int64_t peer_of(const Call& call, const Sink& sink, std::int64_t peer) {
    return call.function->nonblocking ? peer_of(call.number(mpi::Role::request), sink, peer) : peer;
  }

  template <class Sink>
  void exchange(const Call& call, Sink& sink) {
    const Comm comm = sink.comm(call.number(mpi::Role::comm));
    const Operation received =
        sink.receive(comm, source(call), tag(call),
                     {call.origin, call.function, call.last(mpi::Role::count), call.last(mpi::Role::datatype)});
    const Operation sent =
        sink.send(comm, call.number(mpi::Role::peer), call.number(mpi::Role::tag), *call.function, amount(call));
    if (!call.function->nonblocking) {
      sink.wait(received);
      return sink.wait(sent);
    }
    open(call.number(mpi::Role::request), sink) = {received, sent};
  }

  template <class Sink>
  void match(const Call& call, Sink& sink) {
    if (!call.found()) return;
    const Operation kept = sink.keep(sink.comm(call.number(mpi::Role::comm)), source(call), tag(call));
    if (const std::int64_t slot = call.number(mpi::Role::message); slot >= 0) messages_.insert_or_assign(slot, kept);
    sink.wait_for_request(kept);
  }

  template <class Sink>
  void receive_matched(const Call& call, Sink& sink) {
    const auto found = messages_.find(call.number(mpi::Role::message));
    if (call.function->nonblocking) open(call.number(mpi::Role::request), sink);  // the message is there already
    if (found == messages_.end()) {
      if (call.number(mpi::Role::message) >= 0) sink.unknown_message(call.number(mpi::Role::message));
      return;
    }
    sink.take(found->second);
    messages_.erase(found);
  }

  template <class Sink>
  void make(const Call& call, Sink& sink, RankCounts& counts) {
    const Comm comm = sink.comm(call.number(mpi::Role::comm));
    Persistent made{.function = call.function, .comm = comm};
    if (call.function->kind == mpi::Kind::collective_init) {  // matched in this order, started in any
      made.collective = collective(call, comm);
      if (comm) made.number = static_cast<std::int64_t>(counts.inits[comm->all()]++);
      sink.made_collective(comm, made.collective);
    } else {
      made.peer = call.number(mpi::Role::peer);
      made.tag = call.number(mpi::Role::tag);
      made.amount = amount(call);
      if (call.function->partitioned) {
        made.partitions = call.number(mpi::Role::integer);
        if (comm)
          made.number =
              counts.partitioned[{comm->identity, made.peer, made.tag, call.function->kind == mpi::Kind::send_init}]++;
      }
    }
    persistent_.insert_or_assign(call.number(mpi::Role::request), made);
  }

  /// Slots of the requests that a call of kind start starts.
  template <class Visit>
  static bool each_started(const Call& call, const Visit& visit) {
    if (call.has(mpi::Role::request)) return visit(call.number(mpi::Role::request));
    return std::ranges::all_of(call.array(mpi::Role::requests), visit);
  }

  template <class Sink>
  void start(const Call& call, Sink& sink) {
    std::vector<std::int64_t> slots;
    each_started(call, [&](std::int64_t slot) { return slots.push_back(slot), true; });
    if (!sink.settled(slots)) return;
    for (const std::int64_t slot : slots) {
      const auto found = persistent_.find(slot);
      if (found == persistent_.end()) {
        sink.unknown(slot);
        continue;
      }
      const Persistent& made = found->second;
      auto& operations = open(slot, sink);
      if (made.function->kind == mpi::Kind::collective_init) {
        operations.push_back(sink.meet_started(made.comm, made.collective, *made.function, made.number));
        continue;
      }
      const std::int64_t peer = peer_of(slot, sink, made.peer);
      if (made.partitions == 0) {
        operations.push_back(made.function->kind == mpi::Kind::send_init
                                 ? sink.send(made.comm, peer, made.tag, *made.function, made.amount)
                                 : sink.receive(made.comm, peer, made.tag, made.amount));
      } else if (made.function->kind == mpi::Kind::send_init) {
        unready_[slot] = made.partitions;
      } else {
        for (const bool begun : {true, false})
          operations.push_back(sink.receive(made.comm, peer, partitioned(made.tag, made.number, begun), {}));
      }
    }
  }

  /// So many more parts of a partitioned message are ready. It is sent with the last one.
  template <class Sink>
  void ready(const Call& call, Sink& sink) {
    const std::int64_t parts = parts_made_ready(call);
    if (parts <= 0) return;
    const std::int64_t slot = call.number(mpi::Role::request);
    const auto unready = unready_.find(slot);
    const auto found = persistent_.find(slot);
    if (unready == unready_.end() || found == persistent_.end()) return;
    const Persistent& message = found->second;
    if (unready->second == message.partitions)
      sink.hold(sink.notify(message.comm, message.peer, partitioned(message.tag, message.number, true)));
    unready->second -= parts;
    if (unready->second > 0) return;
    unready_.erase(unready);
    requests_[slot].push_back(
        sink.send(message.comm, message.peer, partitioned(message.tag, message.number, false), *message.function, {}));
  }

  template <class Sink>
  void ask(const Call& call, Sink& sink) {
    if (!call.found()) return;
    const bool one_part = call.function->partitioned;  // the first part is as good as another
    for (const Operation& each : operations_of(call.number(mpi::Role::request))) {
      sink.ask(each);
      if (one_part) break;
    }
  }

  template <class Sink>
  void free(std::int64_t slot, Sink& sink) {
    if (!sink.settled(std::span(&slot, 1))) return;
    const bool persistent = persistent_.erase(slot) > 0;
    const auto found = requests_.find(slot);
    if (found == requests_.end()) {
      if (!persistent && slot >= 0) sink.unknown(slot);
      return;
    }
    for (const Operation& each : found->second) sink.abandon(each);  // whatever it stands for goes on
    requests_.erase(found);
  }

  template <class Sink>
  void complete(std::int64_t slot, Sink& sink) {
    const bool persistent = persistent_.contains(slot);
    const auto found = requests_.find(slot);
    if (found == requests_.end() && !persistent && slot >= 0) sink.unknown(slot);
    sink.complete({slot, operations_of(slot), persistent});
    if (found != requests_.end()) requests_.erase(found);
  }

  std::map<std::int64_t, std::vector<Operation>>
      requests_;                                   ///< that are active, by slot; an exchange has two operations
  std::map<std::int64_t, Persistent> persistent_;  ///< by request
  std::map<std::int64_t, std::int64_t> unready_;   ///< by request that was started: partitions
  std::map<std::int64_t, Operation> messages_;     ///< matched by a probe, not received
  std::map<std::int64_t, std::vector<std::int64_t>> posted_, begun_;  ///< by window: world ranks
};

}  // namespace skelgen::engine
