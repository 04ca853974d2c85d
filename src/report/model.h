#pragma once
// Contents of a report as the values that its template and its script fill in. Internal to src/report.

#include <nlohmann/json.hpp>

#include "report/report.h"

namespace skelgen::report {

using Json = nlohmann::ordered_json;

/// Texts and tables, for the template.
Json model(const Report& report);
/// Timeline and matrix, for the script. See templates/report.
Json pictures(const Report& report);

/// Phases in a table.
inline constexpr std::size_t kMostPhases = 40;

/// Width of a bar in percent, "43.2".
std::string width(double share);

}  // namespace skelgen::report
