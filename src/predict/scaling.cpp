#include "predict/scaling.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <stdexcept>
#include <utility>

#include "predict/checked_json.h"
#include "support/error.h"

namespace skelgen::predict {
namespace {

double ranks_of(const AtRanks& point) { return point.all.origin.ranks; }

std::optional<double> finite_ratio(double a, double b) {
  if (!(b > 0) || !std::isfinite(a / b)) return {};
  return a / b;
}

/// Time that all ranks together compute.
std::optional<double> computed(const AtRanks& point) {
  if (!point.parallel) return {};
  return *point.parallel * point.all.predicted_s * ranks_of(point);
}

/// Of all ranks together, by name.
std::optional<double> phase_time(const AtRanks& point, const std::string& name) {
  std::optional<double> seconds;
  for (const auto& phase : point.all.phases)
    if (phase.name == name) seconds = seconds.value_or(0) + phase.weight * phase.seconds * ranks_of(point);
  return seconds;
}

}  // namespace

std::vector<ScalingPoint> scaling_of(std::span<const AtRanks> predictions) {
  const AtRanks& first = predictions[0];
  const auto before = computed(first);
  std::vector<ScalingPoint> points;
  for (const AtRanks& prediction : predictions) {
    ScalingPoint point{.ranks = prediction.all.origin.ranks};
    point.speed_up = finite_ratio(first.all.predicted_s, prediction.all.predicted_s);
    if (point.speed_up) point.efficiency = *point.speed_up * ranks_of(first) / ranks_of(prediction);
    if (const auto& interval = prediction.all.interval) {
      const auto low = finite_ratio(first.all.predicted_s, interval->high),
                 high = finite_ratio(first.all.predicted_s, interval->low);
      if (low && high) point.speed_up_interval = Interval{*low, *high};
    }
    if (const auto now = computed(prediction); before && now) point.computation = finite_ratio(*before, *now);
    points.push_back(point);
  }
  return points;
}

ScalingPhases scaling_phases_of(std::span<const AtRanks> predictions) {
  ScalingPhases phases;
  std::vector<std::string> names, firsts;
  for (const AtRanks& point : predictions) {
    std::vector<std::string> own;
    for (const auto& phase : point.all.phases) {
      if (std::ranges::find(own, phase.name) == own.end()) own.push_back(phase.name);
      if (std::ranges::find(names, phase.name) == names.end()) names.push_back(phase.name);
    }
    if (&point == &predictions.front()) firsts = own;
    phases.alike = phases.alike && own == firsts;
  }
  for (const std::string& name : names) {
    ScalingPhase phase{name, {}};
    for (const AtRanks& point : predictions) phase.seconds.push_back(phase_time(point, name));
    phases.all.push_back(std::move(phase));
  }
  std::ranges::stable_sort(phases.all, std::greater{}, &ScalingPhase::growth_s);
  return phases;
}

namespace {

/// A number, or nothing where it is null.
std::optional<double> measure_at(const Json& json, const char* name) {
  if (json.at(name).is_null()) return {};
  return number_at(json, name);
}

std::vector<AtRanks> predictions_of(const Json& json, const std::filesystem::path& file) {
  const Json &predictions = json.at("predictions"), &scaling = json.at("scaling");
  if (predictions.size() != scaling.size()) throw std::invalid_argument("scaling");
  std::vector<AtRanks> all;
  std::set<int> different;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    all.push_back(at_ranks(prediction_of(predictions.at(i), file), predictions.at(i).at("concurrency_here")));
    const int ranks = all.back().all.origin.ranks;
    if (ranks < 1 || !different.insert(ranks).second || scaling.at(i).at("ranks") != ranks)
      throw std::invalid_argument("ranks");
    for (const char* key : {"speed_up", "efficiency", "computation"}) measure_at(scaling.at(i), key);
  }
  return all;
}

}  // namespace

AtRanks at_ranks(Prediction all, const Json& here) {
  AtRanks point{std::move(all)};
  if (here.is_null()) return point;
  point.parallel = measure_at(here, "parallel");
  point.load_balance = measure_at(here, "load_balance");
  point.communication = measure_at(here, "communication");
  return point;
}

std::vector<AtRanks> read_predictions(const std::filesystem::path& file) {
  const auto json = read_printed(file);
  if (!json.is_object() || json.value("schema", Json()) != "skelgen.scaling/1") return {{prediction_of(json, file)}};
  const auto refuse = [&](const std::string& what) -> Error {
    return {Code::corrupt,
            file.string(),
            {},
            what,
            "make it with: skelgen predict --json TEXT --platform P --ranks N,N,... > " + file.string()};
  };
  std::vector<AtRanks> all;
  try {
    all = predictions_of(json, file);
  } catch (const std::exception&) {
    throw refuse("was not written by skelgen predict --json");
  }
  if (all.size() < 2) throw refuse("has fewer than two numbers of ranks");
  return all;
}

}  // namespace skelgen::predict
