#include "papers/raynal.h"

#include <algorithm>
#include <unordered_map>

#include "metrics/numbers.h"

namespace skelgen::metrics {
namespace {

Cone cone(std::size_t process, const std::vector<double>& v, const std::vector<double>& w) {
  Cone cone;
  cone.v = v;
  cone.w = w;
  const double own = w[process], all = sum(v);
  cone.weight = all - 1;
  cone.volume = sum(w) - 1;
  cone.height = own - 1;
  cone.alpha = cone_alpha(cone.weight, cone.volume, cone.height);
  cone.beta = fidge_beta(cone.weight, cone.height);
  for (std::size_t j = 0; j < v.size(); ++j) {
    cone.theta1.push_back(w[j] - v[j]);
    cone.theta1_relative.push_back(w[j] > 0 ? Measure((w[j] - v[j]) / w[j]) : std::nullopt);
    cone.theta2.push_back(v[j] / own);
    cone.theta3.push_back(v[j] / all);
  }
  return cone;
}

}  // namespace

Measure cone_alpha(double weight, double volume, double height) {
  if (volume == height) return {};
  return 1 - (volume - weight) / (volume - height);
}

RaynalMeasures raynal(const Computation& computation) {
  const std::size_t n = computation.processes.size();
  struct EventVectors {
    std::vector<double> v, w;
    double own = 0;  // W_i[i] of the process whose clocks these are
  };
  std::vector<EventVectors> clocks(n, {std::vector<double>(n), std::vector<double>(n), 0});
  std::unordered_map<int, EventVectors> messages;
  RaynalMeasures result;
  result.events.resize(n);
  for (const auto& [i, index] : causal_order(computation)) {
    const AbstractEvent& event = computation.processes[i][index];
    auto& [v, w, own] = clocks[i];
    if (event.kind == EventKind::receive) {
      const EventVectors& message = messages.at(event.message);
      std::ranges::transform(v, message.v, v.begin(), [](double a, double b) { return std::max(a, b); });
      std::ranges::transform(w, message.w, w.begin(), [](double a, double b) { return std::max(a, b); });
      w[i] = std::max(w[i], message.own);
    }
    v[i] += 1;
    w[i] += 1;
    own = w[i];
    if (event.kind == EventKind::send) messages[event.message] = clocks[i];
    result.events[i].push_back(cone(i, v, w));
  }
  std::vector<double> events;
  double height = 0;
  for (std::size_t i = 0; i < n; ++i) {
    events.push_back(clocks[i].v[i]);
    height = std::max(height, clocks[i].own);
  }
  result.whole = cylinder(events, height);
  return result;
}

}  // namespace skelgen::metrics
