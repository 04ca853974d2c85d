#pragma once
// Predictions of one program at several numbers of ranks: how they compare with the first, and where efficiency goes.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "predict/prediction.h"

namespace skelgen::predict {

/// A prediction, and what is known of its program where the skeleton ran: measures of Concurrency.
struct AtRanks {
  Prediction all;  ///< origin.ranks is above 0
  std::optional<double> parallel{}, load_balance{}, communication{};
};

/// here: "concurrency_here" of what `predict --json` prints; may be null. Throws a std::exception where it is something else.
AtRanks at_ranks(Prediction all, const nlohmann::ordered_json& here);

/// A number of ranks in relation to the first one. What has a denominator of 0, or was not measured, is nothing.
struct ScalingPoint {
  int ranks = 0;
  std::optional<double> speed_up{};
  std::optional<Interval> speed_up_interval{};  ///< of the time's interval; the first one's time is taken as predicted
  std::optional<double> efficiency{};           ///< speed_up by how many times as many ranks there are
  /// All ranks' computing time at first by that here: POP's computation scalability. Efficiency is that times the parallel
  /// efficiency here (parallel) by that at first.
  std::optional<double> computation{};
};

/// As many as predictions, in their order. Requires predictions not empty.
std::vector<ScalingPoint> scaling_of(std::span<const AtRanks> predictions);

/// Time of all ranks together in phases of one name.
struct ScalingPhase {
  std::string name;
  std::vector<std::optional<double>> seconds;  ///< by prediction; nothing where its skeleton has no such phase
  double growth_s() const { return seconds.back().value_or(0) - seconds.front().value_or(0); }
};

struct ScalingPhases {
  std::vector<ScalingPhase> all;  ///< those that grow most first
  bool alike = true;              ///< the skeletons have the same phases; else those of one name may be different loops
};

/// Requires predictions not empty.
ScalingPhases scaling_phases_of(std::span<const AtRanks> predictions);

/// Reads the output of `skelgen predict --json`: one prediction, or, where --ranks had several numbers, one for each of them.
/// Throws Error{io}, Error{corrupt}.
std::vector<AtRanks> read_predictions(const std::filesystem::path& file);

}  // namespace skelgen::predict
