#include "network/states.h"

#include <algorithm>
#include <array>
#include <vector>

namespace skelgen::network {

States states(std::span<const Sample> samples) {
  std::vector<double> bandwidth;
  for (const auto& [bytes, seconds] : samples) bandwidth.push_back(bytes / seconds);
  auto smooth = bandwidth;
  for (std::size_t i = 1; i + 1 < samples.size(); ++i) {
    std::array three{bandwidth[i - 1], bandwidth[i], bandwidth[i + 1]};
    std::ranges::sort(three);
    smooth[i] = three[1];
  }
  const auto best = static_cast<std::size_t>(std::ranges::max_element(smooth) - smooth.begin());
  States result{samples.front().bytes, {}, smooth[best], samples[best].bytes};
  std::size_t ideal = best;
  while (ideal > 0 && smooth[ideal - 1] >= kIdealShare * smooth[best]) --ideal;
  result.ideal_from = samples[ideal].bytes;
  std::size_t congested = samples.size();
  while (congested > best + 1 && smooth[congested - 1] < kCongestedShare * smooth[best]) --congested;
  if (congested < samples.size()) result.congested_from = samples[congested].bytes;
  return result;
}

}  // namespace skelgen::network
