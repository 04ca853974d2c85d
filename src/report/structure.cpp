#include "report/structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <ranges>
#include <utility>

#include "emit/timing.h"
#include "skeleton/datatypes.h"
#include "skeleton/skeleton.h"
#include "support/format.h"

namespace skelgen::report {
namespace {

using mpi::Role;
using skeleton::Argument;
using skeleton::Block;
using skeleton::Call;
using skeleton::Node;

bool is_one(const Argument& argument) {
  return argument.choices.size() == 1 && argument.choices[0].kind == skeleton::Sequence::Kind::constant;
}

/// By position.
std::vector<double> seconds_of(const skeleton::Compute& compute, const std::vector<std::uint64_t>& times) {
  std::vector<double> seconds(times.size());
  for (std::size_t p = 0; p < compute.mean_s.size(); ++p)
    seconds[p] = compute.mean_s[p] * static_cast<double>(times[p]);
  return seconds;
}

double sum(const std::vector<double>& seconds) { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

/// The first call in `in_order(nodes)` that any of the locations `by` makes, loops included. nullopt: none of them makes a call. nullptr: that call
/// is not made by all of them.
std::optional<const Call*> first_call(const Block& nodes, const std::vector<std::uint32_t>& by, const auto& in_order) {
  for (const Node& node : in_order(nodes)) {
    if (std::ranges::none_of(by, [&](std::uint32_t l) { return std::ranges::binary_search(node.where, l); })) continue;
    if (!node.is_loop()) return std::ranges::includes(node.where, by) ? &node.call() : nullptr;
    if (const auto inside = first_call(node.loop().body, by, in_order)) return inside;
  }
  return {};
}
const Call* first_call(const Block& block, const std::vector<std::uint32_t>& by) {
  return first_call(block, by, std::views::all).value_or(nullptr);
}
const Call* last_call(const Block& block, const std::vector<std::uint32_t>& by) {
  return first_call(block, by, std::views::reverse).value_or(nullptr);
}

/// Of more statements than these, those that take a smaller share of the time are counted only.
constexpr std::size_t kFew = 40;
constexpr double kLittle = 0.0005;

class Lister {
 public:
  Lister(const skeleton::Skeleton& skeleton, const emit::Plan& plan, const emit::Annotations& lines, std::size_t most)
      : skeleton_(skeleton), lines_(lines), timing_(skeleton), types_(skeleton), previous_(skeleton.locations.size()) {
    for (const emit::Phase& phase : plan.phases)
      if (phase.loop) names_.emplace(phase.loop, phase.name);
    result_.seconds = timing_.total();
    result_.length = skeleton::length(skeleton.program);
    std::vector<double> seconds;
    collect(skeleton.program, seconds);
    if (seconds.size() > kFew) least_s_ = kLittle * result_.seconds;
    if (seconds.size() > most) {
      const auto last = seconds.begin() + static_cast<std::ptrdiff_t>(most);
      std::ranges::nth_element(seconds, last, std::greater<>());
      least_s_ = std::max(*least_s_, *last);
    }
  }

  Structure list() {
    block(skeleton_.program, 0);
    return std::move(result_);
  }

 private:
  void collect(const Block& nodes, std::vector<double>& seconds) const {
    for (const Node& node : nodes) {
      seconds.push_back(timing_.total(node));
      if (node.is_loop()) collect(node.loop().body, seconds);
    }
  }

  void block(const Block& nodes, int level) {
    std::size_t left_out = 0;
    double left_out_s = 0;
    const auto tell = [&] {
      if (left_out > 0)
        add({Statement::Kind::rest,
             level,
             fmt::format("{} statement{}", format_count(left_out), left_out > 1 ? "s" : ""),
             {},
             {},
             0,
             left_out_s});
      left_out = 0;
      left_out_s = 0;
    };
    for (const Node& node : nodes) {
      const double seconds = timing_.total(node);
      if (least_s_ && seconds <= *least_s_) {
        left_out += node.is_loop() ? skeleton::length(node.loop().body) : 1;
        left_out_s += seconds;
        record_last_calls(node);
        continue;
      }
      tell();
      node.is_loop() ? loop(node, seconds, level) : call(node, level);
    }
    tell();
  }

  /// Records, for each location, the last call in the node.
  void record_last_calls(const Node& node) {
    if (node.is_loop())
      for (const Node& inside : node.loop().body) record_last_calls(inside);
    else
      for (const auto l : node.where) previous_[l] = &node.call();
  }
  /// The last call of each location that executes the node; nullptr: not the same for all.
  const Call* previous(const Node& node) const {
    const Call* const one = previous_[node.where.front()];
    return std::ranges::all_of(node.where, [&](std::uint32_t l) { return previous_[l] == one; }) ? one : nullptr;
  }

  void loop(const Node& node, double seconds, int level) {
    const auto& timing = timing_.of(node);
    const skeleton::Loop& what = node.loop();
    // An iteration of the body is executed so often as its statements that all of its locations execute.
    std::uint64_t most = 0, entered = 0, reached = 0;
    for (std::size_t p = 0; p < node.where.size(); ++p) {
      const auto trips = static_cast<std::uint64_t>(what.trips.of(p).sum(timing.occurrences[p]));
      if (trips < most) continue;
      most = trips;
      entered = what.trips.of(p).positive(timing.occurrences[p]);
      reached = timing.occurrences[p];
    }
    const auto times = [](std::uint64_t count) {
      return fmt::format("{} time{}", format_count(count), count == 1 ? "" : "s");
    };
    const std::string now_and_then =
        entered < reached ? fmt::format(" in {} of {} cases", format_count(entered), format_count(reached)) : "";
    const auto name = names_.find(&node);
    std::string text = name == names_.end() ? "loop, " : name->second + ": ";
    if (is_one(what.trips))
      text += times(static_cast<std::uint64_t>(what.trips.choices[0].values[0]));
    else if (entered > 0 && most == entered && now_and_then.empty())
      text += times(1);
    else if (entered > 0 && most == entered)  // as an if
      text = (name == names_.end() ? "" : text) + now_and_then.substr(1);
    else if (entered == 1)
      text += "up to " + times(most);
    else
      text += fmt::format("{:.3g} times on average",
                          entered ? static_cast<double>(most) / static_cast<double>(entered) : 0.0) +
              now_and_then;
    std::vector<std::uint64_t> trips;
    for (std::size_t p = 0; p < node.where.size(); ++p)
      trips.push_back(static_cast<std::uint64_t>(what.trips.of(p).sum(timing.occurrences[p])));
    add({Statement::Kind::loop, level, text, name == names_.end() ? "" : name->second, who(node, trips), most, seconds,
         longest(node, timing.seconds, trips)});
    // The computation before the first iteration's first statement is shown before the loop. Of two or three calls alike
    // these are stretches of different work: what a program has between two calls of MPI_Wtime, and before them.
    constexpr std::uint64_t kFewTrips = 3;
    auto before = seconds_of(node.before, timing.occurrences);
    const auto between = seconds_of(what.between, timing.between);
    const Call *const first = first_call(what.body, node.where), *const last = last_call(what.body, node.where);
    if (most <= kFewTrips * entered && is_seen(sum(before)) && is_seen(sum(between))) {
      computation(node, before, entered, level + 1, "computation before the first iteration", previous(node), first);
      computation(node, between, most - entered, level + 1, "computation before later iterations", last, first);
    } else {
      const bool later = sum(between) > sum(before);
      for (std::size_t p = 0; p < before.size(); ++p) before[p] += between[p];
      computation(node, before, most, level + 1, "computation", later ? last : previous(node), first);
    }
    block(what.body, level + 1);
  }

  void call(const Node& node, int level) {
    const auto& occurrences = timing_.of(node).occurrences;
    const std::uint64_t most = occurrences.empty() ? 0 : std::ranges::max(occurrences);
    const auto before = seconds_of(node.before, occurrences);
    computation(node, before, most, level, "computation", previous(node), &node.call());
    auto inside = timing_.of(node).seconds;
    for (std::size_t p = 0; p < inside.size(); ++p) inside[p] = std::max(0.0, inside[p] - before[p]);
    add({Statement::Kind::call, level, text(node.call()), std::string(node.call().function->name),
         who(node, occurrences), most, sum(inside), longest(node, inside, occurrences)});
    record_last_calls(node);
  }

  /// by, times: seconds of each location of the node, and how often it executes it.
  std::optional<Longest> longest(const Node& node, const std::vector<double>& by,
                                 const std::vector<std::uint64_t>& times) const {
    constexpr double kClearly = 1.1;
    std::map<int, double> of_ranks;
    for (std::size_t p = 0; p < by.size(); ++p)
      if (times[p] > 0) of_ranks[skeleton_.locations[node.where[p]].where.rank] += by[p];
    if (sum(by) <= 0) return {};
    const auto [rank, most] = *std::ranges::max_element(of_ranks, {}, [](const auto& one) { return one.second; });
    const double mean = sum(by) / static_cast<double>(of_ranks.size());
    if (most < kClearly * mean) return {};
    return Longest{rank, most, most - mean};
  }

  bool is_seen(double computation_s) const {
    constexpr double kLeast = 0.002;
    return computation_s > kLeast * result_.seconds;
  }

  /// from, to: the calls around it; nullptr: not the same for all that execute it.
  void computation(const Node& node, const std::vector<double>& seconds, std::uint64_t times, int level,
                   std::string text, const Call* from, const Call* to) {
    if (!is_seen(sum(seconds))) return;
    const auto begin = lines_.find(from), end = lines_.find(to);
    std::string lines;
    if (begin != lines_.end() && end != lines_.end()) lines = fmt::format("{} to {}", begin->second, end->second);
    if (!lines.empty()) text += " (" + lines + ")";
    const auto& occurrences = timing_.of(node).occurrences;
    add({Statement::Kind::computation, level, std::move(text), std::move(lines), who(node, occurrences), times,
         sum(seconds), longest(node, seconds, occurrences)});
  }

  void add(Statement statement) { result_.statements.push_back(std::move(statement)); }

  /// times: how often each location of the node executes it; those that never do are not named.
  std::string who(const Node& node, const std::vector<std::uint64_t>& times) const {
    std::vector<int> ranks;
    std::size_t locations = 0;
    for (std::size_t p = 0; p < node.where.size(); ++p) {
      if (p < times.size() && times[p] == 0) continue;
      ranks.push_back(skeleton_.locations[node.where[p]].where.rank);
      ++locations;
    }
    if (locations == skeleton_.locations.size() || ranks.empty()) return {};
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    constexpr std::size_t kShort = 20;
    auto text = (ranks.size() == 1 ? "rank " : "ranks ") + format_ranges(ranks);
    return text.size() <= kShort
               ? text
               : fmt::format("{} of {} ranks", format_count(ranks.size()), format_count(skeleton::ranks(skeleton_)));
  }

  /// "MPI_Send to rank+1, 8 B".
  std::string text(const Call& call) const {
    std::string text(call.function->name);
    bool size = false;
    const int from =
        call.function->kind == mpi::Kind::recv_init ? call.function->find(Role::peer) : call.function->source();
    for (std::size_t i = 0; i < call.function->parameters.size(); ++i) {
      const mpi::Parameter& parameter = call.function->parameters[i];
      if (i >= call.arguments.size()) break;
      if (parameter.role == Role::peer)
        text += fmt::format(" {} {}", static_cast<int>(i) == from ? "from" : "to", rank(call.arguments[i]));
      if (parameter.role == Role::root) text += ", root " + rank(call.arguments[i]);
      if (parameter.role == Role::buffer && !size && parameter.datatype >= 0) {
        size = true;
        text += bytes(call, parameter);
      }
    }
    const auto line = lines_.find(&call);
    return line == lines_.end() ? text : text + " (" + line->second + ")";
  }

  std::string rank(const Argument& argument) const {
    if (argument.rule && argument.rule->kind != skeleton::RankRule::Kind::constant)
      return skeleton::formula(*argument.rule);
    if (!is_one(argument)) return "several";
    const std::int64_t value = argument.choices[0].values[0];
    return value == mpi::kAnySource ? "any" : value == mpi::kProcNull ? "nobody" : std::to_string(value);
  }

  /// Of a buffer whose size does not change; else nothing.
  std::string bytes(const Call& call, const mpi::Parameter& buffer) const {
    if (buffer.count < 0) return {};
    const Argument& count = call.arguments[static_cast<std::size_t>(buffer.count)];
    const Argument& type = call.arguments[static_cast<std::size_t>(buffer.datatype)];
    if (call.function->parameters[static_cast<std::size_t>(buffer.count)].role != Role::count || !is_one(count) ||
        !is_one(type))
      return {};
    const auto element = types_.bytes(type.choices[0].values[0]);
    if (!element) return {};
    return ", " + format_bytes(static_cast<double>(count.choices[0].values[0]) * static_cast<double>(*element));
  }

  const skeleton::Skeleton& skeleton_;
  const emit::Annotations& lines_;
  const emit::Timing timing_;
  const skeleton::Datatypes types_;
  std::map<const Node*, std::string> names_;  ///< of loops that are phases
  std::optional<double> least_s_;             ///< what does not take longer is left out
  std::vector<const Call*> previous_;         ///< by location: its last call before what is listed now
  Structure result_;
};

}  // namespace

Structure structure(const skeleton::Skeleton& skeleton, const emit::Plan& plan, const emit::Annotations& lines,
                    std::size_t most) {
  return Lister(skeleton, plan, lines, most).list();
}

}  // namespace skelgen::report
