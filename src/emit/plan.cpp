#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "emit/emit.h"
#include "emit/long_gaps.h"
#include "emit/sections.h"
#include "emit/timing.h"
#include "emit/typical.h"
#include "skel_sampling.h"
#include "support/error.h"

namespace skelgen::emit {
namespace {

using skeleton::Node;
using skeleton::Skeleton;

/// Iterations of a loop that every location executes equally often, 0 if there is no such number: who is free takes
/// another message of a pool.
std::uint64_t common_trips(const Skeleton& skeleton, const Node& loop) {
  if (loop.where.size() != skeleton.locations.size() || loop.loop().pool >= 0) return 0;
  const auto& trips = loop.loop().trips;
  for (std::size_t at = 0; at < loop.where.size(); ++at)
    if (trips.of(at).at(0) != trips.of(0).at(0)) return 0;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, trips.of(0).at(0)));
}

struct Segment {
  std::vector<double> seconds;  ///< by location
  std::uint64_t trips = 1;
  std::optional<std::size_t> loop{};  ///< of a cut loop: its index in the program
  std::vector<LongGap> gaps{};
  /// Seconds of each location that a skeleton scaled down by k leaves out of all this.
  double left_out(double k) const {
    double sum = 0;
    for (const LongGap& gap : gaps) sum += emit::left_out(gap.common_s, k) * static_cast<double>(gap.times);
    return sum;
  }
};

/// The program as phases, without names: plain parts and cut loops in turn, one plain part first and last.
std::vector<Segment> segments(const Skeleton& skeleton) {
  const Timing timing(skeleton);
  const auto n = skeleton.locations.size();
  const auto [begin, end] = running(skeleton.program);
  std::vector<Segment> all(1);
  all.back().seconds.assign(n, 0);
  for (std::size_t i = 0; i < skeleton.program.size(); ++i) {
    const auto& node = skeleton.program[i];
    const auto& seconds = timing.of(node).seconds;
    const auto trips = node.is_loop() && i >= begin && i < end ? common_trips(skeleton, node) : 0;
    if (trips < 3 || timing.total(node) < kSmallestShare * timing.total() || !skeleton::closed(skeleton, node)) {
      for (std::size_t at = 0; at < node.where.size(); ++at) all.back().seconds[node.where[at]] += seconds[at];
      for (const LongGap& gap : long_gaps(node, timing, n)) all.back().gaps.push_back(gap);
      continue;
    }
    // What comes before the loop and its first iteration belong to the phase before.
    Segment loop{std::vector<double>(n, 0), trips, i};
    for (std::size_t at = 0; at < n; ++at) {
      const auto mean = [at](const std::vector<double>& values) { return values.empty() ? 0 : values[at]; };
      const double before = mean(node.before.mean_s);
      const double between = mean(node.loop().between.mean_s) * static_cast<double>(trips - 1);
      const double first = std::max(0.0, seconds[at] - before - between) / static_cast<double>(trips);
      all.back().seconds[at] += before + first;
      loop.seconds[at] = seconds[at] - before - first;
    }
    if (const double common = common_gap(node.before, timing.occurrences(node, false), n); common > 0)
      all.back().gaps.push_back({common, 1});
    if (const double common = common_gap(node.loop().between, timing.occurrences(node, true), n); common > 0)
      loop.gaps.push_back({common, trips - 1});
    for (const auto& child : node.loop().body) {
      for (const auto& [common, times] : long_gaps(child, timing, n)) {
        all.back().gaps.push_back({common, times / trips});
        loop.gaps.push_back({common, times - times / trips});
      }
    }
    all.push_back(std::move(loop));
    all.push_back({std::vector<double>(n, 0)});
  }
  return all;
}

/// skeleton: nullptr if all iterations of a loop count as equal.
Plan plan_segments(const std::vector<Segment>& parts, double k, const Skeleton* skeleton = nullptr) {
  Plan plan;
  plan.scale = k;
  const auto loops = parts.size() / 2;
  std::vector<double> expected(parts[0].seconds.size(), 0);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& part = parts[i];
    Phase phase;
    phase.loop = part.loop;
    phase.traced_s = *std::max_element(part.seconds.begin(), part.seconds.end());
    if (part.loop) {
      const auto number = (i + 1) / 2;
      phase.name = "loop " + std::to_string(number);
      phase.trips = part.trips;
      const auto all = static_cast<double>(part.trips - 1);
      const double run_s = std::max(0.0, phase.traced_s - part.left_out(k));
      const double long_enough = run_s > 0 ? std::ceil(kShortestPart_s / (run_s / all)) : 1;
      phase.least = static_cast<std::uint64_t>(std::min(all, long_enough));
      phase.kept = skel_iterations_kept(part.trips - 1, k, phase.least);
      if (skeleton) phase.typical = typical(skeleton->program[*part.loop], {part.trips, phase.kept});
      phase.weight = skel_weight(part.trips - 1, phase.kept, phase.typical);
    } else if (loops == 0) {
      phase.name = "whole run";
    } else if (i == 0) {
      phase.name = "prologue";
    } else if (i + 1 == parts.size()) {
      phase.name = "epilogue";
    } else {
      phase.name = "between " + std::to_string(i / 2) + " and " + std::to_string(i / 2 + 1);
    }
    for (std::size_t l = 0; l < expected.size(); ++l)
      expected[l] += std::max(0.0, part.seconds[l] - part.left_out(k)) / phase.weight;
    plan.phases.push_back(std::move(phase));
  }
  plan.expected_run_s = *std::max_element(expected.begin(), expected.end());
  return plan;
}

