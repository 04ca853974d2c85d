#pragma once
// Event-count measures: Raynal, Mizuno & Neilsen, Synchronization and concurrency measures for distributed
// computations; Fidge's beta.

#include <span>

#include "metrics/metrics.h"

namespace skelgen::metrics {

/// (weight - height) / (weight - 1); nothing if weight = 1.
Measure fidge_beta(double weight, double height);

/// 1 - (volume - weight) / (volume - height); nothing if volume = height.
Measure cone_alpha(double weight, double volume, double height);
/// The measures of the cone of an event of `process` from its vectors V and W.
ConeMeasures cone(std::size_t process, std::span<const double> v, std::span<const double> w);

/// The measures of a whole computation from each process's number of events and the height of all.
Raynal cylinder(std::span<const double> events, double height);

}  // namespace skelgen::metrics
