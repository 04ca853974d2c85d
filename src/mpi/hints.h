#pragma once
// Hints of info objects: "no_locks=true;cb_nodes=4", ascending by key.

#include <string_view>

namespace skelgen::mpi {

/// Whether the hint changes what an MPI does, and names no file, host or anything else of where the program ran.
bool is_portable_hint(std::string_view key, std::string_view value);
/// Whether all of the text are such; not for an empty one.
bool are_hints(std::string_view text);

}  // namespace skelgen::mpi
