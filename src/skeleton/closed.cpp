#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "engine/execution.h"
#include "skeleton/skeleton.h"
#include "skeleton/steps.h"

namespace skelgen::skeleton {
namespace {

bool decides_communication(mpi::Role role) {
  switch (role) {
    case mpi::Role::peer:
    case mpi::Role::root:
    case mpi::Role::tag:
    case mpi::Role::comm:
    case mpi::Role::request:
    case mpi::Role::requests:
    case mpi::Role::flag:
    case mpi::Role::index:
    case mpi::Role::indices:
    case mpi::Role::newtype:
    case mpi::Role::newop:
    case mpi::Role::message:
    case mpi::Role::win:
    case mpi::Role::file:
    case mpi::Role::group:
      return true;
    default:
      return false;
  }
}

// All that says whether a request was cancelled, what a datatype, an operation or memory of a window is, and when it
// comes and goes.
bool makes_or_frees(mpi::Kind kind) {
  return kind == mpi::Kind::cancel || kind == mpi::Kind::win_attach || kind == mpi::Kind::win_detach ||
         kind == mpi::Kind::type_create || kind == mpi::Kind::type_free || kind == mpi::Kind::op_create ||
         kind == mpi::Kind::op_free;
}

// After how many iterations the communication of one location in a block repeats itself; `all` if it never does.
class Cycle {
 public:
  Cycle(std::uint64_t all, Wildcards wildcards) : all_(all), recorded_(wildcards == Wildcards::recorded) {}
  std::uint64_t length() const { return length_; }

  // The block is executed `executions` times in every `iterations` iterations of the loop in question.
  void block(const Block& nodes, std::uint32_t l, std::uint64_t iterations, std::uint64_t executions) {
    for (const Node& node : nodes) {
      const int found = node.position(l);
      if (found < 0 || length_ == all_) continue;
      const auto position = static_cast<std::size_t>(found);
      if (node.is_loop()) {
        const Sequence& trips = node.loop().trips.of(position);
        const std::uint64_t inside = add(trips, iterations, executions);
        if (length_ == all_) return;
        block(node.loop().body, l, inside, static_cast<std::uint64_t>(trips.sum(executions * (inside / iterations))));
        continue;
      }
      const Call& call = node.call();
      for (std::size_t a = 0; a < call.arguments.size(); ++a)
        if (decides_communication(call.function->parameters[a].role) || makes_or_frees(call.function->kind))
          add((recorded_ && call.matched && !call.any_order && static_cast<int>(a) == call.function->source()
                   ? *call.matched
                   : call.arguments[a])
                  .of(position),
              iterations, executions);
    }
  }

 private:
  // Returns after how many iterations the sequence repeats itself, if the block does so after `iterations`.
  std::uint64_t add(const Sequence& sequence, std::uint64_t iterations, std::uint64_t executions) {
    const bool stays = sequence.kind == Sequence::Kind::arithmetic && sequence.values[1] == 0;
    if (sequence.kind == Sequence::Kind::constant || stays || length_ == all_) return iterations;
    if (sequence.kind != Sequence::Kind::periodic) return length_ = all_;
    const std::uint64_t period = sequence.values.size();
    // Both are at most the number of calls of a trace: no overflow.
    const std::uint64_t own = iterations * (period / std::gcd(period, executions));
    if (own >= all_) return length_ = all_;
    length_ = std::min(all_, std::lcm(length_, own));
    return own;
  }

  std::uint64_t all_, length_ = 1;
  bool recorded_;
};

struct InIteration {
  struct Operation {};
  using Comm = const Communicator*;
  using Collective = engine::Collective;
  static constexpr bool kParts = true, kSizes = false;
};

// What an iteration on all locations leaves open. All of its operations begin, and nobody waits.
class Iteration : public engine::NullSink<InIteration> {
 public:
  // where: locations that execute the loop. Receives with wildcards are matched, in order, behind all without.
  Iteration(const Skeleton& skeleton, const std::vector<std::uint32_t>& where, Wildcards wildcards)
      : skeleton_(skeleton), wildcards_(wildcards), locations_(where.size()) {
    for (std::size_t p = 0; p < where.size(); ++p) locations_[p].number = where[p];
    ranks_.resize(skeleton.locations.size());
    std::iota(ranks_.begin(), ranks_.end(), 0);
    clear();
  }

