#include "emit/simulated.h"

#include <fmt/format.h>

#include <algorithm>

#include "skeleton/requests.h"
#include "support/error.h"

namespace skelgen::emit {
namespace {

std::string member(const skeleton::Skeleton& skeleton, const Members& members, const skeleton::Communicator& comm,
                   std::int64_t rank) {
  const auto group = members.find(comm.peers());  // none: a text does not say who they are
  if (group == members.end()) return fmt::format("rank {} of a communicator", rank);
  const auto found = group->second.find(static_cast<int>(rank));
  return fmt::format("rank {}", found == group->second.end() ? rank : skeleton.locations[found->second].where.rank);
}

/// The ranks that a meeting waits for, as far as a text says who its members are.
std::string missing(const skeleton::Skeleton& skeleton, const Members& members, const skeleton::Communicator& comm,
                    const std::vector<std::uint32_t>& present) {
  constexpr std::size_t kShown = 4;
  std::vector<Rank> absent;
  for (const auto identity : {comm.identity, comm.remote})
    if (const auto group = members.find(identity); group != members.end())
      for (const auto& [rank, location] : group->second)
        if (const Rank world = skeleton.locations[location].where.rank;
            std::ranges::none_of(present, [&](auto l) { return skeleton.locations[l].where.rank == world; }))
          absent.push_back(world);
  if (present.empty() || absent.empty() || absent.size() + present.size() != static_cast<std::size_t>(comm.all_size()))
    return fmt::format("the other ranks of a communicator of {}", comm.all_size());
  const std::size_t shown = std::min(absent.size(), kShown);
  auto text = fmt::format("rank{} {}", absent.size() > 1 ? "s" : "",
                          fmt::join(absent.begin(), absent.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < absent.size()) text += fmt::format(" and {} more", absent.size() - shown);
  return text + fmt::format(" of a communicator of {}", comm.all_size());
}

std::string describe(const skeleton::Skeleton& skeleton, const Members& members, const Operations& operations, Id id) {
  const Operation& operation = operations.all()[id];
  if (operation.what == Operation::What::turn)
    return fmt::format("its thread {} to make {} calls", operation.peer, operation.tag);
  if (operation.what == Operation::What::drain) return "its buffered messages to be received";
  if (operation.what == Operation::What::meeting)
    return missing(skeleton, members, *operation.comm, operations.present(id));
  const auto peer =
      operation.peer == kUnknown ? "any rank" : member(skeleton, members, *operation.comm, operation.peer);
  const bool shown = operation.tag >= 0 || operation.tag < partitioned(0, 0, false) / 2;
  const auto tag = shown ? fmt::format(" (tag {})", operation.tag & 0xffffffff) : "";
  return (operation.what == Operation::What::probe ? "a message of " : "") + peer + tag;
}

/// "rank 3 calls MPI_Reduce of MPI_SUM to root 0"
std::string describe(const skeleton::Skeleton& skeleton, const Clash::Side& side, const Collective& other) {
  auto text =
      fmt::format("rank {} calls {}", skeleton.locations[side.location].where.rank, side.call.call->function->name);
  if (const auto op = side.call.op; op != other.op)
    text += op >= 0 && op < static_cast<std::int64_t>(skeleton.names.size())
                ? " with " + skeleton.names[static_cast<std::size_t>(op)]
                : " with an operation of its own";
  if (side.call.root != other.root) text += fmt::format(" of root {}", side.call.root);
  return text;
}

/// Calls of a location that are over.
std::uint64_t made(const State& state, bool waits) { return state.calls - (waits && state.function ? 1 : 0); }

}  // namespace

std::vector<std::uint32_t> mains(const skeleton::Skeleton& skeleton) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l)
    all.push_back(skeleton.locations[l].where.thread == 0 || all.empty() ? l : all.back());
  return all;
}

