#include "merge/rules.h"

#include <algorithm>
#include <vector>

#include "skeleton/groups.h"

namespace skelgen::merge {

using skeleton::RankRule;

std::optional<RankRule> find_rule(std::span<const Peer> peers) {
  if (peers.empty()) return {};
  const Peer& p = peers.front();
  if (p.size < 1) return {};
  using Kind = RankRule::Kind;
  const std::int64_t up = ((p.value - p.rank) % p.size + p.size) % p.size, down = up - p.size;
  const bool nearer_up = up <= -down;
  for (const RankRule& rule :
       {RankRule{Kind::constant, p.value}, RankRule{Kind::plus, p.value - p.rank},
        RankRule{Kind::plus_mod, nearer_up ? up : down}, RankRule{Kind::plus_mod, nearer_up ? down : up},
        RankRule{Kind::exclusive_or, p.value ^ p.rank}}) {
    const auto holds = [&](const Peer& q) { return q.size > 0 && rule.at(q.rank, q.size) == q.value; };
    if (std::all_of(peers.begin(), peers.end(), holds)) return rule;
  }
  return {};
}

std::optional<skeleton::RankRule> find_rule(const normalize::Normalized& normalized,
                                            std::span<const std::uint32_t> where, const skeleton::Call& call,
                                            const skeleton::Argument& peers) {
  std::vector<Peer> all;
  for (std::size_t p = 0; p < where.size(); ++p) {
    const skeleton::Sequence& sequence = peers.of(p);
    if (sequence.kind == skeleton::Sequence::Kind::arithmetic) return {};
    const auto groups = skeleton::groups_of_peers(call, p, normalized.locations[where[p]]);
    for (const std::int64_t v : sequence.values) {
      if (v < 0) continue;
      if (groups.empty()) return {};
      for (const normalize::Communicator* own : groups) {
        if (own->inter()) return {};
        all.push_back({own->rank, own->size, v});
      }
    }
  }
  return find_rule(all);
}

}  // namespace skelgen::merge
