#include "merge/rules.h"

#include <algorithm>
#include <vector>

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

namespace {

// nullptr if the slot held communicators of different size or with another rank of this location: which one a
// statement used is not known.
const normalize::Communicator* communicator(const normalize::LocationCalls& location, const skeleton::Sequence& slot) {
  const normalize::Communicator* found = nullptr;
  if (slot.kind != skeleton::Sequence::Kind::constant) return nullptr;
  for (const normalize::Communicator& c : location.communicators) {
    if (c.slot != slot.values[0]) continue;
    if (found && (found->size != c.size || found->rank != c.rank)) return nullptr;
    found = &c;
  }
  return found;
}

}  // namespace

std::optional<skeleton::RankRule> find_rule(const normalize::Normalized& normalized,
                                            std::span<const std::uint32_t> where, const skeleton::Argument& peers,
                                            const skeleton::Argument& comm) {
  std::vector<Peer> all;
  for (std::size_t p = 0; p < where.size(); ++p) {
    const skeleton::Sequence& sequence = peers.of(p);
    if (sequence.kind == skeleton::Sequence::Kind::arithmetic) return {};
    const normalize::Communicator* own = communicator(normalized.locations[where[p]], comm.of(p));
    for (const std::int64_t v : sequence.values) {
      if (v < 0) continue;
      if (!own || own->inter()) return {};
      all.push_back({own->rank, own->size, v});
    }
  }
  return find_rule(all);
}

}  // namespace skelgen::merge
