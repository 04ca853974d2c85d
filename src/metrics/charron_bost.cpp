#include "metrics/charron_bost.h"

#include <fmt/format.h>

#include <set>
#include <unordered_map>

#include "support/error.h"

namespace skelgen::metrics {
namespace {

/// By process: how many of its events are in the cut.
using Cut = std::vector<std::uint32_t>;

/// Level by level: all cuts with the same number of events. Nothing if there are more than `most`.
std::optional<std::uint64_t> count_cuts(const EventClocks& clocks, std::uint64_t most) {
  const auto may_follow = [&](const Cut& cut, std::size_t i) {
    if (cut[i] == clocks[i].size()) return false;
    const auto& past = clocks[i][cut[i]];
    for (std::size_t j = 0; j < cut.size(); ++j)
      if (j != i && past[j] > cut[j]) return false;
    return true;
  };
  std::set<Cut> level{Cut(clocks.size())};
  std::uint64_t cuts = 0;
  while (!level.empty()) {
    std::set<Cut> next;
    cuts += level.size();
    for (const Cut& cut : level) {
      for (std::size_t i = 0; i < clocks.size(); ++i) {
        if (!may_follow(cut, i)) continue;
        Cut larger = cut;
        ++larger[i];
        next.insert(std::move(larger));
      }
      if (cuts + next.size() > most) return {};
    }
    level = std::move(next);
  }
  return cuts;
}

std::string too_many(std::uint64_t most) { return fmt::format("more than {} consistent cuts", most); }

}  // namespace

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
  if (const auto cuts = count_cuts(clocks, most)) return *cuts;
  throw Error(Code::invalid_argument, too_many(most), "Charron-Bost's m is for small computations: use alpha");
}

CharronBost charron_bost(const EventClocks& clocks, std::uint64_t most) {
  double events = 0, concurrent = 1;
  for (const auto& process : clocks) {
    events += static_cast<double>(process.size());
    concurrent *= static_cast<double>(process.size()) + 1;
  }
  const double sequential = events + 1;
  if (concurrent == sequential) return {{}, "fewer than two ranks have events"};
  const auto cuts = count_cuts(clocks, most);
  if (!cuts) return {{}, too_many(most)};
  return {(static_cast<double>(*cuts) - sequential) / (concurrent - sequential), {}};
}

}  // namespace skelgen::metrics
