#pragma once
// Measures of He & Sun (1997) of every region, as the paper defines them: what src/metrics is compared with.

#include <vector>

#include "metrics/he_sun.h"
#include "papers/computation.h"

namespace skelgen::metrics {

/// A send, a delivery, or the end of the process, with the process's clocks there: seconds computed (CT) and seconds
/// blocked (BT) since its start, not yet scaled with rho.
struct TimedEvent {
  EventKind kind = EventKind::internal;  ///< internal: the end; the last event of each process and only that
  int message = -1;
  double computing_s = 0, blocked_s = 0;
};

struct TimedComputation {
  std::vector<std::vector<TimedEvent>> processes;
  std::vector<double> rho;  ///< relative speed of each process's processor, in (0, 1]; empty: all 1
};

struct HeSunMeasures {
  HeSun whole;
  std::vector<std::vector<RegionMeasures>> regions;  ///< by process and event
};

/// The protocol with vectors: O(events x processes). Throws Error{invalid_argument} as causal_order does, and where a
/// clock runs backwards, an end is missing or rho is out of range.
HeSunMeasures he_sun(const TimedComputation& computation);

}  // namespace skelgen::metrics
