#pragma once
// How concurrent a traced run was, and where its time went.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/units.h"
#include "trace/trace.h"

namespace skelgen::metrics {

/// A measure with a denominator that may be 0.
using Measure = std::optional<double>;

/// Time-based measures (He & Sun 1997); phi[0] is Phi_1. Per-rank values of Phi_3 stand in per_rank.
struct HeSun {
  Measure alpha;
  double wt = 0, vol = 0, ht = 0;              ///< seconds
  Measure phi1, phi2, phi4, phi5, phi6, phi7;  ///< of the whole computation
  Measure phi5_rho, phi6_rho, phi7_rho;        ///< with processor speeds
  struct PerRank {
    double computing_s = 0, blocked_s = 0;
    Measure phi3;
  };
  std::vector<PerRank> per_rank;
};

/// Event-count measures (Raynal, Mizuno & Neilsen 1991); theta4..6 per rank.
struct Raynal {
  Measure alpha, beta;
  double weight = 0, volume = 0, height = 0;
  std::vector<double> theta4, theta5, theta6;
};

/// POP efficiencies, 0..1.
struct Pop {
  Measure parallel, load_balance, communication, serialization, transfer;
};

struct CriticalPath {
  double seconds = 0;
  std::vector<double> by_rank;                              ///< seconds on each rank
  std::vector<std::pair<std::string, double>> by_function;  ///< most first; "computation" is one of them
};

/// A region between two message events (He & Sun), the longest ones.
struct Region {
  Rank rank = 0;
  std::uint64_t call = 0;  ///< index of the call that ends it
  double start_s = 0, computing_s = 0, blocked_s = 0;
  Measure alpha, phi1;
};

struct Options {
  std::vector<double> rho;  ///< relative speed of each rank's processor, in (0, 1]; empty: all 1
  std::size_t regions = 0;  ///< how many of the longest regions to report
};

struct Metrics {
  HeSun he_sun;
  Raynal raynal;
  Pop pop;
  CriticalPath critical_path;
  std::vector<Region> regions;
};

/// Builds the happened-before graph of the run and measures it. Throws Error{corrupt} for messages that do not match.
Metrics measure(const trace::Trace& trace, const Options& options = {});

}  // namespace skelgen::metrics
