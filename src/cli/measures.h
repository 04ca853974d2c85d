#pragma once
// The measures of a traced run as JSON.

#include "cli/command.h"
#include "metrics/metrics.h"

namespace skelgen::cli {

/// The object of `skelgen metrics --json`.
Json json_of(const metrics::Metrics& metrics);

}  // namespace skelgen::cli
