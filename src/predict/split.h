#pragma once
// Why a program takes longer in one place than in another: the difference of two run times, split by what causes it.

#include <array>
#include <string>
#include <vector>

#include "predict/skeleton_run.h"

namespace skelgen::predict {

/// Parts of a difference, in seconds; negative where that part is less than before.
struct Parts {
  double computation = 0;  ///< of the ranks on average
  double imbalance = 0;    ///< computation beyond the average: of the rank with most of it, or of the rank in question
  double waiting =
      0;  ///< what else other computation changes: waiting for ranks that compute, communication that no longer runs beside it
  double latency = 0, bandwidth = 0;
  double total() const { return computation + imbalance + waiting + latency + bandwidth; }
  Parts& operator+=(const Parts& other);
};

/// A part by its name: "waiting".
struct NamedPart {
  const char* name;
  double Parts::*seconds;
};
inline constexpr std::array<NamedPart, 5> kParts{{{"computation", &Parts::computation},
                                                  {"imbalance", &Parts::imbalance},
                                                  {"waiting", &Parts::waiting},
                                                  {"latency", &Parts::latency},
                                                  {"bandwidth", &Parts::bandwidth}}};

/// Parts of a difference that matter, the largest first.
struct Causes {
  std::vector<NamedPart> parts;
  bool cancel = false;  ///< the largest is much more than the difference, because others cancel it
};
Causes causes_of(const Parts& all);

/// "PROGRAM on PLATFORM", or the one that is not empty.
std::string named_place(const std::string& program, const std::string& platform);

struct Split {
  double before_s = 0, after_s = 0;  ///< run times
  std::string before{};              ///< where it was before_s, as predict was given it; set by read_prediction() only
  Parts all;                         ///< sums of the phases; total() is after_s - before_s
  struct OfPhase {
    std::string name;
    Parts parts;
  };
  std::vector<OfPhase> phases;  ///< as predictions name them, "finalize" behind them; of the rank that ends last
  std::vector<Parts> ranks;     ///< total(): by how much later the rank ends, without "finalize"
};

/// runs: simulated launches with ranks' times, by the factors that are as in the place after: bit 0 computation, 1 latency, 2 bandwidth.
/// So runs[0] is the one before, runs[7] the one after. Each factor counts with the mean of what it changes while the
/// others are as before or as after, over all orders in which they could be changed (Shapley 1953), so the parts add up.
/// Throws Error{mismatch} where a run has no ranks' times, or they are of other ranks. Phases that differ between the runs are one
/// phase, "run". O(ranks x phases).
Split split(const std::array<const SkeletonRun*, 8>& runs);

}  // namespace skelgen::predict