  // What the p-th location's requests and epochs are before the loop. Counts the calls before it in `looked_at`; false if
  // that is more than `most` then.
  bool before(std::size_t p, const Node& loop, std::uint64_t& looked_at, std::uint64_t most) {
    begin(p, {});
    matches_ = false;
    std::size_t nodes = 0;
    for (const Node& node : skeleton_.program) {
      if (&node == &loop) break;
      nodes += node.position(now_->number) >= 0;
    }
    auto steps = steps_of(skeleton_.program, now_->number);
    steps.resize(nodes);
    const std::function<bool(const ExpandedCall&)> visit = [&](const ExpandedCall& expanded) {
      execute(expanded);
      return ++looked_at <= most;
    };
    Walk(visit).block(steps);
    matches_ = good_ = true;
    return looked_at <= most;
  }

  // Before the calls of the p-th location. ended: of this iteration, what MPI_Cancel ends before it matches.
  void begin(std::size_t p, engine::EndedByCancel ended) {
    now_ = &locations_[p];
    ended_ = std::move(ended);
    open_ = now_->interpreter.active();
    calls_ = heard_ = 0;
    carried_in_.clear();
    made_.clear();
    inherited_.clear();
    inits_.clear();
    attached_ = false;
    in_windows_.clear();
  }

  // False: the loop is not closed.
  bool call(const ExpandedCall& expanded) {
    ++calls_;
    const Call& call = *expanded.call;
    const mpi::Function& function = *call.function;
    // The emitted program remembers the senders of the calls that it made, not of those that it left out.
    if (expanded.answers > heard_ || (expanded.answers > 0 && wildcards_ == Wildcards::anybody)) return false;
    if (expanded.any) ++heard_;
    if (call.matched && function.kind == mpi::Kind::probe && wildcards_ == Wildcards::anybody) return false;
    const auto get = [&](mpi::Role role) { return expanded.values[static_cast<std::size_t>(function.find(role))]; };
    switch (function.kind) {
      case mpi::Kind::init:
      case mpi::Kind::finalize:
      case mpi::Kind::abort:
      case mpi::Kind::comm_create:
      case mpi::Kind::comm_free:
      case mpi::Kind::win_create:
      case mpi::Kind::win_free:
      case mpi::Kind::file_open:
      case mpi::Kind::file_close:
        return false;  // left out, the slots of later calls would be others
      case mpi::Kind::type_create:
        return make(get(mpi::Role::newtype), 't');
      case mpi::Kind::op_create:
        return make(get(mpi::Role::newop), 'o');
      case mpi::Kind::type_free:
        return free(get(mpi::Role::datatype), 't');
      case mpi::Kind::op_free:
        return free(get(mpi::Role::op), 'o');
      case mpi::Kind::attach:
        return !std::exchange(attached_, true);
      case mpi::Kind::detach:
        return std::exchange(attached_, false);
      case mpi::Kind::win_attach:
        return in_windows_.emplace(get(mpi::Role::win), get(mpi::Role::buffer)).second;
      case mpi::Kind::win_detach:
        return in_windows_.erase({get(mpi::Role::win), get(mpi::Role::buffer)}) > 0;
      case mpi::Kind::send_init:
      case mpi::Kind::recv_init:
      case mpi::Kind::collective_init:
        if (!inits_.insert(get(mpi::Role::request)).second) return false;
        break;
      case mpi::Kind::request_free:
        if (inits_.erase(get(mpi::Role::request)) == 0 && now_->interpreter.is_persistent(get(mpi::Role::request)))
          return false;
        break;
      case mpi::Kind::local:
        if (function.find(mpi::Role::newgroup) >= 0) return false;
        break;
      default:
        break;
    }
    execute(expanded);
    return good_;
  }

