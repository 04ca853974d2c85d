#include "engine/execution.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "engine/standard.h"

namespace skelgen::engine {

using mpi::Kind;
using mpi::Role;

namespace {

constexpr std::uint64_t kMessagesOfLocation = 64;

/// By location that of the main thread of its rank.
std::vector<std::uint32_t> mains(std::span<const LocationSetup> places) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t l = 0; l < places.size(); ++l)
    all.push_back(places[l].where.thread == 0 || all.empty() ? l : all.back());
  return all;
}

}  // namespace

Collective collective_of(const Call& call, const mpi::Communicator* comm) {
  const auto common = [&](Role role) { return !comm || comm->inter() || !call.has(role) ? 0 : call.number(role); };
  return {call.function, call.origin, common(Role::root), std::min(common(Role::op), mpi::kMade)};
}

bool CancelSearch::call(const Call& call) {
  ++calls_;
  const mpi::Function& f = *call.function;
  if (f.kind == Kind::cancel) {
    const auto slot = call.number(Role::request);
    const auto start = started_.find(slot);
    if (call.number(Role::integer) == mpi::value_of(mpi::CancelOutcome::cancelled) && start != started_.end())
      ended_.emplace_back(start->second, slot);
  } else if (f.kind == Kind::start || (f.nonblocking && call.has(Role::request))) {
    for (const auto slot : call.requests()) started_[slot] = calls_;
  }
  return ended_.size() <= most_;
}

EndedByCancel CancelSearch::take() {
  std::ranges::sort(ended_);
  return std::exchange(ended_, {});
}

/// Sink of the interpreter of one location: its operations are matched with those of all others.
class Execution::Local : public NullSink<ExecutionTypes> {
 public:
  Local(Execution& all, std::uint32_t l) : all_(all), l_(l), state_(all.states_[l]) {}

  Comm comm(std::int64_t slot) const { return made(state_.rank.communicators, slot, "communicator"); }
  Comm window(std::int64_t slot) const { return made(state_.rank.windows, slot, "window"); }
  Comm file(std::int64_t slot) const { return made(state_.rank.files, slot, "file"); }

  bool cancelled(std::int64_t slot) const {
    const auto& ended = all_.options_.ended_by_cancel;
    return !ended.empty() && std::ranges::binary_search(ended[l_], std::pair{state_.calls, slot});
  }
  Id send(Comm comm, std::int64_t dest, std::int64_t tag, const mpi::Function& f, const MessageSize& size) {
    const MessageSide side = load(size);
    const bool waits = all_.options_.may_block == MayBlock::blocks || f.mode == mpi::Mode::synchronous ||
                       (times() && times()->waits(side.bytes));
    const Sending how = f.mode == mpi::Mode::buffered ? Sending::buffered
                        : waits                       ? Sending::synchronous
                                                      : Sending::notice;
    return all_.operations_.send(l_, *comm, dest, tag, how, side);
  }
  Id notify(Comm comm, std::int64_t dest, std::int64_t tag) {
    return all_.operations_.send(l_, *comm, dest, tag, Sending::notice);
  }
  Id receive(Comm comm, std::int64_t source, std::int64_t tag, const MessageSize& size) {
    return all_.operations_.receive(l_, *comm, source, tag, true, load(size));
  }
  Id keep(Comm comm, std::int64_t source, std::int64_t tag) {
    return all_.operations_.receive(l_, *comm, source, tag, false);
  }
  void take(Id kept) { all_.operations_.take(kept); }
  Id probe(Comm comm, std::int64_t source, std::int64_t tag) { return all_.operations_.probe(l_, *comm, source, tag); }
  Id meet(Comm comm, const Collective& call, const mpi::Function& f) {
    return all_.operations_.meet(l_, *comm, call, waits(f, *comm, call.root), takes(*comm));
  }
  Id meet_started(Comm comm, const Collective& call, const mpi::Function& f, std::int64_t number) {
    const std::uint64_t who = comm->all() ^ static_cast<std::uint64_t>(number + 1) << 40;
    return all_.operations_.meet(l_, *comm, call, who, static_cast<std::size_t>(comm->all_size()),
                                 waits(f, *comm, call.root), takes(*comm));
  }
  Collective collective(const Call& call, Comm comm) const { return collective_of(call, comm); }
  std::int64_t number_collective(Comm comm, const Collective&) { return state_.rank.counts.collectives[comm->all()]++; }
  std::int64_t number_parts(Comm comm, std::int64_t peer, std::int64_t tag, bool sends) {
    return state_.rank.counts.partitioned[{comm->identity, peer, tag, sends}]++;
  }
  void wait(Id id) {
    hold(id);
    wait_for_request(id);
  }
  void hold(Id id) { state_.held.push_back(id); }
  void wait_for_request(Id id) {
    all_.operations_.wait(id);
    if (times()) state_.ends.push_back(id);
  }
  void abandon(Id id) { all_.operations_.release(id); }

