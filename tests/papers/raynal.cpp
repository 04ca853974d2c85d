#include "papers/raynal.h"

#include <algorithm>
#include <unordered_map>

#include "metrics/numbers.h"

namespace skelgen::metrics {
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