  // Behind the calls of the location that begin() named: it leaves the requests open that it found, and nothing else.
  bool end() {
    open_.insert(open_.end(), carried_in_.begin(), carried_in_.end());
    std::ranges::sort(open_);
    carries_ = carries_ || !made_.empty();
    return now_->interpreter.active() == open_ && made_ == inherited_ && inits_.empty() &&
           !now_->interpreter.keeps_messages() && !attached_ && in_windows_.empty();
  }

  // True if a datatype or operation that an iteration makes is used in the next one.
  bool carries() const { return carries_; }

  // Behind the last location: true if all messages and meetings of the iteration had all who belong to them. Empties this
  // for the next one.
  bool balanced() {
    bool good = true;
    for (const Late& one : late_) {
      good = good && (one.source != mpi::kAnySource || !named_.contains({one.comm->identity, one.comm->rank}));
      operations_->release(operations_->receive(0, *one.comm, one.source, one.tag));
    }
    good = good && operations_->all_met() && !operations_->clash();
    clear();
    return good;
  }

  // ---- what the interpreter tells; see engine::Interpreter

  Comm comm(std::int64_t slot) { return only(location().communicators, slot); }
  Comm window(std::int64_t slot) { return only(location().windows, slot); }
  Comm file(std::int64_t slot) { return only(location().files, slot); }
  bool cancelled(std::int64_t slot) const { return std::ranges::binary_search(ended_, std::pair{calls_, slot}); }
  Operation send(Comm comm, std::int64_t dest, std::int64_t tag, const mpi::Function&, const engine::MessageSize&) {
    return notify(comm, dest, tag);
  }
  Operation notify(Comm comm, std::int64_t dest, std::int64_t tag) {
    if (matches_ && comm && dest != mpi::kProcNull)
      operations_->release(operations_->send(0, *comm, dest, tag, engine::Sending::synchronous));
    return known(comm || dest == mpi::kProcNull);
  }
  Operation receive(Comm comm, std::int64_t source, std::int64_t tag, const engine::MessageSize&) {
    if (source == mpi::kProcNull || !comm) return known(source == mpi::kProcNull);
    if (!matches_) return {};
    if (wildcards_ == Wildcards::anybody && source != mpi::kAnySource) named_.insert({comm->identity, comm->rank});
    if (source == mpi::kAnySource || tag == mpi::kAnyTag) {
      late_.push_back({comm, source, tag});
      return {};
    }
    operations_->release(operations_->receive(0, *comm, source, tag));
    return {};
  }
  Operation keep(Comm comm, std::int64_t source, std::int64_t tag) { return receive(comm, source, tag, {}); }
  Operation meet(Comm comm, const engine::Collective& call, const mpi::Function&) { return meet(comm, call, 0); }
  Operation meet_started(Comm comm, const engine::Collective& call, const mpi::Function&, std::int64_t number) {
    return meet(comm, call, static_cast<std::uint64_t>(number + 1) << 40);
  }
  engine::Collective collective(const engine::Call& call, Comm comm) const { return engine::collective_of(call, comm); }
  std::int64_t number_collective(Comm comm, const engine::Collective& call) {
    meet(comm, call, 1);
    return comm ? now_->counts.collectives[comm->all()]++ : 0;
  }
  std::int64_t number_parts(Comm comm, std::int64_t peer, std::int64_t tag, bool sends) {
    return comm ? now_->counts.partitioned[{comm->identity, peer, tag, sends}]++ : 0;
  }
  void unknown(std::int64_t slot) { good_ = good_ && kind_ != mpi::Kind::start && carried_in_.insert(slot).second; }
  void unknown_message(std::int64_t) { good_ = false; }
  void reopened(std::int64_t) { good_ = false; }
  std::int64_t rank_in(Comm window, std::int64_t world) {
    for (const LocationData& other : skeleton_.locations)
      if (other.where.rank == world)
        for (const Communicator& one : other.windows)
          if (window && one.identity == window->identity) return one.rank;
    good_ = false;
    return mpi::kProcNull;
  }

