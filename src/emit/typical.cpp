#include "emit/typical.h"

#include <algorithm>

#include "emit/counted.h"
#include "skel_sampling.h"

namespace skelgen::emit {
namespace {

using skeleton::Node;

/// Places x kept iterations x locations; of more, some are looked at.
constexpr std::uint64_t kWork = 10'000'000;
constexpr std::uint64_t kMostLocations = 64;

bool is_even(const skeleton::Block& block) {
  return std::ranges::all_of(block, [](const Node& node) {
    return !node.is_loop() ||
           (std::ranges::all_of(node.loop().trips.choices, is_constant) && is_even(node.loop().body));
  });
}

/// What a statement or loop takes each time that it is passed, by position in Node::where.
struct Cost {
  Counted counted;
  const Node* node;
  std::vector<double> seconds;
};

void add(std::vector<Cost>& costs, const Around& around, const Node& node, bool between, std::vector<double> seconds) {
  if (std::ranges::any_of(seconds, [](double s) { return s > 0; }))
    costs.push_back({Counted(around, node, between), &node, std::move(seconds)});
}

void collect(const skeleton::Block& block, const Around& around, std::vector<Cost>& costs) {
  for (const Node& node : block) {
    std::vector<double> seconds = node.before.mean_s;
    seconds.resize(node.where.size(), 0);
    if (node.is_loop()) {
      add(costs, around, node, true, node.loop().between.mean_s);
      Around inside = around;
      inside.push_back(&node);
      collect(node.loop().body, inside, costs);
    } else {
      for (std::size_t at = 0; at < node.call().duration_s.size(); ++at) seconds[at] += node.call().duration_s[at];
    }
    add(costs, around, node, false, std::move(seconds));
  }
}

}  // namespace

double typical(const Node& loop, const Cut& cut) {
  if (cut.kept == 0 || cut.kept + 1 >= cut.trips || is_even(loop.loop().body)) return 1;
  std::vector<Cost> costs;
  collect(loop.loop().body, {&loop}, costs);
  add(costs, {&loop}, loop, true, loop.loop().between.mean_s);
  const std::uint64_t step = 1 + cut.kept / (kWork / std::max<std::uint64_t>(1, costs.size()) + 1);
  const std::uint64_t each = std::max<std::uint64_t>(1, cut.kept / step * costs.size());
  const auto locations = std::min({loop.where.size(), kMostLocations, std::max<std::uint64_t>(1, kWork / each)});
  double all_s = 0, kept_s = 0;
  for (std::uint64_t n = 0; n < locations; ++n) {
    const std::uint32_t location = loop.where[n * loop.where.size() / locations];
    for (const Cost& cost : costs) {
      const int found = cost.node->position(location);
      if (found < 0) continue;
      const auto at = static_cast<std::size_t>(found);
      std::uint64_t kept = 0;
      for (std::uint64_t i = 0; i < cut.kept; i += step)
        kept += cost.counted.passes(at, skel_iteration_kept(i, cut.kept, cut.trips - 1));
      kept_s += cost.seconds[at] * static_cast<double>(kept);
      all_s += cost.seconds[at] * static_cast<double>(cost.counted.passes(at, 1, cut.trips));
    }
  }
  if (!(all_s > 0) || !(kept_s > 0)) return 1;
  return all_s / static_cast<double>(cut.trips - 1) / (kept_s / static_cast<double>((cut.kept - 1) / step + 1));
}

}  // namespace skelgen::emit
