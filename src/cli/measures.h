#pragma once
// The measures of a traced run as JSON.

#include "cli/command.h"
#include "metrics/metrics.h"

namespace skelgen::cli {

/// The object of `skelgen metrics --json`.
Json json_of(const metrics::Metrics& metrics);

/// The measures that skelgen prints, read from such an object; the others keep their defaults. Throws Json::exception and
/// std::out_of_range.
metrics::Metrics metrics_of(const Json& json);

}  // namespace skelgen::cli
