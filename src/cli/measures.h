#pragma once
// The measures of a traced run as JSON: all of them for `metrics`, four for a skeleton to carry along.

#include "cli/command.h"
#include "metrics/metrics.h"

namespace skelgen::cli {

/// he_sun_alpha, phi1, phi7, raynal_alpha; undefined ones are null.
Json concurrency(const metrics::Metrics& metrics);

/// The object of `skelgen metrics --json`.
Json json_of(const metrics::Metrics& metrics);

}  // namespace skelgen::cli
