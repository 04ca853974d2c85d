#pragma once
// A network as it was measured: lines, states and LogGP's parameters, from the points of templates/netbench.

#include <optional>
#include <string>
#include <vector>

#include "network/fit.h"
#include "network/points.h"
#include "network/states.h"

namespace skelgen::network {

/// A pattern at a number of ranks.
struct Curve {
  std::string pattern;
  int ranks = 0;
  std::vector<Sample> samples;  ///< ascending in length
  Fit fit;
  States states;
};

/// Parameters of LogGP (Alexandrov and others 1995): latency, overheads of sending and receiving, gap between short messages
/// (s), gap per byte of long ones (s per byte).
struct LogGP {
  double latency_s = 0, send_s = 0, receive_s = 0, gap_s = 0, per_byte_s = 0;
};

struct Model {
  std::vector<Curve> curves;   ///< patterns in the order in which they were measured, each at two lengths or more
  std::optional<LogGP> loggp;  ///< nothing where ping-pong, overheads or bursts were not measured
};

/// Fits every curve. O(curves x n^3) for n lengths each: 0.1 s for a run of 16 ranks.
Model model_of(const Points& points);

/// Lines that miss half of the measured times by more than this share of them are no model.
inline constexpr double kMostResidual = 0.2;
/// "the lines miss the times of ring on 4 ranks by 55.8 % (median)", of the curve with the greatest residual, where that is more
/// than kMostResidual. Otherwise says that the start-up time of the ping-pong is negative, if it is; else empty.
std::string misfit(const Model& model);

}  // namespace skelgen::network
