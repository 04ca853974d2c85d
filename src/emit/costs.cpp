#include "emit/costs.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace skelgen::emit {
namespace {

using skeleton::Node;
using skeleton::Samples;

/// Places x iterations x locations; of more, some are looked at.
constexpr std::uint64_t kWork = 10'000'000;
constexpr std::uint64_t kMostLocations = 64;

}  // namespace

Costs::Costs(const Node& loop, std::uint64_t iterations, const std::vector<skeleton::Ends>& ends,
             const CutInside& inside)
    : loop_(loop), ends_(ends) {
  collect(loop.loop().body, {&loop}, 1, inside);
  add({&loop}, loop, true, 1, loop.loop().between.mean_s, &loop.loop().between.samples);
  const auto each = std::max<std::uint64_t>(1, costs_.size());
  step_ = 1 + iterations / (kWork / each + 1);
  const auto work = std::max<std::uint64_t>(1, iterations / step_ * each);
  locations_ = std::min({loop.where.size(), kMostLocations, std::max<std::uint64_t>(1, kWork / work)});
}

void Costs::collect(const skeleton::Block& block, const Around& around, double share, const CutInside& inside) {
  for (const Node& node : block) {
    if (node.is_loop()) {
      const auto cut = inside.find(&node);
      const double between = cut == inside.end() ? share : 0;
      add(around, node, true, between, node.loop().between.mean_s, &node.loop().between.samples);
      Around deeper = around;
      deeper.push_back(&node);
      collect(node.loop().body, deeper, cut == inside.end() ? share : share * cut->second, inside);
    } else {
      add(around, node, false, share, node.call().duration_s);
    }
    add(around, node, false, share, node.before.mean_s, &node.before.samples);
  }
}

void Costs::add(const Around& around, const Node& node, bool between, double share, const std::vector<double>& seconds,
                const Samples* samples) {
  if (std::ranges::none_of(seconds, [](double s) { return s > 0; })) return;
  const bool sampled = samples && !samples->of.empty();
  costs_.push_back({Counted(around, node, between), &node, seconds, sampled ? samples : nullptr, share});
}

PhaseSeconds Costs::of(std::uint64_t begin, std::uint64_t end) const {
  PhaseSeconds sum;
  for (std::uint64_t n = 0; n < locations_; ++n) {
    const auto [all, own] = of(n, begin, end);
    sum.all_s += all, sum.own_s += own;
  }
  return sum;
}

PhaseSeconds Costs::of(std::uint64_t n, std::uint64_t begin_0, std::uint64_t end_0, std::uint64_t trips) const {
  const std::uint64_t begin = iteration(n, begin_0), end = iteration(n, end_0);
  const auto& [first, last] = skeleton::ends_at(ends_, position(n));
  const std::uint64_t all = trips + first + last - ends_[0].first - ends_[0].last;
  PhaseSeconds sum;
  for (const Cost& cost : costs_) {
    const int found = cost.node->position(location(n));
    if (found < 0) continue;
    const auto at = static_cast<std::size_t>(found);
    double seconds = cost.seconds[at] * static_cast<double>(cost.counted.passes(at, begin, end));
    if (trips > 0 && cost.samples) {
      const std::span<const float> own = cost.samples->of[at].seconds;
      if (own.size() == cost.counted.passes(at, 0, all)) {
        const auto here = own.subspan(cost.counted.passes(at, 0, begin), cost.counted.passes(at, begin, end));
        seconds = std::accumulate(here.begin(), here.end(), 0.0);
      }
    }
    sum.all_s += seconds, sum.own_s += cost.share * seconds;
  }
  return sum;
}

}  // namespace skelgen::emit
