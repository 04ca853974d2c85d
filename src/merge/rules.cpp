#include "merge/rules.h"

#include <algorithm>
#include <vector>

#include "skeleton/groups.h"

namespace skelgen::merge {

using skeleton::RankRule;

namespace {

bool gives(const RankRule& rule, const Peer& peer) { return rule.at(*peer.comm) == peer.value; }

/// The same with MPI_PROC_NULL where r + c is no rank.
bool gives_named(const RankRule& rule, const Peer& peer) {
  const auto value = rule.at(*peer.comm);
  const bool beyond = rule.kind == RankRule::Kind::plus && value && (*value < 0 || *value >= peer.comm->size);
  return beyond ? peer.value == mpi::kProcNull : value == peer.value;
}

std::optional<RankRule> neighbour_rule(std::span<const Peer> peers) {
  const auto found = mpi::find_neighbour(peers);
  if (!found) return {};
  return RankRule{RankRule::Kind::neighbour, found->displacement, found->dimension};
}

}  // namespace

std::optional<RankRule> find_rule(std::span<const Peer> peers) {
  const auto is_rank = [](const Peer& peer) { return peer.value >= 0; };
  const auto first = std::ranges::find_if(peers, is_rank);
  if (first == peers.end() || first->comm->size < 1) return {};
  const bool edges = !std::ranges::all_of(peers, is_rank);
  if (edges)
    if (const auto neighbour = neighbour_rule(peers)) return neighbour;
  const auto& [comm, value] = *first;
  using Kind = RankRule::Kind;
  const std::int64_t up = ((value - comm->rank) % comm->size + comm->size) % comm->size, down = up - comm->size;
  const bool nearer_up = up <= -down;
  std::vector<RankRule> rules{RankRule{Kind::constant, value}, RankRule{Kind::plus, value - comm->rank},
                              RankRule{Kind::plus_mod, nearer_up ? up : down},
                              RankRule{Kind::plus_mod, nearer_up ? down : up},
                              RankRule{Kind::exclusive_or, value ^ comm->rank}};
  for (const Kind kind : {Kind::transposed, Kind::row, Kind::column})
    for (std::int64_t c = 2; c <= comm->size / 2; ++c)
      if (comm->size % c == 0) rules.push_back({kind, c});
  const auto gives_all = [&](const RankRule& rule) {
    return std::ranges::all_of(peers, [&](const Peer& peer) { return gives_named(rule, peer); });
  };
  const auto gives_ranks = [&](const RankRule& rule) {
    return std::ranges::all_of(peers, [&](const Peer& peer) { return !is_rank(peer) || gives(rule, peer); });
  };
  if (edges)
    if (const auto all = std::ranges::find_if(rules, gives_all); all != rules.end()) return *all;
  if (const auto ranks = std::ranges::find_if(rules, gives_ranks); ranks != rules.end()) return *ranks;
  return edges ? std::nullopt : neighbour_rule(peers);
}

std::optional<RankRule> find_rule(const normalize::Normalized& normalized, std::span<const std::uint32_t> where,
                                  const skeleton::Call& call, const skeleton::Argument& peers) {
  std::vector<Peer> all;
  for (std::size_t p = 0; p < where.size(); ++p) {
    const skeleton::Sequence& sequence = peers.of(p);
    if (sequence.kind == skeleton::Sequence::Kind::arithmetic) return {};
    const auto groups = skeleton::groups_of_peers(call, p, normalized.locations[where[p]]);
    for (const std::int64_t v : sequence.values) {
      if (v >= 0 && groups.empty()) return {};
      for (const normalize::Communicator* own : groups) {
        if (own->inter()) return {};
        all.push_back({own, v});
      }
    }
  }
  const auto rule = find_rule(all);
  const bool neighbour = rule && rule->kind == RankRule::Kind::neighbour;
  // The neighbours of one communicator have a name.
  if (neighbour &&
      call.arguments[static_cast<std::size_t>(skeleton::group_parameter(*call.function))].choices.size() > 1)
    return {};
  return rule;
}

}  // namespace skelgen::merge
