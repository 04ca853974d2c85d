#include "build/cost.h"

#include <algorithm>

#include "build/shape.h"
#include "fold/fold.h"

namespace skelgen::build {
namespace {

using skeleton::Sequence;

constexpr std::size_t kTable = 16;  // numbers that a table is worth: its declaration is a quarter of a statement's text
constexpr std::uint64_t kMostLookedAt = 1u << 22;  // calls, some tenths of a second: is a main loop closed?

/// Calls of all locations in a loop of the top level.
std::uint64_t calls_in(const skeleton::Node& loop, std::size_t locations) {
  std::vector<std::uint64_t> executions(locations, 0);
  for (std::size_t p = 0; p < loop.where.size(); ++p)
    executions[loop.where[p]] = static_cast<std::uint64_t>(loop.loop().trips.of(p).sum(1));
  std::uint64_t calls = 0;
  visit_calls(loop.loop().body, executions, [&](const skeleton::Call&, std::uint64_t times) { calls += times; });
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

bool is_main_loop(const skeleton::Node& node, std::size_t locations, std::uint64_t calls) {
  return node.is_loop() && node.where.size() == locations && node.loop().trips.choices.size() == 1 &&
         node.loop().trips.choices[0].at(0) >= static_cast<std::int64_t>(fold::kFewestTrips) &&
         2 * calls_in(node, locations) >= calls;
}

}  // namespace

std::size_t Cost::size() const { return fold::kStatement * statements + kTable * tables + values; }

bool Cost::operator<(const Cost& other) const { return cut != other.cut ? cut : size() < other.size(); }

Cost cost_of(const skeleton::Skeleton& skeleton, std::uint64_t calls) {
  Cost cost;
  count(skeleton.program, cost);
  cost.values = skeleton::argument_values(skeleton);
  const auto main = std::ranges::find_if(skeleton.program, [&](const skeleton::Node& node) {
    return is_main_loop(node, skeleton.locations.size(), calls);
  });
  cost.cut =
      main != skeleton.program.end() && skeleton::closed(skeleton, *main, skeleton::Wildcards::recorded, kMostLookedAt);
  return cost;
}

}  // namespace skelgen::build
