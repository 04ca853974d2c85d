#include "emit/long_gaps.h"

#include <algorithm>

namespace skelgen::emit {
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

}  // namespace skelgen::emit
