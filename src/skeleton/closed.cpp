#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "engine/execution.h"
#include "engine/live_objects.h"
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

// Communicators, windows and files come and go.
bool makes_object(mpi::Kind kind) {
  return kind == mpi::Kind::comm_create || kind == mpi::Kind::win_create || kind == mpi::Kind::file_open;
}
bool frees_object(mpi::Kind kind) {
  return kind == mpi::Kind::comm_free || kind == mpi::Kind::win_free || kind == mpi::Kind::file_close;
}

// All that says whether a request was cancelled, what an object or memory of a window is, and when it comes and goes.
bool makes_or_frees(mpi::Kind kind) {
  return kind == mpi::Kind::cancel || kind == mpi::Kind::win_attach || kind == mpi::Kind::win_detach ||
         kind == mpi::Kind::type_create || kind == mpi::Kind::type_free || kind == mpi::Kind::op_create ||
         kind == mpi::Kind::op_free || makes_object(kind) || frees_object(kind);
}

// Calls whose effect depends on requests, epochs and objects that the location had before the loop.
constexpr mpi::Kind kStateful[] = {mpi::Kind::start,     mpi::Kind::collective_init, mpi::Kind::win_post,
                                   mpi::Kind::win_start, mpi::Kind::comm_create,     mpi::Kind::win_create,
                                   mpi::Kind::file_open};
// Calls that change those requests, epochs and objects.
constexpr mpi::Kind kChanging[] = {mpi::Kind::send_init,    mpi::Kind::recv_init,    mpi::Kind::collective_init,
                                   mpi::Kind::request_free, mpi::Kind::start,        mpi::Kind::win_post,
                                   mpi::Kind::win_start,    mpi::Kind::win_complete, mpi::Kind::win_wait,
                                   mpi::Kind::comm_create,  mpi::Kind::comm_free,    mpi::Kind::win_create,
                                   mpi::Kind::win_free,     mpi::Kind::file_open,    mpi::Kind::file_close};

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

// How many messages and collective calls locations have begun, and who has begun fewer than others.
class Traffic {
 public:
  explicit Traffic(const Skeleton& skeleton) {
    for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l)
      for (const Communicator& comm : skeleton.locations[l].communicators) {
        location_.emplace(std::pair(comm.identity, std::int64_t{comm.rank}), l);
        meetings_[comm.all()].emplace(l, 0);
      }
  }

  void send(const Communicator& comm, std::int64_t dest) {
    ++channels_[{comm.identity, comm.rank, comm.peers(), dest}].first;
  }
  void receive(const Communicator& comm, std::int64_t source) {
    ++channels_[{comm.peers(), source, comm.identity, comm.rank}].second;
  }
  void meet(const Communicator& comm, std::uint32_t l) { ++meetings_[comm.all()][l]; }

  // Ascending: locations that must go on before all messages are received and all collectives have all their members.
  std::set<std::uint32_t> late() const {
    std::set<std::uint32_t> all;
    const auto add = [&](std::uint64_t group, std::int64_t rank) {
      if (const auto found = location_.find({group, rank}); found != location_.end()) all.insert(found->second);
    };
    for (const auto& [between, times] : channels_) {
      const auto& [from, sender, to, receiver] = between;
      if (times.first > times.second) add(to, receiver);
      if (times.first < times.second) add(from, sender);
    }
    for (const auto& [comm, calls] : meetings_) {
      const auto most = std::ranges::max_element(calls, {}, [](const auto& c) { return c.second; })->second;
      for (const auto& [l, times] : calls)
        if (times < most) all.insert(l);
    }
    return all;
  }

 private:
  using Between = std::tuple<std::uint64_t, std::int64_t, std::uint64_t, std::int64_t>;  // group and rank, twice
  std::map<Between, std::pair<std::uint64_t, std::uint64_t>> channels_;                  // sent, received
  std::map<std::uint64_t, std::map<std::uint32_t, std::uint64_t>> meetings_;             // by location
  std::map<std::pair<std::uint64_t, std::int64_t>, std::uint32_t> location_;             // of a group's rank
};

struct InIteration {
  /// A receive says when it was posted (the first one 1; other operations say 0) and what it matches.
  struct Operation {
    std::uint64_t posted = 0, comm = 0;
    std::int64_t source = 0, tag = 0;

    bool may_match_the_same(const Operation& other) const {
      const auto alike = [](std::int64_t a, std::int64_t b, std::int64_t any) {
        return a == b || a == any || b == any;
      };
      return comm == other.comm && alike(source, other.source, mpi::kAnySource) && alike(tag, other.tag, mpi::kAnyTag);
    }
  };
  using Comm = const Communicator*;
  using Collective = engine::Collective;
  static constexpr bool kParts = true, kSizes = false;
};

