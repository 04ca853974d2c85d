#include "emit/timing.h"

#include <algorithm>
#include <numeric>

namespace skelgen::emit {

using skeleton::Node;
using skeleton::Sequence;

std::int64_t sum_of(const Sequence& sequence, std::uint64_t n) {
  const auto& v = sequence.values;
  const auto count = static_cast<std::int64_t>(n);
  switch (sequence.kind) {
    case Sequence::Kind::constant:
      return v[0] * count;
    case Sequence::Kind::arithmetic:
      return v[0] * count + v[1] * (count * (count - 1) / 2);
    case Sequence::Kind::periodic: {
      const auto whole = std::accumulate(v.begin(), v.end(), std::int64_t{0});
      const auto rest = static_cast<std::ptrdiff_t>(n % v.size());
      return whole * static_cast<std::int64_t>(n / v.size()) +
             std::accumulate(v.begin(), v.begin() + rest, std::int64_t{0});
    }
    case Sequence::Kind::table:
      break;
  }
  return std::accumulate(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(n, v.size())),
                         std::int64_t{0});
}

bool is_constant(const Sequence& sequence) { return sequence.kind == Sequence::Kind::constant; }

Timing::Timing(const skeleton::Skeleton& skeleton) : locations_(skeleton.locations.size()) {
  const std::vector<std::uint64_t> once(locations_, 1);
  for (const auto& node : skeleton.program) {
    const auto& seconds = visit(node, once);
    total_ += std::accumulate(seconds.begin(), seconds.end(), 0.0);
  }
}

double Timing::total(const Node& node) const {
  const auto& seconds = of(node).seconds;
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

/// `occurrences`: by location, of the block that the node stands in.
const std::vector<double>& Timing::visit(const Node& node, const std::vector<std::uint64_t>& occurrences) {
  NodeTiming timing;
  for (const auto l : node.where) timing.occurrences.push_back(occurrences[l]);
  timing.seconds.assign(node.where.size(), 0);
  const auto add = [&](const std::vector<double>& mean, std::size_t at, double times) {
    if (!mean.empty()) timing.seconds[at] += mean[at] * times;
  };
  std::vector<std::uint64_t> inside;
  if (node.is_loop()) inside.assign(locations_, 0);
  for (std::size_t at = 0; at < node.where.size(); ++at) {
    const auto times = timing.occurrences[at];
    add(node.before.mean_s, at, static_cast<double>(times));
    if (!node.is_loop()) {
      add(node.call().duration_s, at, static_cast<double>(times));
      continue;
    }
    const auto trips = static_cast<std::uint64_t>(sum_of(node.loop().trips.of(at), times));
    inside[node.where[at]] = trips;
    if (trips > times) add(node.loop().between.mean_s, at, static_cast<double>(trips - times));
  }
  if (node.is_loop()) {
    std::vector<double> body(locations_, 0);
    for (const auto& child : node.loop().body) {
      const auto& seconds = visit(child, inside);
      for (std::size_t at = 0; at < child.where.size(); ++at) body[child.where[at]] += seconds[at];
    }
    for (std::size_t at = 0; at < node.where.size(); ++at) timing.seconds[at] += body[node.where[at]];
  }
  return nodes_.insert_or_assign(&node, std::move(timing)).first->second.seconds;
}

}  // namespace skelgen::emit
