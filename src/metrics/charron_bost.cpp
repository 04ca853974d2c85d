#include "metrics/charron_bost.h"

#include <fmt/format.h>

#include <set>
#include <unordered_map>

#include "support/error.h"

namespace skelgen::metrics {
namespace {

/// By process: how many of its events are in the cut.
using Cut = std::vector<std::uint32_t>;

}  // namespace

std::uint64_t consistent_cuts(const Computation& computation, std::uint64_t most) {
  const auto& processes = computation.processes;
  causal_order(computation);  // refuses what is no computation
  std::unordered_map<int, EventId> sends;
  for (std::size_t i = 0; i < processes.size(); ++i)
    for (std::size_t k = 0; k < processes[i].size(); ++k)
      if (processes[i][k].kind == EventKind::send) sends[processes[i][k].message] = {i, k};
  const auto may_follow = [&](const Cut& cut, std::size_t i) {
    if (cut[i] == processes[i].size()) return false;
    const AbstractEvent& event = processes[i][cut[i]];
    if (event.kind != EventKind::receive) return true;
    const auto& [sender, index] = sends.at(event.message);
    return cut[sender] > index;
  };
  // Level by level: all cuts with the same number of events.
  std::set<Cut> level{Cut(processes.size())};
  std::uint64_t cuts = 0;
  while (!level.empty()) {
    std::set<Cut> next;
    cuts += level.size();
    for (const Cut& cut : level) {
      for (std::size_t i = 0; i < processes.size(); ++i) {
        if (!may_follow(cut, i)) continue;
        Cut larger = cut;
        ++larger[i];
        next.insert(std::move(larger));
      }
      if (cuts + next.size() > most)
        throw Error(Code::invalid_argument, fmt::format("more than {} consistent cuts", most),
                    "Charron-Bost's m is for small computations: use alpha");
    }
    level = std::move(next);
  }
  return cuts;
}

Measure charron_bost(const Computation& computation, std::uint64_t most) {
  double events = 0, concurrent = 1;
  for (const auto& process : computation.processes) {
    events += static_cast<double>(process.size());
    concurrent *= static_cast<double>(process.size()) + 1;
  }
  const double sequential = events + 1, cuts = static_cast<double>(consistent_cuts(computation, most));
  if (concurrent == sequential) return {};
  return (cuts - sequential) / (concurrent - sequential);
}

}  // namespace skelgen::metrics
