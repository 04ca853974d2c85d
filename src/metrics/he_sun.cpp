#include "metrics/he_sun.h"

#include <cmath>

#include "metrics/numbers.h"

namespace skelgen::metrics {
namespace {

Measure ratio(double a, double b) { return b != 0 ? Measure(a / b) : std::nullopt; }

}  // namespace

Measure region_alpha(double weight, double volume, double height) {
  // What is left of rounding is no denominator.
  if (volume - height <= 1e-12 * volume) return {};
  return (weight - height) / (volume - height);
}

HeSun whole_computation(std::span<const double> computing, std::span<const double> blocked, double height,
                        std::span<const double> rho) {
  const auto n = static_cast<double>(computing.size());
  HeSun result;
  result.wt = sum(computing);
  result.vol = result.wt + sum(blocked);
  result.ht = height;
  result.alpha = region_alpha(result.wt, result.vol, result.ht);
  result.phi1 = ratio(result.wt, result.vol);
  result.phi2 = ratio(sum(blocked), result.vol);
  for (std::size_t i = 0; i < computing.size(); ++i)
    result.per_rank.push_back({computing[i], blocked[i], ratio(computing[i], result.wt)});
  if (computing.empty()) return result;
  result.phi4 = ratio(result.ht, result.wt);
  const auto deviation = [&](double mean, double divisor, bool balanced) {
    double total = 0;
    for (std::size_t i = 0; i < computing.size(); ++i)
      total += std::abs(computing[i] - (balanced && !rho.empty() ? rho[i] : 1.0) * mean);
    return total / divisor;
  };
  const double mean = result.wt / n, speed = rho.empty() ? n : sum(rho), load = result.wt / speed;
  result.phi5 = mean;
  result.phi6 = deviation(mean, n, false);
  result.phi7 = ratio(mean - *result.phi6, mean);
  result.phi5_rho = load;
  result.phi6_rho = deviation(load, speed, false);
  result.phi7_rho = ratio(load - *result.phi6_rho, load);
  result.phi6_balanced = deviation(load, speed, true);
  return result;
}

}  // namespace skelgen::metrics