// Executes an iteration on all locations to see which operations it leaves open. No operation waits. The first obstacle is
// kept.
class Iteration : public engine::NullSink<InIteration> {
 public:
  // where: locations that execute the loop. Receives with wildcards are matched, in order, behind all without.
  Iteration(const Skeleton& skeleton, const std::vector<std::uint32_t>& where, Wildcards wildcards)
      : skeleton_(skeleton), wildcards_(wildcards), locations_(where.size()) {
    for (std::size_t p = 0; p < where.size(); ++p) {
      OfLocation& own = locations_[p];
      const LocationData& data = skeleton.locations[where[p]];
      own.number = where[p];
      own.communicators = engine::LiveObjects(data.communicators, 2);
      own.windows = engine::LiveObjects(data.windows);
      own.files = engine::LiveObjects(data.files);
    }
    ranks_.resize(skeleton.locations.size());
    std::iota(ranks_.begin(), ranks_.end(), 0);
    clear();
  }

  Obstacle obstacle() const { return obstacle_; }

  // Executes the calls of the p-th location before the loop's first execution, so that its requests, epochs and objects are
  // known. matches: its messages and meetings are those of the iteration that comes. Adds their number to `looked_at`; false
  // if that is above `most` then.
  bool before(std::size_t p, const Node& loop, std::uint64_t& looked_at, std::uint64_t most, bool matches = false) {
    begin(p, {});
    matches_ = matches;
    knows_ = true;
    auto steps = steps_of(skeleton_.program, now_->number, wildcards_ == Wildcards::recorded);
    const std::function<bool(const ExpandedCall&)> visit = [&](const ExpandedCall& expanded) {
      execute(expanded);
      return ++looked_at <= most;
    };
    Walk walk(visit, &loop);
    walk.block(steps);
    matches_ = true;
    knows_ = false;
    obstacle_ = Obstacle::none;
    return looked_at <= most;
  }

  // Counts what is sent, received and met from now on.
  void count(Traffic& traffic) { traffic_ = &traffic; }
  // Whether all calls until now were executed, as far as they matter: then it is known which object is in a slot.
  void set_knows(bool knows) { knows_ = knows; }

  // An iteration of the p-th location of which only matters what it leaves behind. Adds its calls to `looked_at`.
  void outside(std::size_t p, std::vector<Step>& steps, std::uint64_t& looked_at) {
    begin(p, {});
    const std::function<bool(const ExpandedCall&)> visit = [&](const ExpandedCall& expanded) {
      execute(expanded);
      ++looked_at;
      return true;
    };
    Walk(visit).block(steps);
    obstacle_ = Obstacle::none;
  }

  // Behind the last location: true if all messages of such an iteration were sent and received in it. Else one is under way
  // in all that follow, and need not be of the size that a receive has room for where some are left out.
  bool messages_met() {
    const bool met = balanced() || obstacle_ != Obstacle::messages;
    if (met) obstacle_ = Obstacle::none;
    return met;
  }

  // Before the calls of the p-th location. ended: of this iteration, what MPI_Cancel ends before it matches.
  void begin(std::size_t p, engine::EndedByCancel ended) {
    now_ = &locations_[p];
    ended_ = std::move(ended);
    open_ = now_->interpreter.active();
    waiting_before_ = waiting_receives(open_);
    calls_ = heard_ = 0;
    carried_in_.clear();
    made_.clear();
    inherited_.clear();
    inits_.clear();
    objects_.clear();
    attached_ = false;
    in_windows_.clear();
  }

