#include "papers/he_sun.h"

#include <algorithm>
#include <unordered_map>

#include "metrics/numbers.h"
#include "support/error.h"

namespace skelgen::metrics {
namespace {

Measure ratio(double a, double b) { return b != 0 ? Measure(a / b) : std::nullopt; }

/// The events without their clocks, which must not run backwards.
Computation order_of(const TimedComputation& computation) {
  Computation result;
  for (const auto& process : computation.processes) {
    auto& events = result.processes.emplace_back();
    double computing = 0, blocked = 0;
    for (std::size_t i = 0; i < process.size(); ++i) {
      const TimedEvent& event = process[i];
      if ((event.kind == EventKind::internal) != (i + 1 == process.size()))
        throw Error(Code::invalid_argument, "the end is a process's last event, and no other");
      if (event.computing_s < computing || event.blocked_s < blocked)
        throw Error(Code::invalid_argument, "a clock runs backwards");
      computing = event.computing_s;
      blocked = event.blocked_s;
      events.push_back({event.kind, event.message});
    }
    if (process.empty()) throw Error(Code::invalid_argument, "a process without an end");
  }
  return result;
}

}  // namespace

HeSunMeasures he_sun(const TimedComputation& computation) {
  const std::size_t n = computation.processes.size();
  const auto& rho = computation.rho;
  if (!rho.empty() && (rho.size() != n || !std::ranges::all_of(rho, [](double r) { return r > 0 && r <= 1; })))
    throw Error(Code::invalid_argument, "rho has one value in (0, 1] per process");
  struct EventVectors {
    std::vector<double> w, u;
    double height = 0, old = 0;
  };
  std::vector<EventVectors> clocks(n, {std::vector<double>(n), std::vector<double>(n), 0, 0});
  std::unordered_map<int, EventVectors> messages;
  HeSunMeasures result;
  result.regions.resize(n);
  for (const auto& [i, index] : causal_order(order_of(computation))) {
    const TimedEvent& event = computation.processes[i][index];
    const double scale = rho.empty() ? 1 : rho[i];
    auto& [w, u, height, old] = clocks[i];
    // The paper leaves U alone at a send, before which nothing blocks; on MPI traces a send may have.
    w[i] = scale * event.computing_s;
    u[i] = scale * event.blocked_s;
    height += w[i] - old;
    old = w[i];
    if (event.kind == EventKind::receive) {
      const EventVectors& message = messages.at(event.message);
      std::ranges::transform(w, message.w, w.begin(), [](double a, double b) { return std::max(a, b); });
      std::ranges::transform(u, message.u, u.begin(), [](double a, double b) { return std::max(a, b); });
      height = std::max(height, message.height);
    } else if (event.kind == EventKind::send) {
      messages[event.message] = clocks[i];
    }
    RegionMeasures region;
    region.w = w;
    region.u = u;
    region.height = height;
    region.weight = sum(w);
    region.volume = region.weight + sum(u);
    region.alpha = region_alpha(region.weight, region.volume, height);
    region.phi1 = ratio(w[i], w[i] + u[i]);
    region.phi2 = ratio(u[i], w[i] + u[i]);
    region.phi3 = ratio(w[i], region.weight);
    region.phi4 = ratio(height, region.weight);
    result.regions[i].push_back(std::move(region));
  }
  std::vector<double> computing, blocked;
  double height = 0;
  for (std::size_t i = 0; i < n; ++i) {
    computing.push_back(clocks[i].w[i]);
    blocked.push_back(clocks[i].u[i]);
    height = std::max(height, clocks[i].height);
  }
  result.whole = whole_computation(computing, blocked, height, rho);
  return result;
}

}  // namespace skelgen::metrics
