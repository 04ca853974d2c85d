#include "emit/long_gaps.h"

#include <algorithm>

namespace skelgen::emit {
namespace {

void collect(const skeleton::Node& node, const Timing& timing, std::size_t locations, std::vector<LongGap>& all) {
  const auto look = [&](const skeleton::Compute& compute, bool between) {
    const auto times = timing.occurrences(node, between);
    if (const double common = common_gap(compute, times, locations); common > 0) all.push_back({common, times[0]});
  };
  look(node.before, false);
  if (!node.is_loop()) return;
  look(node.loop().between, true);
  for (const auto& child : node.loop().body) collect(child, timing, locations, all);
}

}  // namespace

double common_gap(const skeleton::Compute& compute, const std::vector<std::uint64_t>& occurrences,
                  std::size_t locations) {
  if (compute.mean_s.size() != locations || occurrences[0] == 0) return 0;
  if (std::any_of(occurrences.begin(), occurrences.end(), [&](auto n) { return n != occurrences[0]; })) return 0;
  double least = *std::min_element(compute.mean_s.begin(), compute.mean_s.end());
  for (const auto& samples : compute.samples.of)
    for (const float s : samples.seconds) least = std::min(least, double{s});
  return least >= kLongGap_s ? least : 0;
}

double left_out(double common_s, double k) { return k > 1 ? common_s - std::max(common_s / k, kLeastSpent_s) : 0; }

std::vector<LongGap> long_gaps(const skeleton::Node& node, const Timing& timing, std::size_t locations) {
  std::vector<LongGap> all;
  collect(node, timing, locations, all);
  return all;
}

}  // namespace skelgen::emit
