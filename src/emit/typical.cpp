#include "emit/typical.h"

#include <algorithm>

#include "emit/costs.h"
#include "emit/timing.h"

namespace skelgen::emit {
namespace {

using skeleton::Node;

bool is_even(const skeleton::Block& block) {
  return std::ranges::all_of(block, [](const Node& node) {
    return !node.is_loop() ||
           (std::ranges::all_of(node.loop().trips.choices, is_constant) && is_even(node.loop().body));
  });
}

}  // namespace

double typical(const Node& loop, const std::vector<LoopRun>& executions, const Cut& cut,
               const std::vector<skeleton::Ends>& ends) {
  std::uint64_t iterations = 0;
  bool whole = true;
  for (const LoopRun& run : executions) {
    const std::uint64_t kept = cut.kept(run.trips);
    iterations += kept;
    whole = whole && kept == cut.later(run.trips);
  }
  if (whole || is_even(loop.loop().body)) return 1;
  const Costs costs(loop, iterations, ends);
  double all_s = 0, kept_s = 0, looked_at = 0;
  std::uint64_t number = 0;
  for (const LoopRun& run : executions) {
    const std::uint64_t later = cut.later(run.trips), kept = cut.kept(run.trips);
    if (later == 0) continue;
    const std::uint64_t begin = run.first + cut.ends.first;
    all_s += run.weight * costs.of(begin, begin + later).all_s;
    std::uint64_t n = (costs.step() - number % costs.step()) % costs.step();
    number += kept;
    for (; n < kept; n += costs.step()) {
      const std::uint64_t i = run.iteration(cut, n);
      kept_s += run.weight_of(cut, n) * costs.of(i, i + 1).all_s;
      ++looked_at;
    }
  }
  if (!(all_s > 0) || !(kept_s > 0)) return 1;
  return all_s / (kept_s * static_cast<double>(iterations) / looked_at);
}

}  // namespace skelgen::emit
