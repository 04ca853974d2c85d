#include "metrics/raynal.h"

#include "metrics/numbers.h"

namespace skelgen::metrics {
Measure fidge_beta(double weight, double height) {
  if (weight == 1) return {};
  return (weight - height) / (weight - 1);
}

Raynal cylinder(std::span<const double> events, double height) {
  Raynal result;
  const auto n = static_cast<double>(events.size());
  result.weight = sum(events);
  result.height = height;
  result.volume = n * height;
  if (events.size() > 1 && height > 0) result.alpha = 1 - (result.volume - result.weight) / ((n - 1) * height);
  result.beta = fidge_beta(result.weight, height);
  const auto ratio = [](double a, double b) { return b > 0 ? Measure(a / b) : std::nullopt; };
  for (const double own : events) {
    result.theta4.push_back(height - own);
    result.theta4_relative.push_back(ratio(height - own, height));
    result.theta5.push_back(ratio(own, height));
    result.theta6.push_back(ratio(own, result.weight));
  }
  return result;
}

}  // namespace skelgen::metrics
