#pragma once
// Event-count measures: Raynal, Mizuno & Neilsen, Synchronization and concurrency measures for distributed
// computations; Fidge's beta.

#include <span>

#include "metrics/computation.h"
#include "metrics/metrics.h"

namespace skelgen::metrics {

/// 1 - (volume - weight) / (volume - height); nothing if volume = height.
Measure cone_alpha(double weight, double volume, double height);
/// (weight - height) / (weight - 1); nothing if weight = 1.
Measure fidge_beta(double weight, double height);

/// Measures of one event's cone.
struct Cone {
  std::vector<double> v;  ///< events of each process in the cone
  std::vector<double> w;  ///< logical time of each process there
  double weight = 0, volume = 0, height = 0;
  Measure alpha, beta;
  std::vector<double> theta1, theta2, theta3;  ///< per process
  std::vector<Measure> theta1_relative;        ///< theta_1'
};

/// The measures of a whole computation from each process's number of events and the height of all.
Raynal cylinder(std::span<const double> events, double height);

struct RaynalMeasures {
  Raynal whole;
  std::vector<std::vector<Cone>> events;  ///< by process and index
};

/// Every measure of every event: O(events x processes) time and memory. Throws as causal_order does.
RaynalMeasures raynal(const Computation& computation);

}  // namespace skelgen::metrics
