#include "metrics/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "mpi/mpi.h"

namespace skelgen::metrics {
namespace {

std::string seconds(double value) {
  if (value < 1e-3) return fmt::format("{:.3g} us", 1e6 * value);
  if (value < 1) return fmt::format("{:.3g} ms", 1e3 * value);
  return fmt::format("{:.4g} s", value);
}

/// "; it computes 2.0 times as long as the mean", if that is so.
std::string load(const Metrics& measured, const Replayed& run, std::size_t rank) {
  if (rank >= run.computing.size() || run.computing.size() != measured.waits.per_rank.size()) return {};
  const double mean =
      std::accumulate(run.computing.begin(), run.computing.end(), 0.0) / static_cast<double>(run.computing.size());
  if (run.computing[rank] < 1.1 * mean) return {};
  return fmt::format("; it computes {:.1f} times as long as the mean", run.computing[rank] / mean);
}

/// What the time inside a function on the critical path is.
const char* waiting(const std::string& name) {
  const mpi::Function* const function = mpi::find(name);
  switch (function ? function->kind : mpi::Kind::opaque) {
    case mpi::Kind::probe:
    case mpi::Kind::match:
    case mpi::Kind::ask:
    case mpi::Kind::test:
      return "polling in vain or for what was under way";
    case mpi::Kind::rma:
    case mpi::Kind::win_post:
    case mpi::Kind::win_start:
    case mpi::Kind::win_complete:
    case mpi::Kind::win_wait:
    case mpi::Kind::win_local:
      return "waiting included, which is not followed in one-sided communication";
    case mpi::Kind::detach:
    case mpi::Kind::opaque:
      return "waiting included, which is not followed in such calls";
    default:
      return "waiting for nobody";
  }
}

}  // namespace

std::vector<Finding> findings(const Metrics& measured, const Replayed& run) {
  std::vector<Finding> all;
  if (run.computing.empty()) return all;
  const auto& ranks = measured.waits.per_rank;
  using Cause = Finding::Cause;
  const struct {
    double Waits::*kind;
    Cause cause;
    const char* what;
  } kinds[] = {{&Waits::late_sender_s, Cause::late_sender, "sends late: receivers wait"},
               {&Waits::late_receiver_s, Cause::late_receiver, "receives late: senders wait"},
               {&Waits::imbalance_s, Cause::imbalance, "has more to compute: in collectives others wait"},
               {&Waits::collective_s, Cause::late_to_collective,
                "comes late to collectives, though it has not more to compute: others wait"}};
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    for (const auto& [kind, cause, what] : kinds)
      all.push_back({ranks[rank].caused.*kind / static_cast<double>(ranks.size()),
                     fmt::format("Rank {} {} {} for it{}", rank, what, seconds(ranks[rank].caused.*kind),
                                 load(measured, run, rank)),
                     cause, static_cast<Rank>(rank)});
  const double busiest = std::ranges::max(run.computing);
  all.push_back({run.chain - busiest,
                 fmt::format("Ranks compute in turns: the longest chain of computation takes {}, the busiest rank's {}",
                             seconds(run.chain), seconds(busiest)),
                 Cause::in_turns});
  for (const auto& [name, spent] : measured.critical_path.by_function)
    if (name != CriticalPath::kComputation && name != CriticalPath::kLateReceivers)
      all.push_back({spent, fmt::format("{} takes {} of the critical path, {}", name, seconds(spent), waiting(name)),
                     Cause::function, std::nullopt, name});
  const double whole = std::ranges::max(run.ends) - std::ranges::min(run.starts);
  std::erase_if(all, [&](const Finding& finding) { return finding.cost_s <= 0.01 * whole; });
  std::ranges::stable_sort(all, std::greater<>(), &Finding::cost_s);
  return all;
}

}  // namespace skelgen::metrics