  // False: the loop is not closed.
  bool call(const ExpandedCall& expanded) {
    ++calls_;
    const Call& call = *expanded.call;
    const mpi::Function& function = *call.function;
    // The emitted program remembers the senders of the calls that it made, not of those that it left out.
    const bool answers = expanded.answers > heard_ || (expanded.answers > 0 && wildcards_ == Wildcards::anybody);
    const bool probes = call.matched && function.kind == mpi::Kind::probe && wildcards_ == Wildcards::anybody;
    if (answers || probes) return fails(Obstacle::sources);
    if (expanded.any) ++heard_;
    const auto get = [&](mpi::Role role) { return expanded.values[static_cast<std::size_t>(function.find(role))]; };
    switch (function.kind) {
      case mpi::Kind::init:
      case mpi::Kind::finalize:
      case mpi::Kind::abort:
        return fails(Obstacle::objects);
      case mpi::Kind::comm_create:
        return make_object(get(mpi::Role::newcomm), 'c') && executed(expanded);
      case mpi::Kind::win_create:
        return make_object(get(mpi::Role::win), 'w') && executed(expanded);
      case mpi::Kind::file_open:
        return make_object(get(mpi::Role::file), 'f') && executed(expanded);
      case mpi::Kind::comm_free:
        return executed(expanded) && free_object(get(mpi::Role::comm), 'c');
      case mpi::Kind::win_free:
        return executed(expanded) && free_object(get(mpi::Role::win), 'w');
      case mpi::Kind::file_close:
        return executed(expanded) && free_object(get(mpi::Role::file), 'f');
      case mpi::Kind::type_create:
        return make(get(mpi::Role::newtype), 't');
      case mpi::Kind::op_create:
        return make(get(mpi::Role::newop), 'o');
      case mpi::Kind::type_free:
        return free(get(mpi::Role::datatype), 't');
      case mpi::Kind::op_free:
        return free(get(mpi::Role::op), 'o');
      case mpi::Kind::attach:
        return !std::exchange(attached_, true) || fails(Obstacle::objects);
      case mpi::Kind::detach:
        return std::exchange(attached_, false) || fails(Obstacle::objects);
      case mpi::Kind::win_attach:
        return in_windows_.emplace(get(mpi::Role::win), get(mpi::Role::buffer)).second || fails(Obstacle::objects);
      case mpi::Kind::win_detach:
        return in_windows_.erase({get(mpi::Role::win), get(mpi::Role::buffer)}) > 0 || fails(Obstacle::objects);
      case mpi::Kind::send_init:
      case mpi::Kind::recv_init:
      case mpi::Kind::collective_init:
        if (!inits_.insert(get(mpi::Role::request)).second) return fails(Obstacle::requests);
        break;
      case mpi::Kind::request_free:
        if (inits_.erase(get(mpi::Role::request)) == 0 && now_->interpreter.is_persistent(get(mpi::Role::request)))
          return fails(Obstacle::requests);
        break;
      case mpi::Kind::local:
        if (function.find(mpi::Role::newgroup) >= 0) return make_object(get(mpi::Role::newgroup), 'g');
        if (const int group = function.find(mpi::Role::group);
            group >= 0 && function.parameters[static_cast<std::size_t>(group)].direction == mpi::Direction::inout)
          return free_object(get(mpi::Role::group), 'g');
        break;
      default:
        break;
    }
    return executed(expanded);
  }

  // Behind the calls of the location that begin() named: it leaves the requests open that it found, and nothing else but
  // what it forgot: a request that it started before it named its slot, as the next iteration will do. It may wait for
  // sends that an earlier iteration started: to wait for one that is complete, or for none, is the same.
  bool end() {
    open_.insert(open_.end(), carried_in_.begin(), carried_in_.end());
    std::ranges::sort(open_);
    carries_ = carries_ || !made_.empty();
    const auto active = now_->interpreter.active();
    const bool started_again = std::ranges::all_of(active, [&](std::int64_t slot) {
      return std::ranges::binary_search(open_, slot) || !now_->interpreter.is_persistent(slot);
    });
    const bool completed_sends = std::ranges::all_of(open_, [&](std::int64_t slot) {
      return std::ranges::binary_search(active, slot) || now_->sends.contains(slot);
    });
    if (!completed_sends || !started_again || !inits_.empty() || now_->interpreter.keeps_messages() ||
        another_order(waiting_receives(active)))
      return fails(Obstacle::requests);
    return (made_ == inherited_ && objects_.empty() && !attached_ && in_windows_.empty()) || fails(Obstacle::objects);
  }

  // True if a datatype or operation that an iteration makes is used in the next one.
  bool carries() const { return carries_; }

  // Behind the last location: true if all messages and meetings of the iteration had all who belong to them. Empties this
  // for the next one.
  bool balanced() {
    for (const Late& one : late_) {
      if (one.source == mpi::kAnySource && named_.contains({one.comm->identity, one.comm->rank}))
        fails(Obstacle::sources);
      operations_->release(operations_->receive(0, *one.comm, one.source, one.tag));
    }
    if (!operations_->messages_met()) fails(Obstacle::messages);
    if (!operations_->all_met() || operations_->clash()) fails(Obstacle::collectives);
    clear();
    return obstacle_ == Obstacle::none;
  }

  // ---- what the interpreter tells; see engine::Interpreter