std::optional<std::vector<EndedByCancel>> ended_by_cancel(const skeleton::Skeleton& skeleton,
                                                          const Shortened& shortened, const Effort& most) {
  std::vector<EndedByCancel> all(skeleton.locations.size());
  if (!skeleton::has(skeleton.program, mpi::Kind::cancel)) return all;
  std::uint64_t calls = 0, operations = 0;
  for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l) {
    std::map<std::int64_t, std::uint64_t> started;  // by request
    Cursor cursor(skeleton, l, shortened);
    std::uint64_t number = 0;
    while (const auto* call = cursor.next()) {
      if (++calls > most.calls || operations > most.messages) return {};
      ++number;
      const auto& f = *call->function;
      const auto value = [&](mpi::Role role) { return cursor.value(f.find(role)); };
      if (f.kind == mpi::Kind::cancel) {
        const auto slot = value(mpi::Role::request);
        const auto start = started.find(slot);
        if (value(mpi::Role::integer) != mpi::value_of(mpi::CancelOutcome::cancelled) || start == started.end())
          continue;
        all[l].emplace_back(start->second, slot);
        ++operations;
      } else if (f.kind == mpi::Kind::start && f.find(mpi::Role::requests) >= 0) {
        for (const auto slot : skeleton.arrays.at(static_cast<std::size_t>(value(mpi::Role::requests))))
          started[slot] = number;
      } else if (f.kind == mpi::Kind::start || (f.nonblocking && f.find(mpi::Role::request) >= 0)) {
        started[value(mpi::Role::request)] = number;
      }
    }
    std::ranges::sort(all[l]);
  }
  return all;
}

void tell(State& state, Operations& operations) {
  std::erase_if(state.awaited, [&](const auto& awaited) {
    const bool made = state.ended || awaited.first <= state.calls;
    if (made) operations.finish(awaited.second);
    return made;
  });
}

bool must_wait(const skeleton::Skeleton& skeleton, std::uint32_t l, std::deque<State>& states, Operations& operations) {
  auto& state = states[l];
  const auto& turns = skeleton.locations[l].turns;
  bool waits = false;
  for (; state.turn < turns.size() && turns[state.turn].call <= state.calls; ++state.turn) {
    const auto& [call, thread, calls] = turns[state.turn];
    const std::uint32_t other_l = state.rank.main + static_cast<std::uint32_t>(thread);
    auto& other = states[other_l];
    if (other.ended || made(other, operations.missing(other_l) > 0) >= calls) continue;
    state.held.push_back(operations.turn(l, thread, static_cast<std::int64_t>(calls)));
    other.awaited.emplace_back(calls, state.held.back());
    state.function = nullptr;
    waits = true;
  }
  return waits;
}

std::string place(const skeleton::Places& places, const skeleton::Call* call) {
  const auto line = call ? places.line(*call) : 0;
  return line ? fmt::format("{}:{}", places.file, line) : places.file;
}

void refuse_truncated(const skeleton::Places& places, const Truncated& truncated) {
  const auto& [receive, send] = truncated;
  throw Error(Code::corrupt, place(places, receive.call), {},
              fmt::format("{} takes {} bytes, but {} in line {} sends it {}", receive.call->function->name,
                          receive.bytes, send.call->function->name, places.line(*send.call), send.bytes),
              "make the receive larger");
}

Deadlock explain(const skeleton::Skeleton& skeleton, const Members& members, const std::deque<State>& states,
                 const Operations& operations) {
  Deadlock result;
  if (const auto& clash = operations.clash()) {
    const auto& [first, other] = *clash;
    result = {false,
              true,
              true,
              describe(skeleton, other, first.call) + " where " + describe(skeleton, first, other.call),
              {first.call.call}};
    if (other.call.call != first.call.call) result.calls.push_back(other.call.call);
    return result;
  }
  constexpr std::size_t kShown = 4;
  std::size_t blocked = 0;
  for (std::uint32_t l = 0; l < states.size(); ++l) {
    const auto& state = states[l];
    if (operations.missing(l) == 0) continue;
    result.safe = false;
    if (++blocked > kShown) continue;
    std::vector<std::string> whom;
    const auto& all = operations.all();
    for (Id id = 0; id < all.size(); ++id)
      if (all[id].active && all[id].owner == l && all[id].waited && whom.size() < 3)
        whom.push_back(describe(skeleton, members, operations, id));
    result.explanation +=
        fmt::format("{}rank {} waits in {} for {}", blocked > 1 ? "; " : "", skeleton.locations[l].where.rank,
                    state.function ? state.function->name : "its turn", fmt::join(whom, ", "));
    if (state.function && std::ranges::find(result.calls, state.call) == result.calls.end())
      result.calls.push_back(state.call);
  }
  if (blocked > kShown) result.explanation += fmt::format("; {} more ranks wait", blocked - kShown);
  return result;
}

}  // namespace skelgen::emit
