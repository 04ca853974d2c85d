#include "predict/checked_json.h"

#include <cmath>
#include <stdexcept>

#include "support/error.h"
#include "support/read.h"

namespace skelgen::predict {

Json read_json(const std::filesystem::path& file, const std::string& what, const std::string& remedy) {
  const auto text = read_file(file, remedy, what + " ");
  try {
    return Json::parse(text);
  } catch (const Json::exception&) {
    throw Error(Code::corrupt, file.string(), {}, what + " is not valid JSON", remedy);
  }
}

Json read_printed(const std::filesystem::path& file) {
  return read_json(file, "the prediction", "give a file that skelgen predict --json wrote");
}

double number_at(const Json& json, const char* key) {
  const auto value = json.at(key).get<double>();
  if (!(value >= 0 && value <= kLongest_s)) throw std::out_of_range(key);
  return value;
}

double number_at(const Json& json, const char* key, double otherwise) {
  return json.contains(key) ? number_at(json, key) : otherwise;
}

Origin origin_of(const Json& json) {
  Origin origin;
  origin.ranks = json.value("ranks", 0);
  origin.traced_wall_s = number_at(json, "traced_wall_s", 0);
  origin.checksum = json.value("checksum", "");
  if (json.contains("mpi") && json["mpi"].is_string()) origin.mpi = json["mpi"].get<std::string>();
  origin.status = json.value("status", 0);
  if (json.contains("yield")) origin.yield = json["yield"].get<bool>();
  origin.core_wait = number_at(json, "core_wait", 0);
  if (origin.core_wait > 1) throw std::out_of_range("core_wait");
  origin.computation_error = number_at(json, "computation_error", 0);
  if (json.contains("original_runs_s")) origin.original_runs_s = json["original_runs_s"].get<std::vector<double>>();
  return origin;
}

Processor processor_at(const Json& json) {
  const auto name = [&](const char* key) {
    return json.at(key).is_null() ? std::string() : json.at(key).get<std::string>();
  };
  Processor processor;
  processor.traced = name("traced");
  processor.here = name("here");
  if (!json.at("same").is_null()) processor.same = json.at("same").get<bool>();
  return processor;
}

std::vector<PhaseTime> phases_of(const Json& json) {
  std::vector<PhaseTime> phases;
  for (const auto& phase : json.at("phases")) {
    const bool known = !phase.contains("variance_s2") || !phase["variance_s2"].is_null();
    const auto deviation = known ? std::optional(std::sqrt(number_at(phase, "variance_s2", 0))) : std::nullopt;
    phases.push_back({phase.at("name").get<std::string>(), number_at(phase, "weight"), number_at(phase, "seconds"),
                      number_at(phase, "iterations", 0), deviation, number_at(phase, "left_out_s", 0)});
  }
  return phases;
}

}  // namespace skelgen::predict