  Comm comm(std::int64_t slot) { return known('c', slot, now_->communicators, location().communicators); }
  Comm window(std::int64_t slot) { return known('w', slot, now_->windows, location().windows); }
  Comm file(std::int64_t slot) { return known('f', slot, now_->files, location().files); }
  bool cancelled(std::int64_t slot) const { return std::ranges::binary_search(ended_, std::pair{calls_, slot}); }
  Operation send(Comm comm, std::int64_t dest, std::int64_t tag, const mpi::Function&, const engine::MessageSize&) {
    return notify(comm, dest, tag);
  }
  Operation notify(Comm comm, std::int64_t dest, std::int64_t tag) {
    if (traffic_ && comm && dest != mpi::kProcNull) traffic_->send(*comm, dest);
    if (matches_ && comm && dest != mpi::kProcNull)
      operations_->release(operations_->send(0, *comm, dest, tag, engine::Sending::synchronous));
    return clear_if(comm || dest == mpi::kProcNull);
  }
  Operation receive(Comm comm, std::int64_t source, std::int64_t tag, const engine::MessageSize&) {
    if (source == mpi::kProcNull || !comm) return clear_if(source == mpi::kProcNull);
    if (traffic_) traffic_->receive(*comm, source);
    const Operation posted{++posts_, comm->identity, source, tag};
    if (!matches_) return posted;
    if (wildcards_ == Wildcards::anybody && source != mpi::kAnySource) named_.insert({comm->identity, comm->rank});
    if (source == mpi::kAnySource || tag == mpi::kAnyTag) {
      late_.push_back({comm, source, tag});
      return posted;
    }
    operations_->release(operations_->receive(0, *comm, source, tag));
    return posted;
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
  void unknown(std::int64_t slot) {
    if (kind_ == mpi::Kind::start || !carried_in_.insert(slot).second) fails(Obstacle::requests);
  }
  void unknown_message(std::int64_t) { fails(Obstacle::requests); }
  void reopened(std::int64_t) {
    if (kind_ == mpi::Kind::start) fails(Obstacle::requests);
  }
  std::int64_t rank_in(Comm window, std::int64_t world) {
    for (const LocationData& other : skeleton_.locations)
      if (other.where.rank == world)
        for (const Communicator& one : other.windows)
          if (window && one.identity == window->identity) return one.rank;
    fails(Obstacle::unclear);
    return mpi::kProcNull;
  }
  void other(const engine::Call& call) {
    switch (call.function->kind) {
      case mpi::Kind::comm_create:
        return make_communicator(call);
      case mpi::Kind::comm_free:
        return now_->communicators.free(call.number(mpi::Role::comm));
      case mpi::Kind::win_create:
        meet(comm(call.number(mpi::Role::comm)), {call.function, call.origin}, 0);
        now_->windows.make(call.number(mpi::Role::win));
        return;
      case mpi::Kind::file_open:
        meet(comm(call.number(mpi::Role::comm)), {call.function, call.origin}, 0);
        now_->files.make(call.number(mpi::Role::file));
        return;
      default:
        return;
    }
  }

 private:
  struct OfLocation {
    std::uint32_t number = 0;
    engine::Interpreter<InIteration> interpreter;
    engine::RankCounts counts;
    engine::NumberedCall call;
    engine::LiveObjects communicators{{}}, windows{{}}, files{{}};
    std::set<std::int64_t> sends;  // requests that MPI_Isend and its like started last
  };
  struct Late {
    Comm comm;
    std::int64_t source, tag;
  };
  using Made = std::pair<char, std::int64_t>;  // what it is, slot

  struct Waiting {
    std::int64_t slot;
    Operation receive;
  };
  // Of these active requests those that receive, in the order in which they were posted.
  std::vector<Waiting> waiting_receives(const std::vector<std::int64_t>& active) {
    std::vector<Waiting> all;
    for (const std::int64_t slot : active)
      for (const Operation& each : now_->interpreter.operations(slot))
        if (each.posted > 0) all.push_back({slot, each});
    std::ranges::sort(all, {}, [](const Waiting& one) { return one.receive.posted; });
    return all;
  }
  // A message goes to the receive that was posted first of those that match it: where an iteration leaves two of them in
  // another order than it found, the next one that runs would wait for the one that gets its message later.
  bool another_order(const std::vector<Waiting>& after) const {
    std::map<std::int64_t, std::size_t> before;
    for (std::size_t i = 0; i < waiting_before_.size(); ++i) before[waiting_before_[i].slot] = i;
    for (std::size_t b = 0; b < after.size(); ++b)
      for (std::size_t a = 0; a < b; ++a) {
        const auto first = before.find(after[a].slot), second = before.find(after[b].slot);
        if (first != before.end() && second != before.end() && first->second > second->second &&
            after[a].receive.may_match_the_same(after[b].receive))
          return true;
      }
    return false;
  }

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
    const mpi::Function& function = *expanded.call->function;
    kind_ = function.kind;
    if (const int request = function.find(mpi::Role::request); request >= 0 && function.nonblocking) {
      const std::int64_t slot = expanded.values[static_cast<std::size_t>(request)];
      if (kind_ == mpi::Kind::send)
        now_->sends.insert(slot);
      else
        now_->sends.erase(slot);
    }
    // What a status says is of this iteration only.
    const auto value = [&](std::size_t i) {
      const auto role = expanded.call->function->parameters[i].role;
      return role == mpi::Role::status || role == mpi::Role::statuses ? 0 : expanded.values[i];
    };
    const Call& call = *expanded.call;
    now_->interpreter.call(now_->call.set(*call.function, skeleton_.arrays, value, &call), *this);
  }
  bool executed(const ExpandedCall& expanded) {
    execute(expanded);
    return obstacle_ == Obstacle::none;
  }
  bool fails(Obstacle obstacle) {
    if (obstacle_ == Obstacle::none) obstacle_ = obstacle;
    return false;
  }
  // The object in the slot; nullptr if it is not certain: the iteration has not made it, and the program makes several.
  Comm known(char kind, std::int64_t slot, const engine::LiveObjects& live,
             const std::vector<Communicator>& all) const {
    return knows_ || objects_.contains({kind, slot}) ? live.at(slot) : only(all, slot);
  }
  Operation clear_if(bool clear) {
    if (!clear) fails(Obstacle::unclear);
    return {};
  }
  Operation meet(Comm comm, const engine::Collective& call, std::uint64_t which) {
    if (traffic_ && comm && which != 1) traffic_->meet(*comm, now_->number);
    return meet(comm, call, comm ? comm->all() ^ which : 0, comm ? static_cast<std::size_t>(comm->all_size()) : 0);
  }
  Operation meet(Comm comm, const engine::Collective& call, std::uint64_t who, std::size_t size) {
    if (matches_ && comm)
      operations_->release(operations_->meet(now_->number, *comm, call, who, size, engine::CollectiveWait::for_nobody));
    return clear_if(comm != nullptr);
  }
  void make_communicator(const engine::Call& call) {
    const Comm parent = comm(call.number(mpi::Role::comm));
    const std::int64_t slot = call.number(mpi::Role::newcomm);
    const engine::Collective same{call.function, call.origin};
    const engine::MadeBy by = engine::made_by(call);
    if (by == engine::MadeBy::both_sides) now_->communicators.make(slot);
    now_->interpreter.begin(call, *this, [&] {
      if (by == engine::MadeBy::both_sides) return meet(comm(slot), same, 0);
      if (by == engine::MadeBy::all || !parent) return meet(parent, same, 0);
      const auto [who, size] = groups_.meeting(parent->identity, call);
      return meet(parent, same, who, size);
    });
    if (by != engine::MadeBy::both_sides) now_->communicators.make(slot);
  }
  bool make_object(std::int64_t slot, char kind) {
    return slot < 0 || objects_.insert({kind, slot}).second || fails(Obstacle::objects);
  }
  bool free_object(std::int64_t slot, char kind) {
    return slot < 0 || objects_.erase({kind, slot}) > 0 || fails(Obstacle::objects);
  }
  bool make(std::int64_t slot, char kind) {
    return slot < 0 || made_.insert({kind, slot}).second || fails(Obstacle::objects);
  }
  bool free(std::int64_t value, char kind) {
    if (value < 0) return true;
    const Made made{kind, value - mpi::kMade};
    return made_.erase(made) > 0 || inherited_.insert(made).second || fails(Obstacle::objects);
  }

