#pragma once
// Charron-Bost's measure of concurrency, as Raynal, Mizuno & Neilsen give it: by the number of consistent cuts.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "metrics/metrics.h"

namespace skelgen::metrics {

/// No more cuts than these are counted.
inline constexpr std::uint64_t kMostCuts = 100'000;
/// Nor more than fit into this.
inline constexpr std::size_t kMostCutBytes = 64 << 20;
/// Nor is a run looked at that has more events than these: it has as many cuts and one more, mostly far more.
inline constexpr std::size_t kMostEvents = 1 << 12;

/// How many events of each process are in an event's past, itself among its own: Raynal's V, by process and event.
using EventClocks = std::vector<std::vector<std::vector<std::uint32_t>>>;

/// Number of consistent cuts, the empty and the full one among them; or why it is not known: more than `most`, or than
/// fit. O(cuts x (processes + what their next events wait for)) time, memory of two levels, at most kMostCutBytes.
std::variant<std::uint64_t, std::string> count_cuts(const EventClocks& clocks, std::uint64_t most = kMostCuts);
/// m = (mu - mu_s) / (mu_c - mu_s), with mu the number of consistent cuts, mu_s and mu_c those of the sequential and of
/// the fully concurrent computation with the same events per process. Without m there is a reason: more than `most` cuts
/// or than fit, or the two are equal, since fewer than two processes have events.
CharronBost charron_bost(const EventClocks& clocks, std::uint64_t most = kMostCuts);

}  // namespace skelgen::metrics
