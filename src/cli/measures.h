#pragma once
// The measures of a traced run as JSON.

#include "cli/command.h"
#include "metrics/metrics.h"

namespace skelgen::cli {

/// The object of `skelgen metrics --json`.
Json json_of(const metrics::Metrics& metrics);

/// The finding or note of such an object, as far as people are shown it. Throw Json::exception and std::out_of_range.
metrics::Finding finding_of(const Json& json);
metrics::Note note_of(const Json& json);

}  // namespace skelgen::cli
