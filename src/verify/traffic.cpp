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
  const auto bytes_of = [&](std::int64_t count, std::int64_t type) {
    return type < 0 ? 0 : static_cast<std::uint64_t>(count) * element_bytes(normalized, type, made);
  };
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const mpi::Parameter& buffer = function.parameters[i];
    if (buffer.role != Role::buffer || buffer.direction == mpi::Direction::out) continue;
    const int root = function.find(Role::root);
    const bool absent = buffer.root_only && comm &&
                        record.values[static_cast<std::size_t>(root)] != (comm->inter() ? mpi::kRoot : comm->rank);
    if (record.values[i] == mpi::kInPlace || absent) return 0;
    const auto value = [&](int parameter) { return record.values[static_cast<std::size_t>(parameter)]; };
    const auto array = [&](int parameter) -> const std::vector<std::int64_t>& {
      return normalized.arrays[static_cast<std::size_t>(value(parameter))];
    };
    const auto is_list = [&](int parameter) {
      return mpi::is_array(function.parameters[static_cast<std::size_t>(parameter)].role);
    };
    if (is_list(buffer.datatype)) {
      std::uint64_t sum = 0;
      for (std::size_t k = 0; k < array(buffer.datatype).size(); ++k)
        sum += bytes_of(array(buffer.count)[k], array(buffer.datatype)[k]);
      return sum;
    }
    std::int64_t count = value(buffer.count);
    if (is_list(buffer.count))
      count = std::accumulate(array(buffer.count).begin(), array(buffer.count).end(), std::int64_t{0});
    else if (buffer.per_rank && comm)
      count *= comm->peers_size();
    else if (buffer.per_neighbour != mpi::Neighbours::none && comm)
      count *= std::max<std::int64_t>(0, comm->destinations);  // of what is sent
    return bytes_of(count, value(buffer.datatype));
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
    // What another thread made is there before it is used.
    const bool borrows = location.where.thread != 0;
    while ((made < 2 || borrows) && made < location.communicators.size()) next_communicator();
    while (borrows && types < location.datatypes.size()) next_type();
    std::unordered_map<std::int64_t, std::pair<Rank, std::uint64_t>> persistent;  // sends by request: receiver, bytes
    const auto add = [&](const std::pair<Rank, std::uint64_t>& sent) {
      Traffic& pair = row[sent.first];
      ++pair.messages;
      pair.bytes += sent.second;
    };

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
      const int request = function.find(Role::request);
      const std::int64_t slot_of_request = request < 0 ? -1 : record.values[static_cast<std::size_t>(request)];
      if (function.kind == Kind::start) {
        const int requests = function.find(Role::requests);
        std::span<const std::int64_t> slots(&slot_of_request, 1);
        if (requests >= 0)
          slots = normalized.arrays[static_cast<std::size_t>(record.values[static_cast<std::size_t>(requests)])];
        for (const std::int64_t one : slots)
          if (const auto send = persistent.find(one); send != persistent.end()) add(send->second);
        continue;
      }
      const bool makes_send = function.kind == Kind::send_init || function.kind == Kind::collective_init;
      if (makes_send || function.kind == Kind::recv_init) persistent.erase(slot_of_request);
      if (function.kind != Kind::send && function.kind != Kind::sendrecv && function.kind != Kind::collective &&
          !makes_send)
        continue;
      const int at = function.find(Role::comm);
      const std::int64_t slot = at < 0 ? -1 : record.values[static_cast<std::size_t>(at)];
      const Communicator* comm = slot >= 0 && static_cast<std::size_t>(slot) < by_slot.size()
                                     ? by_slot[static_cast<std::size_t>(slot)]
                                     : nullptr;
      const bool collective = function.kind == Kind::collective || function.kind == Kind::collective_init;
      const int peer = function.find(collective ? Role::root : Role::peer);
      Rank receiver = me;
      if (peer >= 0) {
        const std::int64_t rank = record.values[static_cast<std::size_t>(peer)];
        if (rank < 0) continue;
        const auto known = comm ? members.find(comm->peers()) : members.end();
        receiver = known != members.end() && static_cast<std::size_t>(rank) < known->second.size()
                       ? known->second[static_cast<std::size_t>(rank)]
                       : -1;
      }
      const std::pair sent{receiver, sent_bytes(normalized, record, comm, type_bytes)};
      if (makes_send)
        persistent.insert_or_assign(slot_of_request, sent);
      else
        add(sent);
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
