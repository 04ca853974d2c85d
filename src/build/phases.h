#pragma once
// The phases of a skeleton in the trace that it was built from.

#include <string>

#include "emit/emit.h"
#include "metrics/metrics.h"
#include "normalize/normalize.h"
#include "skeleton/skeleton.h"
#include "trace/trace.h"

namespace skelgen::build {

/// normalized: with numbers, and with the calls in the order in which they were made.
metrics::Phases phases_of(const skeleton::Skeleton& skeleton, const emit::Plan& plan,
                          const normalize::Normalized& normalized);

/// Where the phases of the skeleton that build() makes begin in the trace. Unsuccessful polls between two phases belong to
/// the later one. Throws as build() does.
metrics::Phases phases(const trace::Trace& trace);
/// Of a trace that no skeleton can be built from, the reason instead.
struct PhasesOrReason {
  metrics::Phases phases;
  std::string reason;
};
PhasesOrReason phases_if_any(const trace::Trace& trace);

}  // namespace skelgen::build
