#pragma once
// Typicality of the kept iterations of a cut loop. Trip counts that vary, as those of calls that come now and then,
// make iterations unequal.

#include <vector>

#include "emit/loop_runs.h"
#include "skeleton/skeleton.h"

namespace skelgen::emit {

/// Traced seconds of an iteration after the first of its execution, on average, in relation to those of a kept one, in the
/// executions that run; 1 if all are alike. Every statement counts with its mean, as often as it is executed there; of
/// many locations and iterations some are looked at, evenly spread. cut.typical is 1. O(nodes x (values of trips +
/// kept iterations)).
/// ends: see Phase.
double typical(const skeleton::Node& loop, const std::vector<LoopRun>& executions, const Cut& cut,
               const std::vector<skeleton::Ends>& ends = {{1, 0}});

}  // namespace skelgen::emit
