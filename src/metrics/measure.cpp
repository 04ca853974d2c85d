#include <algorithm>
#include <map>
#include <numeric>

#include "metrics/collect.h"
#include "metrics/he_sun.h"
#include "metrics/metrics.h"
#include "metrics/raynal.h"
#include "metrics/replay.h"
#include "support/error.h"

namespace skelgen::metrics {
namespace {

/// When each location made its last step.
std::vector<double> ends(const Steps& steps) {
  std::vector<double> result;
  for (std::size_t i = 0; i < steps.steps.size(); ++i)
    result.push_back(steps.steps[i].empty() ? steps.starts[i] : steps.steps[i].back().at);
  return result;
}

Pop pop(const Steps& steps, const Replayed& run) {
  Pop result;
  const auto n = static_cast<double>(run.computing.size());
  const auto last = ends(steps);
  const double whole = std::ranges::max(last) - std::ranges::min(steps.starts);
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

CriticalPath critical_path(const Steps& steps, const Replayed& run) {
  CriticalPath path;
  path.by_rank.resize(steps.locations.empty() ? 0 : static_cast<std::size_t>(steps.locations.back().rank) + 1);
  std::map<std::string, double> functions;
  const auto last = ends(steps);
  auto location = static_cast<std::uint32_t>(std::ranges::max_element(last) - last.begin());
  std::vector<std::size_t> cause(run.causes.size());  // how many causes of a location are before `next`
  std::vector<std::size_t> next(steps.steps.size());  // steps of a location that the walk may still visit
  for (std::size_t i = 0; i < next.size(); ++i) {
    next[i] = steps.steps[i].size();
    cause[i] = run.causes[i].size();
  }
  const auto spend = [&](const std::string& what, double seconds) {
    functions[what] += seconds;
    path.by_rank[static_cast<std::size_t>(steps.locations[location].rank)] += seconds;
    path.seconds += seconds;
  };
  while (next[location] > 0) {
    const Step& step = steps.steps[location][--next[location]];
    const std::string& function = steps.functions[step.function];
    if (step.kind == StepKind::receive || step.kind == StepKind::leave) {
      const Cause from = run.causes[location][--cause[location]];
      const bool other = from.location != kNone && from.location != location && from.step < next[from.location];
      if (other && steps.steps[from.location][from.step].at > step.entered) {
        spend(function, std::max(0.0, step.at - steps.steps[from.location][from.step].at));
        location = from.location;
        while (next[location] > from.step + 1) {
          const StepKind kind = steps.steps[location][--next[location]].kind;
          cause[location] -= kind == StepKind::receive || kind == StepKind::leave;
        }
        continue;
      }
    }
    spend(function, step.blocked);
    spend("computation", step.computing);
  }
  path.by_function.assign(functions.begin(), functions.end());
  std::ranges::stable_sort(path.by_function, std::greater<>(), [](const auto& entry) { return entry.second; });
  return path;
}

}  // namespace

Metrics measure(const trace::Trace& trace, const Options& options) {
  const auto valid = [](double rho) { return rho > 0 && rho <= 1; };
  if (!options.rho.empty() &&
      (options.rho.size() != static_cast<std::size_t>(trace.ranks()) || !std::ranges::all_of(options.rho, valid)))
    throw Error(Code::invalid_argument, trace.directory().string(), {},
                "needs " + std::to_string(trace.ranks()) + " relative speeds above 0 and at most 1",
                "give one for each rank");
  const Steps steps = collect(trace, options.unit_s);
  std::vector<double> rho;
  if (!options.rho.empty())
    for (const Location& where : steps.locations) rho.push_back(options.rho[static_cast<std::size_t>(where.rank)]);

  Replayed run = replay(steps, rho, options.regions);
  Metrics result;
  result.he_sun = whole_computation(run.scaled_computing, run.scaled_blocked, run.scaled_chain, rho);
  result.raynal = cylinder(run.events, run.height);
  result.pop = pop(steps, run);
  result.critical_path = critical_path(steps, run);
  result.regions = std::move(run.regions);
  result.unmatched = steps.unmatched;
  result.unmatched.circular = run.circular;
  return result;
}

}  // namespace skelgen::metrics
