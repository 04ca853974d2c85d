#include "merge/rules.h"

#include <algorithm>

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

}  // namespace skelgen::merge
