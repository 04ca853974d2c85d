#pragma once
// The section of a report on other numbers of ranks. Internal to src/report.

#include <span>

#include "report/model.h"

namespace skelgen::report {

/// Speed-up as a picture and a table, and the phases' time over all ranks. Requires two or more predictions.
Json scaling(std::span<const predict::AtRanks> predictions);

}  // namespace skelgen::report
