#include "emit/simulated.h"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

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
