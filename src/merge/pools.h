#pragma once
// Managers and workers in the merged program.

#include "normalize/normalize.h"
#include "skeleton/skeleton.h"

namespace skelgen::merge {

/// Lets the workers of normalized.pools adapt: fills skeleton.pools, and Loop::pool, Call::dispatch, Call::ends_pool
/// and Call::any_order of their statements. A pool whose workers' loops the merged program does not show as one loop,
/// whose messages have no room for their number (4 bytes), or one of whose workers changes buffers, is left as it is.
/// Buffers of all workers grow to the size of the largest one's. O(calls of the pools).
void attach_pools(const normalize::Normalized& normalized, skeleton::Skeleton& skeleton);

}  // namespace skelgen::merge
