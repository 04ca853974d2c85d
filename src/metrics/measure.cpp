#include <algorithm>
#include <map>
#include <numeric>

#include "metrics/findings.h"
#include "metrics/he_sun.h"
#include "metrics/metrics.h"
#include "metrics/rank_reader.h"
#include "metrics/raynal.h"
#include "metrics/replay.h"
#include "support/error.h"
#include "support/parallel.h"

namespace skelgen::metrics {
namespace {

Pop pop(const Replayed& run) {
  Pop result;
  const auto n = static_cast<double>(run.computing.size());
  const double whole = std::ranges::max(run.ends) - std::ranges::min(run.starts);
  const double mean = std::accumulate(run.computing.begin(), run.computing.end(), 0.0) / n;
  const double most = std::ranges::max(run.computing);
  const auto ratio = [](double a, double b) { return b > 0 ? Measure(std::min(1.0, a / b)) : std::nullopt; };
  result.parallel = ratio(mean, whole);
  result.load_balance = ratio(mean, most);
  result.communication = ratio(most, whole);
  result.serialization = ratio(most, run.chain);
  result.transfer = ratio(run.chain, whole);
  return result;
}

/// What a rank did on its stretches of the critical path, by function; "computation" is one.
using Spent = std::map<std::string, double, std::less<>>;

Spent spend(const trace::Trace& trace, const trace::RankInfo& rank,
            const std::vector<std::vector<Stretch>>& stretches) {
  Spent spent;
  RankReader reader(trace, rank.rank, rank.threads, 0);
  std::vector<std::uint64_t> step(stretches.size());
  std::vector<std::size_t> next(stretches.size());
  auto left = std::ranges::count_if(stretches, [](const auto& all) { return !all.empty(); });
  while (left > 0) {
    const auto thread = reader.next();
    if (!thread) break;
    const auto& all = stretches[*thread];
    const std::uint64_t at = step[*thread]++;
    std::size_t& i = next[*thread];
    if (i < all.size()) {
      const Step& now = *reader.front(*thread);
      if (at + 1 == all[i].from) spent[std::string(now.function->name)] += all[i].waited_s;
      if (at >= all[i].from) {
        spent[std::string(now.function->name)] += now.blocked;
        spent["computation"] += now.computing;
      }
      while (i < all.size() && at + 1 >= all[i].to)
        if (++i == all.size()) --left;
    }
    reader.pop(*thread);
  }
  return spent;
}

/// Ranks of the path are read again: what it spent where was not kept.
CriticalPath critical_path(const trace::Trace& trace, const Replayed& run) {
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
  parallel_for(infos.size(), [&](std::size_t r) { spent[r] = spend(trace, infos[r], stretches[r]); });

  CriticalPath path;
  path.by_rank.resize(infos.empty() ? 0 : static_cast<std::size_t>(infos.back().rank) + 1);
  Spent functions;
  for (std::size_t r = 0; r < infos.size(); ++r)
    for (const auto& [name, seconds] : spent[r]) {
      functions[name] += seconds;
      path.by_rank[static_cast<std::size_t>(infos[r].rank)] += seconds;
      path.seconds += seconds;
    }
  path.by_function.assign(functions.begin(), functions.end());
  std::ranges::stable_sort(path.by_function, std::greater<>(), [](const auto& entry) { return entry.second; });
  return path;
}

/// Replays the run again, with what has most of the path taking half as long.
std::vector<CriticalPath::Halved> halve(const trace::Trace& trace, const CriticalPath& path) {
  constexpr std::size_t kOfEach = 3;
  std::vector<Halved> altered(1);  // the first is the run as it was
  std::vector<std::size_t> ranks(path.by_rank.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::ranges::stable_sort(ranks, std::greater<>(), [&](std::size_t rank) { return path.by_rank[rank]; });
  for (std::size_t i = 0; i < ranks.size() && i < kOfEach; ++i)
    if (path.by_rank[ranks[i]] > 0) altered.push_back({static_cast<Rank>(ranks[i]), {}});
  for (std::size_t i = 0, found = 0; i < path.by_function.size() && found < kOfEach; ++i) {
    const auto& [name, seconds] = path.by_function[i];
    if (name == "computation" || seconds <= 0) continue;
    altered.push_back({{}, name});
    ++found;
  }
  const auto ends = replay(trace, {.rho = {}, .message = {}, .altered = altered}).altered;
  std::vector<CriticalPath::Halved> result;
  for (std::size_t i = 1; i < altered.size(); ++i)
    result.push_back({altered[i].rank, altered[i].function, ends[0] - ends[i]});
  std::ranges::stable_sort(result, std::greater<>(), &CriticalPath::Halved::gain_s);
  return result;
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
    blocked += run.blocked[i];
  }
  result.transfer_s = std::max(0.0, blocked - result.all.total());
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

  Replayed run = replay(trace, {.rho = rho,
                                .unit_s = options.unit_s,
                                .regions = options.regions,
                                .message = {},
                                .altered = {},
                                .path = options.path});
  Metrics result;
  result.he_sun = whole_computation(run.scaled_computing, run.scaled_blocked, run.scaled_chain, rho);
  result.raynal = cylinder(run.events, run.height);
  result.pop = pop(run);
  if (options.path) result.critical_path = critical_path(trace, run);
  if (options.path && options.halve) result.critical_path.halved = halve(trace, result.critical_path);
  result.waits = wait_states(trace, run);
  result.findings = findings(result, run);
  result.regions = std::move(run.regions);
  result.unmatched = run.unmatched;
  return result;
}

}  // namespace skelgen::metrics
