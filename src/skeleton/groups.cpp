#include "skeleton/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace skelgen::skeleton {

std::string formula(const RankRule& rule) {
  const std::string shifted = rule.c == 0 ? "rank" : fmt::format("rank{:+}", rule.c);
  switch (rule.kind) {
    case RankRule::Kind::constant:
      return std::to_string(rule.c);
    case RankRule::Kind::plus:
      return shifted;
    case RankRule::Kind::plus_mod:
      return fmt::format("({})%size", shifted);
    case RankRule::Kind::exclusive_or:
      break;
  }
  return fmt::format("rank^{}", rule.c);
}

std::optional<std::int64_t> rule_at(const Skeleton& skeleton, const Call& call, std::size_t position, std::uint32_t l,
                                    const RankRule& rule) {
  std::optional<std::int64_t> value;
  for (const Communicator* c : groups_of_peers(call, position, skeleton.locations[l])) {
    const std::int64_t now = rule.at(c->rank, c->size);
    if (value && *value != now) return {};
    value = now;
  }
  return value;
}

std::pair<std::int64_t, std::int64_t> ranks_of(const Sequence& peers) {
  if (peers.kind == Sequence::Kind::arithmetic && peers.values[1] != 0) return {0, INT64_MAX};
  std::int64_t least = -1, most = -1;
  for (const std::int64_t v : peers.values) {
    if (v < 0 || (peers.kind == Sequence::Kind::arithmetic && v != peers.values[0])) continue;
    least = least < 0 ? v : std::min(least, v);
    most = std::max(most, v);
  }
  return {least, most};
}

}  // namespace skelgen::skeleton
