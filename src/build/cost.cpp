#include "build/cost.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "fold/fold.h"
#include "fold/joint.h"
#include "skeleton/trips.h"

namespace skelgen::build {
namespace {

using skeleton::Sequence;

constexpr std::size_t kBeyondMany = 8;  // a compiler takes some 6 ms for a statement: half a minute for kManyStatements
constexpr std::size_t kTable = 16;  // numbers that a table is worth: its declaration is a quarter of a statement's text
constexpr std::uint64_t kMostLookedAt = 1u << 24;  // calls, some seconds: is a main loop closed?

/// Calls of all locations in so many iterations of a loop that all of them execute.
std::uint64_t calls_in(const skeleton::Node& loop, std::uint64_t iterations) {
  const std::vector<std::uint64_t> times(loop.where.size(), iterations);
  std::uint64_t calls = 0;
  each_node(loop.loop().body, times, [&](const skeleton::Node& node, const std::vector<std::uint64_t>& executions) {
    if (!node.is_loop()) calls = std::accumulate(executions.begin(), executions.end(), calls);
  });
  return calls;
}

std::size_t tables_of(const skeleton::Argument& argument) {
  if (argument.rule) return 0;
  const auto lists =
      std::ranges::count_if(argument.choices, [](const Sequence& s) { return s.kind != Sequence::Kind::constant; });
  return static_cast<std::size_t>(lists) + (argument.choices.size() > 1);
}

void count(const skeleton::Block& block, Cost& cost) {
  for (const skeleton::Node& node : block) {
    ++cost.statements;
    if (!node.is_loop()) {
      ++cost.calls;
      for (const skeleton::Argument& argument : node.call().arguments) cost.tables += tables_of(argument);
      if (node.call().matched) cost.tables += tables_of(*node.call().matched);
      continue;
    }
    const skeleton::Argument& trips = node.loop().trips;
    cost.tables += tables_of(trips);
    cost.lists = cost.lists || std::ranges::count(trips.choices, Sequence::Kind::table, &Sequence::kind) > 0;
    count(node.loop().body, cost);
  }
}

/// Of what runs of a loop that is cut by K: iterations of each execution that always run, and 1 / K of the others, one at least.
bool is_short(std::uint64_t executions, std::uint64_t iterations, const skeleton::Ends& ends) {
  constexpr double kScale = 10, kShort = 0.25;
  const auto times = static_cast<double>(executions), all = static_cast<double>(iterations);
  const double always = times * static_cast<double>(ends.first + ends.last);
  return always + std::max(times, (all - always) / kScale) <= kShort * all;
}

/// The best of the loops in the block, at any depth, that have half of all calls. executions: of the block.
CutTrips main_loop(const skeleton::Skeleton& skeleton, const skeleton::Block& block, std::uint64_t executions,
                   std::uint64_t calls) {
  for (const skeleton::Node& node : block) {
    if (!node.is_loop() || node.where.size() != skeleton.locations.size() || node.loop().trips.choices.size() != 1)
      continue;
    const Sequence& trips = node.loop().trips.choices[0];
    const auto iterations = static_cast<std::uint64_t>(trips.sum(executions));
    if (2 * calls_in(node, iterations) < calls) continue;
    const auto cut = iterations >= fold::kFewestTrips * executions ? skeleton::cuttable(skeleton, node, kMostLookedAt)
                                                                   : skeleton::Cuttable();
    if (cut && is_short(executions, iterations, cut.ends[0])) return CutTrips::many;
    return std::max(cut ? CutTrips::few : CutTrips::none, main_loop(skeleton, node.loop().body, iterations, calls));
  }
  return CutTrips::none;
}

}  // namespace

std::size_t Cost::size() const {
  const std::size_t many = statements - std::min(statements, fold::kManyStatements);
  return fold::kStatement * (statements + (kBeyondMany - 1) * many) + kTable * tables + values;
}

bool Cost::operator<(const Cost& other) const { return cut != other.cut ? cut > other.cut : size() < other.size(); }

Cost cost_of(const skeleton::Skeleton& skeleton, std::uint64_t calls) {
  Cost cost;
  count(skeleton.program, cost);
  cost.values = skeleton::argument_values(skeleton);
  cost.cut = main_loop(skeleton, skeleton.program, 1, calls);
  return cost;
}

}  // namespace skelgen::build
