#pragma once
// What the standard says of calls beyond what they do to the caller.

#include "engine/call.h"
#include "engine/operations.h"

namespace skelgen::engine {

/// True if the send is over only once its receive has begun, whatever room there is for messages.
bool waits_for_receive(const mpi::Function& send);
/// True if the message lies in the rank's attached buffer.
bool is_buffered(const mpi::Function& send);

/// For whom a collective call that a location of this communicator makes must wait: for whoever has something that it
/// gets. root: the call's, if it has one.
Waits least_waits(const mpi::Function& collective, const mpi::Communicator& comm, std::int64_t root);

/// True if the call makes a request of a message in parts, or asks for one part of it.
bool is_partitioned(const mpi::Function& function);
/// How many parts of a message a call of kind local makes ready; 0 if it is no such call.
std::int64_t parts_made_ready(const Call& call);

}  // namespace skelgen::engine
