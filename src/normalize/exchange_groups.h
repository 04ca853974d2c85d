#pragma once
// Groups of calls that are one mutual exchange. Internal to src/normalize.

#include <cstdint>
#include <vector>

#include "normalize/normalize.h"

namespace skelgen::normalize {

/// Calls begin .. end - 1 of a location: blocking sends and receives that may be brought into another order.
struct ExchangeGroup {
  std::size_t location, begin, end;
};

/// Calls in a group at most.
inline constexpr std::size_t kLargestExchange = 256;

/// All groups, by location and then by begin; each has a receive and a send of messages. Calls of a group are
/// consecutive MPI_Send, MPI_Ssend and MPI_Recv with given source and tag; none writes memory that another one reads or
/// writes, and no two are messages in the same direction with the same peer, tag and communicator. Every message of a
/// group is received or sent by another group from which messages lead back to it: both are in one strongly connected
/// component of the graph "sends to". O(calls), times the size of a group.
std::vector<ExchangeGroup> exchange_groups(const Normalized& normalized);

}  // namespace skelgen::normalize
