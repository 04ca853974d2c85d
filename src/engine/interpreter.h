#pragma once
// Effects of a location's calls: on requests and their operations, persistent and partitioned ones, matched messages,
// epochs of windows. Which operations begin, and which of them a call waits for, is said to a sink; matching them with
// those of others is the sink's.

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
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
struct MessageSize {
  const void* origin = nullptr;  ///< of the call
  const mpi::Function* function = nullptr;
  std::int64_t count = -1, datatype = -1;  ///< -1: it does not say
};

/// Numbers that make persistent operations of different ranks the same one; a rank's threads share them.
struct RankCounts {
  std::map<std::uint64_t, std::int64_t> collectives;  ///< by communicator: persistent ones made
  /// Partitioned messages made, by communicator, other rank and tag, and whether they are sent.
  std::map<std::tuple<std::uint64_t, std::int64_t, std::int64_t, bool>, std::int64_t> partitioned;
};

/// Types has Operation (what the sink knows of one), Comm (a communicator, window or file as the sink knows it), Collective
/// (what the sink keeps of a collective call), and kParts: partitioned messages are followed part by part, else they are
/// sent and received as a whole when they are started; kSizes: the sink wants to know how large messages are. A sink has
/// what NullSink has.
template <class Types>
class Interpreter {
 public:
  using Operation = typename Types::Operation;
  using Comm = typename Types::Comm;
  using Collective = typename Types::Collective;

  /// Of a request. An exchange and a message received in parts have two, others one or none.
  class OperationsOfRequest {
   public:
    void add(const Operation& one) {
      if (size_ == of_.size()) throw Error(Code::internal, "a request has a third operation");
      of_[size_++] = one;
    }
    auto begin() const { return of_.begin(); }
    auto end() const { return of_.begin() + size_; }
    auto begin() { return of_.begin(); }
    auto end() { return of_.begin() + size_; }
    std::size_t size() const { return size_; }

   private:
    std::array<Operation, 2> of_{};
    std::uint8_t size_ = 0;
  };
  struct Request {
    std::int64_t slot;
    std::size_t status;  ///< which of the call's statuses is its
    OperationsOfRequest operations;
    bool persistent;
  };

