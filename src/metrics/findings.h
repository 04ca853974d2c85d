#pragma once
// Findings: what made a run longer, in sentences. Internal to src/metrics.

#include <span>
#include <vector>

#include "metrics/metrics.h"
#include "metrics/replay.h"

namespace skelgen::metrics {

/// See Metrics::findings. `measured` has everything else. What ranks wait costs the run their share of it, and counts for
/// the root cause: that is what even work would gain. Computation
/// in turns costs what its longest chain is longer than the busiest rank's; a function half of what it has of the critical
/// path, or what is gained where its calls take half as long (set_gains); uneven work that others do not wait for costs by how much later than the mean of all the rank is done, at most what it computes
/// more than their mean. Ranks that cost at least 0.8 of what the worst of them does, for the same cause, are one finding.
std::vector<Finding> findings(const trace::Trace& trace, const Metrics& measured, const Replayed& run,
                              const Phases& phases);

/// Adds runs in which the ranks of the first findings compute less, and those in which others compute that instead, as
/// far as there is room: of findings that say how much, in this order.
void add_altered(const std::vector<Finding>& findings, const Replayed& run, std::vector<AlteredRun>& altered);
/// ends: of the runs that add_altered added; `end`: of the run as it was. Of what a finding costs, as far as computation is
/// the cause, no more is left than is gained; those that cost less than a hundredth of the run (without its waits for cores) are left out.
/// halved: what is gained where a function's calls take half as long, which is what it costs then.
void set_gains(std::vector<Finding>& findings, const trace::Trace& trace, const Replayed& run,
               std::span<const CriticalPath::Halved> halved, std::span<const double> ends, double end);

/// How long the run was.
double length_of(const Replayed& run);

}  // namespace skelgen::metrics
