#pragma once
// Peers and roots: as neighbours in a grid, or as values of calls, not as part of what the calls are.

#include <optional>

#include "normalize/normalize.h"
#include "normalize/tables.h"

namespace skelgen::normalize {

/// Symbols of calls in Cartesian communicators name the neighbour that each is for. Calls that are equal but for their
/// peers and have one tag are for one neighbour if all their peers are; where that does not hold, those of one request and
/// one buffer, too. Only where it makes different symbols one. O(records of locations with such communicators).
void name_neighbours(Normalized& run, Tables& tables);

/// The same run, in which calls that differ in the peers and roots that they name only are one symbol (not MPI_ANY_SOURCE,
/// MPI_PROC_NULL and MPI_ROOT, nor neighbours in grids, peers of answers and statements of pools). Nothing if there are no such calls.
/// O(symbols + records + locations' calls where classes have to be compared), besides a copy.
std::optional<Normalized> ranks_as_values(const Normalized& run);

}  // namespace skelgen::normalize