  template <class Sink>
  void call(const Call& call, Sink& sink) {
    using mpi::Kind;
    using mpi::Role;
    const auto number = [&](Role role) { return call.number(role); };
    switch (call.function->kind) {
      case Kind::send:
        return begin(call, sink, [&] {
          return sink.send(sink.comm(number(Role::comm)), peer_of(call, sink, number(Role::peer)), number(Role::tag),
                           *call.function, size(call));
        });
      case Kind::recv:
        return begin(call, sink, [&] {
          return sink.receive(sink.comm(number(Role::comm)), peer_of(call, sink, source(call, number(Role::peer))),
                              tag(call, number(Role::tag)), size(call));
        });
      case Kind::sendrecv:
        return exchange(call, sink);
      case Kind::probe:
        if (call.found())
          sink.wait(sink.probe(sink.comm(number(Role::comm)), source(call, number(Role::peer)),
                               tag(call, number(Role::tag))));
        return;
      case Kind::match:
        return match(call, sink);
      case Kind::recv_matched:
        return receive_matched(call, sink);
      case Kind::send_init:
      case Kind::recv_init:
      case Kind::collective_init:
        return make(call, sink);
      case Kind::start:
        return start(call, sink);
      case Kind::cancel:
        if (number(Role::integer) == mpi::value_of(mpi::CancelOutcome::received))
          for (const Operation& each : operations(number(Role::request))) sink.wait_for_request(each);
        return;
      case Kind::ask:
        return ask(call, sink);
      case Kind::request_free:
        return free(number(Role::request), sink);
      case Kind::complete:
      case Kind::test:
        return each_completed(call, [&](std::int64_t slot, std::size_t k) { complete(slot, k, sink); });
      case Kind::collective:
        return meet(call, sink, sink.comm(number(Role::comm)));
      case Kind::win_free:
      case Kind::win_fence:
        return meet(call, sink, sink.window(number(Role::win)));
      case Kind::file_close:
      case Kind::file_collective:
        return meet(call, sink, sink.file(number(Role::file)));
      case Kind::win_post: {
        const Comm window = sink.window(number(Role::win));
        const auto members = call.array(Role::group);
        for (const std::int64_t other : members)
          sink.hold(sink.notify(window, sink.rank_in(window, other), kWinPosted));
        posted_[number(Role::win)].assign(members.begin(), members.end());
        return;
      }
      case Kind::win_start: {
        const auto members = call.array(Role::group);
        begun_[number(Role::win)].assign(members.begin(), members.end());
        return;
      }
      case Kind::win_complete: {
        const Comm window = sink.window(number(Role::win));
        for (const std::int64_t other : begun_[number(Role::win)]) {
          sink.wait(sink.receive(window, sink.rank_in(window, other), kWinPosted, {}));
          sink.hold(sink.notify(window, sink.rank_in(window, other), kWinCompleted));
        }
        begun_.erase(number(Role::win));
        return;
      }
      case Kind::win_wait: {
        if (!call.found()) return;
        const Comm window = sink.window(number(Role::win));
        for (const std::int64_t other : posted_[number(Role::win)])
          sink.wait(sink.receive(window, sink.rank_in(window, other), kWinCompleted, {}));
        posted_.erase(number(Role::win));
        return;
      }
      case Kind::win_local:
        if (const std::pair lock{number(Role::win), call.has(Role::peer) ? number(Role::peer) : mpi::kProcNull};
            call.function->part == mpi::Part::begin)
          locked_.insert(lock);
        else if (call.function->part == mpi::Part::end)
          locked_.erase(lock);
        return pass(call, sink);
      case Kind::comm_create:
        return sink.other(call);
      default:
        if constexpr (Types::kParts) ready(call, sink);
        return pass(call, sink);
    }
  }

  /// An operation begins, which is the call's, or its request's, which is active before.
  template <class Sink, class Begin>
  void begin(const Call& call, Sink& sink, const Begin& operation) {
    if (!call.function->nonblocking) return sink.wait(operation());
    OperationsOfRequest& its = open(call.number(mpi::Role::request), sink);
    its.add(operation());
  }

  /// Active requests: started or begun, and not complete. Ascending.
  std::vector<std::int64_t> active() const {
    std::vector<std::int64_t> slots;
    for (const auto& [slot, _] : requests_) slots.push_back(slot);
    std::ranges::sort(slots);
    return slots;
  }
  /// Of an active request, else none.
  std::span<Operation> operations(std::int64_t slot) {
    const auto found = requests_.find(slot);
    return found == requests_.end() ? std::span<Operation>() : std::span<Operation>(found->second);
  }
  bool is_persistent(std::int64_t slot) const { return persistent_.contains(slot); }
  /// Messages that a probe matched and nobody has received.
  bool keeps_messages() const { return !messages_.empty(); }
  /// No request is active, no such message is left, and no epoch of a window that MPI_Win_post, MPI_Win_start or a lock
  /// began. Epochs between fences are not followed.
  bool is_idle() const {
    return requests_.empty() && messages_.empty() && posted_.empty() && begun_.empty() && locked_.empty();
  }

 private:
  /// A persistent request: the operation that each start of it begins.
  struct Persistent {
    const mpi::Function* function = nullptr;  ///< that made it
    Comm comm{};
    std::int64_t peer = 0, tag = 0;
    MessageSize size{};
    std::int64_t partitions = 0;  ///< of a message in parts
    std::int64_t number = 0;      ///< of such a message, see partitioned(), or of a collective
    Collective collective{};
  };

