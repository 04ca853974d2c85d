#include <numeric>
#include <unordered_map>

#include "support/error.h"
#include "verify/verify.h"

namespace skelgen::verify {
namespace {

using mpi::Kind;
using mpi::Role;
using normalize::Communicator;

/// World ranks of a communicator's members, by their rank in it.
using Members = std::unordered_map<std::uint64_t, std::vector<Rank>>;

Members members_of(const normalize::Normalized& normalized) {
  Members members;
  for (const auto& location : normalized.locations)
    for (const Communicator& comm : location.communicators) {
      auto& all = members[comm.identity];
      if (all.size() < static_cast<std::size_t>(comm.size)) all.resize(static_cast<std::size_t>(comm.size), -1);
      if (comm.rank >= 0 && comm.rank < comm.size) all[static_cast<std::size_t>(comm.rank)] = location.where.rank;
    }
  return members;
}

/// Bytes of an element of a datatype: predefined, or by slot of those that the location has made.
std::uint64_t element_bytes(const normalize::Normalized& normalized, std::int64_t type,
                            const std::vector<std::int64_t>& made) {
  if (type < mpi::kMade) return static_cast<std::uint64_t>(normalized.name_bytes[static_cast<std::size_t>(type)]);
  return static_cast<std::uint64_t>(made.at(static_cast<std::size_t>(type - mpi::kMade)));
}

/// Bytes of the first buffer that the call reads; 0 if it does not read it.
std::uint64_t sent_bytes(const normalize::Normalized& normalized, const normalize::Record& record,
                         const Communicator* comm, const std::vector<std::int64_t>& made) {
  const mpi::Function& function = *normalized.symbols[record.symbol].function;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const mpi::Parameter& buffer = function.parameters[i];
    if (buffer.role != Role::buffer || buffer.direction == mpi::Direction::out) continue;
    const std::int64_t type = record.values[static_cast<std::size_t>(buffer.datatype)];
    const int root = function.find(Role::root);
    const bool absent = buffer.root_only && comm && record.values[static_cast<std::size_t>(root)] != comm->rank;
    if (record.values[i] == mpi::kInPlace || absent || type < 0) return 0;
    std::int64_t count = record.values[static_cast<std::size_t>(buffer.count)];
    if (buffer.displs >= 0) {
      const auto& counts = normalized.arrays[static_cast<std::size_t>(count)];
      count = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    } else if (buffer.per_rank && comm) {
      count *= comm->size;
    }
    return static_cast<std::uint64_t>(count) * element_bytes(normalized, type, made);
  }
  return 0;
}

}  // namespace

std::map<std::pair<Rank, Rank>, Traffic> traffic(const normalize::Normalized& normalized) {
  const Members members = members_of(normalized);
  std::map<std::pair<Rank, Rank>, Traffic> matrix;
  for (const auto& location : normalized.locations) {
    const Rank me = location.where.rank;
    std::unordered_map<Rank, Traffic> row;
    std::vector<const Communicator*> by_slot;
    std::size_t made = 0;
    const auto next_communicator = [&] {
      if (made == location.communicators.size())
        throw Error(Code::internal, "rank " + std::to_string(me) + " made more communicators than are listed");
      const Communicator& comm = location.communicators[made++];
      if (by_slot.size() <= static_cast<std::size_t>(comm.slot))
        by_slot.resize(static_cast<std::size_t>(comm.slot) + 1);
      by_slot[static_cast<std::size_t>(comm.slot)] = &comm;
    };
    std::vector<std::int64_t> type_bytes;  // by slot
    std::size_t types = 0;
    const auto next_type = [&] {
      if (types == location.datatypes.size())
        throw Error(Code::internal, "rank " + std::to_string(me) + " made more datatypes than are listed");
      const normalize::MadeType& type = location.datatypes[types++];
      const auto slot = static_cast<std::size_t>(type.slot);
      if (type_bytes.size() <= slot) type_bytes.resize(slot + 1);
      type_bytes[slot] = type.bytes;
    };
    while (made < 2 && made < location.communicators.size()) next_communicator();

    for (const auto call : location.calls) {
      const normalize::Record& record = normalized.records[call];
      const mpi::Function& function = *normalized.symbols[record.symbol].function;
      if (function.kind == Kind::comm_create) {
        if (record.values[static_cast<std::size_t>(function.find(Role::newcomm))] >= 0) next_communicator();
        continue;
      }
      if (function.kind == Kind::type_create) {
        if (record.values[static_cast<std::size_t>(function.find(Role::newtype))] >= 0) next_type();
        continue;
      }
      if (function.kind != Kind::send && function.kind != Kind::sendrecv && function.kind != Kind::collective) continue;
      const int at = function.find(Role::comm);
      const std::int64_t slot = at < 0 ? -1 : record.values[static_cast<std::size_t>(at)];
      const Communicator* comm = slot >= 0 && static_cast<std::size_t>(slot) < by_slot.size()
                                     ? by_slot[static_cast<std::size_t>(slot)]
                                     : nullptr;
      const int peer = function.find(function.kind == Kind::collective ? Role::root : Role::peer);
      Rank receiver = me;
      if (peer >= 0) {
        const std::int64_t rank = record.values[static_cast<std::size_t>(peer)];
        if (rank < 0) continue;
        const auto known = comm ? members.find(comm->identity) : members.end();
        receiver = known != members.end() && static_cast<std::size_t>(rank) < known->second.size()
                       ? known->second[static_cast<std::size_t>(rank)]
                       : -1;
      }
      Traffic& pair = row[receiver];
      ++pair.messages;
      pair.bytes += sent_bytes(normalized, record, comm, type_bytes);
    }
    for (const auto& [receiver, sum] : row) {
      Traffic& pair = matrix[{me, receiver}];
      pair.messages += sum.messages;
      pair.bytes += sum.bytes;
    }
  }
  return matrix;
}

}  // namespace skelgen::verify
