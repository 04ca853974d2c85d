#pragma once
// Prediction interval of one run of the original, from the results of several launches.

#include <optional>
#include <span>

namespace skelgen::predict {

/// Middle value; mean of the two middle ones for an even count. Requires values not empty.
double median(std::span<const double> values);

/// Sample standard deviation (n - 1); 0 for fewer than two values.
double standard_deviation(std::span<const double> values);

/// P(|T| <= t) <-> t for Student's distribution: the t with two-sided probability `confidence`, in (0, 1), and
/// `degrees` >= 1 degrees of freedom. Relative error below 1e-9. Throws Error{invalid_argument} outside these ranges.
double student_t(double confidence, int degrees);

struct Interval {
  double low, high;
};

/// Fewest launches that an interval is given for: spread within one launch says little about the next one.
inline constexpr std::size_t kFewestLaunches = 5;

/// Prediction interval for one further value: median +- t s sqrt(1 + 1/n), not below 0. Nothing for fewer than
/// kFewestLaunches values.
std::optional<Interval> prediction_interval(std::span<const double> values, double confidence);

}  // namespace skelgen::predict