  const Skeleton& skeleton_;
  const Wildcards wildcards_;
  std::vector<std::uint32_t> ranks_;  // by location
  std::optional<engine::Operations> operations_;
  std::vector<OfLocation> locations_;
  OfLocation* now_ = nullptr;
  mpi::Kind kind_ = mpi::Kind::opaque;  // of the call at hand
  Obstacle obstacle_ = Obstacle::none;
  bool matches_ = true;  // messages and meetings; not those before the loop
  bool knows_ = false;   // see set_knows()
  Traffic* traffic_ = nullptr;
  std::uint64_t calls_ = 0;  // of the location in this iteration
  std::uint64_t heard_ = 0;  // blocking calls of any source in this iteration
  engine::EndedByCancel ended_;
  std::vector<Late> late_;                         // receives with wildcards
  std::set<std::pair<std::uint64_t, int>> named_;  // communicators and ranks in them that name senders
  std::vector<std::int64_t> open_;                 // requests that are active before the iteration
  std::vector<Waiting> waiting_before_;            // those of them that receive
  std::uint64_t posts_ = 0;                        // receives until now, on all locations
  std::set<std::int64_t> carried_in_;              // others that it completes and did not start
  std::set<std::int64_t> inits_;                   // persistent requests made here and not freed
  std::set<Made> made_, inherited_;                // datatypes and operations: not freed here; not made here
  std::set<Made> objects_;                         // others that are made here and not freed
  engine::NamedGroups groups_;
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

bool contains(const Block& block, const Node* wanted) {
  return std::ranges::any_of(block, [&](const Node& node) {
    return &node == wanted || (node.is_loop() && contains(node.loop().body, wanted));
  });
}

bool changes_state(const Block& block, const Node* without) {
  return std::ranges::any_of(block, [&](const Node& node) {
    if (&node == without) return false;
    return node.is_loop() ? changes_state(node.loop().body, without)
                          : std::ranges::count(kChanging, node.call().function->kind) > 0;
  });
}

// The loop stands in another one, whose iterations change what a location has when the loop begins.
bool changes_around(const Block& program, const Node& loop) {
  return std::ranges::any_of(program, [&](const Node& node) {
    return &node != &loop && node.is_loop() && contains(node.loop().body, &loop) &&
           changes_state(node.loop().body, &loop);
  });
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

std::optional<std::uint64_t> calls_of_iteration(const Loop& loop, std::uint32_t l) {
  std::uint64_t calls = 0;
  for (const Node& node : loop.body) {
    const int position = node.position(l);
    if (position < 0) continue;
    if (!node.is_loop()) {
      ++calls;
      continue;
    }
    const Sequence& trips = node.loop().trips.of(static_cast<std::size_t>(position));
    const auto each = calls_of_iteration(node.loop(), l);
    if (!each || trips.kind != Sequence::Kind::constant) return {};
    calls += *each * static_cast<std::uint64_t>(std::max<std::int64_t>(0, trips.values[0]));
  }
  return calls;
}

std::size_t ranks(const Skeleton& skeleton) {
  return static_cast<std::size_t>(
      std::ranges::count_if(skeleton.locations, [](const LocationData& l) { return l.where.thread == 0; }));
}

namespace {

// Local calls that no other call depends on: MPI_Wtime, MPI_Comm_rank.
bool is_query(const mpi::Function& function) {
  return function.kind == mpi::Kind::environment ||
         (function.kind == mpi::Kind::local && !function.partitioned && function.find(mpi::Role::group) < 0 &&
          function.find(mpi::Role::newgroup) < 0);
}

// They are not looked at, because a program may make more of them than of all others.
void remove_queries(std::vector<Step>& steps) {
  std::erase_if(steps, [](Step& step) {
    if (step.call) return is_query(*step.call->function);
    remove_queries(step.body);
    return step.body.empty();
  });
}

// Looks at iterations of a loop on all its locations, one after the other.
class Look {
 public:
  Look(const Skeleton& skeleton, const Node& node, Wildcards wildcards, std::uint64_t most)
      : skeleton_(skeleton), node_(node), most_(most), iteration_(skeleton, node.where, wildcards) {
    cancels_ = has(node.loop().body, mpi::Kind::cancel);
    for (const std::uint32_t l : node.where) {
      steps_.push_back(steps_of(node.loop().body, l, wildcards == Wildcards::recorded));
      if (!cancels_) remove_queries(steps_.back());  // cancellations name calls by their numbers
    }
  }

  // Executes what the locations do before the loop. False: too many calls.
  bool before(bool matches = false) {
    for (std::size_t p = 0; p < steps_.size(); ++p)
      if (!iteration_.before(p, node_, looked_at_, most_, matches)) return false;
    return true;
  }
  // The next iteration of the p-th location does not matter.
  void skip(std::size_t p) { iteration_.outside(p, steps_[p], looked_at_); }
  // Nor does it on any other one.
  void skip() {
    for (std::size_t p = 0; p < steps_.size(); ++p) skip(p);
  }
  // The next one does.
  Obstacle look() {
    bool good = true;
    const std::function<bool(const ExpandedCall&)> visit = [&](const ExpandedCall& c) {
      return good = ++looked_at_ <= most_ && iteration_.call(c);
    };
    for (std::size_t p = 0; p < steps_.size(); ++p) {
      auto ended = cancels_ ? ended_by_cancel(skeleton_, steps_[p], most_) : engine::EndedByCancel();
      if (!ended) return Obstacle::calls;
      iteration_.begin(p, std::move(*ended));
      Walk(visit).block(steps_[p]);
      if (too_many()) return Obstacle::calls;
      if (!good || !iteration_.end()) return iteration_.obstacle();
    }
    return iteration_.balanced() ? Obstacle::none : iteration_.obstacle();
  }
  bool too_many() const { return looked_at_ > most_; }
  std::uint64_t looked_at() const { return looked_at_; }
  Iteration& iteration() { return iteration_; }

 private:
  const Skeleton& skeleton_;
  const Node& node_;
  const std::uint64_t most_;
  Iteration iteration_;
  std::vector<std::vector<Step>> steps_;
  std::uint64_t looked_at_ = 0;
  bool cancels_ = false;
};

// After how many of `iterations` the communication of all locations repeats itself.
std::uint64_t cycle_of(const Node& node, Wildcards wildcards, std::uint64_t iterations) {
  std::uint64_t alike = 1;
  for (const std::uint32_t l : node.where) {
    Cycle cycle(iterations, wildcards);
    cycle.block(node.loop().body, l, 1, 1);
    alike = std::min(iterations, std::lcm(alike, cycle.length()));
  }
  return alike;
}

bool is_stateful(const Node& node) {
  return std::ranges::any_of(kStateful, [&](mpi::Kind kind) { return has(node.loop().body, kind); });
}

std::uint64_t trips_at_top(const Node& loop, std::size_t p) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, loop.loop().trips.of(p).at(0)));
}

