#include "build/shape.h"

#include <algorithm>
#include <map>
#include <vector>

namespace skelgen::build {
namespace {

using skeleton::Block;
using skeleton::Compute;
using skeleton::Node;
using skeleton::Sequence;

/// Sum and maximum of a trip count over its first `executions` values, and how many of them are not 0.
struct Trips {
  std::uint64_t sum = 0, most = 0, entered = 0;
};
Trips trips_of(const Sequence& sequence, std::uint64_t executions) {
  if (executions == 0) return {};
  const auto last = static_cast<std::size_t>(std::min<std::uint64_t>(executions, sequence.values.size()));
  const std::int64_t most = sequence.kind == Sequence::Kind::arithmetic
                                ? std::max(sequence.at(0), sequence.at(executions - 1))
                                : *std::max_element(sequence.values.begin(), sequence.values.begin() + last);
  return {static_cast<std::uint64_t>(sequence.sum(executions)), static_cast<std::uint64_t>(most),
          sequence.positive(executions)};
}

double mean(const Compute& compute, std::size_t position) {
  return position < compute.mean_s.size() ? compute.mean_s[position] : 0;
}

/// Walks one location's program, or one block of it, executed `executions` times.
class TimeWalk {
 public:
  explicit TimeWalk(std::uint32_t location) : location_(location) {}

  /// Visits loops in the same order for every location: `loops[i]` gets the time of the i-th loop node of the program.
  double block(const Block& nodes, std::uint64_t executions, std::vector<double>& loops,
               std::vector<std::uint64_t>& most) {
    double sum = 0;
    for (const auto& node : nodes) sum += this->node(node, executions, loops, most);
    return sum;
  }

 private:
  double node(const Node& node, std::uint64_t executions, std::vector<double>& loops,
              std::vector<std::uint64_t>& most) {
    const int found = node.position(location_);
    const auto position = static_cast<std::size_t>(found);
    const bool executed = found >= 0 && executions > 0;
    if (!node.is_loop()) {
      if (!executed) return 0;
      const auto& durations = node.call().duration_s;
      const double each = mean(node.before, position) + (position < durations.size() ? durations[position] : 0);
      return each * static_cast<double>(executions);
    }
    const auto index = next_++;
    if (loops.size() <= index) {
      loops.resize(index + 1);
      most.resize(index + 1);
    }
    const auto& loop = node.loop();
    const auto trips = executed ? trips_of(loop.trips.of(position), executions) : Trips{};
    double inside = block(loop.body, trips.sum, loops, most);
    if (executed) {
      // The first iterations' computation stands in `before`, that of later ones in `between`.
      inside += mean(loop.between, position) * static_cast<double>(trips.sum - trips.entered) +
                mean(node.before, position) * static_cast<double>(executions);
    }
    loops[index] += inside;
    most[index] = std::max(most[index], trips.most);
    return inside;
  }

  std::uint32_t location_;
  std::size_t next_ = 0;
};

void collect_loops(const Block& nodes, std::vector<const Node*>& loops) {
  for (const auto& node : nodes)
    if (node.is_loop()) {
      loops.push_back(&node);
      collect_loops(node.loop().body, loops);
    }
}

/// executions[p]: how often the p-th location of `where` executes the block.
std::uint64_t unrolled(const Block& nodes, const std::vector<std::uint64_t>& executions) {
  std::uint64_t sum = 0;
  for (const auto& node : nodes) {
    std::uint64_t most = 0;
    std::vector<std::uint64_t> inside(executions.size(), 0);
    for (std::size_t p = 0; p < node.where.size(); ++p) {
      const auto times = executions[node.where[p]];
      most = std::max(most, times);
      if (node.is_loop()) inside[node.where[p]] = trips_of(node.loop().trips.of(p), times).sum;
    }
    sum += node.is_loop() ? unrolled(node.loop().body, inside) : most;
  }
  return sum;
}

}  // namespace

MainLoop main_loop(const skeleton::Skeleton& skeleton) {
  std::vector<double> seconds;
  std::vector<std::uint64_t> trips;
  double all = 0;
  for (std::uint32_t location = 0; location < skeleton.locations.size(); ++location)
    all += TimeWalk(location).block(skeleton.program, 1, seconds, trips);
  std::vector<const Node*> loops;
  collect_loops(skeleton.program, loops);
  if (loops.empty()) return {};
  for (std::size_t l = 0; l < loops.size(); ++l)
    if (trips[l] < 2) seconds[l] = 0;  // calls that are made or not, no loop for people
  const auto best = static_cast<std::size_t>(std::max_element(seconds.begin(), seconds.end()) - seconds.begin());
  if (trips[best] < 2) return {};
  return {skeleton::length(loops[best]->loop().body), trips[best], all > 0 ? seconds[best] / all : 0};
}

std::uint64_t unrolled_length(const skeleton::Skeleton& skeleton) {
  return unrolled(skeleton.program, std::vector<std::uint64_t>(skeleton.locations.size(), 1));
}

void visit_calls(const Block& block, const std::vector<std::uint64_t>& executions,
                 const std::function<void(const skeleton::Call&, std::uint64_t)>& visit) {
  for (const auto& node : block) {
    std::vector<std::uint64_t> inside(node.is_loop() ? executions.size() : 0, 0);
    std::uint64_t sum = 0;
    for (std::size_t p = 0; p < node.where.size(); ++p) {
      const auto times = executions[node.where[p]];
      sum += times;
      if (node.is_loop()) inside[node.where[p]] = static_cast<std::uint64_t>(node.loop().trips.of(p).sum(times));
    }
    if (node.is_loop())
      visit_calls(node.loop().body, inside, visit);
    else
      visit(node.call(), sum);
  }
}

std::map<std::string, std::uint64_t> calls_by_function(const skeleton::Skeleton& skeleton) {
  std::map<std::string, std::uint64_t> calls;
  visit_calls(
      skeleton.program, std::vector<std::uint64_t>(skeleton.locations.size(), 1),
      [&](const skeleton::Call& call, std::uint64_t times) { calls[std::string(call.function->name)] += times; });
  return calls;
}

}  // namespace skelgen::build
