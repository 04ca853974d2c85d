#include "emit/timing.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "skeleton/trips.h"

namespace skelgen::emit {

using skeleton::Node;
using skeleton::Sequence;

bool is_constant(const Sequence& sequence) { return sequence.kind == Sequence::Kind::constant; }

Timing::Timing(const skeleton::Skeleton& skeleton) : locations_(skeleton.locations.size()) {
  const std::vector<std::uint64_t> once(locations_, 1);
  for (const auto& node : skeleton.program) {
    const auto& seconds = visit(node, once);
    total_ += std::accumulate(seconds.begin(), seconds.end(), 0.0);
  }
  for (const auto& pool : skeleton.pools)
    for (const auto& node : pool.body) visit(node, std::vector<std::uint64_t>(locations_, pool.ends.size()));
}

const std::vector<std::uint64_t>& Timing::occurrences(const Node& node, bool between) const {
  return between ? of(node).between : of(node).occurrences;
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
  struct Counts {
    std::uint64_t trips, entered;  // of all executions; executions with a trip at least
  };
  skeleton::ByTrips<Counts> executions;
  for (std::size_t at = 0; at < node.where.size(); ++at) {
    const auto times = timing.occurrences[at];
    add(node.before.mean_s, at, static_cast<double>(times));
    if (!node.is_loop()) {
      add(node.call().duration_s, at, static_cast<double>(times));
      continue;
    }
    const Sequence& sequence = node.loop().trips.of(at);
    const auto [trips, entered] = executions.of(sequence, times, [&] {
      return Counts{static_cast<std::uint64_t>(sequence.sum(times)), sequence.positive(times)};
    });
    inside[node.where[at]] = trips;
    timing.between.push_back(trips - entered);
    if (trips > entered) add(node.loop().between.mean_s, at, static_cast<double>(trips - entered));
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