// Searches iterations of a loop of the top level that are closed and that all locations have equally many of.
class Aligning {
 public:
  // most: calls to look at in an attempt without preparation.
  Aligning(const Skeleton& skeleton, const Node& node, std::uint64_t most)
      : skeleton_(skeleton), node_(node), most_(most), more_(std::min(most, kMostMore)) {
    for (std::size_t p = 0; p < node.where.size(); ++p) trips_.push_back(trips_at_top(node, p));
    latest_ = std::max<std::uint64_t>(1, std::ranges::min(trips_) / kPrepares);
  }

  // But for so many last iterations, and for the fewest first ones, at most a quarter, behind which all are closed: the first ones may
  // make communicators, windows, files or requests that the others use. If there are none, the obstacle where only the very first ones are
  // left out. Nothing: the locations cannot be aligned, or that takes too many calls.
  std::optional<Cuttable> cut(std::uint64_t last) {
    std::uint64_t budget = most_, from = 1;
    const auto first = attempt(from, last, budget);
    if (!first || first->found) return first ? std::optional(first->found) : std::nullopt;
    Attempt now = *first;
    for (std::uint64_t step = 1; !now.found; step *= 2) {
      const std::uint64_t earliest = from + now.closed + 1;  // behind the iteration that was not closed
      if (earliest > latest_) return first->found;
      from = std::clamp(from + step, earliest, latest_);
      const auto further = attempt(from, last, more_);
      if (!further) return first->found;
      now = *further;
      // Iterations behind those that prepare are closed wherever the search begins, so the first of these lies in earliest .. from.
      for (std::uint64_t low = earliest; now.found && low < from;) {
        const std::uint64_t middle = low + (from - low) / 2;
        const auto nearer = attempt(middle, last, more_);
        if (nearer && nearer->found) {
          now = *nearer;
          from = middle;
        } else {
          low = middle + 1;
        }
      }
    }
    return now.found;
  }

