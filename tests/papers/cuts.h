#pragma once
// Consistent cuts of a computation in the abstract: what src/metrics is compared with.

#include "metrics/charron_bost.h"
#include "papers/computation.h"

namespace skelgen::metrics {

/// O(events x processes). Throws Error{invalid_argument} as causal_order does.
EventClocks event_clocks(const Computation& computation);

/// Number of consistent cuts. Throws Error{invalid_argument} where count_cuts() has a reason.
std::uint64_t consistent_cuts(const EventClocks& clocks, std::uint64_t most = kMostCuts);

}  // namespace skelgen::metrics
