#pragma once
// Peers as values of calls, not as part of what the calls are.

#include <optional>

#include "normalize/normalize.h"

namespace skelgen::normalize {

/// The same run, in which calls that differ in ranks that they name as peers only are one symbol (not MPI_ANY_SOURCE and
/// MPI_PROC_NULL, nor peers of answers and statements of pools). Nothing if there are no such calls. O(symbols +
/// records + locations' calls where classes have to be compared), besides a copy.
std::optional<Normalized> peers_as_values(const Normalized& run);

}  // namespace skelgen::normalize
