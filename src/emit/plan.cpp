#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "emit/cut_loops.h"
#include "emit/emit.h"
#include "emit/kinds.h"
#include "emit/long_gaps.h"
#include "emit/loop_runs.h"
#include "emit/timing.h"
#include "emit/typical.h"
#include "skel_sampling.h"
#include "support/error.h"

namespace skelgen::emit {
namespace {

using skeleton::Ends;
using skeleton::Node;
using skeleton::Skeleton;

/// Traced computation and calls, by location, and the long gaps among them.
struct Spent {
  std::vector<double> seconds;
  std::vector<LongGap> gaps{};

  explicit Spent(std::size_t locations) : seconds(locations, 0) {}
  /// share: of what each location spends.
  void add(const Spent& other, const std::vector<double>& share) {
    for (std::size_t l = 0; l < seconds.size(); ++l) seconds[l] += share[l] * other.seconds[l];
    for (const auto& [common, times] : other.gaps) gaps.push_back({common, share[0] * times});
  }
  /// Seconds of each location that a skeleton scaled down by k leaves out of long gaps.
  double left_out(double k) const {
    double sum = 0;
    for (const auto& [common, times] : gaps) sum += emit::left_out(common, k) * times;
    return sum;
  }
  double most() const { return *std::ranges::max_element(seconds); }
};

/// A plain part of the program, or a loop that may be cut.
struct Part {
  const CutLoop* loop = nullptr;
  std::size_t inside = 0;             ///< part that the loop stands in
  std::optional<std::size_t> next{};  ///< of a loop of the top level: the part that follows it
  /// In the statements of the part, and between iterations of its loop; without those of loops inside that may be cut.
  Spent body, between;
  double executions = 1, iterations = 1;  ///< of its loop, at location 0
  double always = 1;                      ///< its first and last iterations that always run, there
  std::vector<double> later_s{};          ///< of its loop, by location
  /// By location, shares of its iterations: those that may be left out, and the last ones that always run.
  std::vector<double> later_share{}, last_share{};
  /// The same of the gaps between iterations: those before such iterations.
  std::vector<double> later_between{}, last_between{};
  /// Iterations that may be left out.
  double later() const { return std::max(0.0, iterations - always); }
};

/// The parts of a program, whatever K is: those of the top level in turn, the loops inside behind each.
class Parts {
 public:
  explicit Parts(const Skeleton& skeleton) : skeleton_(skeleton), timing_(skeleton) {
    if (skeleton.locations.empty()) throw Error(Code::invalid_argument, "the skeleton has no ranks");
    loops_ = cut_loops(skeleton, timing_);
    std::size_t plain = add(nullptr, 0);
    std::size_t loop = 0;
    for (std::size_t i = 0; i < skeleton.program.size(); ++i) {
      std::optional<std::size_t> cut;
      for (; loop < loops_.size() && loops_[loop].top == i; ++loop) {
        const std::size_t part = add_tree(loops_[loop], plain);
        if (loops_[loop].around.empty()) cut = part;
      }
      distribute(skeleton.program[i], plain);
      if (cut) parts_[*cut].next = plain = add(nullptr, 0);
    }
    if (!skeleton::has_threads(skeleton)) return;
    // A rank takes as long as its main thread, which waits for the others.
    for (Part& part : parts_) {
      for (std::size_t l = 0; l < locations(); ++l) {
        if (skeleton.locations[l].where.thread == 0) continue;
        part.body.seconds[l] = part.between.seconds[l] = 0;
        if (!part.later_s.empty()) part.later_s[l] = 0;
      }
      part.body.gaps.clear();
      part.between.gaps.clear();
    }
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  const Skeleton& skeleton() const { return skeleton_; }
  const Timing& timing() const { return timing_; }
  const std::vector<Part>& all() const { return parts_; }
  const std::vector<CutLoop>& loops() const { return loops_; }
  std::size_t locations() const { return skeleton_.locations.size(); }
  /// Traced seconds of a location, on average.
  double run_s() const { return timing_.total() / static_cast<double>(locations()); }

 private:
  std::size_t add(const CutLoop* loop, std::size_t inside) {
    parts_.push_back({loop, inside, {}, Spent(locations()), Spent(locations())});
    if (loop) part_of_[loop->node] = parts_.size() - 1;
    return parts_.size() - 1;
  }

  std::size_t add_tree(const CutLoop& loop, std::size_t inside) {
    const std::size_t part = add(&loop, inside);
    const auto executions = timing_.of(*loop.node).occurrences[0];
    parts_[part].iterations = static_cast<double>(loop.trips().sum(executions));
    parts_[part].executions = static_cast<double>(loop.trips().positive(executions));
    add_ends(parts_[part], loop, executions);
    parts_[part].later_s = later_seconds(loop, timing_);
    for (const CutLoop& inner : loop.inside) add_tree(inner, part);
    return part;
  }

  void add_ends(Part& part, const CutLoop& loop, std::uint64_t executions) const {
    for (std::size_t l = 0; l < loop.ends.size(); ++l) {
      const auto& trips = loop.node->loop().trips.of(l);
      const Ends now = loop.ends[l];
      const auto all = static_cast<double>(trips.sum(executions));
      auto first = static_cast<double>(trips.positive(executions)), last = 0.0;
      if (now != Ends{1, 0}) {
        first = 0;
        const std::uint64_t period = std::max<std::uint64_t>(1, trips.period(executions));
        for (std::uint64_t n = 0; n < std::min(period, executions); ++n) {
          const auto each = static_cast<std::uint64_t>(std::max<std::int64_t>(0, trips.at(n)));
          const auto times = static_cast<double>(executions / period + (n < executions % period));
          first += times * static_cast<double>(std::min(each, now.first));
          last += times * static_cast<double>(std::min(each - std::min(each, now.first), now.last));
        }
      }
      if (l == 0) part.always = first + last;
      part.later_share.push_back(std::max(0.0, all - first - last) / all);
      part.last_share.push_back(last / all);
      const double between = all - static_cast<double>(trips.positive(executions));
      part.later_between.push_back(between > 0 ? std::max(0.0, all - first - last) / between : 0);
      part.last_between.push_back(between > 0 ? std::min(last, between) / between : 0);
    }
    for (auto* shares : {&part.later_share, &part.last_share, &part.later_between, &part.last_between})
      shares->resize(locations(), shares->front());
  }

  /// Adds what a node takes by itself to the part that it stands in.
  void distribute(const Node& node, std::size_t part) {
    add(parts_[part].body, node, node.before, false);
    if (!node.is_loop()) {
      const auto& seconds = node.call().duration_s;
      const auto& times = timing_.of(node).occurrences;
      for (std::size_t at = 0; at < seconds.size(); ++at)
        parts_[part].body.seconds[node.where[at]] += seconds[at] * static_cast<double>(times[at]);
      return;
    }
    const auto own = part_of_.find(&node);
    const bool cut = own != part_of_.end();
    if (cut) part = own->second;
    add(cut ? parts_[part].between : parts_[part].body, node, node.loop().between, true);
    for (const Node& inner : node.loop().body) distribute(inner, part);
  }

  void add(Spent& to, const Node& node, const skeleton::Compute& compute, bool between) const {
    if (compute.mean_s.empty()) return;
    const auto& times = timing_.occurrences(node, between);
    for (std::size_t at = 0; at < times.size(); ++at)
      to.seconds[node.where[at]] += compute.mean_s[at] * static_cast<double>(times[at]);
    if (const double common = common_gap(compute, times, locations()); common > 0)
      to.gaps.push_back({common, static_cast<double>(times[0])});
  }

  const Skeleton& skeleton_;
  const Timing timing_;
  std::vector<CutLoop> loops_;
  std::vector<Part> parts_;
  std::unordered_map<const Node*, std::size_t> part_of_;
};

/// How the loop of a part is cut.
struct Decision {
  bool cut = false;
  Cut how{};
  double run = 1;             ///< share of the loop's executions that run
  double run_iterations = 1;  ///< and of its iterations
  double kept = 1;            ///< iterations after the first of each of these executions
  double weight = 1;          ///< how often the time of those counts if they are typical
  Spent spent;                ///< in the part, without those inside that are cut
};

/// Iterations after the first ones that are kept of all executions.
double kept_of_all(const Part& part, const Cut& how, std::uint64_t executions) {
  const auto& trips = part.loop->trips();
  const auto kept = [&](std::uint64_t n) {
    return static_cast<double>(how.kept(static_cast<std::uint64_t>(std::max<std::int64_t>(0, trips.at(n)))));
  };
  if (is_constant(trips)) return kept(0) * static_cast<double>(executions);
  const std::uint64_t step = 1 + executions / kMostLoopRuns;
  double sum = 0, looked_at = 0;
  for (std::uint64_t n = 0; n < executions; n += step, ++looked_at) sum += kept(n);
  return sum * static_cast<double>(executions) / looked_at;
}

std::uint64_t longest(const Part& part, std::uint64_t executions) {
  return static_cast<std::uint64_t>(part.loop->trips().largest(executions));
}

/// See kShortestPart_s. later_s: of all the loop's iterations that may be left out.
double shortest_part_s(const Parts& parts, double later_s) {
  constexpr double kMain = 0.5, kLeast = 0.25;
  const double all_s = parts.run_s();
  return kShortestPart_s * (all_s > 0 ? std::clamp(later_s / (kMain * all_s), kLeast, 1.0) : 1);
}

/// What is known of the plan that was made before, by part.
struct Known {
  std::vector<std::uint64_t> least;  ///< iterations of an execution that are kept, at least
  std::vector<double> run;  ///< share of a loop's iterations that lie in executions that run; below 0: not known
  explicit Known(std::size_t parts) : least(parts, 1), run(parts, -1) {}
};

std::vector<Decision> decide(const Parts& parts, double k, const Known& known) {
  std::vector<Decision> all(parts.all().size(), {.spent = Spent(parts.locations())});
  for (std::size_t i = 0; i < parts.all().size(); ++i) {
    const Part& part = parts.all()[i];
    Decision& now = all[i];
    if (part.loop) {
      const Decision& around = all[part.inside];
      const bool outermost = !parts.all()[part.inside].loop;
      now.run = around.run_iterations;
      const double share = known.run[i] < 0 ? now.run : known.run[i];
      now.how.k = k * share;
      now.how.ends = part.loop->ends[0];
      double later_s = *std::ranges::max_element(part.later_s) - part.between.left_out(k) * part.later_between[0] -
                       part.body.left_out(k) * part.later_share[0];
      later_s = std::max(0.0, later_s);
      const double shortest_s = shortest_part_s(parts, later_s);
      now.cut = outermost || (now.how.k > kMuchLonger && later_s * share > shortest_s);
      if (now.cut) {
        const auto executions = parts.timing().of(*part.loop->node).occurrences[0];
        const double later = part.later();
        const double wanted = later_s > 0 ? std::ceil(shortest_s / (later_s / later)) : 1;
        double each = std::ceil(wanted / std::max(1.0, part.executions * now.run));
        each = std::max(each, static_cast<double>(known.least[i]));
        now.how.least = static_cast<std::uint64_t>(
            std::clamp(each, 1.0, static_cast<double>(now.how.later(longest(part, executions)))));
        const double kept = kept_of_all(part, now.how, executions);
        now.kept = kept * share;
        now.weight = later / now.kept;
        now.run_iterations = share * (part.always + kept) / part.iterations;
      } else {
        now.run_iterations = share;
      }
    }
    // What stands in first and last iterations belongs to the phases around: of each location its share.
    const auto distribute = [&](const Spent& what, const std::vector<double>& later, const std::vector<double>& last) {
      std::vector<double> rest(parts.locations(), 1);
      for (std::size_t at = i;; at = parts.all()[at].inside) {
        const Part& around = parts.all()[at];
        if (around.loop && !all[at].cut) continue;
        const auto& of_later = at == i ? later : around.later_share;
        const auto& of_last = at == i ? last : around.last_share;
        const auto spend = [&](std::size_t where, const std::vector<double>& of_rest) {
          auto share = rest;
          for (std::size_t l = 0; l < share.size() && !of_rest.empty(); ++l) share[l] *= of_rest[l];
          all[where].spent.add(what, share);
        };
        spend(at, of_later);
        if (around.next) spend(*around.next, of_last);
        if (!around.loop) break;
        for (std::size_t l = 0; l < rest.size(); ++l) rest[l] *= 1 - of_later[l] - (around.next ? of_last[l] : 0);
      }
    };
    distribute(part.body, part.later_share, part.last_share);
    distribute(part.between, part.later_between, part.last_between);
  }
  return all;
}

/// Of the slowest location. longer: by part, traced seconds of a kept iteration in relation to those of any.
double expected_run_s(const Parts& parts, const std::vector<Decision>& all, double k,
                      const std::vector<double>& longer = {}) {
  std::vector<double> expected(parts.locations(), 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double left_out = all[i].spent.left_out(k), weight = all[i].weight / (longer.empty() ? 1 : longer[i]);
    for (std::size_t l = 0; l < expected.size(); ++l)
      expected[l] += std::max(0.0, all[i].spent.seconds[l] - left_out) / weight;
  }
  return *std::ranges::max_element(expected);
}

/// "loop 2.1", "between 1 and 2"
std::vector<std::string> names(const Parts& parts, const std::vector<Decision>& all) {
  std::size_t plain_parts = 0, loops = 0;
  bool cut = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    plain_parts += !parts.all()[i].loop;
    cut = cut || all[i].cut;
  }
  std::vector<std::string> names;
  std::vector<std::size_t> inside(all.size(), 0);  // loops in each, so far
  std::size_t plain = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Part& part = parts.all()[i];
    std::string name;
    if (part.loop && all[i].cut) {
      std::size_t outer = part.inside;
      while (parts.all()[outer].loop && !all[outer].cut) outer = parts.all()[outer].inside;
      name = parts.all()[outer].loop ? names[outer] + "." + std::to_string(++inside[outer])
                                     : "loop " + std::to_string(++loops);
    } else if (!part.loop) {
      if (plain_parts == 1)
        name = cut ? "around the loops" : "whole run";
      else if (plain == 0)
        name = "prologue";
      else if (plain + 1 == plain_parts)
        name = "epilogue";
      else
        name = "between";
      ++plain;
    }
    names.push_back(name);
  }
  // The loops that a part stands between are known by now.
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (names[i] != "between") continue;
    std::size_t before = i, after = i + 1;
    while (!parts.all()[before].next) --before;
    while (!parts.all()[after].next) ++after;
    names[i] = "between " + names[before].substr(5) + " and " + names[after].substr(5);
  }
  return names;
}