 private:
  struct OfLocation {
    std::uint32_t number = 0;
    engine::Interpreter<InIteration> interpreter;
    engine::RankCounts counts;
    engine::NumberedCall call;
  };
  struct Late {
    Comm comm;
    std::int64_t source, tag;
  };
  using Made = std::pair<char, std::int64_t>;  // datatype or operation, slot

  const LocationData& location() const { return skeleton_.locations[now_->number]; }
  // nullptr if the slot was not always the same one: which one it is now is not known here.
  static const Communicator* only(const std::vector<Communicator>& all, std::int64_t slot) {
    const Communicator* found = nullptr;
    for (const Communicator& c : all) {
      if (c.slot != slot) continue;
      if (found) return nullptr;
      found = &c;
    }
    return found;
  }

  void clear() {
    operations_.emplace(ranks_);
    late_.clear();
    named_.clear();
  }
  void execute(const ExpandedCall& expanded) {
    kind_ = expanded.call->function->kind;
    // What a status says is of this iteration only.
    const auto value = [&](std::size_t i) {
      const auto role = expanded.call->function->parameters[i].role;
      return role == mpi::Role::status || role == mpi::Role::statuses ? 0 : expanded.values[i];
    };
    const Call& call = *expanded.call;
    now_->interpreter.call(now_->call.set(*call.function, skeleton_.arrays, value, &call), *this);
  }
  Operation known(bool comm) {
    good_ = good_ && comm;
    return {};
  }
  Operation meet(Comm comm, const engine::Collective& call, std::uint64_t which) {
    if (matches_ && comm)
      operations_->release(operations_->meet(now_->number, *comm, call, comm->all() ^ which,
                                             static_cast<std::size_t>(comm->all_size()),
                                             engine::CollectiveWait::for_nobody));
    return known(comm != nullptr);
  }
  bool make(std::int64_t slot, char kind) { return slot < 0 || made_.insert({kind, slot}).second; }
  bool free(std::int64_t value, char kind) {
    if (value < 0) return true;
    const Made made{kind, value - mpi::kMade};
    return made_.erase(made) > 0 || inherited_.insert(made).second;
  }

