#pragma once
// Prediction interval of one run of the original: what may make it longer or shorter than predicted, and by how much.

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace skelgen::predict {

/// Middle value; mean of the two middle ones for an even count. Requires values not empty.
double median(std::span<const double> values);

/// Sample standard deviation (n - 1); 0 for fewer than two values.
double standard_deviation(std::span<const double> values);

/// P(|T| <= t) <-> t for Student's distribution: the t with two-sided probability `confidence`, in (0, 1), and
/// `degrees` >= 1 degrees of freedom, which may be infinite. Relative error below 1e-9. Throws Error{invalid_argument}
/// outside these ranges.
double student_t(double confidence, double degrees);

struct Interval {
  double low, high;
};

/// Fewest launches that an interval is given for: spread within one launch says little about the next one.
/// Simulated ones, which are all alike, have one, however many they are, where there is a part "ranks" or "cores": nothing else would make it wide.
inline constexpr std::size_t kFewestLaunches = 5;

/// One cause of a run of the original being longer or shorter than predicted, independent of the others.
struct Part {
  std::string name{};
  double deviation = 0;  ///< standard deviation of the logarithm of the run time
  double degrees =
      std::numeric_limits<double>::infinity();  ///< of freedom of `deviation`, >= 1; infinite: not estimated
  bool assumed = false;                         ///< nothing of this run tells it: what a study found
};

/// predicted x exp(+- t s), s^2 the sum of the parts' squared deviations, t Student's quantile for the degrees of freedom
/// of that sum by Welch and Satterthwaite. Requires predicted >= 0; 0 < low where predicted is above 0.
Interval prediction_interval(double predicted, std::span<const Part> parts, double confidence);

/// Measurements that the parts are computed from. Times in seconds; an unknown one is empty or 0.
struct Evidence {
  std::vector<double> launches{};  ///< predicted time of each; not empty
  std::vector<double>
      originals{};  ///< run times of the original that were measured with the trace, the trace's among them
  /// A part of the run of which some iterations stand for all.
  struct Phase {
    double weight = 1, iterations = 0;    ///< how often each counts; how many ran
    std::optional<double> deviation_s{};  ///< of an iteration's time, without what its computation explains
    double planned_error = 0;             ///< CutLoop::error, used where the deviation is not known
  };
  std::vector<Phase> phases{};
  double computed_s = 0;  ///< computation of the traced run, in a launch's terms: seconds that it stands for
  bool work = false;      ///< computation is work; else traced time
  std::vector<double>
      work_ratios{};  ///< by launch: time of the computation as work here divided by that of the traced run
  std::vector<double> speed_ratios{};  ///< by kernel: speed here divided by that of the traced machine
  double unexplained = 1;              ///< share of the computation whose work is a guess
  bool other_mpi = false;              ///< than the traced run's
  bool simulated = false;              ///< on a platform: launches take the same time
  double traced_core_wait = 0;         ///< Origin::core_wait
  double computation_error = 0;        ///< Origin::computation_error
};

/// Parts of nonzero deviation: "original", "cores", "launches", "iterations", "drift", "work", "ranks", "mpi", "skeleton"
/// (docs/predict.md says what each is). Requires all times of launches above 0.
std::vector<Part> interval_parts(const Evidence& evidence);

}  // namespace skelgen::predict
