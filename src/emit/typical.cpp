#include "emit/typical.h"

#include <algorithm>

#include "emit/counted.h"
#include "emit/timing.h"
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

/// What a range of a loop's iterations costs at some of the locations.
class Costs {
 public:
  Costs(const Node& loop, std::uint64_t iterations, const std::vector<skeleton::Ends>& ends)
      : where_(loop.where), ends_(ends) {
    collect(loop.loop().body, {&loop}, costs_);
    add(costs_, {&loop}, loop, true, loop.loop().between.mean_s);
    const auto each = std::max<std::uint64_t>(1, costs_.size());
    step_ = 1 + iterations / (kWork / each + 1);
    const auto work = std::max<std::uint64_t>(1, iterations / step_ * each);
    locations_ = std::min({where_.size(), kMostLocations, std::max<std::uint64_t>(1, kWork / work)});
  }
  /// One of so many kept iterations is looked at.
  std::uint64_t step() const { return step_; }

  /// The range at location 0; others may run the same iterations with other numbers.
  double of(std::uint64_t begin_0, std::uint64_t end_0) const {
    double seconds = 0;
    for (std::uint64_t n = 0; n < locations_; ++n) {
      const std::size_t position = n * where_.size() / locations_;
      const std::uint32_t location = where_[position];
      const std::uint64_t further = skeleton::ends_at(ends_, position).first,
                          begin = begin_0 + further - ends_[0].first, end = end_0 + further - ends_[0].first;
      for (const Cost& cost : costs_) {
        const int found = cost.node->position(location);
        if (found < 0) continue;
        const auto at = static_cast<std::size_t>(found);
        seconds += cost.seconds[at] * static_cast<double>(cost.counted.passes(at, begin, end));
      }
    }
    return seconds;
  }

 private:
  const std::vector<std::uint32_t>& where_;
  const std::vector<skeleton::Ends>& ends_;
  std::vector<Cost> costs_;
  std::uint64_t step_ = 1, locations_ = 1;
};

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
    all_s += run.weight * costs.of(begin, begin + later);
    const double each = run.weight * skel_weight(later, kept, 1);
    std::uint64_t n = (costs.step() - number % costs.step()) % costs.step();
    number += kept;
    for (; n < kept; n += costs.step()) {
      const std::uint64_t i = kept_iteration(run, cut, n, kept);
      kept_s += each * costs.of(i, i + 1);
      ++looked_at;
    }
  }
  if (!(all_s > 0) || !(kept_s > 0)) return 1;
  return all_s / (kept_s * static_cast<double>(iterations) / looked_at);
}

}  // namespace skelgen::emit
