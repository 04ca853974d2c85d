#pragma once
// Descriptions of the handles that a call names. Internal to src/verify.

#include <cstddef>
#include <string>
#include <vector>

#include "normalize/normalize.h"

namespace skelgen::verify {

/// A line for each communicator, window, file, datatype and operation of the program's own that call number `call` of the
/// location is given, by the name that its text has: "c2: MPI_Comm_split of MPI_COMM_WORLD (call 7), rank 1 of 4".
/// O(calls before it).
std::vector<std::string> handles_of(const normalize::Normalized& run, const normalize::LocationCalls& location,
                                    std::size_t call);

}  // namespace skelgen::verify
