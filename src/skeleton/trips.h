#pragma once
// How often nodes are executed: total trips of loops over their executions, looked up where many locations have the same
// trips, equally often.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "skeleton/skeleton.h"

namespace skelgen::skeleton {

/// Results by trips and executions, each computed once. Refers to the trips.
template <class Result>
class ByTrips {
 public:
  const Result& of(const Sequence& trips, std::uint64_t executions, const auto& compute) {
    const auto [known, added] = known_.try_emplace({&trips, executions});
    if (added) known->second = compute();
    return known->second;
  }

 private:
  std::map<std::pair<const Sequence*, std::uint64_t>, Result> known_;
};

/// Iterations of all executions together.
class Iterations {
 public:
  std::int64_t of(const Sequence& trips, std::uint64_t executions) {
    return sums_.of(trips, executions, [&] { return trips.sum(executions); });
  }

 private:
  ByTrips<std::int64_t> sums_;
};

/// Calls visit(node, executions) for all nodes of a block, loops before their bodies. The latter: by position in Node::where,
/// how often each location executes the node, if location l executes the block times[l] times. O(nodes x locations).
template <class Nodes, class Visit>
void each_node(Nodes&& block, const std::vector<std::uint64_t>& times, const Visit& visit) {
  for (auto& node : block) {
    std::vector<std::uint64_t> executions;
    for (const std::uint32_t l : node.where) executions.push_back(times[l]);
    visit(node, std::as_const(executions));
    if (!node.is_loop()) continue;
    std::vector<std::uint64_t> inside(times.size(), 0);
    Iterations iterations;
    for (std::size_t p = 0; p < node.where.size(); ++p)
      inside[node.where[p]] = static_cast<std::uint64_t>(iterations.of(node.loop().trips.of(p), executions[p]));
    each_node(node.loop().body, inside, visit);
  }
}
/// The nodes of a whole program: each location executes it once.
template <class Program, class Visit>
void each_node(Program& skeleton, const Visit& visit) {
  each_node(skeleton.program, std::vector<std::uint64_t>(skeleton.locations.size(), 1), visit);
}

}  // namespace skelgen::skeleton
