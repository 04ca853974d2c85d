#pragma once
// Time-based measures: He & Sun, Concurrency measures for distributed computations (1997). No atomic events: sends and
// deliveries cut each process into regions.

#include <span>

#include "metrics/metrics.h"

namespace skelgen::metrics {

/// (weight - height) / (volume - height); nothing if volume = height, up to rounding.
Measure region_alpha(double weight, double volume, double height);

/// The measures of a whole computation: each process's CT and BT at its end (scaled), the greatest HT, the speeds
/// (empty: all 1).
HeSun whole_computation(std::span<const double> computing, std::span<const double> blocked, double height,
                        std::span<const double> rho);

}  // namespace skelgen::metrics
