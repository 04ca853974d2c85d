#pragma once
// Prediction of a program's run time from the launches of its skeleton.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "predict/interval.h"
#include "predict/skeleton_run.h"
#include "predict/split.h"
#include "support/busy.h"

namespace skelgen::predict {

/// An interval whose upper end is more times the lower one decides nothing.
inline constexpr double kUncertain = 2;

struct Prediction {
  double predicted_s = 0;            ///< median
  std::optional<Interval> interval;  ///< for one run of the original; predicted_s is in it
  std::vector<Part> parts{};         ///< of the interval
  double confidence = 0, skeleton_s = 0, scale = 1;
  std::string compute;
  std::string platform{};             ///< simulated, as predict was given it; set by read_prediction() only
  std::vector<double> runs;           ///< predicted time of each launch, in order
  std::vector<PhaseTime> phases;      ///< medians
  double init_s = 0, finalize_s = 0;  ///< medians
  double core_wait =
      0;  ///< share of the ranks' time in which they were ready to run but had no core, mean of the launches
  bool busy() const { return core_wait > kBusy; }
  bool too_uncertain() const { return interval && interval->high > kUncertain * interval->low; }
  Origin origin{};          ///< of the skeleton
  Mpi traced_mpi{}, mpi{};  ///< of the traced run, and of the launches
  Processor processor{};
  std::optional<Split> than{};  ///< of read_prediction(): what it said with --than
};

/// With the origin, whose other runs say how much they spread. Requires runs not empty. Throws Error{mismatch} if they do not report the same phases.
Prediction combine(const Origin& origin, std::span<const SkeletonRun> runs, double confidence);

/// Reads the output of `skelgen predict --json` for one number of ranks. All times are finite and not negative. Throws Error{io}, Error{corrupt}.
Prediction read_prediction(const std::filesystem::path& file);
/// The same, already read from the file. Throws Error{corrupt}.
Prediction prediction_of(const nlohmann::ordered_json& json, const std::filesystem::path& file);

}  // namespace skelgen::predict
