#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "emit/emit.h"
#include "emit/operations.h"
#include "emit/shortened.h"
#include "emit/simulated.h"
#include "emit/standard.h"
#include "support/error.h"

namespace skelgen::emit {
namespace {

using mpi::Kind;
using mpi::Role;

constexpr std::int64_t kWinPosted = -2000, kWinCompleted = -2001;  ///< tags of what win_post and win_complete say
constexpr std::uint64_t kMessagesOfLocation = 64;

/// What the MPI does that a program runs with: who waits in calls of which the standard leaves it open.
enum class Mpi : std::uint8_t { waits, goes_on };

Deadlock too_many_calls() {
  return {false, false, false, "it makes too many calls that differ from iteration to iteration", {}};
}

class Simulation {
 public:
  /// shortened, ended: must live as long as the simulation.
  Simulation(const skeleton::Skeleton& skeleton, const skeleton::Places* places, const Effort& most,
             const Shortened& shortened, const std::vector<EndedByCancel>& ended, Mpi mpi, Tests tests = Tests::wait)
      : skeleton_(skeleton),
        places_(places),
        mpi_(mpi),
        tests_(tests),
        calls_left_(most.calls),
        most_messages_(most.messages + kMessagesOfLocation * skeleton.locations.size()),
        operations_(mains(skeleton)) {
    for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l) {
      const bool main = skeleton.locations[l].where.thread == 0;
      if (main || ranks_.empty()) ranks_.emplace_back().main = l;
      auto& state = ranks_.back();
      states_.emplace_back(skeleton, l, state, shortened, ended[l]);
      if (!main) continue;
      const auto& own = skeleton.locations[l];
      const auto& all = own.communicators;
      for (std::size_t i = 0; i < 2 && i < all.size(); ++i) state.communicator[all[i].slot] = i;
      state.created = std::min<std::size_t>(2, all.size());
      for (const auto* shared : {&all, &own.windows})
        for (const auto& comm : *shared) members_[comm.identity][comm.rank] = l;
    }
  }

  Deadlock run() {
    for (std::uint32_t l = 0; l < states_.size(); ++l) advance(l);
    for (std::uint32_t l; !stopped() && operations_.next(l);) advance(l);
    if (const auto& small = operations_.truncated(); small && skeleton_.edited && places_)
      refuse_truncated(*places_, *small);
    if (!calls_left_) return too_many_calls();
    if (too_many_messages()) return {false, false, false, "too many messages are under way at a time", {}};
    Deadlock result = explain(skeleton_, members_, states_, operations_);
    result.certain = !result.safe && !result.clash && mpi_ == Mpi::goes_on && !operations_.chose();
    return result;
  }
  bool send_tested() const { return send_tested_; }

 private:
  bool too_many_messages() const { return operations_.under_way() > most_messages_; }
  bool stopped() const { return operations_.clash() || !calls_left_ || too_many_messages(); }

  /// Until the location has to wait or ends.
  void advance(std::uint32_t l) {
    auto& state = states_[l];
    while (operations_.missing(l) == 0 && !stopped()) {
      for (const auto id : state.held) operations_.release(id);  // of the call that just ended
      state.held.clear();
      tell(state, operations_);
      if (!std::exchange(state.again, false)) {
        if (must_wait(skeleton_, l, states_, operations_)) continue;
        state.call = state.cursor.next();
        state.function = state.call ? state.call->function : nullptr;
        ++state.calls;
        --calls_left_;
      }
      const auto* call = state.call;
      if (!call) {
        if (!state.settled({}, operations_)) continue;  // a thread makes its deferred tests before it ends
        state.ended = true;
        tell(state, operations_);
        break;
      }
      step(l, *call->function);
    }
  }

  Sending how(const mpi::Function& send) const {
    if (send.mode == mpi::Mode::buffered) return Sending::buffered;
    return mpi_ == Mpi::goes_on && !waits_for_receive(send) ? Sending::notice : Sending::synchronous;
  }
  Waits waits(const mpi::Function& collective, const skeleton::Communicator& comm, std::int64_t root) const {
    return mpi_ == Mpi::waits ? Waits::for_all : least_waits(collective, comm, root);
  }