/// Variance of an iteration's computation at a location, in square seconds, of a block that stands in the loop.
double variance(const skeleton::Block& block, const Timing& timing, std::uint32_t location, double iterations) {
  double sum = 0;
  const auto add = [&](const skeleton::Compute& compute, std::size_t at, double times) {
    if (compute.samples.of.empty()) return;
    const double deviation = skeleton::deviation(compute.samples.of[at]);
    sum += deviation * deviation * times / iterations;
  };
  for (const Node& node : block) {
    const int found = node.position(location);
    if (found < 0) continue;
    const auto at = static_cast<std::size_t>(found);
    add(node.before, at, static_cast<double>(timing.of(node).occurrences[at]));
    if (!node.is_loop()) continue;
    add(node.loop().between, at, static_cast<double>(timing.of(node).between[at]));
    sum += variance(node.loop().body, timing, location, iterations);
  }
  return sum;
}

/// Phase::error.
double expected_error(const Parts& parts, const Part& part, const Phase& phase) {
  const auto slowest = std::ranges::max_element(part.later_s) - part.later_s.begin();
  const auto location = part.loop->node->where[static_cast<std::size_t>(slowest)];
  double each = variance(part.loop->node->loop().body, parts.timing(), location, part.iterations);
  const auto& between = part.loop->node->loop().between.samples;
  if (!between.of.empty()) each += std::pow(skeleton::deviation(between.of[static_cast<std::size_t>(slowest)]), 2);
  const auto kept = static_cast<double>(phase.kept);
  const double left_out = std::max(0.0, 1 - kept / part.later());
  const double all_s = parts.skeleton().traced_wall_s;
  return all_s > 0 && kept > 0 ? part.later() * std::sqrt(each / kept * left_out) / all_s : 0;
}