/// The least and the largest number of trips of a loop of the top level.
std::pair<std::int64_t, std::int64_t> trips_of(const Node& loop) {
  std::pair<std::int64_t, std::int64_t> all{INT64_MAX, 0};
  for (std::size_t at = 0; at < loop.where.size(); ++at) {
    const std::int64_t trips = loop.loop().trips.of(at).at(0);
    all = {std::min(all.first, trips), std::max(all.second, trips)};
  }
  return all;
}

std::string_view text(skeleton::Obstacle obstacle) {
  using skeleton::Obstacle;
  switch (obstacle) {
    case Obstacle::messages:
      return "messages are sent in one iteration and received in another";
    case Obstacle::collectives:
      return "not all members of a communicator call the same collectives in an iteration";
    case Obstacle::requests:
      return "requests or epochs reach from one iteration into another";
    case Obstacle::objects:
      return "it makes communicators, windows, files, datatypes or other objects that it does not free in the same "
             "iteration, or frees others";
    case Obstacle::sources:
      return "the order of its messages of any source matters";
    case Obstacle::unclear:
      return "a communicator, window or file is not the same one in all iterations";
    case Obstacle::calls:
      return "it has too many calls that differ from iteration to iteration";
    case Obstacle::trips:
      return "ranks run it differently often";
    case Obstacle::threads:
      return "several threads of a rank call MPI";
    case Obstacle::none:
      break;
  }
  return "";
}

/// "the loop of 1,500 trips (93 % of the time) is not run by all ranks"
std::string why_uncut(const Skeleton& skeleton) {
  if (skeleton::has_threads(skeleton)) return "several threads of a rank call MPI, and those are not cut";
  const Timing timing(skeleton);
  const Node* most = nullptr;
  for (const auto& node : skeleton.program)
    if (node.is_loop() && trips_of(node).second > 1 && (!most || timing.total(node) > timing.total(*most)))
      most = &node;
  if (!most) return "the program has no loop at its top level";
  const auto [least, largest] = trips_of(*most);
  const double share = timing.total() > 0 ? timing.total(*most) / timing.total() : 0;
  const auto loop = fmt::format("the loop of {} trips ({:.0f} % of the time)", largest, 100 * share);
  if (most->where.size() != skeleton.locations.size())
    return fmt::format("{} is run by {} of {} ranks", loop, most->where.size(), skeleton.locations.size());
  if (least != largest)
    return fmt::format("{} is run {} to {} times, not equally often by all ranks", loop, least, largest);
  if (most->loop().pool >= 0) return loop + " runs until its pool has no messages left";
  if (largest < 3) return loop + " is too short";
  if (share < kSmallestShare) return loop + " takes too little time";
  const auto closed = skeleton::closed(skeleton, *most);
  if (closed) return loop + " stands before MPI_Init or after MPI_Finalize";
  return fmt::format("{} is not closed: {}", loop, text(closed.obstacle));
}

std::vector<Segment> checked_segments(const Skeleton& skeleton) {
  if (skeleton.locations.empty()) throw Error(Code::invalid_argument, "the skeleton has no ranks");
  auto parts = segments(skeleton);
  if (!skeleton::has_threads(skeleton)) return parts;
  for (auto& part : parts) {
    // A rank takes as long as its main thread, which waits for the others.
    for (std::size_t l = 0; l < part.seconds.size(); ++l)
      if (skeleton.locations[l].where.thread != 0) part.seconds[l] = 0;
    part.gaps.clear();
  }
  return parts;
}

Plan with_reason(Plan plan, const Skeleton& skeleton) {
  if (std::ranges::none_of(plan.phases, [](const Phase& phase) { return phase.loop.has_value(); }))
    plan.uncut = why_uncut(skeleton);
  return plan;
}

}  // namespace

Plan plan_scale(const Skeleton& skeleton, double k) {
  if (!(k >= 1) || !std::isfinite(k))
    throw Error(Code::invalid_argument, "the scale is " + std::to_string(k), "give a number K >= 1");
  return with_reason(plan_segments(checked_segments(skeleton), k, &skeleton), skeleton);
}

Plan plan_budget(const Skeleton& skeleton, double seconds) {
  if (!(seconds > 0) || !std::isfinite(seconds))
    throw Error(Code::invalid_argument, "the budget is " + std::to_string(seconds) + " s", "give a time above 0");
  const auto parts = checked_segments(skeleton);
  double largest = 1;  // one kept iteration in every loop; more changes nothing
  for (const auto& part : parts)
    if (part.loop) largest = std::max(largest, static_cast<double>(part.trips - 1));
  for (const auto& part : parts)
    for (const LongGap& gap : part.gaps) largest = std::max(largest, gap.common_s / kLeastSpent_s);
  if (plan_segments(parts, 1).expected_run_s <= seconds)
    return with_reason(plan_segments(parts, 1, &skeleton), skeleton);
  const auto shortest = plan_segments(parts, largest);
  double low = 1, high = largest;  // low is too long; the run time falls with K
  if (shortest.expected_run_s > seconds) {
    // The budget cannot be met: the smallest K that already gives the shortest run.
    seconds = shortest.expected_run_s;
  }
  for (int step = 0; step < 100 && high - low > 1e-6 * low; ++step) {
    const double middle = 0.5 * (low + high);
    (plan_segments(parts, middle).expected_run_s <= seconds ? high : low) = middle;
  }
  const double rounded = std::ceil(high * 100) / 100;  // a K that people can read
  return with_reason(plan_segments(parts, rounded, &skeleton), skeleton);
}

}  // namespace skelgen::emit
