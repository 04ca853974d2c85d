#include "papers/cuts.h"

#include <algorithm>
#include <unordered_map>

#include "support/error.h"

namespace skelgen::metrics {

EventClocks event_clocks(const Computation& computation) {
  const auto order = causal_order(computation);
  const std::size_t n = computation.processes.size();
  EventClocks clocks(n);
  std::vector<std::vector<std::uint32_t>> now(n, std::vector<std::uint32_t>(n));
  std::unordered_map<int, std::vector<std::uint32_t>> sent;
  for (const auto& [process, index] : order) {
    const AbstractEvent& event = computation.processes[process][index];
    auto& own = now[process];
    if (event.kind == EventKind::receive) {
      const auto& carried = sent.at(event.message);
      for (std::size_t j = 0; j < n; ++j) own[j] = std::max(own[j], carried[j]);
    }
    ++own[process];
    if (event.kind == EventKind::send) sent[event.message] = own;
    clocks[process].push_back(own);
  }
  return clocks;
}

std::uint64_t consistent_cuts(const EventClocks& clocks, std::uint64_t most) {
  const auto cuts = count_cuts(clocks, most);
  if (const auto* number = std::get_if<std::uint64_t>(&cuts)) return *number;
  throw Error(Code::invalid_argument, std::get<std::string>(cuts),
              "Charron-Bost's m is for small computations: use alpha");
}

}  // namespace skelgen::metrics
