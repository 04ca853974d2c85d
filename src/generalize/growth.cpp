#include "generalize/growth.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "support/error.h"

namespace skelgen::generalize {
namespace {

double shape(double power, int logarithm, double ranks) {
  return std::pow(ranks, power) * (logarithm ? std::log2(ranks) : 1);
}

/// The c that makes the sum of squared relative errors least, without the point of this number.
double factor(std::span<const std::pair<std::uint32_t, double>> points, double power, int logarithm,
              std::size_t without) {
  // Relative to what is measured: minimize sum (c s / t - 1)^2.
  double numerator = 0, denominator = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& [ranks, seconds] = points[i];
    if (i == without || seconds <= 0) continue;
    const double ratio = shape(power, logarithm, ranks) / seconds;
    numerator += ratio;
    denominator += ratio * ratio;
  }
  return denominator > 0 ? numerator / denominator : 0;
}

}  // namespace

double Growth::at(std::uint32_t ranks) const { return seconds * shape(power, logarithm, ranks); }

FittedGrowth fit_growth(std::span<const std::pair<std::uint32_t, double>> points) {
  struct Power {
    double power, weight;  ///< how much better one must be than p^0 and p^1
  };
  static constexpr std::array<Power, 19> kPowers{{{0, 1},
                                                  {-1, 1},
                                                  {1, 1},
                                                  {-0.5, 2},
                                                  {0.5, 2},
                                                  {-2, 2},
                                                  {2, 2},
                                                  {-1.0 / 3, 4},
                                                  {1.0 / 3, 4},
                                                  {-2.0 / 3, 4},
                                                  {2.0 / 3, 4},
                                                  {-0.25, 6},
                                                  {0.25, 6},
                                                  {-0.75, 6},
                                                  {0.75, 6},
                                                  {-1.5, 4},
                                                  {1.5, 4},
                                                  {-3, 4},
                                                  {3, 6}}};
  constexpr double kLogarithm = 2;  // a factor of log2(p), likewise
  constexpr double kNoise = 3e-4;   // of squared errors: what is off by less than 1 % fits as well
  FittedGrowth best;
  double least = std::numeric_limits<double>::infinity();
  for (const int logarithm : {0, 1})
    for (const auto& [power, weight] : kPowers) {
      double sum = 0, largest = 0;
      for (std::size_t i = 0; i < points.size(); ++i) {
        const auto& [ranks, seconds] = points[i];
        if (seconds <= 0) continue;
        const double c = factor(points, power, logarithm, points.size() > 1 ? i : points.size());
        const double error = c * shape(power, logarithm, ranks) / seconds - 1;
        sum += error * error;
        largest = std::max(largest, std::abs(error));
      }
      const double cost = (sum + kNoise) * weight * (logarithm ? kLogarithm : 1);
      if (!(cost < least)) continue;
      least = cost;
      best = {{factor(points, power, logarithm, points.size()), power, logarithm}, largest};
    }
  return best;
}

std::string text(const Growth& growth) {
  std::string text = fmt::format("{:.9g}", growth.seconds);
  if (growth.power != 0) text += growth.power == 1 ? " * p" : fmt::format(" * p^{:.6g}", growth.power);
  if (growth.logarithm) text += " * log2(p)";
  return text;
}

Growth parse_growth(std::string_view text, const std::string& at) {
  const auto fail = [&] {
    throw Error(Code::corrupt, at, {}, fmt::format("\"{}\" is no time that grows with p", text.substr(0, 60)),
                "write $time(SECONDS), $time(SECONDS * p^A) or $time(SECONDS * p^A * log2(p))");
  };
  std::string_view rest = text;
  const auto skip = [&] {
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  };
  const auto accept = [&](std::string_view word) {
    skip();
    if (!rest.starts_with(word)) return false;
    rest.remove_prefix(word.size());
    return true;
  };
  const auto number = [&] {
    skip();
    double value = 0;
    const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (problem != std::errc() || !std::isfinite(value)) fail();
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return value;
  };
  Growth growth;
  growth.seconds = number();
  if (growth.seconds < 0) fail();
  for (bool first = true; accept("*"); first = false) {
    if (accept("log2(p)") && growth.logarithm == 0)
      growth.logarithm = 1;
    else if (first && accept("p"))
      growth.power = accept("^") ? number() : 1;
    else
      fail();
  }
  skip();
  if (!rest.empty()) fail();
  return growth;
}

}  // namespace skelgen::generalize