  void complete(const Request& request) {
    const Kind kind = state_.call->function->kind;
    for (const Id id : request.operations) {
      if (kind == Kind::test && goes_on(id, request.operations.size()))
        deferred_.sends.emplace_back(request.slot, id);
      else
        wait(id);
    }
    if (request.persistent) deferred_.persistent.push_back(request.slot);
    if (kind == Kind::complete) state_.deferred.wait_for_request(request.slot, all_.operations_);
  }
  void ask(std::span<const Id> ids) {
    for (const Id id : ids)
      if (!goes_on(id, ids.size())) wait_for_request(id);
  }
  bool settled(std::span<const std::int64_t> slots) {
    for (const std::int64_t slot : slots) settled(std::optional(slot));
    return !state_.again;
  }
  /// True if the deferred tests of this persistent request (of all requests without one) are complete. Otherwise the
  /// location waits and repeats the call.
  bool settled(std::optional<std::int64_t> slot) {
    state_.again = state_.deferred.wait_for_tests(slot, all_.operations_) || state_.again;
    return !state_.again;
  }
  std::int64_t rank_in(Comm window, std::int64_t world) const {
    for (const auto& [rank, location] : all_.members_.at(window->identity))
      if (all_.places_[location].where.rank == world) return rank;
    throw all_.source_.not_made(l_, state_.call, "a window without rank", world);
  }

  void other(const Call& call) {
    switch (call.function->kind) {
      case Kind::finalize:
        settled(std::nullopt);
        break;
      case Kind::detach:
        wait(all_.operations_.drain(l_));
        break;
      case Kind::comm_create:
        return make_communicator(call);
      case Kind::comm_free:
        state_.rank.communicators.free(call.number(Role::comm));
        break;
      case Kind::win_create:
        make_shared(call, state_.rank.windows, Role::win);
        break;
      case Kind::file_open:
        make_shared(call, state_.rank.files, Role::file);
        break;
      default:
        break;
    }
  }

  /// The call is over.
  void finish() {
    if (!deferred_.sends.empty()) state_.deferred.add(std::move(deferred_), all_.operations_);
  }

 private:
  TimeModel* times() const { return all_.options_.times; }
  double takes(const mpi::Communicator& comm) const {
    return times() ? times()->collective(l_, *state_.call, comm) : 0;
  }
  Comm made(const LiveObjects& all, std::int64_t slot, const char* what) const {
    const Comm found = all.at(slot);
    if (!found) throw all_.source_.not_made(l_, state_.call, what, slot);
    return found;
  }
  /// Whether a test that found this complete, one of a request's operations, need not wait for it here.
  bool goes_on(Id id, std::size_t operations) {
    const bool open = all_.operations_.is_open_send(id);
    all_.send_tested_ |= open;
    return open && operations == 1 && all_.options_.tests == SendTests::defer;
  }
  MessageSide load(const MessageSize& size) const {
    const std::int64_t element =
        size.datatype >= 0 && size.count >= 0 ? all_.source_.element_bytes(l_, size.datatype) : -1;
    return {size.origin, size.function, element >= 0 ? size.count * element : -1};
  }
  CollectiveWait waits(const mpi::Function& f, const mpi::Communicator& comm, std::int64_t root) const {
    return all_.options_.may_block == MayBlock::blocks ? CollectiveWait::for_all : least_waits(f, comm, root);
  }
  void make_communicator(const Call& call) {
    const Comm parent = comm(call.number(Role::comm));
    const std::int64_t slot = call.number(Role::newcomm);
    const Collective same{call.function, call.origin};
    const auto begin = [&](const auto& operation) { state_.interpreter.begin(call, *this, operation); };
    switch (made_by(call)) {
      case MadeBy::group: {
        const auto [who, size] = all_.groups_.meeting(parent->identity, call);
        begin([&] { return all_.operations_.meet(l_, *parent, same, who, size); });
        break;
      }
      case MadeBy::both_sides:
        if (state_.rank.communicators.make(slot)) begin([&] { return all_.operations_.meet(l_, *comm(slot), same); });
        return;
      case MadeBy::all:
        begin([&] { return all_.operations_.meet(l_, *parent, same); });
        break;
    }
    state_.rank.communicators.make(slot);
  }

  void make_shared(const Call& call, LiveObjects& made, Role role) {
    wait(all_.operations_.meet(l_, *comm(call.number(Role::comm)), {call.function, call.origin}));
    made.make(call.number(role));
  }

  Execution& all_;
  const std::uint32_t l_;
  State& state_;
  DeferredTest deferred_;
};

