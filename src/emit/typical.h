#pragma once
// Typicality of the kept iterations of a cut loop. Trip counts that vary, as those of calls that come now and then,
// make iterations unequal.

#include "emit/varying.h"
#include "skeleton/skeleton.h"

namespace skelgen::emit {

/// Traced seconds of an iteration after the first, on average, in relation to those of a kept one; 1 if all are alike.
/// Every statement counts with its mean, as often as it is executed there; of many locations and iterations some are
/// looked at, evenly spread. `loop` is a node of the top level. O(nodes x (values of trips + kept)).
double typical(const skeleton::Node& loop, const Cut& cut);

}  // namespace skelgen::emit