  static MessageSize size(const Call& call) {
    if constexpr (!Types::kSizes) return {};
    const bool says = call.has(mpi::Role::count) && call.has(mpi::Role::datatype);
    if (!says) return {call.origin, call.function};
    return {call.origin, call.function, call.number(mpi::Role::count), call.number(mpi::Role::datatype)};
  }

  /// A wildcard takes the message that it took in the traced run, if that is known here.
  static std::int64_t source(const Call& call, std::int64_t given) {
    if (given != mpi::kAnySource) return given;
    if (call.matched >= 0) return call.matched;
    const auto status = call.array(mpi::Role::status);
    return status.size() == 2 && status[0] >= 0 ? status[0] : given;
  }
  static std::int64_t tag(const Call& call, std::int64_t given) {
    if (given != mpi::kAnyTag) return given;
    const auto status = call.array(mpi::Role::status);
    return status.size() == 2 && status[1] >= 0 ? status[1] : given;
  }

  /// The request becomes active.
  template <class Sink>
  OperationsOfRequest& open(std::int64_t slot, Sink& sink) {
    unready_.erase(slot);
    const auto [at, fresh] = requests_.try_emplace(slot);
    if (!fresh) {
      sink.reopened(slot);
      for (const Operation& each : std::exchange(at->second, {})) sink.abandon(each);
    }
    return at->second;
  }

  template <class Sink>
  void pass(const Call& call, Sink& sink) {
    if (call.function->nonblocking && call.has(mpi::Role::request)) open(call.number(mpi::Role::request), sink);
    sink.other(call);
  }

  template <class Sink>
  static std::int64_t peer_of(const Call& call, const Sink& sink, std::int64_t peer) {
    return call.function->nonblocking && sink.cancelled(call.number(mpi::Role::request)) ? mpi::kProcNull : peer;
  }

  template <class Sink>
  void exchange(const Call& call, Sink& sink) {
    OperationsOfRequest both;
    OperationsOfRequest& its = call.function->nonblocking ? open(call.number(mpi::Role::request), sink) : both;
    const Comm comm = sink.comm(call.number(mpi::Role::comm));
    MessageSize room;
    if constexpr (Types::kSizes)
      room = {call.origin, call.function, call.last(mpi::Role::count), call.last(mpi::Role::datatype)};
    its.add(sink.receive(comm, source(call, call.last(mpi::Role::peer)), tag(call, call.last(mpi::Role::tag)), room));
    its.add(sink.send(comm, call.number(mpi::Role::peer), call.number(mpi::Role::tag), *call.function, size(call)));
    for (const Operation& each : both) sink.wait(each);
  }

  template <class Sink>
  void match(const Call& call, Sink& sink) {
    if (!call.found()) return;
    const Operation kept =
        sink.keep(sink.comm(call.number(mpi::Role::comm)), source(call, call.number(mpi::Role::peer)),
                  tag(call, call.number(mpi::Role::tag)));
    sink.wait_for_request(kept);
    if (const std::int64_t slot = call.number(mpi::Role::message); slot >= 0)
      messages_.insert_or_assign(slot, kept);
    else
      sink.abandon(kept);  // nobody receives it
  }

  template <class Sink>
  void receive_matched(const Call& call, Sink& sink) {
    OperationsOfRequest* const request =
        call.function->nonblocking ? &open(call.number(mpi::Role::request), sink) : nullptr;
    const auto found = messages_.find(call.number(mpi::Role::message));
    if (found == messages_.end()) {
      if (call.number(mpi::Role::message) >= 0) sink.unknown_message(call.number(mpi::Role::message));
      return;
    }
    sink.take(found->second);
    if (request)
      request->add(found->second);
    else
      sink.wait(found->second);
    messages_.erase(found);
  }

