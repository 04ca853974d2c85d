#include "emit/cut_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "emit/emit.h"
#include "emit/sections.h"

namespace skelgen::emit {
namespace {

using skeleton::Block;
using skeleton::Node;
using skeleton::Sequence;
using skeleton::Skeleton;

/// The least and the largest number of trips of a loop's first execution, over its locations.
std::pair<std::int64_t, std::int64_t> trips_of(const Node& loop) {
  std::pair<std::int64_t, std::int64_t> all{INT64_MAX, 0};
  for (const Sequence& trips : loop.loop().trips.choices)
    all = {std::min(all.first, trips.at(0)), std::max(all.second, trips.at(0))};
  return all;
}

/// Whether an execution has more than one trip; of arithmetic ones, the first two are asked.
bool repeats(const Node& loop) {
  return std::ranges::any_of(loop.loop().trips.choices, [](const Sequence& trips) { return trips.largest(2) > 1; });
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
      return "iterations differ in how many calls a thread makes";
    case Obstacle::none:
      break;
  }
  return "";
}

/// "the loop of 1,500 trips (93 % of the time) is not run by all ranks"
std::string why(const Skeleton& skeleton, const Timing& timing, const Node& loop_node) {
  const auto [least, largest] = trips_of(loop_node);
  const double share = timing.total() > 0 ? timing.total(loop_node) / timing.total() : 0;
  const auto loop = fmt::format("the loop of {} trips ({:.0f} % of the time)", largest, 100 * share);
  if (loop_node.where.size() != skeleton.locations.size())
    return fmt::format("{} is run by {} of {} {}", loop, loop_node.where.size(), skeleton.locations.size(),
                       skeleton::has_threads(skeleton) ? "threads" : "ranks");
  if (loop_node.loop().pool >= 0) return loop + " runs until its pool has no messages left";
  if (largest < 3) return loop + " is too short";
  if (share < kSmallestShare) return loop + " takes too little time";
  const auto closed = skeleton::cuttable(skeleton, loop_node);
  if (closed) return loop + " stands before MPI_Init or after MPI_Finalize";
  if (closed.obstacle == skeleton::Obstacle::trips)
    return fmt::format("{} is run {} to {} times, not equally often by all ranks", loop, least, largest);
  return fmt::format("{} is not closed: {}", loop, text(closed.obstacle));
}

/// All locations execute the loop.
bool is_common(const Skeleton& skeleton, const Node& loop) {
  return loop.where.size() == skeleton.locations.size() && loop.loop().pool < 0;
}

/// With the same trips each time.
bool is_even(const Node& loop) {
  const auto& choice = loop.loop().trips.choice;
  return std::ranges::all_of(choice, [&](auto c) { return c == choice[0]; });
}

/// Finds loops in blocks of which all loops around are common.
class Finder {
 public:
  Finder(const Skeleton& skeleton, const Timing& timing) : skeleton_(skeleton), timing_(timing) {}

  void find(const Node& node, std::size_t top, std::vector<CutLoop>& all) {
    if (!node.is_loop() || timing_.total(node) < kSmallestShare * timing_.total() || !is_common(skeleton_, node))
      return;
    CutLoop loop{&node, top, around_};
    const auto found = is_worth_it(loop) ? skeleton::cuttable(skeleton_, node) : skeleton::Cuttable();
    if (found) loop.ends = found.ends;
    bool cut = found && is_worth_it(loop);
    if (is_even(node)) {
      around_.push_back(&node);
      for (const Node& inner : node.loop().body) find(inner, top, loop.inside);
      around_.pop_back();
    }
    // Where a loop begins at different iterations, executions of those inside are not the ones of the same number.
    if (cut && loop.ends.size() > 1) {
      double inside_s = 0;
      for (const CutLoop& inner : loop.inside) inside_s += timing_.total(*inner.node);
      cut = 2 * inside_s < timing_.total(node);
      if (cut) loop.inside.clear();
    }
    if (cut)
      all.push_back(std::move(loop));
    else
      std::ranges::move(loop.inside, std::back_inserter(all));
  }

