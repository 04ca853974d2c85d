#pragma once
// Pools: managers and workers. Internal to src/normalize.

#include "normalize/normalize.h"
#include "normalize/tables.h"

namespace skelgen::normalize {

/// Finds pools and gives their statements symbols of their own. A location takes part in one pool at most. O(calls) if
/// there is a location with MPI_ANY_SOURCE, else nothing.
void find_pools(Normalized& normalized, Tables& tables);

}  // namespace skelgen::normalize
