#pragma once
// Measures of Raynal, Mizuno & Neilsen of every event, as the paper defines them: what src/metrics is compared with.

#include <vector>

#include "metrics/raynal.h"
#include "papers/computation.h"

namespace skelgen::metrics {

/// 1 - (volume - weight) / (volume - height); nothing if volume = height.
Measure cone_alpha(double weight, double volume, double height);
/// Measures of one event's cone.
struct Cone {
  std::vector<double> v;  ///< events of each process in the cone
  std::vector<double> w;  ///< logical time of each process there
  double weight = 0, volume = 0, height = 0;
  Measure alpha, beta;
  std::vector<double> theta1, theta2, theta3;  ///< per process
  std::vector<Measure> theta1_relative;        ///< theta_1'
};

struct RaynalMeasures {
  Raynal whole;
  std::vector<std::vector<Cone>> events;  ///< by process and index
};

/// Every measure of every event: O(events x processes) time and memory. Throws as causal_order does.
RaynalMeasures raynal(const Computation& computation);

}  // namespace skelgen::metrics
