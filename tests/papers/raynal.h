#pragma once
// Measures of Raynal, Mizuno & Neilsen of every event, as the paper defines them: what src/metrics is compared with.

#include <vector>

#include "metrics/raynal.h"
#include "papers/computation.h"

namespace skelgen::metrics {

using Cone = ConeMeasures;

struct RaynalMeasures {
  Raynal whole;
  std::vector<std::vector<Cone>> events;  ///< by process and index
};

/// Every measure of every event: O(events x processes) time and memory. Throws as causal_order does.
RaynalMeasures raynal(const Computation& computation);

}  // namespace skelgen::metrics
