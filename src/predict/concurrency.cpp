#include "predict/concurrency.h"

#include <algorithm>

namespace skelgen::predict {
namespace {

std::optional<double> ratio(double a, double b) { return b > 0 ? std::optional(a / b) : std::nullopt; }

}  // namespace

Concurrency concurrency_of(const SkeletonRun::Computing& computing, int ranks,
                           std::optional<double> traced_serialization) {
  const auto& [mean, most, deviation, mean_of_all, longest] = computing;
  Concurrency all;
  all.phi1 = ratio(mean, mean_of_all);
  if (all.phi1) all.phi2 = 1 - *all.phi1;
  all.phi5 = mean;
  all.phi6 = deviation;
  all.phi7 = ratio(mean - deviation, mean);
  all.parallel = ratio(mean, longest);
  all.load_balance = ratio(mean, most);
  all.communication = ratio(most, longest);
  if (!traced_serialization || !(*traced_serialization > 0) || !(most > 0)) return all;
  const double chain = std::min(most / *traced_serialization, longest);
  all.serialization = most / chain;
  all.transfer = ratio(chain, longest);
  all.he_sun_alpha = ratio(std::max(0.0, ranks * mean - chain), ranks * mean_of_all - chain);
  return all;
}

std::optional<SkeletonRun::Computing> computing_of(const std::vector<SkeletonRun>& runs) {
  std::vector<const SkeletonRun*> sorted;
  for (const SkeletonRun& run : runs) sorted.push_back(&run);
  std::ranges::stable_sort(sorted, {}, [](const SkeletonRun* run) { return run->predicted_s; });
  return sorted[(sorted.size() - 1) / 2]->computing;
}

}  // namespace skelgen::predict
