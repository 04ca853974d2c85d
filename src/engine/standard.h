#pragma once
// Rules of the standard about calls beyond their effects on the caller.

#include "engine/call.h"
#include "engine/operations.h"

namespace skelgen::engine {

/// For whom a collective call that a location of this communicator makes must wait: for whoever has something that it
/// gets. root: the call's, if it has one.
CollectiveWait least_waits(const mpi::Function& collective, const mpi::Communicator& comm, std::int64_t root);

/// How many parts of a message a call of kind local makes ready; 0 if it is no such call.
std::int64_t parts_made_ready(const Call& call);

}  // namespace skelgen::engine