  const Skeleton& skeleton_;
  const Wildcards wildcards_;
  std::vector<std::uint32_t> ranks_;  // by location
  std::optional<engine::Operations> operations_;
  std::vector<OfLocation> locations_;
  OfLocation* now_ = nullptr;
  mpi::Kind kind_ = mpi::Kind::opaque;  // of the call at hand
  bool good_ = true;                    // so far
  bool matches_ = true;                 // messages and meetings; not those before the loop
  std::uint64_t calls_ = 0;             // of the location in this iteration
  std::uint64_t heard_ = 0;             // blocking calls of any source in this iteration
  engine::EndedByCancel ended_;
  std::vector<Late> late_;                                      // receives with wildcards
  std::set<std::pair<std::uint64_t, int>> named_;               // communicators and ranks in them that name senders
  std::vector<std::int64_t> open_;                              // requests that are active before the iteration
  std::set<std::int64_t> carried_in_;                           // others that it completes and did not start
  std::set<std::int64_t> inits_;                                // persistent requests made here and not freed
  std::set<Made> made_, inherited_;                             // not freed here; freed here but not made here
  std::set<std::pair<std::int64_t, std::int64_t>> in_windows_;  // window and place of memory attached here
  bool attached_ = false;                                       // here and not detached
  bool carries_ = false;
};

// What MPI_Cancel ends in an iteration of a location; nothing if that, or the calls, are too many.
std::optional<engine::EndedByCancel> ended_by_cancel(const Skeleton& skeleton, std::vector<Step> steps,
                                                     std::uint64_t most) {
  constexpr std::uint64_t kMostCancelled = std::uint64_t{1} << 20;
  engine::CancelSearch search(kMostCancelled);
  engine::NumberedCall call;
  bool all = true;
  const std::function<bool(const ExpandedCall&)> visit = [&](const ExpandedCall& c) {
    const auto value = [&](std::size_t i) { return c.values[i]; };
    return all = most-- > 0 && search.call(call.set(*c.call->function, skeleton.arrays, value));
  };
  Walk(visit).block(steps);
  return all ? std::optional(search.take()) : std::nullopt;
}

// How often location l executes the node at this address; 0 if it is not in the block.
std::uint64_t executions(const Block& block, const Node* wanted, std::uint32_t l, std::uint64_t times) {
  for (const Node& node : block) {
    if (&node == wanted) return times;
    const int position = node.position(l);
    if (!node.is_loop() || position < 0) continue;
    const Sequence& trips = node.loop().trips.of(static_cast<std::size_t>(position));
    const auto found = executions(node.loop().body, wanted, l, static_cast<std::uint64_t>(trips.sum(times)));
    if (found > 0) return found;
  }
  return 0;
}

}  // namespace

bool has(const Block& block, mpi::Kind kind) {
  return std::ranges::any_of(block, [&](const Node& node) {
    return node.is_loop() ? has(node.loop().body, kind) : node.call().function->kind == kind;
  });
}

bool has_threads(const Skeleton& skeleton) {
  return std::ranges::any_of(skeleton.locations, [](const LocationData& l) { return l.where.thread != 0; });
}

std::size_t ranks(const Skeleton& skeleton) {
  return static_cast<std::size_t>(
      std::ranges::count_if(skeleton.locations, [](const LocationData& l) { return l.where.thread == 0; }));
}

std::uint64_t cycle(const Skeleton& skeleton, const Node& node, Wildcards wildcards, std::uint64_t most) {
  if (!node.is_loop() || has_threads(skeleton)) return 0;
  const Loop& loop = node.loop();
  std::uint64_t iterations = 0, alike = 1;
  for (std::size_t p = 0; p < node.where.size(); ++p) {
    if (loop.trips.of(p) != loop.trips.of(0)) return 0;
    const std::uint64_t times = std::max<std::uint64_t>(1, executions(skeleton.program, &node, node.where[p], 1));
    const auto own = static_cast<std::uint64_t>(loop.trips.of(p).sum(times));
    if (p > 0 && own != iterations) return 0;
    iterations = own;
  }
  std::vector<std::vector<Step>> steps;
  for (const std::uint32_t l : node.where) {
    Cycle cycle(iterations, wildcards);
    cycle.block(loop.body, l, 1, 1);
    alike = std::min(iterations, std::lcm(alike, cycle.length()));
    steps.push_back(steps_of(loop.body, l, wildcards == Wildcards::recorded));
  }
  Iteration iteration(skeleton, node.where, wildcards);
  std::uint64_t looked_at = 0;
  for (const auto kind : {mpi::Kind::start, mpi::Kind::collective_init, mpi::Kind::win_post, mpi::Kind::win_start})
    if (has(loop.body, kind)) {
      for (std::size_t p = 0; p < node.where.size(); ++p)
        if (!iteration.before(p, node, looked_at, most)) return 0;
      break;
    }
  const bool cancels = has(loop.body, mpi::Kind::cancel);
  bool good = true;
  const std::function<bool(const ExpandedCall&)> visit = [&](const ExpandedCall& c) {
    return good = ++looked_at <= most && iteration.call(c);
  };
  for (std::uint64_t i = 0; i < alike; ++i) {
    for (std::size_t p = 0; p < node.where.size(); ++p) {
      auto ended = cancels ? ended_by_cancel(skeleton, steps[p], most) : engine::EndedByCancel();
      if (!ended) return 0;
      iteration.begin(p, std::move(*ended));
      Walk(visit).block(steps[p]);
      if (!good || !iteration.end()) return 0;
    }
    if (!iteration.balanced()) return 0;
  }
  return alike == 1 || !iteration.carries() ? std::max<std::uint64_t>(1, alike) : 0;
}

bool closed(const Skeleton& skeleton, const Node& loop, Wildcards wildcards) {
  return cycle(skeleton, loop, wildcards) > 0;
}

}  // namespace skelgen::skeleton
