#pragma once
// Loops of which a few iterations say as much as all of them about who waits for whom.

#include "skeleton/cursor.h"
#include "skeleton/skeleton.h"

namespace skelgen::skeleton {

/// Loops of the top level whose iterations can all be finished if the first ones can. Nothing that an iteration of a
/// closed loop sends or starts is left for others (or the same by each one to the next), and without wildcards a receive
/// takes the same message however far other locations are: so an operation waits for operations of the same iteration
/// (or the one before) only, and iterations that communicate alike can be finished or not alike.
/// O(one iteration of each loop) if iterations are alike.
Shortened shortened(const Skeleton& skeleton);

}  // namespace skelgen::skeleton
