#pragma once
// predict --ranks N,N,...: run times at several numbers of ranks beside each other, and where efficiency goes.

#include <iosfwd>
#include <span>

#include "cli/command.h"
#include "predict/scaling.h"

namespace skelgen::cli {

/// By number of ranks, in relation to the first: "speed_up", "efficiency" and "computation" of predict::ScalingPoint.
Json scaling_json(std::span<const predict::ScalingPoint> points);

/// The same as a table, and another one of the phases' time over all ranks, those that grow most first.
void print_scaling(std::ostream& out, std::span<const predict::AtRanks> predictions);

}  // namespace skelgen::cli
