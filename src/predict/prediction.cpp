#include "predict/prediction.h"

#include <algorithm>
#include <cmath>

#include "predict/checked_json.h"
#include "support/error.h"

namespace skelgen::predict {
namespace {

double median_of(std::span<const SkeletonRun> runs, double SkeletonRun::*member) {
  std::vector<double> values;
  for (const auto& run : runs) values.push_back(run.*member);
  return median(values);
}

Evidence evidence_of(const Origin& origin, std::span<const SkeletonRun> runs, const Prediction& all) {
  Evidence evidence;
  evidence.launches = all.runs;
  evidence.originals = origin.original_runs_s;
  evidence.computed_s = median_of(runs, &SkeletonRun::computed_s);
  evidence.work = all.compute == "work";
  evidence.unexplained = median_of(runs, &SkeletonRun::unexplained);
  for (const auto& [kernel, ratio] : all.processor.ratios) evidence.speed_ratios.push_back(ratio);
  for (const auto& run : runs)
    if (run.work_ratio > 0) evidence.work_ratios.push_back(run.work_ratio);
  evidence.simulated = all.mpi.name == "SMPI";
  evidence.traced_core_wait = origin.core_wait;
  evidence.computation_error = origin.computation_error;
  evidence.other_mpi = !same_mpi(all.traced_mpi, all.mpi);
  for (const auto& phase : runs.front().phases) {
    const auto planned = origin.sampling_errors.find(phase.name);
    evidence.phases.push_back({phase.weight, phase.iterations, phase.deviation_s,
                               planned == origin.sampling_errors.end() ? 0 : planned->second});
  }
  return evidence;
}

}  // namespace

Prediction combine(const Origin& origin, std::span<const SkeletonRun> runs, double confidence) {
  Prediction all;
  all.origin = origin;
  for (const auto& run : runs) all.runs.push_back(run.predicted_s);
  for (const auto& run : runs) all.core_wait += run.core_wait / static_cast<double>(runs.size());
  all.predicted_s = median(all.runs);
  all.confidence = confidence;
  all.skeleton_s = median_of(runs, &SkeletonRun::skeleton_s);
  all.init_s = median_of(runs, &SkeletonRun::init_s);
  all.finalize_s = median_of(runs, &SkeletonRun::finalize_s);
  all.scale = runs.front().scale;
  all.compute = runs.front().compute;
  all.phases = runs.front().phases;
  all.traced_mpi = {origin.mpi, ""};
  all.mpi = runs.front().mpi;
  all.processor = processor_of(runs);
  for (std::size_t i = 0; i < all.phases.size(); ++i) {
    std::vector<double> values;
    for (const auto& run : runs) {
      if (run.phases.size() != all.phases.size() || run.phases[i].name != all.phases[i].name)
        throw Error(Code::mismatch, "the skeleton's launches report different phases", "build the skeleton again");
      values.push_back(run.phases[i].seconds);
    }
    all.phases[i].seconds = median(values);
  }
  const bool uncertain = origin.computation_error > 0 || origin.core_wait > kBusy;
  if ((all.mpi.name == "SMPI" ? uncertain : runs.size() >= kFewestLaunches) && std::ranges::min(all.runs) > 0) {
    all.parts = interval_parts(evidence_of(origin, runs, all));
    all.interval = prediction_interval(all.predicted_s, all.parts, confidence);
  }
  return all;
}

namespace {

Parts read_parts(const Json& json) {
  Parts parts;
  for (const auto& part : kParts) {
    const double seconds = json.at(std::string(part.name) + "_s");
    if (!(std::abs(seconds) <= kLongest_s)) throw std::out_of_range(part.name);
    parts.*part.seconds = seconds;
  }
  return parts;
}

Split read_split(const Json& json, double predicted_s) {
  Split split{.before_s = number_at(json, "predicted_s"),
              .after_s = predicted_s,
              .before = {},
              .all = read_parts(json.at("parts")),
              .phases = {},
              .ranks = {}};
  const auto name = [&](const char* key) { return json.at(key).is_null() ? "" : json.at(key).get<std::string>(); };
  split.before = named_place(name("program"), name("platform"));
  for (const auto& phase : json.at("phases"))
    split.phases.push_back({phase.at("name").get<std::string>(), read_parts(phase)});
  for (const auto& rank : json.at("ranks")) split.ranks.push_back(read_parts(rank));
  return split;
}

}  // namespace

Prediction read_prediction(const std::filesystem::path& file) { return prediction_of(read_printed(file), file); }

Prediction prediction_of(const Json& json, const std::filesystem::path& file) {
  try {
    if (json.at("schema") != "skelgen.predict/1") throw std::invalid_argument("schema");
    Prediction all;
    all.origin = origin_of(json);
    all.predicted_s = number_at(json, "predicted_s");
    all.confidence = number_at(json, "confidence");
    all.skeleton_s = number_at(json, "skeleton_s");
    all.scale = number_at(json, "scale");
    all.compute = json.at("compute").get<std::string>();
    all.runs = json.at("runs").get<std::vector<double>>();
    all.phases = phases_of(json);
    all.init_s = number_at(json, "init_s");
    all.finalize_s = number_at(json, "finalize_s");
    all.core_wait = number_at(json, "core_wait", 0);
    if (json.contains("mpi")) {  // of one name where they are the same: versions and vendors may differ then
      const auto& mpi = json["mpi"];
      all.mpi.name = mpi.at("here").get<std::string>();
      all.traced_mpi.name = mpi.at("same").get<bool>() ? all.mpi.name : mpi.at("traced").get<std::string>();
    }
    if (json.contains("simulated")) all.platform = json["simulated"].at("platform").get<std::string>();
    if (json.contains("processor")) all.processor = processor_at(json["processor"]);
    if (json.contains("than")) all.than = read_split(json.at("than"), all.predicted_s);
    if (!json.at("low_s").is_null()) all.interval = Interval{number_at(json, "low_s"), number_at(json, "high_s")};
    const auto& [low, high] = all.interval.value_or(Interval{all.predicted_s, all.predicted_s});
    const bool in_range = std::ranges::all_of(all.runs, [](double run) { return run >= 0 && run <= kLongest_s; });
    if (!in_range || low > all.predicted_s || high < all.predicted_s) throw std::out_of_range("interval");
    return all;
  } catch (const std::exception&) {
    throw Error(Code::corrupt, file.string(), {}, "was not written by skelgen predict --json",
                "make it with: skelgen predict --json SKEL > " + file.string());
  }
}

}  // namespace skelgen::predict