/// The share of a loop's iterations that lie in these executions.
double share_of(const Part& part, const std::vector<LoopRun>& executions) {
  std::uint64_t trips = 0;
  for (const LoopRun& run : executions) trips += run.trips;
  return static_cast<double>(trips) / part.iterations;
}

/// `known` becomes what this plan shows: more iterations are to be kept where they are not typical, and executions that run may have other shares of the
/// iterations than they have of the executions. False if that asks for another plan.
bool plan_once(const Parts& parts, double k, Known& known, Plan& plan) {
  auto all = decide(parts, k, known);
  plan = {};
  bool good = true;
  plan.scale = k;
  const auto named = names(parts, all);
  std::vector<std::size_t> number(all.size(), 0);  // of the phase of each part
  for (std::size_t i = 0, phases = 0; i < all.size(); ++i) {
    const Part& part = parts.all()[i];
    number[i] = part.loop && !all[i].cut ? number[part.inside] : phases++;
  }
  std::vector<double> longer(all.size(), 1);
  LoopRuns runs;
  CutInside inside;  // before the shares of their executions are known, all loops that may be cut
  for (std::size_t i = 0; i < all.size(); ++i)
    if (const Part& part = parts.all()[i]; part.loop && (all[i].cut || known.run[i] < 0))
      inside.emplace(part.loop->node, 1 - part.later() / part.iterations);
  // A loop inside loops has executions that run once those around are planned: the next plan knows them.
  const auto know = [&](std::size_t i, const std::vector<LoopRun>& executions) {
    constexpr double kClose = 1.1;
    const Part& part = parts.all()[i];
    if (part.executions * all[i].run >= kMostLoopRuns || !parts.all()[part.inside].loop) return;
    const double before = known.run[i] < 0 ? all[i].run : known.run[i], now = share_of(part, executions);
    if (now > kClose * before || before > kClose * now) known.run[i] = now, good = false;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Part& part = parts.all()[i];
    if (part.loop && !all[i].cut) {
      plan.phases.push_back({.name = {},
                             .loop = part.loop->node,
                             .around = part.loop->around,
                             .inside = number[part.inside],
                             .times = static_cast<std::uint64_t>(std::llround(part.executions * all[i].run))});
      know(i, loop_runs(plan, plan.phases.size() - 1, runs));
      plan.phases.pop_back();
      continue;
    }
    Phase phase{.name = named[i], .weight = all[i].weight, .traced_s = all[i].spent.most()};
    if (part.loop) {
      const auto executions = parts.timing().of(*part.loop->node).occurrences[0];
      phase.loop = part.loop->node;
      phase.around = part.loop->around;
      phase.inside = number[part.inside];
      if (part.next) phase.next = number[*part.next];
      const bool outermost = !parts.all()[part.inside].loop;
      phase.share = outermost ? 1 : (all[i].how.k - 1) / (k - 1);
      phase.longest = longest(part, executions);
      phase.ends = part.loop->ends;
      phase.trips = static_cast<std::uint64_t>(part.iterations);
      phase.times = static_cast<std::uint64_t>(std::llround(part.executions * all[i].run));
      phase.kept = static_cast<std::uint64_t>(std::llround(all[i].kept));
      phase.least = all[i].how.least;
      phase.raised = phase.least > skel_iterations_kept(all[i].how.later(phase.longest), all[i].how.k, 1);
    }
    plan.phases.push_back(std::move(phase));
    // From the outermost loop inwards, so that all that the skeleton runs counts for all that was traced.
    Phase& own = plan.phases.back();
    runs.push_back(loop_runs(plan, plan.phases.size() - 1, runs));
    if (!own.loop) continue;
    know(i, runs.back());
    if (own.times < kMostLoopRuns) {
      std::uint64_t kept = 0;
      for (const LoopRun& run : runs.back()) kept += cut_of(plan, own).kept(run.trips);
      own.kept = kept;
      own.weight = all[i].weight = part.later() / static_cast<double>(std::max<std::uint64_t>(1, kept));
    }
    auto found = own.times < kMostLoopRuns
                     ? kinds(*own.loop, own.around.empty(), own.trips, runs.back(), cut_of(plan, own), own.ends, inside)
                     : Kinds();
    own.chosen = std::move(found.chosen);
    own.typical = typical(*own.loop, runs.back(), cut_of(plan, own), own.ends);
    own.weight *= own.typical;
    own.error = expected_error(parts, part, own);
    longer[i] = 1 / own.typical;
    if (!own.chosen.empty()) {
      longer[i] = found.longer;
      own.error = parts.skeleton().traced_wall_s > 0 ? found.error_s / parts.skeleton().traced_wall_s : 0;
    }
    const bool typical_enough = own.typical <= kMostUntypical && own.typical >= 1 / kMostUntypical;
    if (typical_enough || own.least >= cut_of(plan, own).later(own.longest)) continue;
    known.least[i] = 2 * std::max(own.least, cut_of(plan, own).kept(own.longest));
    good = false;
  }
  plan.expected_run_s = expected_run_s(parts, all, k, longer);
  std::vector<double> cut_s(parts.locations(), 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    plan.left_out_s += all[i].spent.left_out(k);
    if (!all[i].cut || plan.phases[number[i]].run() >= plan.phases[number[i]].trips) continue;
    for (std::size_t l = 0; l < cut_s.size(); ++l) cut_s[l] += all[i].spent.seconds[l];
  }
  plan.cut_s = *std::ranges::max_element(cut_s);
  const bool cut = std::ranges::any_of(plan.phases, [](const Phase& phase) { return phase.loop != nullptr; });
  if (cut)
    plan.not_cut = why_not_cut(parts.skeleton(), parts.timing(), parts.loops());
  else
    plan.uncut = why_uncut(parts.skeleton(), parts.timing());
  return good;
}

