#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "skeleton/requests.h"
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

// Messages, requests and collectives of one iteration on all locations.
class Iteration {
 public:
  // persistent: by location, before the loop; may be empty if the loop starts none.
  Iteration(const Skeleton& skeleton, const std::map<std::uint32_t, PersistentRequests>& persistent,
            Wildcards wildcards)
      : skeleton_(skeleton), persistent_(persistent), wildcards_mode_(wildcards) {}

  // Call before the calls of each location, and once more after the last.
  bool location(std::optional<std::uint32_t> l) {
    const bool same = started_ == carried_in_ && made_ == inherited_ && inits_.empty() && messages_.empty() &&
                      !attached_ && in_windows_.empty();
    carries_ = carries_ || !made_.empty();
    started_.clear();
    begun_.clear();
    heard_ = 0;
    carried_in_.clear();
    made_.clear();
    inherited_.clear();
    inits_.clear();
    collective_inits_.clear();
    messages_.clear();
    attached_ = false;
    in_windows_.clear();
    if (l) location_ = *l;
    const auto known = persistent_.find(location_);
    before_ = known == persistent_.end() ? nullptr : &known->second;
    return same;
  }

  bool call(const ExpandedCall& expanded) {
    const Call& call = *expanded.call;
    const mpi::Function& function = *call.function;
    const Values values = expanded.values;
    // The emitted program remembers the senders of the calls that it made, not of those that it left out.
    if (expanded.answers > heard_ || (expanded.answers > 0 && wildcards_mode_ == Wildcards::anybody)) return false;
    if (expanded.any) ++heard_;
    if (call.matched && function.kind == mpi::Kind::probe && wildcards_mode_ == Wildcards::anybody) return false;
    const auto get = [&](mpi::Role role, int n = 0) { return value(function, values, role, n); };
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
      case mpi::Kind::complete:
      case mpi::Kind::test:
        return std::ranges::all_of(completed(skeleton_, function, values),
                                   [&](std::int64_t request) { return complete(request); });
      case mpi::Kind::cancel: {
        const auto found = begun_.find(*get(mpi::Role::request));
        if (get(mpi::Role::integer) != mpi::value_of(mpi::CancelOutcome::cancelled)) return true;
        if (found == begun_.end()) return false;
        const auto [dest, source, tag, comm] = found->second;
        begun_.erase(found);  // it is cancelled once
        return message(dest, source, tag, comm, -1);
      }
      case mpi::Kind::attach:
        return !std::exchange(attached_, true);
      case mpi::Kind::detach:
        return std::exchange(attached_, false);
      case mpi::Kind::win_attach:
        return in_windows_.emplace(*get(mpi::Role::win), *get(mpi::Role::buffer)).second;
      case mpi::Kind::win_detach:
        return in_windows_.erase({*get(mpi::Role::win), *get(mpi::Role::buffer)}) > 0;
      case mpi::Kind::send_init:
      case mpi::Kind::recv_init:
        return inits_.try_emplace(*get(mpi::Role::request), persistent(function, values)).second;
      case mpi::Kind::collective_init: {
        const std::int64_t slot = *get(mpi::Role::comm);
        std::uint64_t number = collective_inits_[slot]++;
        if (before_ && before_->collectives.contains(slot)) number += before_->collectives.at(slot);
        return meet(function, communicator(slot), get(mpi::Role::root).value_or(0)) &&
               inits_.try_emplace(*get(mpi::Role::request), persistent(function, values, number)).second;
      }
      case mpi::Kind::start:
        return std::ranges::all_of(started(skeleton_, function, values),
                                   [&](std::int64_t request) { return start(request); });
      case mpi::Kind::request_free:
        if (inits_.erase(*get(mpi::Role::request)) > 0) return started_.erase(*get(mpi::Role::request)), true;
        return !find(*get(mpi::Role::request)) && complete(*get(mpi::Role::request));
      case mpi::Kind::match: {
        if (get(mpi::Role::flag) == 0) return true;
        const std::int64_t slot = *get(mpi::Role::message);
        if (slot >= 0 && !messages_.insert(slot).second) return false;
        return message({}, *get(mpi::Role::peer), *get(mpi::Role::tag), *get(mpi::Role::comm));
      }
      case mpi::Kind::recv_matched:
        if (const std::int64_t slot = *get(mpi::Role::message); slot >= 0 && messages_.erase(slot) == 0) return false;
        break;
      case mpi::Kind::local:
        return !get(mpi::Role::newgroup);
      case mpi::Kind::send:
      case mpi::Kind::recv: {
        const bool sends = function.kind == mpi::Kind::send;
        const Begun begun{sends ? get(mpi::Role::peer) : std::nullopt, sends ? std::nullopt : get(mpi::Role::peer),
                          *get(mpi::Role::tag), *get(mpi::Role::comm)};
        if (!message(begun.dest, begun.source, begun.tag, begun.comm)) return false;
        if (function.nonblocking) begun_[*get(mpi::Role::request)] = begun;
        break;
      }
      case mpi::Kind::sendrecv:
        if (!message(*get(mpi::Role::peer, 0), {}, *get(mpi::Role::tag, 0), *get(mpi::Role::comm))) return false;
        if (!message({}, *get(mpi::Role::peer, 1), *get(mpi::Role::tag, 1), *get(mpi::Role::comm))) return false;
        break;
      case mpi::Kind::win_fence:
        if (!meet(function, only(skeleton_.locations[location_].windows, *get(mpi::Role::win)), 0)) return false;
        break;
      case mpi::Kind::file_collective:
        if (!meet(function, only(skeleton_.locations[location_].files, *get(mpi::Role::file)), 0)) return false;
        break;
      case mpi::Kind::win_post:
      case mpi::Kind::win_start:
        if (!expose(*get(mpi::Role::win), *get(mpi::Role::group), function.kind == mpi::Kind::win_post)) return false;
        break;
      case mpi::Kind::collective:
        if (!meet(function, communicator(*get(mpi::Role::comm)), get(mpi::Role::root).value_or(0))) return false;
        break;
      default:
        break;
    }
    const auto request = get(mpi::Role::request);
    return !function.nonblocking || !request || started_.insert(*request).second;
  }

  // True if a datatype or operation that an iteration makes is used in the next one.
  bool carries() const { return carries_; }

  // True if nothing is left over. Empties this for the next iteration.
  bool balanced() {
    bool good = messages_balanced();
    for (const auto& [identity, all] : collectives_) {
      good = good && static_cast<int>(all.of_rank.size()) == all.size;
      for (const auto& [rank, calls] : all.of_rank) good = good && calls == all.of_rank.begin()->second;
    }
    for (const auto& [identity, all] : started_collectives_) {
      good = good && static_cast<int>(all.of_rank.size()) == all.size;
      for (const auto& [rank, starts] : all.of_rank) good = good && starts == all.of_rank.begin()->second;
    }
    for (const auto& [_, times] : exposed_) good = good && times == 0;
    exposed_.clear();
    unmatched_.clear();
    wildcards_.clear();
    named_.clear();
    collectives_.clear();
    started_collectives_.clear();
    return good;
  }

 private:
  using Member = std::pair<std::uint64_t, int>;  // group, rank in it
  struct Collectives {
    int size = 0;
    std::map<Member, std::vector<std::pair<const mpi::Function*, std::int64_t>>> of_rank;
  };
  // Persistent collectives may be started in any order: number -> how often.
  struct StartedCollectives {
    int size = 0;
    std::map<Member, std::map<std::uint64_t, std::uint64_t>> of_rank;
  };
  struct Begun {
    std::optional<std::int64_t> dest, source;
    std::int64_t tag, comm;
  };
  using Inbox = std::pair<std::uint64_t, std::int64_t>;    // communicator, receiver
  using Envelope = std::pair<std::int64_t, std::int64_t>;  // sender, tag

  // nullptr if the slot was not always the same communicator: which one it is now is not known here.
  const Communicator* communicator(std::int64_t slot) const {
    return only(skeleton_.locations[location_].communicators, slot);
  }
  static const Communicator* only(const std::vector<Communicator>& all, std::int64_t slot) {
    const Communicator* found = nullptr;
    for (const Communicator& c : all) {
      if (c.slot != slot) continue;
      if (found) return nullptr;
      found = &c;
    }
    return found;
  }

  // The window of this location is opened to those of a group, or those of the group are used by it.
  bool expose(std::int64_t slot, std::int64_t group, bool opened) {
    const Communicator* window = only(skeleton_.locations[location_].windows, slot);
    if (!window) return false;
    const Rank own = skeleton_.locations[location_].where.rank;
    for (const std::int64_t other : skeleton_.arrays[static_cast<std::size_t>(group)])
      exposed_[{window->identity, opened ? own : other, opened ? other : own}] += opened ? 1 : -1;
    return true;
  }

  bool meet(const mpi::Function& function, const Communicator* comm, std::int64_t root) {
    if (!comm) return false;
    auto& all = collectives_[comm->all()];
    all.size = comm->all_size();
    // In an intercommunicator the root has another name for itself than the other group has for it.
    all.of_rank[{comm->identity, comm->rank}].emplace_back(&function, comm->inter() ? 0 : root);
    return true;
  }

  bool message(std::optional<std::int64_t> dest, std::optional<std::int64_t> source, std::int64_t tag,
               std::int64_t slot, std::int64_t times = 1) {
    if (dest.value_or(0) == mpi::kProcNull || source.value_or(0) == mpi::kProcNull) return true;
    const Communicator* comm = communicator(slot);
    if (!comm) return false;
    if (dest) {
      unmatched_[{comm->peers(), *dest}][{comm->rank, tag}] += times;
    } else if (*source == mpi::kAnySource || tag == mpi::kAnyTag) {
      wildcards_[{comm->identity, comm->rank}][{*source, tag}] += times;
    } else {
      if (wildcards_mode_ == Wildcards::anybody) named_.insert({comm->identity, comm->rank});
      unmatched_[{comm->identity, comm->rank}][{*source, tag}] -= times;
    }
    return true;
  }

  // nullptr: this is no persistent request.
  const Persistent* find(std::int64_t request) const {
    if (const auto here = inits_.find(request); here != inits_.end()) return &here->second;
    if (!before_) return nullptr;
    const auto there = before_->made.find(request);
    return there == before_->made.end() ? nullptr : &there->second;
  }

  bool start(std::int64_t request) {
    const Persistent* does = find(request);
    if (!does || !started_.insert(request).second) return false;
    begun_.erase(request);  // of what had the slot before
    if (does->kind == mpi::Kind::collective_init) {
      const Communicator* comm = communicator(does->comm);
      if (!comm) return false;
      auto& all = started_collectives_[comm->all()];
      all.size = comm->all_size();
      ++all.of_rank[{comm->identity, comm->rank}][does->number];
      return true;
    }
    return does->kind == mpi::Kind::send_init ? message(does->peer, {}, does->tag, does->comm)
                                              : message({}, does->peer, does->tag, does->comm);
  }

  using Made = std::pair<char, std::int64_t>;  // datatype or operation, slot
  bool make(std::optional<std::int64_t> slot, char kind) {
    return !slot || *slot < 0 || made_.insert({kind, *slot}).second;
  }
  bool free(std::optional<std::int64_t> value, char kind) {
    if (!value || *value < 0) return true;
    const Made made{kind, *value - mpi::kMade};
    return made_.erase(made) > 0 || inherited_.insert(made).second;
  }

  bool complete(std::int64_t request) {
    begun_.erase(request);
    if (request < 0 || started_.erase(request) > 0) return true;
    // An inactive persistent request is complete. One that is active between iterations is so between all of them.
    const bool inactive = find(request) && (inits_.contains(request) || !before_->active.contains(request) ||
                                            carried_in_.contains(request));
    return inactive || carried_in_.insert(request).second;
  }

  // Receives of one sender and tag have been taken off already. Receives with one wildcard choose before those with
  // two; a receive of any tag takes what the fewest receives of any source want.
  bool messages_balanced() {
    for (auto& [inbox, wanted] : wildcards_) {
      if (named_.contains(inbox)) return false;
      auto& messages = unmatched_[inbox];
      const auto take = [&](std::int64_t source, std::int64_t tag) {
        auto best = messages.end();
        std::int64_t best_demand = 0;
        for (auto m = messages.begin(); m != messages.end(); ++m) {
          if (m->second <= 0) continue;
          if ((source != mpi::kAnySource && source != m->first.first) ||
              (tag != mpi::kAnyTag && tag != m->first.second))
            continue;
          const auto rival = wanted.find({mpi::kAnySource, m->first.second});
          const std::int64_t demand = rival == wanted.end() ? 0 : rival->second;
          if (best == messages.end() || demand < best_demand) best = m, best_demand = demand;
        }
        if (best == messages.end()) return false;
        --best->second;
        return true;
      };
      const auto pass = [&](auto&& now) {
        for (const auto& [envelope, count] : wanted)
          for (std::int64_t i = 0; now(envelope) && i < count; ++i)
            if (!take(envelope.first, envelope.second)) return false;
        return true;
      };
      const auto any_source = [](const Envelope& e) { return e.first == mpi::kAnySource; };
      const auto any_tag = [](const Envelope& e) { return e.second == mpi::kAnyTag; };
      if (!pass([&](const Envelope& e) { return !any_source(e); }) ||
          !pass([&](const Envelope& e) { return any_source(e) && !any_tag(e); }) ||
          !pass([&](const Envelope& e) { return any_source(e) && any_tag(e); }))
        return false;
    }
    for (const auto& [inbox, messages] : unmatched_)
      for (const auto& [envelope, count] : messages)
        if (count != 0) return false;
    return true;
  }

  const Skeleton& skeleton_;
  const std::map<std::uint32_t, PersistentRequests>& persistent_;
  const PersistentRequests* before_ = nullptr;  // of this location
  std::uint32_t location_ = 0;
  std::map<Inbox, std::map<Envelope, std::int64_t>> unmatched_;  // sent minus received
  std::map<Inbox, std::map<Envelope, std::int64_t>> wildcards_;
  Wildcards wildcards_mode_;
  std::uint64_t heard_ = 0;  // blocking calls of any source in this iteration
  std::set<Inbox> named_;    // of receives that name their sender
  std::map<std::tuple<std::uint64_t, std::int64_t, std::int64_t>, std::int64_t> exposed_;  // window, whose, to whom
  std::map<std::uint64_t, Collectives> collectives_;
  std::map<std::uint64_t, StartedCollectives> started_collectives_;
  std::map<std::int64_t, Begun> begun_;          // by request that is not persistent: its message, until it is complete
  std::set<std::int64_t> started_, carried_in_;  // requests: not completed here; not started here
  std::set<Made> made_, inherited_;              // not freed here; freed here but not made here
  bool carries_ = false;
  std::map<std::int64_t, Persistent> inits_;                    // here and not freed
  std::map<std::int64_t, std::uint64_t> collective_inits_;      // here, by slot of communicator
  std::set<std::int64_t> messages_;                             // matched here and not received
  std::set<std::pair<std::int64_t, std::int64_t>> in_windows_;  // window and place of memory attached here
  bool attached_ = false;                                       // here and not detached
};

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
  std::map<std::uint32_t, PersistentRequests> persistent;
  if (has(loop.body, mpi::Kind::start) || has(loop.body, mpi::Kind::collective_init))
    for (const std::uint32_t l : node.where) persistent.emplace(l, persistent_before(skeleton, node, l));
  Iteration iteration(skeleton, persistent, wildcards);
  bool good = true;
  std::uint64_t looked_at = 0;
  const std::function<bool(const ExpandedCall&)> visit = [&](const ExpandedCall& c) {
    return good = ++looked_at <= most && iteration.call(c);
  };
  for (std::uint64_t i = 0; i < alike; ++i) {
    for (std::size_t p = 0; p < node.where.size(); ++p) {
      iteration.location(node.where[p]);
      Execution(visit).block(steps[p]);
      if (!good || !iteration.location({})) return 0;
    }
    if (!iteration.balanced()) return 0;
  }
  return alike == 1 || !iteration.carries() ? std::max<std::uint64_t>(1, alike) : 0;
}

bool closed(const Skeleton& skeleton, const Node& loop, Wildcards wildcards) {
  return cycle(skeleton, loop, wildcards) > 0;
}

}  // namespace skelgen::skeleton