Execution::Execution(Source& source, std::span<const LocationSetup> places, const Options& options)
    : source_(source),
      places_(places),
      options_(options),
      calls_left_(options.most.calls),
      most_messages_(options.most.messages + kMessagesOfLocation * places.size()),
      operations_(mains(places), options.times) {
  for (std::uint32_t l = 0; l < places.size(); ++l) {
    const LocationSetup& own = places[l];
    const bool main = own.where.thread == 0;
    if (main || ranks_.empty()) ranks_.emplace_back(own, l);
    states_.emplace_back(ranks_.back());
    if (!main) continue;
    for (const auto& shared : {own.communicators, own.windows})
      for (const auto& comm : shared) members_[comm.identity][comm.rank] = l;
  }
}

Execution::End Execution::run() {
  if (options_.times && options_.times->in_order()) {
    run_in_order();
  } else {
    for (std::uint32_t l = 0; l < states_.size(); ++l) advance(l);
    for (std::uint32_t l; !stopped() && operations_.next(l);) advance(l);
  }
  if (operations_.clash()) return End::clash;
  if (!calls_left_) return End::too_many_calls;
  if (too_many_messages()) return End::too_many_messages;
  for (std::uint32_t l = 0; l < states_.size(); ++l)
    if (operations_.missing(l) > 0) return End::blocked;
  return End::all_ended;
}

/// Calls and arrivals of messages one by one, the earliest first.
void Execution::run_in_order() {
  for (std::uint32_t l = 0; l < states_.size(); ++l) waiting_.emplace(options_.times->now(l), l);
  while (!stopped()) {
    const double arrival = options_.times->next_s();
    if (!waiting_.empty() && waiting_.top().first < arrival) {
      const auto l = waiting_.top().second;
      waiting_.pop();
      advance(l);
    } else if (std::isfinite(arrival)) {
      operations_.pass();
    } else {
      break;
    }
    collect();
  }
}

/// Locations that need not wait any more. Their clocks are behind: the calls that are over pass when they go on.
void Execution::collect() {
  for (std::uint32_t l; operations_.next(l);) waiting_.emplace(options_.times->now(l), l);
}

/// Whether no other location and no message under way comes before the location's clock.
bool Execution::is_next(std::uint32_t l) const {
  const double now = options_.times->now(l);
  return !(waiting_.size() && waiting_.top().first < now) && !(options_.times->next_s() <= now);
}

/// Until the location has to wait or ends, or others come first.
void Execution::advance(std::uint32_t l) {
  auto& state = states_[l];
  const bool in_order = options_.times && options_.times->in_order();
  while (operations_.missing(l) == 0 && !stopped()) {
    if (!std::exchange(state.begun, false)) {
      if (options_.times && state.in_call && !state.again) pass_time(l);
      for (const auto id : state.held) operations_.release(id);  // of the call that just ended
      state.held.clear();
      tell(state);
      if (!std::exchange(state.again, false)) {
        if (must_wait(l)) continue;
        state.call = source_.next(l);
        state.in_call = state.call != nullptr;
        ++state.calls;
        --calls_left_;
        if (options_.times && state.call) options_.times->begin(l, *state.call);
      }
      if (in_order) {
        collect();
        if (!is_next(l)) {
          state.begun = true;
          waiting_.emplace(options_.times->now(l), l);
          return;
        }
      }
    }
    Local sink(*this, l);
    if (!state.call) {
      if (!sink.settled(std::nullopt)) continue;  // a thread makes its deferred tests before it ends
      state.ended = true;
      tell(state);
      break;
    }
    state.interpreter.call(*state.call, sink);
    sink.finish();
  }
}

/// The call of location l is over: its clock.
void Execution::pass_time(std::uint32_t l) {
  auto& state = states_[l];
  double& now = options_.times->now(l);
  for (const auto id : state.ends) now = std::max(now, operations_.all()[id].over_s);
  state.ends.clear();
  options_.times->end(l, *state.call);
  state.in_call = false;
}

/// Wakes the threads that wait for calls that this one has made.
void Execution::tell(State& state) {
  std::erase_if(state.awaited, [&](const auto& awaited) {
    const bool made = state.ended || awaited.first <= state.calls;
    if (made) operations_.finish(awaited.second);
    return made;
  });
}

/// Before the next call of location l: true if it must wait for calls of other threads; it then waits.
bool Execution::must_wait(std::uint32_t l) {
  auto& state = states_[l];
  const auto& turns = places_[l].turns;
  bool waits = false;
  for (; state.turn < turns.size() && turns[state.turn].call <= state.calls; ++state.turn) {
    const auto& [call, thread, calls] = turns[state.turn];
    const std::uint32_t other_l = state.rank.main + static_cast<std::uint32_t>(thread);
    auto& other = states_[other_l];
    if (other.ended || other.made(operations_.missing(other_l) > 0) >= calls) continue;
    state.held.push_back(operations_.turn(l, thread, static_cast<std::int64_t>(calls)));
    other.awaited.emplace_back(calls, state.held.back());
    state.in_call = false;
    waits = true;
  }
  return waits;
}

}  // namespace skelgen::engine
