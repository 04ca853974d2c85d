#pragma once
// For whom calls wait with every MPI, as the standard says it. Internal to src/emit.

#include "emit/operations.h"

namespace skelgen::emit {

/// True if the send is over only once its receive has begun, whatever room there is for messages.
bool waits_for_receive(const mpi::Function& send);

/// For whom a collective call that a location of this communicator makes must wait: for whoever has something that it
/// gets. root: the call's, if it has one.
Waits least_waits(const mpi::Function& collective, const skeleton::Communicator& comm, std::int64_t root);

}  // namespace skelgen::emit
