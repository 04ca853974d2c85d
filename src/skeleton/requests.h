#pragma once
// Which requests a call completes, and what persistent requests a location has. Internal to src/skeleton.

#include <map>
#include <set>

#include "skeleton/skeleton.h"

namespace skelgen::skeleton {

using Values = std::span<const std::int64_t>;

/// The value of the n-th parameter with this role.
std::optional<std::int64_t> value(const mpi::Function& function, Values values, mpi::Role role, int n = 0);

/// Slots of the requests that a call of kind complete or test completed; -1: the null request.
std::vector<std::int64_t> completed(const Skeleton& skeleton, const mpi::Function& function, Values values);
/// Slots of the requests that a call of kind start started.
std::vector<std::int64_t> started(const Skeleton& skeleton, const mpi::Function& function, Values values);

/// What a persistent request does each time that it is started.
struct Persistent {
  mpi::Kind kind;  ///< of the call that made it: send_init, recv_init, collective_init
  std::int64_t peer, tag, comm;
  std::uint64_t number = 0;  ///< of a collective: how many the location made before in this communicator (slot)
};
/// Of a call of one of these kinds.
Persistent persistent(const mpi::Function& function, Values values, std::uint64_t number = 0);

/// The persistent requests of a location at some moment, by slot.
struct PersistentRequests {
  std::map<std::int64_t, Persistent> made;
  std::set<std::int64_t> active;
  std::map<std::int64_t, std::uint64_t> collectives;  ///< by slot of communicator: how many were made
};
/// Before location l executes this node of the top level. O(calls before it).
PersistentRequests persistent_before(const Skeleton& skeleton, const Node& node, std::uint32_t l);

/// True if the block has calls of this kind.
bool has(const Block& block, mpi::Kind kind);

}  // namespace skelgen::skeleton
