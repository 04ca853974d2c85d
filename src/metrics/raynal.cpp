#include "metrics/raynal.h"

#include "metrics/numbers.h"

namespace skelgen::metrics {
Measure fidge_beta(double weight, double height) {
  if (weight == 1) return {};
  return (weight - height) / (weight - 1);
}

Measure cone_alpha(double weight, double volume, double height) {
  if (volume == height) return {};
  return 1 - (volume - weight) / (volume - height);
}

ConeMeasures cone(std::size_t process, std::span<const double> v, std::span<const double> w) {
  ConeMeasures cone;
  cone.v.assign(v.begin(), v.end());
  cone.w.assign(w.begin(), w.end());
  const double own = w[process], all = sum(v);
  cone.weight = all - 1;
  cone.volume = sum(w) - 1;
  cone.height = own - 1;
  cone.alpha = cone_alpha(cone.weight, cone.volume, cone.height);
  cone.beta = fidge_beta(cone.weight, cone.height);
  for (std::size_t j = 0; j < v.size(); ++j) {
    cone.theta1.push_back(w[j] - v[j]);
    cone.theta1_relative.push_back(w[j] > 0 ? Measure((w[j] - v[j]) / w[j]) : std::nullopt);
    cone.theta2.push_back(v[j] / own);
    cone.theta3.push_back(v[j] / all);
  }
  return cone;
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
