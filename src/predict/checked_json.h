#pragma once
// Values of JSON files that others may have written. Internal to src/predict.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "predict/skeleton_run.h"

namespace skelgen::predict {

using Json = nlohmann::ordered_json;

/// Throws Error{io}, Error{corrupt}: "FILE: WHAT cannot be read; REMEDY", "FILE: is a directory; REMEDY".
Json read_json(const std::filesystem::path& file, const std::string& what, const std::string& remedy);

/// The same of what `predict --json` printed.
Json read_printed(const std::filesystem::path& file);

/// More seconds than any run takes.
inline constexpr double kLongest_s = 1e12;
/// json[key], a number from 0 to kLongest_s. Throws a std::exception if it is none.
double number_at(const Json& json, const char* key);
/// The same, or `otherwise` if there is no such key.
double number_at(const Json& json, const char* key, double otherwise);

/// Of skeleton.json, and of what `predict --json` printed. Throws a std::exception where a value is of another type.
Origin origin_of(const Json& json);
/// Names of the processors, as skeletons and `predict --json` report them (empty: null). Throws a std::exception likewise.
Processor processor_at(const Json& json);
/// json["phases"] of a skeleton's report and of `predict --json`. Throws as number_at().
std::vector<PhaseTime> phases_of(const Json& json);

}  // namespace skelgen::predict
