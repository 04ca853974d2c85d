#include "metrics/charron_bost.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace skelgen::metrics {
namespace {

/// By process: how many of its events are in the cut.
using Cut = std::vector<std::uint32_t>;

/// An event must be behind so many of a process's.
struct Need {
  std::uint32_t process, events;
};

/// What each event needs besides what the one before it of the same process does.
std::vector<std::vector<std::vector<Need>>> needs_of(const EventClocks& clocks) {
  std::vector<std::vector<std::vector<Need>>> needs(clocks.size());
  const Cut none(clocks.size());
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    const Cut* before = &none;
    for (const Cut& past : clocks[i]) {
      auto& own = needs[i].emplace_back();
      for (std::uint32_t j = 0; j < past.size(); ++j)
        if (j != i && past[j] > (*before)[j]) own.push_back({j, past[j]});
      before = &past;
    }
  }
  return needs;
}

}  // namespace

// Level by level: all cuts with the same number of events. Where there are too many, that.
std::variant<std::uint64_t, std::string> count_cuts(const EventClocks& clocks, std::uint64_t most) {
  const std::string too_many = fmt::format("more than {} consistent cuts", most);
  const auto needs = needs_of(clocks);
  const auto may_follow = [&](const Cut& cut, std::size_t i) {
    return cut[i] < needs[i].size() &&
           std::ranges::all_of(needs[i][cut[i]], [&](const Need& need) { return cut[need.process] >= need.events; });
  };
  const std::size_t bytes = sizeof(std::uint32_t) * clocks.size() + 64;  // of a cut
  std::set<Cut> level{Cut(clocks.size())};
  std::uint64_t cuts = 0;
  while (!level.empty()) {
    std::set<Cut> next;
    cuts += level.size();
    for (const Cut& cut : level) {
      std::vector<std::size_t> following;
      for (std::size_t i = 0; i < clocks.size(); ++i)
        if (may_follow(cut, i)) following.push_back(i);
      // Each set of these makes a cut with it.
      if (following.size() >= 64 || std::uint64_t{1} << following.size() > most) return too_many;
      for (const std::size_t i : following) {
        Cut larger = cut;
        ++larger[i];
        next.insert(std::move(larger));
      }
      if (cuts + next.size() > most) return too_many;
      if ((level.size() + next.size()) * bytes > kMostCutBytes)
        return fmt::format("consistent cuts of more than {} MiB", kMostCutBytes >> 20);
    }
    level = std::move(next);
  }
  return cuts;
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
  if (const auto* reason = std::get_if<std::string>(&cuts)) return {{}, *reason};
  return {(static_cast<double>(std::get<std::uint64_t>(cuts)) - sequential) / (concurrent - sequential), {}};
}

}  // namespace skelgen::metrics