 private:
  bool is_worth_it(const CutLoop& loop) const {
    const auto executions = timing_.of(*loop.node).occurrences[0];
    const auto always = static_cast<std::int64_t>(loop.ends[0].first + loop.ends[0].last);
    if (executions == 0 || loop.trips().largest(executions) < 2 + always) return false;
    if (loop.around.empty()) return true;
    const auto seconds = later_seconds(loop, timing_);
    return *std::ranges::max_element(seconds) >= kShortestExecution_s * static_cast<double>(executions);
  }

  const Skeleton& skeleton_;
  const Timing& timing_;
  std::vector<const Node*> around_;
};

}  // namespace

std::vector<double> later_seconds(const CutLoop& loop, const Timing& timing) {
  const Node& node = *loop.node;
  const auto& of = timing.of(node);
  std::vector<double> seconds = of.seconds;
  for (std::size_t at = 0; at < seconds.size(); ++at) {
    const auto mean = [at](const std::vector<double>& values) { return values.empty() ? 0 : values[at]; };
    const auto& trips = node.loop().trips.of(at);
    const double iterations = static_cast<double>(trips.sum(of.occurrences[at]));
    const auto entered = static_cast<double>(trips.positive(of.occurrences[at]));
    const auto& [first, last] = skeleton::ends_at(loop.ends, at);
    const double between =
        std::max(0.0, static_cast<double>(of.between[at]) - entered * static_cast<double>(first - 1 + last));
    const double before_s = mean(node.before.mean_s) * static_cast<double>(of.occurrences[at]);
    const double between_s = mean(node.loop().between.mean_s) * between;
    const double all_between_s = mean(node.loop().between.mean_s) * static_cast<double>(of.between[at]);
    const double body_s = std::max(0.0, seconds[at] - before_s - all_between_s);
    seconds[at] = between_s + (iterations > 0 ? body_s * between / iterations : 0);
  }
  return seconds;
}

std::vector<CutLoop> cut_loops(const Skeleton& skeleton, const Timing& timing) {
  std::vector<CutLoop> all;
  const auto [begin, end] = running(skeleton.program);
  Finder finder(skeleton, timing);
  for (std::size_t i = begin; i < end; ++i) finder.find(skeleton.program[i], i, all);
  return all;
}

std::string why_uncut(const Skeleton& skeleton, const Timing& timing) {
  const Node* most = nullptr;
  for (const auto& node : skeleton.program)
    if (node.is_loop() && trips_of(node).second > 1 && (!most || timing.total(node) > timing.total(*most)))
      most = &node;
  if (!most) return "the program has no loop at its top level";
  return why(skeleton, timing, *most);
}

namespace {

double total(const std::vector<CutLoop>& cut, const Node& inside, const Timing& timing) {
  double sum = 0;
  for (const CutLoop& loop : cut)
    if (loop.node == &inside || std::ranges::count(loop.around, &inside) > 0) sum += timing.total(*loop.node);
  return sum;
}

/// Of a block: loops and the seconds that they take.
void collect(const Skeleton& skeleton, const Timing& timing, const std::vector<CutLoop>& cut, const Block& block,
             std::vector<std::pair<double, const Node*>>& all) {
  constexpr double kShare = 0.05;
  for (const Node& node : block) {
    if (!node.is_loop() || timing.total(node) < kShare * timing.total()) continue;
    const double inside = total(cut, node, timing);
    if (2 * inside >= timing.total(node)) continue;
    if (inside == 0 && repeats(node))
      all.emplace_back(timing.total(node), &node);
    else
      collect(skeleton, timing, cut, node.loop().body, all);
  }
}

}  // namespace

std::vector<std::string> why_not_cut(const Skeleton& skeleton, const Timing& timing, const std::vector<CutLoop>& cut) {
  std::vector<std::pair<double, const Node*>> all;
  collect(skeleton, timing, cut, skeleton.program, all);
  std::ranges::stable_sort(all, std::greater(), [](const auto& one) { return one.first; });
  std::vector<std::string> reasons;
  for (const auto& [_, node] : all) reasons.push_back(why(skeleton, timing, *node));
  return reasons;
}

}  // namespace skelgen::emit
