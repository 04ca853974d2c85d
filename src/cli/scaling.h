#pragma once
// predict --ranks N,N,...: run times at several numbers of ranks beside each other, and where efficiency goes.

#include <iosfwd>
#include <span>

#include "cli/command.h"
#include "predict/prediction.h"

namespace skelgen::cli {

struct AtRanks {
  predict::Prediction all;
  Json here;  ///< "concurrency_here" of the prediction's JSON; may be null
};

/// By number of ranks, each in relation to the first: "speed_up", "efficiency" (speed_up by how many times as many ranks there are) and, where
/// the ranks' computation was measured, "computation" (all ranks' computing time at first by that here, POP's computation scalability).
/// Efficiency is that times the parallel efficiency here ("concurrency_here": phi1) by that at first.
Json scaling_of(std::span<const AtRanks> points);

/// The same as a table, and another one of the phases' time over all ranks, those that grow most first.
void print_scaling(std::ostream& out, std::span<const AtRanks> points);

}  // namespace skelgen::cli
