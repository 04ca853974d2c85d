#include "predict/interval.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/error.h"

namespace skelgen::predict {
namespace {

/// Continued fraction of the incomplete beta function, modified Lentz evaluation (DLMF 8.17.22). Converges fast for x <
/// (a+1)/(a+b+2).
double beta_fraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300;
  const auto away_from_zero = [](double value) { return std::fabs(value) < kTiny ? kTiny : value; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double result = d;
  for (int m = 1; m < 10'000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    result *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    result *= c * d;
    if (std::fabs(c * d - 1) < 1e-15) break;
  }
  return result;
}

/// Regularized incomplete beta function I_x(a, b).
double incomplete_beta(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
  return 1 - front * beta_fraction(1 - x, b, a) / b;
}

}  // namespace

double median(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto middle = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double student_t(double confidence, int degrees) {
  if (!(confidence > 0 && confidence < 1))
    throw Error(Code::invalid_argument, "the confidence is not between 0 and 1", "give, for example, 0.95");
  if (degrees < 1) throw Error(Code::invalid_argument, "Student's distribution needs at least one degree of freedom");
  // P(|T| > t) = I_x(n/2, 1/2) with x = n / (n + t^2), rising with x: bisect for x, from both ends of the exponent
  // range.
  const double outside = 1 - confidence, n = degrees;
  double low = -740, high = 0;  // of log(x)
  for (int step = 0; step < 200; ++step) {
    const double middle = (low + high) / 2;
    (incomplete_beta(std::exp(middle), n / 2, 0.5) < outside ? low : high) = middle;
  }
  return std::sqrt(n * -std::expm1(low) / std::exp(low));
}

std::optional<Interval> prediction_interval(std::span<const double> values, double confidence) {
  if (values.size() < kFewestLaunches) return {};
  const double n = static_cast<double>(values.size());
  const double half =
      student_t(confidence, static_cast<int>(values.size()) - 1) * standard_deviation(values) * std::sqrt(1 + 1 / n);
  const double middle = median(values);
  return Interval{std::max(0.0, middle - half), middle + half};
}

}  // namespace skelgen::predict
