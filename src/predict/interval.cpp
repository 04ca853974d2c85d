#include "predict/interval.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <vector>

#include "support/error.h"

namespace skelgen::predict {
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
  // In double: Boost's constants of long double end a program under Valgrind, which has none.
  using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  const boost::math::students_t_distribution<double, InDouble> student(degrees);
  return boost::math::quantile(boost::math::complement(student, (1 - confidence) / 2));
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
