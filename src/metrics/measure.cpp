#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "metrics/charron_bost.h"
#include "metrics/findings.h"
#include "metrics/he_sun.h"
#include "metrics/metrics.h"
#include "metrics/numbers.h"
#include "metrics/rank_reader.h"
#include "metrics/raynal.h"
#include "metrics/replay.h"
#include "support/error.h"
#include "support/parallel.h"

namespace skelgen::metrics {
namespace {

/// Of `locations` that computed so long in all and at most. ideal: seconds on a network that costs nothing.
Pop pop(std::size_t locations, double computing, double most, double ideal, double seconds) {
  const auto ratio = [](double a, double b) { return b > 0 ? Measure(std::min(1.0, a / b)) : std::nullopt; };
  const double mean = computing / static_cast<double>(locations);
  return {ratio(mean, seconds), ratio(mean, most), ratio(most, seconds), ratio(most, ideal), ratio(ideal, seconds)};
}

/// ideal: as above.
Pop pop(const Replayed& run, double ideal) {
  const double whole = std::ranges::max(run.ends) - std::ranges::min(run.starts);
  const double all = std::accumulate(run.computing.begin(), run.computing.end(), 0.0);
  return pop(run.computing.size(), all, std::ranges::max(run.computing), ideal, whole);
}

/// With the longest chains of a run whose sends never wait.
Unwaited unwaited(const Replayed& run, const HeSun& he_sun) {
  const Pop efficiencies = pop(run, run.unwaited.seconds);
  Unwaited result;
  result.ht = run.unwaited.scaled;
  result.alpha = region_alpha(he_sun.wt, he_sun.vol, result.ht);
  result.serialization = efficiencies.serialization;
  result.transfer = efficiencies.transfer;
  return result;
}

std::vector<PhaseMeasures> phases(const Replayed& run, const Phases& phases) {
  double elapsed = 0;
  for (const PhaseTimes& phase : run.phases) elapsed += phase.elapsed;
  std::vector<PhaseMeasures> result;
  for (std::size_t i = 0; i < run.phases.size(); ++i) {
    const PhaseTimes& phase = run.phases[i];
    result.push_back({phases[i].name, phase.seconds, elapsed > 0 ? Measure(phase.elapsed / elapsed) : std::nullopt,
                      pop(run.computing.size(), phase.computing, phase.most, phase.ideal, phase.seconds),
                      phase.sums.alpha()});
    if (phase.ideal > phase.seconds && phase.seconds > 0) result.back().pop.transfer = phase.ideal / phase.seconds;
  }
  return result;
}

/// What a rank did on its stretches of the critical path.
struct Spent {
  std::map<std::string, double, std::less<>> by_function;  // "computation" is one
  std::vector<double> by_phase;
};

/// stretches: by thread.
Spent spend(const trace::Trace& trace, const trace::RankInfo& rank, const std::vector<std::vector<Stretch>>& stretches,
            std::span<const std::vector<std::uint64_t>> cuts) {
  Spent spent;
  spent.by_phase.resize(cuts.empty() ? 1 : cuts.front().size() + 1);
  RankReader reader(trace, rank.rank, rank.threads, 0, cuts, false);
  std::vector<std::uint64_t> step(stretches.size());
  std::vector<std::size_t> next(stretches.size()), phase(stretches.size());
  auto left = std::ranges::count_if(stretches, [](const auto& all) { return !all.empty(); });
  while (left > 0) {
    const auto thread = reader.next();
    if (!thread) break;
    const auto& all = stretches[*thread];
    const std::uint64_t at = step[*thread]++;
    std::size_t& i = next[*thread];
    while (i < all.size()) {
      const Step& now = *reader.front(*thread);
      const Stretch& on = all[i];
      std::size_t& in = phase[*thread];
      while (!cuts.empty() && in < cuts[*thread].size() && now.call >= cuts[*thread][in]) ++in;
      const bool whole = at >= on.from && at < on.to;
      const double computing = whole || (on.enters && at == on.to) ? now.computing : 0;
      double inside = 0;
      if (whole) inside = now.blocked;
      if (on.enters && at == on.to) inside = std::max(0.0, now.blocked - (now.at - now.entered));
      if (at + 1 == on.from) inside = on.waited_s;
      spent.by_phase[in] += computing + inside;
      const double local = whole || on.enters ? std::min(inside, now.local) : 0;
      const double without_core = whole || on.enters ? std::min(inside - local, now.without_core) : 0;
      if (computing > 0) spent.by_function[CriticalPath::kComputation] += computing;
      if (local > 0) spent.by_function[CriticalPath::kLocalCalls] += local;
      if (without_core > 0) spent.by_function[CriticalPath::kWithoutCore] += without_core;
      if (const double rest = inside - local - without_core; rest > 0)
        spent.by_function[std::string(now.function->name)] += rest;
      if (at + 1 < on.to + on.enters) break;
      if (++i == all.size()) --left;
    }
    reader.pop(*thread);
  }
  return spent;
}

/// Ranks of the path are read again: what it spent where was not kept.
CriticalPath critical_path(const trace::Trace& trace, const Replayed& run, const Phases& phases, const Cuts& cuts) {
  const auto infos = trace.rank_info();
  std::vector<std::vector<std::vector<Stretch>>> stretches;  // by rank and thread
  std::vector<std::pair<std::size_t, std::size_t>> places;   // of the locations
  for (std::size_t r = 0; r < infos.size(); ++r) {
    stretches.emplace_back(static_cast<std::size_t>(infos[r].threads));
    for (std::size_t thread = 0; thread < stretches[r].size(); ++thread) places.emplace_back(r, thread);
  }
  for (const Stretch& stretch : run.path) {
    const auto [r, thread] = places[stretch.location];
    stretches[r][thread].push_back(stretch);
  }
  std::vector<Spent> spent(infos.size());
  std::vector<std::size_t> first(1);  // location of a rank
  for (const auto& info : infos) first.push_back(first.back() + static_cast<std::size_t>(info.threads));
  parallel_for(infos.size(), [&](std::size_t r) {
    const auto own = cuts.empty() ? std::span(cuts) : std::span(cuts).subspan(first[r], stretches[r].size());
    spent[r] = spend(trace, infos[r], stretches[r], own);
  });

  CriticalPath path;
  path.by_rank.resize(infos.empty() ? 0 : static_cast<std::size_t>(infos.back().rank) + 1);
  for (const PhaseBegin& phase : phases) path.by_phase.emplace_back(phase.name, 0);
  std::map<std::string, double, std::less<>> functions;
  for (std::size_t r = 0; r < infos.size(); ++r) {
    for (const auto& [name, seconds] : spent[r].by_function) {
      functions[name] += seconds;
      path.by_rank[static_cast<std::size_t>(infos[r].rank)] += seconds;
      path.seconds += seconds;
    }
    for (std::size_t i = 0; i < path.by_phase.size(); ++i) path.by_phase[i].second += spent[r].by_phase[i];
  }
  path.by_function.assign(functions.begin(), functions.end());
  std::ranges::stable_sort(path.by_function, std::greater<>(), [](const auto& entry) { return entry.second; });
  return path;
}

/// What has most of the path takes half as long; the first is the run as it was.
std::vector<AlteredRun> to_halve(const CriticalPath& path) {
  constexpr std::size_t kOfEach = 3;
  std::vector<AlteredRun> altered(1);
  std::vector<std::size_t> ranks(path.by_rank.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::ranges::stable_sort(ranks, std::greater<>(), [&](std::size_t rank) { return path.by_rank[rank]; });
  for (std::size_t i = 0; i < ranks.size() && i < kOfEach; ++i)
    if (path.by_rank[ranks[i]] > 0) altered.push_back({{{static_cast<Rank>(ranks[i]), 0.5}}, {}});
  for (std::size_t i = 0, found = 0; i < path.by_function.size() && found < kOfEach; ++i) {
    const auto& [name, seconds] = path.by_function[i];
    if (!mpi::find(name) || seconds <= 0) continue;
    altered.push_back({{}, name});
    ++found;
  }
  return altered;
}

/// ends: of the altered runs.
std::vector<CriticalPath::Halved> halved(std::span<const AlteredRun> altered, const std::vector<double>& ends) {
  std::vector<CriticalPath::Halved> result;
  for (std::size_t i = 1; i < altered.size(); ++i) {
    const auto& [computes, function] = altered[i];
    result.push_back(
        {computes.empty() ? std::nullopt : std::optional(computes.front().first), function, ends[0] - ends[i]});
  }
  std::ranges::stable_sort(result, std::greater<>(), &CriticalPath::Halved::gain_s);
  return result;
}

/// Measures of events: of a replay that counted them. unit_s 0: none.
void add_events(const Replayed& run, const Options& options, double unit_s, Metrics& result) {
  result.raynal = cylinder(run.events, run.chains.events);
  if (unit_s > 0) result.raynal.unit_s = unit_s;
  result.cone = run.cone;
  const Raynal unwaited = cylinder(run.events, run.unwaited.events);
  result.unwaited.raynal_alpha = unwaited.alpha;
  result.unwaited.height = unwaited.height;
  if (!options.cuts)
    result.charron_bost.reason = "not counted";
  else if (run.clocks)
    result.charron_bost = charron_bost(*run.clocks);
  else
    result.charron_bost.reason = fmt::format("more than {} events", kMostEvents);
}

/// Calls before which the locations' phases begin, but for the first.
Cuts cuts_of(const trace::Trace& trace, const Phases& phases) {
  if (phases.empty()) return {};
  const std::size_t n = trace.locations().size();
  Cuts cuts(n);
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (phases[i].begins.size() != n)
      throw Error(
          Code::invalid_argument, trace.directory().string(), {},
          fmt::format("phase \"{}\" has {} beginnings for {} locations", phases[i].name, phases[i].begins.size(), n));
    for (std::size_t l = 0; l < n && i > 0; ++l) cuts[l].push_back(phases[i].begins[l]);
  }
  if (!std::ranges::all_of(cuts, [](const auto& own) { return std::ranges::is_sorted(own); }))
    throw Error(Code::invalid_argument, trace.directory().string(), {}, "phases that are not in the order of the run");
  return cuts;
}

CriticalPath::Slack slack_of(const SlackSum& sum) {
  if (sum.seconds <= 0) return {};
  return {sum.weighted / sum.seconds, sum.least};
}

void add_slack(const trace::Trace& trace, const Slacks& slacks, const Phases& phases, CriticalPath& path) {
  std::vector<SlackSum> ranks(path.by_rank.size());
  for (std::size_t l = 0; l < slacks.by_location.size(); ++l)
    ranks[static_cast<std::size_t>(trace.locations()[l].rank)].add(slacks.by_location[l]);
  for (const SlackSum& rank : ranks) path.slack_by_rank.push_back(slack_of(rank));
  for (const auto& [function, sum] : slacks.by_function)
    if (sum.seconds > 0) path.slack_by_function.emplace_back(function->name, slack_of(sum));
  std::ranges::stable_sort(path.slack_by_function, {}, [](const auto& entry) { return *entry.second.mean_s; });
  for (std::size_t i = 0; i < phases.size(); ++i)
    path.slack_by_phase.emplace_back(phases[i].name, slack_of(slacks.by_phase[i]));
}

WaitStates wait_states(const trace::Trace& trace, const Replayed& run) {
  WaitStates result;
  const auto locations = trace.locations();
  result.per_rank.resize(locations.empty() ? 0 : static_cast<std::size_t>(locations.back().rank) + 1);
  double blocked = 0;
  for (std::size_t i = 0; i < locations.size(); ++i) {
    auto& rank = result.per_rank[static_cast<std::size_t>(locations[i].rank)];
    rank.add(run.waits[i]);
    result.all.add(run.waits[i]);
    rank.caused.add(run.caused[i]);
    rank.root.add(run.rooted[i]);
    rank.root_through.add(run.rooted_through[i]);
    blocked += run.blocked[i];
  }
  result.transfer_s = std::max(0.0, blocked - run.without_core_s - result.all.total());
  return result;
}

}  // namespace

Metrics measure(const trace::Trace& trace, const Options& options) {
  const auto valid = [](double rho) { return rho > 0 && rho <= 1; };
  if (!options.rho.empty() &&
      (options.rho.size() != static_cast<std::size_t>(trace.ranks()) || !std::ranges::all_of(options.rho, valid)))
    throw Error(Code::invalid_argument, trace.directory().string(), {},
                "needs " + std::to_string(trace.ranks()) + " relative speeds above 0 and at most 1",
                "give one for each rank");
  std::vector<double> rho;
  if (!options.rho.empty())
    for (const Location& where : trace.locations()) rho.push_back(options.rho[static_cast<std::size_t>(where.rank)]);

  const Cuts cuts = cuts_of(trace, options.phases);
  const std::size_t window = std::max(CriticalPath::kSlackSteps, 256 * trace.locations().size());
  const bool own_unit = options.own_unit && options.unit_s <= 0;
  Replayed run = replay(trace, {.rho = rho,
                                .unit_s = options.unit_s,
                                .regions = options.regions,
                                .region = options.region,
                                .cone = own_unit ? std::nullopt : options.cone,
                                .cuts = cuts,
                                .windows = options.windows,
                                .slack_window = options.slack ? window : 0,
                                .events = options.cuts && !own_unit ? kMostEvents : 0,
                                .message = {},
                                .altered = {},
                                .observer = options.observer,
                                .path = options.path});
  const trace::Trace ended = options.ended ? options.ended() : trace;
  Metrics result;
  result.he_sun = whole_computation(run.scaled_computing, run.scaled_blocked, run.chains.scaled, rho);
  for (std::size_t l = 0; l < result.he_sun.per_rank.size(); ++l)
    result.he_sun.per_rank[l].where = trace.locations()[l];
  result.pop = pop(run, run.chains.seconds);
  result.unwaited = unwaited(run, result.he_sun);
  result.sends = run.sends;
  if (options.path) result.critical_path = critical_path(trace, run, options.phases, cuts);
  if (options.path && options.slack) add_slack(trace, run.slacks, options.phases, result.critical_path);
  result.phases = phases(run, options.phases);
  result.windows = std::move(run.windows);
  result.waits = wait_states(trace, run);
  result.findings = findings(ended, result, run, options.phases);
  std::vector<AlteredRun> altered =
      options.path && options.halve ? to_halve(result.critical_path) : std::vector<AlteredRun>();
  const std::size_t halves = altered.size();
  if (halves > 0) add_altered(result.findings, run, altered);
  const double computing = std::accumulate(run.computing.begin(), run.computing.end(), 0.0);
  const double unit_s =
      own_unit && run.message_events > 0 ? computing / static_cast<double>(run.message_events) : options.unit_s;
  if (altered.empty() && !own_unit) {
    add_events(run, options, unit_s, result);
  } else {
    const Replayed again = replay(trace, {.rho = {},
                                          .unit_s = unit_s,
                                          .region = {},
                                          .cone = own_unit ? options.cone : std::nullopt,
                                          .cuts = {},
                                          .events = options.cuts && own_unit ? kMostEvents : 0,
                                          .message = {},
                                          .altered = altered,
                                          .path = false});
    if (halves > 0) {
      result.critical_path.halved = halved(std::span(altered).first(halves), again.altered);
      set_gains(result.findings, ended, run, result.critical_path.halved, std::span(again.altered).subspan(halves),
                again.altered.front());
    }
    add_events(own_unit ? again : run, options, unit_s, result);
  }
  result.region = std::move(run.region);
  for (const auto& [asked, found] :
       {std::pair(options.region, result.region.has_value()), std::pair(options.cone, result.cone.has_value())})
    if (asked && !found)
      throw Error(Code::invalid_argument, trace.directory().string(), {},
                  fmt::format("call {} of rank {} is no send, receive or "
                              "collective that waits for others",
                              asked->call, asked->rank),
                  "skelgen dump numbers the calls");
  result.regions = std::move(run.regions);
  result.unmatched = run.unmatched;
  result.notes = notes(ended, run.without_core_s, sum(run.computing) + sum(run.blocked));
  return result;
}

}  // namespace skelgen::metrics
