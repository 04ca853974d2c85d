#include "predict/interval.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numbers>

#include "support/busy.h"
#include "support/error.h"

namespace skelgen::predict {
namespace {

/// What docs/RESULTS.md has of the NPB, each traced, built and run in turns: spread of the originals, and how far the
/// skeletons of runs that were just traced are from them, beyond that spread.
constexpr double kOriginal = 0.015, kSkeleton = 0.0125;
/// Of the time that is not computation, where another MPI does it.
constexpr double kOtherMpi = 0.1;
/// Skeletons for numbers of ranks that were not traced: root mean square of their errors in docs/RESULTS.md.
constexpr double kOtherRanks = 0.04;
/// Computation as work on another processor: more than one mixture of kernels explains the same counts. Its standard deviation as
/// a share of that of the kernels' speeds, by the errors in docs/RESULTS.md.
constexpr double kMixtures = 0.5;
/// The least standard deviation of computation as work, also where all kernels changed alike: operations of a program overlap in another
/// way than those of kernels. About the median error by work on another processor in docs/RESULTS.md.
constexpr double kOverlap = 0.08;
/// Largest share of waiting that is taken: with a share of 1 the interval would be infinite.
constexpr double kMostWait = 0.95;
/// Fewer runs of the original say too little about their spread.
constexpr std::size_t kFewestOriginals = 3;

std::vector<double> logarithms(std::span<const double> values) {
  std::vector<double> result;
  for (const double value : values) result.push_back(std::log(value));
  return result;
}

bool all_positive(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return value > 0 && std::isfinite(value); });
}

/// Variance of a median of n values, as a share of that of one (of many, normally distributed).
double of_median(std::size_t n) {
  return n < 3 ? 1.0 / static_cast<double>(n) : std::numbers::pi / 2 / static_cast<double>(n);
}

/// Spread of runs of the original, of the one that is predicted and the one that was traced. Of the first the greater one of
/// what the originals and the launches show, so that neither a quiet machine that was traced nor a skeleton that spends
/// recorded time hides it; the second is the one of median time, where there were several.
Part spread(const Evidence& of) {
  const bool measured = of.originals.size() >= kFewestOriginals && all_positive(of.originals);
  const double before = measured ? standard_deviation(logarithms(of.originals)) : kOriginal;
  Part part{"original", before, std::numeric_limits<double>::infinity(), !measured};
  if (measured) part.degrees = static_cast<double>(of.originals.size() - 1);
  if (const double now = standard_deviation(logarithms(of.launches)); now > before)
    part = {"original", now, static_cast<double>(of.launches.size() - 1), false};
  part.deviation = std::hypot(part.deviation, before * std::sqrt(measured ? of_median(of.originals.size()) : 1));
  return part;
}

double median_of_ratios(std::span<const double> ratios) {
  return ratios.empty() || !all_positive(ratios) ? 1 : median(ratios);
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

double student_t(double confidence, double degrees) {
  if (!(confidence > 0 && confidence < 1))
    throw Error(Code::invalid_argument, "the confidence is not between 0 and 1", "give, for example, 0.95");
  if (!(degrees >= 1))
    throw Error(Code::invalid_argument, "Student's distribution needs at least one degree of freedom");
  // In double: Boost's constants of long double end a program under Valgrind, which has none.
  using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  if (std::isinf(degrees))
    return boost::math::quantile(
        boost::math::complement(boost::math::normal_distribution<double, InDouble>(), (1 - confidence) / 2));
  const boost::math::students_t_distribution<double, InDouble> student(degrees);
  return boost::math::quantile(boost::math::complement(student, (1 - confidence) / 2));
}

Interval prediction_interval(double predicted, std::span<const Part> parts, double confidence) {
  double variance = 0, uncertainty = 0;
  for (const auto& part : parts) {
    const double square = part.deviation * part.deviation;
    variance += square;
    uncertainty += square * square / part.degrees;
  }
  const double degrees =
      uncertainty > 0 ? std::max(1.0, variance * variance / uncertainty) : std::numeric_limits<double>::infinity();
  const double factor = std::exp(student_t(confidence, degrees) * std::sqrt(variance));
  return {predicted / factor, predicted * factor};
}

std::vector<Part> interval_parts(const Evidence& of) {
  std::vector<Part> parts;
  const auto add = [&](Part part) {
    if (part.deviation > 0 && std::isfinite(part.deviation)) parts.push_back(std::move(part));
  };
  const double predicted = median(of.launches), computed = std::min(1.0, of.computed_s / predicted);
  if (!of.simulated) add(spread(of));
  // Two standard deviations below the prediction lies the time without the waiting, if all of it counts as computation.
  if (of.traced_core_wait > kBusy)
    add({"cores", -0.5 * std::log1p(-std::min({kMostWait, of.traced_core_wait, computed})),
         std::numeric_limits<double>::infinity(), true});
  add({"launches", standard_deviation(logarithms(of.launches)) * std::sqrt(of_median(of.launches.size())),
       std::max(1.0, static_cast<double>(of.launches.size()) - 1)});
  double iterations = 0;
  bool planned = false;
  for (const auto& phase : of.phases) {
    const double left_out = std::max(0.0, phase.weight - 1);
    if (left_out == 0) continue;
    iterations += phase.deviation_s ? std::pow(left_out * *phase.deviation_s / predicted, 2) * phase.iterations
                                    : phase.planned_error * phase.planned_error;
    planned = planned || (!phase.deviation_s && phase.planned_error > 0);
  }
  add({"iterations", std::sqrt(iterations), std::numeric_limits<double>::infinity(), planned});
  if (of.computation_error > 0)
    add({"ranks", std::hypot(kOtherRanks, computed * std::log1p(of.computation_error)),
         std::numeric_limits<double>::infinity(), true});
  if (of.simulated) {
    add({"skeleton", kSkeleton, std::numeric_limits<double>::infinity(), true});
    return parts;
  }
  if (of.work)  // the speeds of the traced machine were measured once, as here in each launch
    add({"drift", computed * (all_positive(of.work_ratios) ? standard_deviation(logarithms(of.work_ratios)) : 0),
         std::max(1.0, static_cast<double>(of.work_ratios.size()) - 1)});
  else
    add({"drift", computed * std::abs(std::log(median_of_ratios(of.work_ratios)))});
  if (of.work && all_positive(of.speed_ratios))  // what no kernel explains may follow any of them
    add({"work",
         computed * std::hypot(kOverlap, (of.unexplained + (1 - of.unexplained) * kMixtures) *
                                             standard_deviation(logarithms(of.speed_ratios))),
         std::numeric_limits<double>::infinity(), true});
  if (of.other_mpi) add({"mpi", kOtherMpi * (1 - computed), std::numeric_limits<double>::infinity(), true});
  add({"skeleton", kSkeleton, std::numeric_limits<double>::infinity(), true});
  return parts;
}

}  // namespace skelgen::predict