 private:
  static constexpr std::uint64_t kPrepares = 4;                       // at most one iteration in so many
  static constexpr std::uint64_t kMostMore = std::uint64_t{1} << 24;  // calls to look at in all attempts but the first

  struct Attempt {
    Cuttable found;
    std::uint64_t closed =
        0;  // iterations from the asked one on that are closed, or stand before the aligned ones, at least
  };

  // From iteration `from` on, or from later ones of locations that are to be aligned. Nothing: see cut(). budget: calls to look at,
  // those that were are taken off.
  std::optional<Attempt> attempt(std::uint64_t from, std::uint64_t last, std::uint64_t& budget) {
    std::vector<Ends> ends = aligned(from, budget);
    if (ends.empty() || trips_[0] < ends[0].first + ends[0].last + last + 2) return {};
    for (Ends& own : ends) own.last += last;
    const std::uint64_t before = std::ranges::min(ends, {}, &Ends::first).first - from;
    Attempt result = between(ends, budget);
    if (result.found.obstacle == Obstacle::calls) return {};
    result.closed += before;
    if (!result.found) return result;
    if (std::ranges::all_of(ends, [&](const Ends& own) { return own == ends[0]; })) ends.resize(1);
    result.found.ends = std::move(ends);
    return result;
  }

  // The first iterations after which nothing is under way, the fewest from so many on; all locations have equally many between them and
  // the last ones. Empty: there are none.
  std::vector<Ends> aligned(std::uint64_t from, std::uint64_t& budget) {
    if (node_.where.size() != skeleton_.locations.size()) return {};
    Look look(skeleton_, node_, Wildcards::recorded, budget);
    auto ends = aligned(look, from);
    budget -= std::min(budget, look.looked_at());
    return ends;
  }
  std::vector<Ends> aligned(Look& look, std::uint64_t from) {
    Traffic traffic(skeleton_);
    look.iteration().count(traffic);
    if (!look.before()) return {};
    look.iteration().set_knows(true);
    std::vector<Ends> ends(trips_.size(), {0, 0});
    const auto go_on = [&](std::uint32_t l) {
      if (ends[l].first + 2 >= trips_[l]) return false;
      look.skip(l);
      ++ends[l].first;
      return !look.too_many();
    };
    for (std::uint64_t i = 0; i < from; ++i)
      for (std::uint32_t l = 0; l < ends.size(); ++l)
        if (!go_on(l)) return {};
    for (auto late = traffic.late(); !late.empty(); late = traffic.late())
      for (const std::uint32_t l : late)
        if (!go_on(l)) return {};
    const auto behind = [&](std::size_t p) { return std::max(ends[p].first, trips_[p]) - ends[p].first; };
    std::uint64_t inside = UINT64_MAX;
    for (std::size_t p = 0; p < ends.size(); ++p) inside = std::min(inside, behind(p));
    for (std::size_t p = 0; p < ends.size(); ++p) ends[p].last = behind(p) - inside;
    return ends;
  }

