#pragma once
// Peers and roots as values of calls, not as part of what the calls are.

#include <optional>

#include "normalize/normalize.h"

namespace skelgen::normalize {

/// The same run, in which calls that differ in the peers and roots that they name only are one symbol (not MPI_ANY_SOURCE,
/// MPI_PROC_NULL and MPI_ROOT, nor peers of answers and statements of pools). Nothing if there are no such calls.
/// O(symbols + records + locations' calls where classes have to be compared), besides a copy.
std::optional<Normalized> ranks_as_values(const Normalized& run);

}  // namespace skelgen::normalize
