#include "build/shape.h"

#include <algorithm>
#include <numeric>

#include "emit/timing.h"
#include "skeleton/trips.h"

namespace skelgen::build {
namespace {

using skeleton::Node;
using skeleton::Sequence;
using Executions = std::vector<std::uint64_t>;

/// The largest of the first n > 0 values.
std::int64_t largest(const Sequence& sequence, std::uint64_t n) {
  if (sequence.kind == Sequence::Kind::arithmetic) return std::max(sequence.at(0), sequence.at(n - 1));
  const auto values = std::span(sequence.values).first(std::min<std::uint64_t>(n, sequence.values.size()));
  return std::ranges::max(values);
}

}  // namespace

MainLoop main_loop(const skeleton::Skeleton& skeleton) {
  const emit::Timing timing(skeleton);
  const Node* best = nullptr;
  std::int64_t trips = 0;
  each_node(skeleton, [&](const Node& node, const Executions& executions) {
    if (!node.is_loop()) return;
    std::int64_t most = 0;
    for (std::size_t p = 0; p < node.where.size(); ++p)
      if (executions[p] > 0) most = std::max(most, largest(node.loop().trips.of(p), executions[p]));
    if (most < 2) return;  // calls that are made or not, no loop for people
    if (best && timing.total(node) <= timing.total(*best)) return;
    best = &node;
    trips = most;
  });
  if (!best) return {};
  const double all = timing.total();
  return {skeleton::length(best->loop().body), static_cast<std::uint64_t>(trips),
          all > 0 ? timing.total(*best) / all : 0};
}

std::uint64_t unrolled_length(const skeleton::Skeleton& skeleton) {
  std::uint64_t length = 0;
  each_node(skeleton, [&](const Node& node, const Executions& executions) {
    if (!node.is_loop()) length += std::ranges::max(executions);
  });
  return length;
}

std::map<std::string, std::uint64_t> calls_by_function(const skeleton::Skeleton& skeleton) {
  std::map<std::string, std::uint64_t> calls;
  each_node(skeleton, [&](const Node& node, const Executions& executions) {
    if (!node.is_loop())
      calls[std::string(node.call().function->name)] +=
          std::accumulate(executions.begin(), executions.end(), std::uint64_t{0});
  });
  return calls;
}

}  // namespace skelgen::build
