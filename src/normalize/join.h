#pragma once
// Several runs of one program as one, whose locations are those of all of them.

#include <vector>

#include "normalize/normalize.h"

namespace skelgen::normalize {

/// The locations of the first run, then those of the second, and so on, as if they had been traced together: classes,
/// symbols and neighbours are those of all. Communicators stay those of their runs. In symbols a peer is the nearer of
/// r + c and r - c, so that it is the same symbol at any number of ranks. Pools, counters and what says where times are
/// that were not kept are left behind. All times must have been kept. O(calls of locations with grids + records).
Normalized join(std::vector<Normalized> runs);

}  // namespace skelgen::normalize