  /// What the call at hand uses is not there; it is in a traced program.
  [[noreturn]] void refuse(std::uint32_t l, const char* what, std::int64_t slot) const {
    const auto* call = states_[l].call;
    throw Error(Code::corrupt, places_ ? place(*places_, call) : std::string(), {},
                fmt::format("rank {} uses {} {} in {}", skeleton_.locations[l].where.rank, what, slot,
                            call ? call->function->name : "its turn"),
                "make it before");
  }

  const skeleton::Communicator& communicator(const State& state, std::uint32_t l, std::int64_t slot) const {
    const auto found = state.rank.communicator.find(slot);
    if (found == state.rank.communicator.end()) refuse(l, "communicator", slot);
    return skeleton_.locations[state.rank.main].communicators[found->second];
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
    const auto load_of = [&](std::int64_t count, std::int64_t type) {
      const bool known = type >= 0 && type < std::ssize(skeleton_.name_bytes) && count >= 0;
      return Load{state.call, known ? count * skeleton_.name_bytes[static_cast<std::size_t>(type)] : -1};
    };
    const auto load = [&] { return load_of(scalar(Role::count), scalar(Role::datatype)); };
    // A wildcard takes the message that it took in the traced run, if that is known here.
    const auto matched = [&](std::size_t which, std::int64_t wildcard, std::int64_t given) {
      if (given != wildcard) return given;
      if (which == 0 && state.cursor.matched() >= 0) return state.cursor.matched();
      const auto& status = array(Role::status);
      return status.size() == 2 && status[which] >= 0 ? status[which] : kUnknown;
    };
    const auto named = [&](std::int64_t peer) {
      return f.nonblocking ? state.peer_of(scalar(Role::request), peer) : peer;
    };
    // The operation belongs to the call, or to its request.
    const auto keep = [&](Id id) {
      if (f.nonblocking) {
        state.request.emplace(scalar(Role::request), id);
      } else {
        state.held.push_back(id);
        operations_.wait(id);
      }
    };
    const auto wait_for = [&](Id id) {
      state.held.push_back(id);
      operations_.wait(id);
    };
    DeferredTest deferred;
    const auto complete = [&](std::int64_t slot) {
      const auto [begin, end] = state.request.equal_range(slot);  // none: a null request
      for (auto operation = begin; operation != end; ++operation) {
        const bool open = f.kind == Kind::test && operations_.is_open_send(operation->second);
        send_tested_ |= open;
        if (open && tests_ == Tests::go_on)
          deferred.sends.emplace_back(slot, operation->second);
        else
          wait_for(operation->second);
      }
      if (state.persistent.contains(slot)) deferred.persistent.push_back(slot);
      if (f.kind == Kind::complete) state.deferred.wait_for_request(slot, operations_);
      state.request.erase(begin, end);
    };
    const auto create = [&](std::int64_t slot) {
      return state.rank.create(skeleton_.locations[state.rank.main].communicators, slot);
    };
    const auto settled = [&](std::optional<std::int64_t> slot) { return state.settled(slot, operations_); };
    const auto complete_at = [&](std::int64_t index) {
      const auto& slots = array(Role::requests);
      if (index >= 0 && static_cast<std::size_t>(index) < slots.size())
        complete(slots[static_cast<std::size_t>(index)]);
    };
    // In an intercommunicator ranks have different names for the root, and those beside it say nothing of what is done.
    // Operations that the program made are other slots on other ranks.
    const auto collective = [&](const skeleton::Communicator& comm) {
      const auto common = [&](Role role) { return comm.inter() || f.find(role) < 0 ? 0 : scalar(role); };
      return Collective{state.call, common(Role::root), std::min(common(Role::op), mpi::kMade)};
    };

    switch (f.kind) {
      case Kind::send:
        keep(operations_.send(l, communicator(state, l, scalar(Role::comm)), named(scalar(Role::peer)),
                              scalar(Role::tag), how(f), load()));
        break;
      case Kind::recv:
        keep(operations_.receive(l, communicator(state, l, scalar(Role::comm)),
                                 named(matched(0, mpi::kAnySource, scalar(Role::peer))),
                                 matched(1, mpi::kAnyTag, scalar(Role::tag)), true, load()));
        break;
      case Kind::sendrecv: {
        const auto& comm = communicator(state, l, scalar(Role::comm));
        // Sendrecv_replace has one buffer and still two peers and two tags.
        keep(operations_.receive(l, comm, matched(0, mpi::kAnySource, second(Role::peer)),
                                 matched(1, mpi::kAnyTag, second(Role::tag)), true,
                                 load_of(value(f.find_last(Role::count)), value(f.find_last(Role::datatype)))));
        keep(operations_.send(l, comm, scalar(Role::peer), scalar(Role::tag), how(f), load()));
        break;
      }
      case Kind::match: {
        const int flag = f.find(Role::flag);
        if (flag >= 0 && value(flag) == 0) break;
        const auto id = operations_.receive(l, communicator(state, l, scalar(Role::comm)),
                                            matched(0, mpi::kAnySource, scalar(Role::peer)),
                                            matched(1, mpi::kAnyTag, scalar(Role::tag)), false);
        state.message[scalar(Role::message)] = id;
        operations_.wait(id);
        break;
      }
      case Kind::recv_matched: {
        const auto found = state.message.find(scalar(Role::message));
        if (found != state.message.end()) {
          operations_.take(found->second);
          state.held.push_back(found->second);
          state.message.erase(found);
        }
        if (f.nonblocking) state.request.erase(scalar(Role::request));  // it is there already
        break;
      }
      case Kind::send_init:
      case Kind::recv_init: {
        const auto& comm = communicator(state, l, scalar(Role::comm));
        auto& made =
            state.persistent[scalar(Role::request)] = {&f, &comm, scalar(Role::peer), scalar(Role::tag), load()};
        if (!f.partitioned) break;
        made.partitions = scalar(Role::integer);
        made.number = state.rank.partitioned[{comm.identity, made.peer, made.tag, f.kind == Kind::send_init}]++;
        break;
      }
      case Kind::collective_init: {  // matched in this order, started in any
        const auto& comm = communicator(state, l, scalar(Role::comm));
        const auto number = state.rank.inits[comm.all()]++;
        state.persistent[scalar(Role::request)] = {
            &f, &comm, 0, 0, {}, 0, 0, collective(comm), comm.all() ^ (number + 1) << 40};
        break;
      }
      case Kind::start: {
        bool all = true;
        if (f.find(Role::request) >= 0) all = settled(scalar(Role::request));
        for (const auto slot : array(Role::requests)) all = settled(slot) && all;
        if (!all) break;
        const auto begin = [&](std::int64_t slot) {
          const auto found = state.persistent.find(slot);
          if (found == state.persistent.end()) return;
          const auto& [function, comm, whom, tag, amount, partitions, number, means, meeting] = found->second;
          const auto peer = state.peer_of(slot, whom);
          state.request.erase(slot);
          if (function->kind == Kind::collective_init) {
            state.request.emplace(slot,
                                  operations_.meet(l, *comm, means, meeting, static_cast<std::size_t>(comm->all_size()),
                                                   waits(*function, *comm, means.root)));
            return;
          }
          if (partitions > 0) {
            if (function->kind == Kind::send_init) {
              state.unready[slot] = partitions;
            } else {
              for (const bool begun : {true, false})
                state.request.emplace(slot, operations_.receive(l, *comm, peer, partitioned(tag, number, begun)));
            }
            return;
          }
          const auto any = [](std::int64_t given, std::int64_t wildcard) {
            return given == wildcard ? kUnknown : given;
          };
          state.request.emplace(slot, function->kind == Kind::send_init
                                          ? operations_.send(l, *comm, peer, tag, how(*function), amount)
                                          : operations_.receive(l, *comm, any(peer, mpi::kAnySource),
                                                                any(tag, mpi::kAnyTag), true, amount));
        };
        if (f.find(Role::request) >= 0) begin(scalar(Role::request));
        for (const auto slot : array(Role::requests)) begin(slot);
        break;
      }
      case Kind::cancel:
        if (scalar(Role::integer) != mpi::value_of(mpi::CancelOutcome::received)) break;
        for (auto [at, end] = state.request.equal_range(scalar(Role::request)); at != end; ++at)
          operations_.wait(at->second);
        break;
      case Kind::ask:
        if (value(f.find(Role::flag)) == 0) break;
        for (auto [at, end] = state.request.equal_range(scalar(Role::request)); at != end; ++at) {
          const bool open = operations_.is_open_send(at->second);
          send_tested_ |= open;
          if (!open || tests_ == Tests::wait) operations_.wait(at->second);
          if (f.partitioned) break;  // the first part is as good as another
        }
        break;
      case Kind::request_free:  // whatever it stands for goes on
        if (!settled(scalar(Role::request))) break;
        state.persistent.erase(scalar(Role::request));
        state.request.erase(scalar(Role::request));
        break;
      case Kind::probe:
        if (const int flag = f.find(Role::flag); flag < 0 || value(flag) == 1)
          keep(operations_.probe(l, communicator(state, l, scalar(Role::comm)),
                                 matched(0, mpi::kAnySource, scalar(Role::peer)),
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
        if (!deferred.sends.empty()) state.deferred.add(std::move(deferred), operations_);
        break;
      case Kind::finalize:
        settled({});
        break;
      case Kind::collective: {
        const auto& comm = communicator(state, l, scalar(Role::comm));
        const auto call = collective(comm);
        keep(operations_.meet(l, comm, call, waits(f, comm, call.root)));
        break;
      }
      case Kind::comm_create: {
        const auto& comm = communicator(state, l, scalar(Role::comm));
        if (f.find(Role::tag) >= 0 && f.find(Role::group) >= 0) {  // the members of the group only
          const auto& members = skeleton_.arrays.at(static_cast<std::size_t>(scalar(Role::group)));
          const auto group = groups_.try_emplace(members, groups_.size()).first->second;
          const auto tag = static_cast<std::uint64_t>(scalar(Role::tag));
          keep(operations_.meet(l, comm, {state.call}, comm.identity ^ (group + 1) << 32 ^ (tag + 1) << 8,
                                members.size()));
        } else if (comms(f) == 2) {  // two groups, known by what they make
          if (create(scalar(Role::newcomm)))
            keep(operations_.meet(l, communicator(state, l, scalar(Role::newcomm)), {state.call}));
          break;
        } else {
          keep(operations_.meet(l, comm, {state.call}));
        }
        create(scalar(Role::newcomm));
        break;
      }
      case Kind::comm_free:
        state.rank.communicator.erase(scalar(Role::comm));
        break;
      case Kind::win_create:
      case Kind::file_open: {
        keep(operations_.meet(l, communicator(state, l, scalar(Role::comm)), {state.call}));
        auto& shared = f.kind == Kind::win_create ? state.rank.windows : state.rank.files;
        if (const auto slot = scalar(f.kind == Kind::win_create ? Role::win : Role::file); slot >= 0)
          shared.index[slot] = shared.created++;
        break;
      }
      case Kind::win_free:
      case Kind::win_fence: {
        const auto& own = window(l, scalar(Role::win));
        keep(operations_.meet(l, own, {state.call}, waits(f, own, 0)));
        break;
      }
      case Kind::file_close:
      case Kind::file_collective: {
        const auto& own = shared(l, scalar(Role::file), state.rank.files, &skeleton::LocationData::files, "file");
        keep(operations_.meet(l, own, {state.call}, waits(f, own, 0)));
        break;
      }
      case Kind::local:
        if (!f.partitioned) break;
        if (f.find(Role::integers) >= 0)  // so many
          ready(l, scalar(Role::request), scalar(Role::integer));
        else  // from the first to the last
          ready(l, scalar(Role::request), value(f.find_last(Role::integer)) - scalar(Role::integer) + 1);
        break;
      case Kind::detach:
        keep(operations_.drain(l));
        break;
      case Kind::win_post: {
        const auto& own = window(l, scalar(Role::win));
        const auto& members = skeleton_.arrays.at(static_cast<std::size_t>(scalar(Role::group)));
        for (const auto other : members)
          state.held.push_back(operations_.send(l, own, rank_in(l, own, other), kWinPosted, Sending::notice));
        state.posted[scalar(Role::win)] = members;
        break;
      }
      case Kind::win_start:
        state.started[scalar(Role::win)] = skeleton_.arrays.at(static_cast<std::size_t>(scalar(Role::group)));
        break;
      case Kind::win_complete: {
        const auto& own = window(l, scalar(Role::win));
        for (const auto other : state.started[scalar(Role::win)]) {
          keep(operations_.receive(l, own, rank_in(l, own, other), kWinPosted));
          state.held.push_back(operations_.send(l, own, rank_in(l, own, other), kWinCompleted, Sending::notice));
        }
        break;
      }
      case Kind::win_wait: {
        if (const int flag = f.find(Role::flag); flag >= 0 && value(flag) == 0) break;
        const auto& own = window(l, scalar(Role::win));
        for (const auto other : state.posted[scalar(Role::win)])
          keep(operations_.receive(l, own, rank_in(l, own, other), kWinCompleted));
        break;
      }
      case Kind::opaque:
      case Kind::environment:
      case Kind::attach:
      case Kind::type_create:
      case Kind::type_free:
      case Kind::op_create:
      case Kind::op_free:
      case Kind::win_attach:
      case Kind::win_detach:
      case Kind::rma:
      case Kind::win_local:
      case Kind::file_local:
      case Kind::file_delete:
      case Kind::init:
      case Kind::abort:
        break;
    }
  }

  /// So many more parts of a partitioned message are ready. It is sent with the last one.
  void ready(std::uint32_t l, std::int64_t slot, std::int64_t parts) {
    auto& state = states_[l];
    const auto unready = state.unready.find(slot);
    const auto found = state.persistent.find(slot);
    if (unready == state.unready.end() || found == state.persistent.end() || parts <= 0) return;
    const auto& message = found->second;
    const auto send = [&](bool begun, Sending how) {
      return operations_.send(l, *message.comm, message.peer, partitioned(message.tag, message.number, begun), how);
    };
    if (unready->second == message.partitions) state.held.push_back(send(true, Sending::notice));
    unready->second -= parts;
    if (unready->second > 0) return;
    state.unready.erase(unready);
    state.request.emplace(slot, send(false, mpi_ == Mpi::waits ? Sending::synchronous : Sending::notice));
  }

  const skeleton::Communicator& window(std::uint32_t l, std::int64_t slot) const {
    return shared(l, slot, states_[l].rank.windows, &skeleton::LocationData::windows, "window");
  }
  const skeleton::Communicator& shared(std::uint32_t l, std::int64_t slot, const RankState::Shared& made,
                                       std::vector<skeleton::Communicator> skeleton::LocationData::*list,
                                       const char* what) const {
    const auto& all = skeleton_.locations[states_[l].rank.main].*list;
    const auto found = made.index.find(slot);
    if (found == made.index.end() || found->second >= all.size()) refuse(l, what, slot);
    return all[found->second];
  }
  std::int64_t rank_in(std::uint32_t l, const skeleton::Communicator& shared, std::int64_t world) const {
    for (const auto& [rank, location] : members_.at(shared.identity))
      if (skeleton_.locations[location].where.rank == world) return rank;
    refuse(l, "a window without rank", world);
  }

  static std::ptrdiff_t comms(const mpi::Function& f) {
    return std::ranges::count(f.parameters, Role::comm, &mpi::Parameter::role);
  }

  const skeleton::Skeleton& skeleton_;
  const skeleton::Places* const places_;
  const Mpi mpi_;
  const Tests tests_;
  bool send_tested_ = false;  ///< a test or query named a send whose receive had not been posted
  std::uint64_t calls_left_;
  const std::uint64_t most_messages_;
  std::deque<RankState> ranks_;
  std::deque<State> states_;
  Operations operations_;
  Members members_;
  std::map<std::vector<std::int64_t>, std::uint64_t> groups_;  ///< of MPI_Comm_create_group: members -> number
};

}  // namespace

Deadlock check_deadlock(const skeleton::Skeleton& skeleton, const skeleton::Places* places, const Effort& most) {
  const auto short_loops = shortened(skeleton);
  const auto ended = ended_by_cancel(skeleton, short_loops, most);
  if (!ended) return too_many_calls();
  const auto simulation = [&](Mpi mpi, Tests tests = Tests::wait) {
    return Simulation(skeleton, places, most, short_loops, *ended, mpi, tests);
  };
  Simulation waiting = simulation(Mpi::waits);
  const Deadlock strict = waiting.run();
  if (strict.safe || !strict.checked || strict.clash) return strict;
  if (waiting.send_tested()) {
    Deadlock deferring = simulation(Mpi::waits, Tests::go_on).run();
    deferring.tests_go_on = true;
    if (deferring.safe) return deferring;
  }
  const Deadlock loose = simulation(Mpi::goes_on).run();
  return loose.certain ? loose : strict;
}

}  // namespace skelgen::emit
