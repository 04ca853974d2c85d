#include "skeleton/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>

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
      return fmt::format("rank^{}", rule.c);
    case RankRule::Kind::transposed:
      return fmt::format("transposed({})", rule.c);
    case RankRule::Kind::row:
      return fmt::format("rank/{}", rule.c);
    case RankRule::Kind::column:
      return fmt::format("rank%{}", rule.c);
    case RankRule::Kind::neighbour:
      break;
  }
  return fmt::format("neighbour({},{})", rule.dimension, rule.c);
}

namespace {

/// rule_at(). beyond: what is no rank of the group is MPI_PROC_NULL.
std::optional<std::int64_t> value_in_all(const Skeleton& skeleton, const Call& call, std::size_t position,
                                         std::uint32_t l, const RankRule& rule, bool beyond) {
  std::optional<std::int64_t> value;
  for (const Communicator* c : groups_of_peers(call, position, skeleton.locations[l])) {
    auto now = rule.at(*c);
    if (now && beyond && (*now < 0 || *now >= c->size)) now = mpi::kProcNull;
    if (!now || (value && value != now)) return {};
    value = now;
  }
  return value;
}

}  // namespace

std::optional<std::int64_t> rule_at(const Skeleton& skeleton, const Call& call, std::size_t position, std::uint32_t l,
                                    const RankRule& rule) {
  return value_in_all(skeleton, call, position, l, rule, false);
}

bool holds(const Skeleton& skeleton, const Call& call, std::size_t position, std::uint32_t l, const Argument& argument,
           Edges edges) {
  const RankRule& rule = *argument.rule;
  const Sequence& peers = argument.of(position);
  const bool arithmetic = peers.kind == Sequence::Kind::arithmetic;
  if (arithmetic && peers.values[1] != 0) return false;
  const bool exact = edges == Edges::named || rule.kind == RankRule::Kind::neighbour;
  const bool beyond = edges == Edges::named && rule.kind == RankRule::Kind::plus;
  const auto value = value_in_all(skeleton, call, position, l, rule, beyond);
  const auto named = std::span(peers.values).first(arithmetic ? 1 : peers.values.size());
  return std::ranges::all_of(named, [&](std::int64_t peer) { return peer == value || (peer < 0 && !exact); });
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