  // closed() of the iterations between these ends, which are equally many on all locations, if nothing is under way before.
  Attempt between(const std::vector<Ends>& ends, std::uint64_t& budget) {
    Look look(skeleton_, node_, Wildcards::recorded, budget);
    auto result = between(look, ends);
    budget -= std::min(budget, look.looked_at());
    return result;
  }
  Attempt between(Look& look, const std::vector<Ends>& ends) {
    const std::uint64_t alike = cycle_of(node_, Wildcards::recorded, trips_[0] - ends[0].first - ends[0].last);
    const auto fails = [](Obstacle obstacle, std::uint64_t closed = 0) { return Attempt{{{0, obstacle}}, closed}; };
    if (!look.before(true)) return fails(Obstacle::calls);
    look.iteration().set_knows(true);
    for (std::size_t p = 0; p < ends.size(); ++p)
      for (std::uint64_t i = 0; i < ends[p].first; ++i) look.skip(p);
    look.iteration().set_knows(false);
    if (look.too_many()) return fails(Obstacle::calls);
    if (!look.iteration().balanced()) return fails(look.iteration().obstacle());
    for (std::uint64_t i = 0; i < alike; ++i)
      if (const Obstacle obstacle = look.look(); obstacle != Obstacle::none) return fails(obstacle, i);
    if (alike > 1 && look.iteration().carries()) return fails(Obstacle::objects);
    return {{{alike, Obstacle::none}}};
  }

  const Skeleton& skeleton_;
  const Node& node_;
  const std::uint64_t most_;
  std::uint64_t more_, latest_ = 1;
  std::vector<std::uint64_t> trips_;  // by position
};

}  // namespace

Closed closed(const Skeleton& skeleton, const Node& node, Wildcards wildcards, std::uint64_t most, Ends ends) {
  if (!node.is_loop()) return {};
  const Loop& loop = node.loop();
  const auto differ = [&](std::uint32_t l) { return !calls_of_iteration(loop, l); };
  if (has_threads(skeleton) &&
      (node.where.size() != skeleton.locations.size() || std::ranges::any_of(node.where, differ)))
    return {0, Obstacle::threads};
  std::uint64_t iterations = 0, times = 0;
  for (std::size_t p = 0; p < node.where.size(); ++p) {
    if (loop.trips.of(p) != loop.trips.of(0)) return {0, Obstacle::trips};
    times = std::max<std::uint64_t>(1, executions(skeleton.program, &node, node.where[p], 1));
    const auto own = static_cast<std::uint64_t>(loop.trips.of(p).sum(times));
    if (p > 0 && own != iterations) return {0, Obstacle::trips};
    iterations = own;
  }
  // Whether the next iteration matters: the one at this place of this execution.
  std::uint64_t execution = 0, place = 0;
  const auto matters = [&] {
    for (; execution < times; ++execution, place = 0) {
      const auto trips = static_cast<std::uint64_t>(std::max<std::int64_t>(0, loop.trips.of(0).at(execution)));
      if (place == trips) continue;
      const bool is_inside = place >= ends.first && place + ends.last < trips;
      ++place;
      return is_inside;
    }
    return true;
  };
  const std::uint64_t alike = cycle_of(node, wildcards, iterations);
  Look look(skeleton, node, wildcards, most);
  if (is_stateful(node)) {
    if (changes_around(skeleton.program, node)) return {0, Obstacle::objects};
    if (!look.before()) return {0, Obstacle::calls};
  }
  // All iterations repeat those of a cycle; with one that does not matter a whole cycle more is looked at.
  const std::uint64_t looked_through = std::min(iterations, alike + (ends.first > 0 ? alike : 0));
  for (std::uint64_t i = 0; i < looked_through; ++i) {
    if ((ends.first > 0 || ends.last > 0) && !matters()) {
      const bool first = place <= ends.first;  // it is behind the iteration now
      look.skip();
      if (look.too_many()) return {0, Obstacle::calls};
      if (!look.iteration().messages_met() && first) return {0, Obstacle::messages};
      continue;
    }
    if (const Obstacle obstacle = look.look(); obstacle != Obstacle::none) return {0, obstacle};
  }
  if (alike > 1 && look.iteration().carries()) return {0, Obstacle::objects};
  return {std::max<std::uint64_t>(1, alike), Obstacle::none};
}

Cuttable cuttable(const Skeleton& skeleton, const Node& loop, std::uint64_t most) {
  const Closed without_first = closed(skeleton, loop, Wildcards::recorded, most, {1, 0});
  if (without_first) return {without_first, {{1, 0}}};
  if (!loop.is_loop() || without_first.obstacle == Obstacle::threads) return {without_first};
  if (without_first.obstacle != Obstacle::trips)
    if (const Closed inner = closed(skeleton, loop, Wildcards::recorded, most, {1, 1})) return {inner, {{1, 1}}};
  const bool at_top = std::ranges::any_of(skeleton.program, [&](const Node& node) { return &node == &loop; });
  using enum Obstacle;
  const bool may_be_aligned =
      std::ranges::count(std::array{trips, messages, collectives, requests, objects}, without_first.obstacle) > 0;
  if (!at_top || !may_be_aligned || loop.loop().pool >= 0 || has_threads(skeleton)) return {without_first};
  Cuttable failed{without_first};
  Aligning aligning(skeleton, loop, most);
  for (const std::uint64_t last : {0, 1}) {
    const auto found = aligning.cut(last);
    if (found && *found) return *found;
    if (found && last == 0) failed = *found;
  }
  return failed;
}

}  // namespace skelgen::skeleton