  template <class Sink>
  void make(const Call& call, Sink& sink) {
    Persistent made;
    made.function = call.function;
    made.comm = sink.comm(call.number(mpi::Role::comm));
    if (call.function->kind == mpi::Kind::collective_init) {  // matched in this order, started in any
      made.collective = sink.collective(call, made.comm);
      made.number = sink.number_collective(made.comm, made.collective);
    } else {
      made.peer = call.number(mpi::Role::peer);
      made.tag = call.number(mpi::Role::tag);
      made.size = size(call);
      if constexpr (!Types::kParts)
        if (call.function->partitioned) made.size.count *= call.number(mpi::Role::integer);
      if constexpr (Types::kParts)
        if (call.function->partitioned) {
          made.partitions = call.number(mpi::Role::integer);
          made.number = sink.number_parts(made.comm, made.peer, made.tag, call.function->kind == mpi::Kind::send_init);
        }
    }
    unready_.erase(call.number(mpi::Role::request));
    persistent_.insert_or_assign(call.number(mpi::Role::request), made);
  }

  template <class Sink>
  void start(const Call& call, Sink& sink) {
    const auto slots = call.requests();
    if (!sink.settled(slots)) return;
    for (const std::int64_t slot : slots) {
      const auto found = persistent_.find(slot);
      if (found == persistent_.end()) {
        sink.unknown(slot);
        continue;
      }
      const Persistent& made = found->second;
      OperationsOfRequest& its = open(slot, sink);
      if (made.function->kind == mpi::Kind::collective_init) {
        its.add(sink.meet_started(made.comm, made.collective, *made.function, made.number));
        continue;
      }
      const std::int64_t peer = sink.cancelled(slot) ? mpi::kProcNull : made.peer;
      if (made.partitions == 0) {
        its.add(made.function->kind == mpi::Kind::send_init
                    ? sink.send(made.comm, peer, made.tag, *made.function, made.size)
                    : sink.receive(made.comm, peer, made.tag, made.size));
      } else if (made.function->kind == mpi::Kind::send_init) {
        unready_[slot] = made.partitions;
      } else {
        for (const bool begun : {true, false})
          its.add(sink.receive(made.comm, peer, partitioned(made.tag, made.number, begun), {}));
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
    const auto end = partitioned(message.tag, message.number, false);
    if (const auto its = requests_.find(slot); its != requests_.end())
      its->second.add(sink.send(message.comm, message.peer, end, *message.function, {}));
  }

  template <class Sink>
  void ask(const Call& call, Sink& sink) {
    if (!call.found()) return;
    const auto its = operations(call.number(mpi::Role::request));
    // Of a message in parts the first one is as good as another.
    sink.ask(call.function->partitioned && !its.empty() ? its.first(1) : its);
  }

  template <class Sink>
  void free(std::int64_t slot, Sink& sink) {
    if (!sink.settled(std::span(&slot, 1))) return;
    const bool persistent = persistent_.erase(slot) > 0;
    unready_.erase(slot);
    const auto found = requests_.find(slot);
    if (found == requests_.end()) {
      if (!persistent && slot >= 0) sink.unknown(slot);
      return;
    }
    for (const Operation& each : found->second) sink.abandon(each);  // whatever it stands for goes on
    requests_.erase(found);
  }

  template <class Sink>
  void complete(std::int64_t slot, std::size_t status, Sink& sink) {
    const auto found = requests_.find(slot);
    Request request{slot, status, {}, !persistent_.empty() && persistent_.contains(slot)};
    if (found != requests_.end()) {
      request.operations = found->second;
      requests_.erase(found);
    } else if (!request.persistent && slot >= 0) {
      sink.unknown(slot);
    }
    sink.complete(request);
  }

  template <class Sink>
  void meet(const Call& call, Sink& sink, Comm comm) {
    begin(call, sink, [&] { return sink.meet(comm, sink.collective(call, comm), *call.function); });
  }

  std::unordered_map<std::int64_t, OperationsOfRequest> requests_;  ///< that are active, by slot
  std::unordered_map<std::int64_t, Persistent> persistent_;         ///< by request
  std::map<std::int64_t, std::int64_t> unready_;  ///< by partitioned send that was started: partitions
  std::map<std::int64_t, Operation> messages_;    ///< matched by a probe, not received
  std::map<std::int64_t, std::vector<std::int64_t>> posted_, begun_;  ///< by window: world ranks
  std::set<std::pair<std::int64_t, std::int64_t>> locked_;            ///< window and rank in it, or all
};

/// Sink that ignores everything; other sinks derive from it.
template <class Types>
struct NullSink {
  using Operation = typename Types::Operation;
  using Comm = typename Types::Comm;
  using Collective = typename Types::Collective;
  using Request = typename Interpreter<Types>::Request;

  /// What the slot is at the moment. A sink that must know it follows what calls make and free in other(): see LiveObjects.
  static Comm comm(std::int64_t) { return {}; }
  static Comm window(std::int64_t) { return {}; }
  static Comm file(std::int64_t) { return {}; }
  /// MPI_Cancel ends what the request of this slot starts now before it matches.
  static bool cancelled(std::int64_t) { return false; }
  /// To rank, tag. The function is of the call that says how it is sent.
  static Operation send(Comm, std::int64_t, std::int64_t, const mpi::Function&, const MessageSize&) { return {}; }
  /// A message that takes no room and for which nobody waits.
  static Operation notify(Comm, std::int64_t, std::int64_t) { return {}; }
  /// From rank, tag: they may be wildcards.
  static Operation receive(Comm, std::int64_t, std::int64_t, const MessageSize&) { return {}; }
  /// The receive of a matched probe; take() receives the message.
  static Operation keep(Comm, std::int64_t, std::int64_t) { return {}; }
  static void take(const Operation&) {}
  static Operation probe(Comm, std::int64_t, std::int64_t) { return {}; }
  /// What a collective call is: before meet(); of a persistent one when it is made, before number_collective().
  static Collective collective(const Call&, Comm) { return {}; }
  /// The function is of the call that says for whom it waits.
  static Operation meet(Comm, const Collective&, const mpi::Function&) { return {}; }
  /// The persistent collective with this number in its communicator.
  static Operation meet_started(Comm, const Collective&, const mpi::Function&, std::int64_t) { return {}; }
  /// A persistent collective is made. Returns its number; may replace the communicator.
  static std::int64_t number_collective(Comm&, const Collective&) { return 0; }
  /// A partitioned message to or from rank, tag is made; whether it is sent. Its number.
  static std::int64_t number_parts(Comm, std::int64_t, std::int64_t, bool) { return 0; }
  /// The call waits, and the operation is the call's.
  static void wait(const Operation&) {}
  /// The operation is the call's, which does not wait.
  static void hold(const Operation&) {}
  /// The call waits; the operation stays its request's.
  static void wait_for_request(const Operation&) {}
  /// The call completes a request; its operations are the call's now.
  static void complete(const Request&) {}
  /// A query found these of a request complete.
  static void ask(std::span<const Operation>) {}
  /// The call names a request that is neither active nor persistent, or receives a message that no probe has matched.
  static void unknown(std::int64_t) {}
  static void unknown_message(std::int64_t) {}
  /// An active request is started again; abandon() follows.
  static void reopened(std::int64_t) {}
  /// Nobody completes it any more.
  static void abandon(const Operation&) {}
  /// False: the call must wait before it starts or frees these requests.
  static bool settled(std::span<const std::int64_t>) { return true; }
  /// Rank in the window of who has this one in MPI_COMM_WORLD.
  static std::int64_t rank_in(Comm, std::int64_t) { return mpi::kProcNull; }
  /// Calls of all other kinds: those that make and free communicators, windows, files, datatypes, groups and operations,
  /// one-sided calls, files, local ones. The request of a non-blocking one (MPI_Comm_idup) is not open yet: a sink that
  /// follows requests calls begin().
  static void other(const Call&) {}
};

}  // namespace skelgen::engine
