#include "emit/loop_runs.h"

#include <algorithm>
#include <utility>

#include "emit/counted.h"
#include "skel_sampling.h"

namespace skelgen::emit {
namespace {

/// Lists executions of a loop, given those of the block that it and some loops around it stand in.
class Lister {
 public:
  /// outer: how many of the loops around are around that block, too. expected: executions, about.
  Lister(const Plan& plan, const Phase& phase, std::size_t outer, double expected)
      : trips_(phase.loop->loop().trips.of(0)), sums_(trips_), cut_(cut_of(plan, phase)) {
    for (std::size_t i = outer; i < phase.around.size(); ++i) levels_.emplace_back(phase.around[i]->loop().trips.of(0));
    step_ = 1 + static_cast<std::uint64_t>(expected / static_cast<double>(kMostLoopRuns));
  }

  void list(std::uint64_t begin, std::uint64_t end, double weight) {
    for (const Sums& level : levels_) {
      begin = level.sum(begin);
      end = level.sum(end);
    }
    for (std::uint64_t n = begin; n < end; ++n) {
      if (count_++ % step_ != 0) continue;
      const auto trips = static_cast<std::uint64_t>(trips_.at(n));
      if (trips == 0) continue;
      all_.push_back({sums_.sum(n), trips, weight * static_cast<double>(step_), before_});
      before_ += cut_.kept(trips);
    }
  }

  std::vector<LoopRun> all() { return std::move(all_); }

 private:
  const skeleton::Sequence& trips_;
  const Sums sums_;
  std::vector<Sums> levels_;
  const Cut cut_;
  std::uint64_t step_ = 1, count_ = 0, before_ = 0;
  std::vector<LoopRun> all_;
};

/// Calls `visit(number, weight)` for each iteration that runs, in order.
void each_iteration(const std::vector<LoopRun>& executions, const Cut& cut, const auto& visit) {
  for (const LoopRun& run : executions) {
    const std::uint64_t first = std::min(run.trips, cut.ends.first), kept = cut.kept(run.trips);
    for (std::uint64_t i = 0; i < first; ++i) visit(run.first + i, run.weight);
    for (std::uint64_t n = 0; n < kept; ++n) visit(run.iteration(cut, n), run.weight_of(cut, n));
    for (std::uint64_t i = first + cut.later(run.trips); i < run.trips; ++i) visit(run.first + i, run.weight);
  }
}

}  // namespace

std::uint64_t Cut::kept(std::uint64_t trips) const {
  const std::uint64_t all = later(trips);
  return all == 0 ? 0 : skel_iterations_kept(all, k, std::min(least, all));
}

std::uint64_t LoopRun::iteration(const Cut& cut, std::uint64_t n) const {
  const std::uint64_t number = cut.chosen.empty() ? skel_iteration_kept(n, cut.kept(trips), cut.later(trips), before)
                                                  : cut.chosen[before + n].iteration;
  return first + cut.ends.first - 1 + number;
}

double LoopRun::weight_of(const Cut& cut, std::uint64_t n) const {
  if (!cut.chosen.empty()) return weight * cut.typical * cut.chosen[before + n].weight;
  return weight * skel_weight(cut.later(trips), cut.kept(trips), cut.typical);
}

Cut cut_of(const Plan& plan, const Phase& phase, std::size_t location) {
  return {skel_loop_scale(plan.scale, phase.share), phase.least, phase.typical, skeleton::ends_at(phase.ends, location),
          phase.chosen};
}

std::vector<LoopRun> loop_runs(const Plan& plan, std::size_t phase, const LoopRuns& before) {
  const Phase& own = plan.phases[phase];
  if (!own.loop) return {};
  const Phase& outer = plan.phases[own.inside];
  const auto expected = static_cast<double>(own.times);
  if (!outer.loop) {
    Lister lister(plan, own, 0, expected);
    lister.list(0, 1, 1);
    return lister.all();
  }
  Lister lister(plan, own, outer.around.size() + 1, expected);
  each_iteration(before[own.inside], cut_of(plan, outer),
                 [&](std::uint64_t i, double weight) { lister.list(i, i + 1, weight); });
  return lister.all();
}

LoopRuns loop_runs(const Plan& plan) {
  LoopRuns all;
  for (std::size_t i = 0; i < plan.phases.size(); ++i) all.push_back(loop_runs(plan, i, all));
  return all;
}

std::vector<Iterations> iterations(const Plan& plan, const Phase& phase, const std::vector<LoopRun>& executions) {
  std::vector<Iterations> all;
  for (std::size_t l = 0; l < phase.ends.size(); ++l) {
    all.push_back({.all = phase.trips, .run = {}, .first = 0, .chosen = !phase.chosen.empty()});
    std::vector<LoopRun> runs = executions;
    if (l > 0) runs[0].trips = static_cast<std::uint64_t>(phase.loop->loop().trips.of(l).at(0));
    each_iteration(runs, cut_of(plan, phase, l), [&](std::uint64_t i, double weight) {
      if (i > 0)
        all.back().run.push_back({i, weight});
      else
        all.back().first = weight;
    });
    all[0].all = std::max(all[0].all, phase.ends.size() == 1 ? 0 : runs[0].trips);
  }
  for (Iterations& own : all) own.all = all[0].all;
  return all;
}

}  // namespace skelgen::emit