Plan plan_of(const Parts& parts, double k) {
  Plan plan;
  Known known(parts.all().size());
  while (!plan_once(parts, k, known, plan)) {
  }
  return plan;
}

}  // namespace

Plan plan_scale(const Skeleton& skeleton, double k) {
  if (!(k >= 1) || !std::isfinite(k))
    throw Error(Code::invalid_argument, "the scale is " + std::to_string(k), "give a number K >= 1");
  return plan_of(Parts(skeleton), k);
}

Plan plan_budget(const Skeleton& skeleton, double seconds) {
  if (!(seconds > 0) || !std::isfinite(seconds))
    throw Error(Code::invalid_argument, "the budget is " + std::to_string(seconds) + " s", "give a time above 0");
  const Parts parts(skeleton);
  const Known known(parts.all().size());
  const auto expected = [&](double k) { return expected_run_s(parts, decide(parts, k, known), k); };
  double largest = 1;  // one kept iteration in every loop; more changes nothing
  for (const Part& part : parts.all()) {
    largest = std::max(largest, part.iterations);
    for (const auto* gaps : {&part.body.gaps, &part.between.gaps})
      for (const LongGap& gap : *gaps) largest = std::max(largest, gap.common_s / kLeastSpent_s);
  }
  if (expected(1) <= seconds) return plan_of(parts, 1);
  const double shortest = expected(largest);
  const auto planned = [&](double run_s) {
    double low = 1, high = largest;  // low is too long; the run time falls with K
    for (int step = 0; step < 100 && high - low > 1e-6 * low; ++step) {
      const double middle = 0.5 * (low + high);
      (expected(middle) <= run_s ? high : low) = middle;
    }
    return plan_of(parts, std::ceil(high * 100) / 100);  // a K that people can read
  };
  // Where the budget cannot be met: the smallest K that already gives the shortest run. The search estimates the run time; the plan, which
  // knows the iterations that run, tells it exactly. Where the two differ, the search is repeated for a time changed by their ratio.
  constexpr int kRounds = 5;
  constexpr double kNear = 0.02;
  double wanted = std::max(seconds, shortest);
  Plan plan = planned(wanted), best = plan;
  for (int round = 1; round < kRounds; ++round) {
    if (plan.expected_run_s <= seconds && plan.expected_run_s >= (1 - kNear) * seconds) break;
    const double next = std::max(wanted * seconds / plan.expected_run_s, shortest);
    if (next == wanted) break;
    wanted = next;
    plan = planned(wanted);
    const bool longer = plan.expected_run_s > best.expected_run_s;
    if (plan.expected_run_s <= seconds ? longer || best.expected_run_s > seconds : !longer) best = plan;
  }
  if (best.expected_run_s > seconds)
    if (Plan least = plan_of(parts, largest); least.expected_run_s < best.expected_run_s) best = std::move(least);
  return best;
}

}  // namespace skelgen::emit
