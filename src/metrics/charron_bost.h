#pragma once
// Charron-Bost's measure of concurrency, as Raynal, Mizuno & Neilsen give it: by the number of consistent cuts.

#include <cstdint>

#include "metrics/computation.h"
#include "metrics/metrics.h"

namespace skelgen::metrics {

/// No more cuts than these are counted.
inline constexpr std::uint64_t kMostCuts = 1'000'000;

/// Number of consistent cuts, the empty and the full one among them. O(cuts x processes) time, O(widest level) memory.
/// Throws Error{invalid_argument} as causal_order does, and if there are more than `most`.
std::uint64_t consistent_cuts(const Computation& computation, std::uint64_t most = kMostCuts);

/// m = (mu - mu_s) / (mu_c - mu_s), with mu the number of consistent cuts, mu_s and mu_c those of the sequential and of
/// the fully concurrent computation with the same events per process. Nothing where they are equal: fewer than two
/// processes have events. Cost and errors as consistent_cuts.
Measure charron_bost(const Computation& computation, std::uint64_t most = kMostCuts);

}  // namespace skelgen::metrics
