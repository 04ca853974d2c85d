#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "support/error.h"
#include "verify/verify.h"

namespace skelgen::verify {
namespace {

using mpi::Kind;
using mpi::Role;
using normalize::Communicator;

/// World ranks of the members of a communicator or window, by their rank in it.
using Members = std::unordered_map<std::uint64_t, std::vector<Rank>>;

Members members_of(const normalize::Normalized& normalized) {
  Members members;
  for (const auto& location : normalized.locations)
    for (const auto* list : {&location.communicators, &location.windows})
      for (const Communicator& comm : *list) {
        auto& all = members[comm.identity];
        if (all.size() < static_cast<std::size_t>(comm.size)) all.resize(static_cast<std::size_t>(comm.size), -1);
        if (comm.rank >= 0 && comm.rank < comm.size) all[static_cast<std::size_t>(comm.rank)] = location.where.rank;
      }
  return members;
}

/// -1: nobody.
Rank world_rank(const Members& members, const Communicator* comm, std::int64_t rank) {
  const auto known = comm ? members.find(comm->peers()) : members.end();
  return known != members.end() && static_cast<std::size_t>(rank) < known->second.size()
             ? known->second[static_cast<std::size_t>(rank)]
             : -1;
}

/// What a location has made so far of those that it lists: communicators or windows, by slot.
class Made {
 public:
  Made(const std::vector<Communicator>& listed, const char* kind, Rank rank)
      : listed_(listed), kind_(kind), rank_(rank) {}
  void next() {
    if (made_ == listed_.size())
      throw Error(Code::internal, "rank " + std::to_string(rank_) + " made more " + kind_ + " than are listed");
    const Communicator& one = listed_[made_++];
    if (by_slot_.size() <= static_cast<std::size_t>(one.slot)) by_slot_.resize(static_cast<std::size_t>(one.slot) + 1);
    by_slot_[static_cast<std::size_t>(one.slot)] = &one;
  }
  void at_least(std::size_t n) {
    while (made_ < std::min(n, listed_.size())) next();
  }
  /// nullptr: there is none.
  const Communicator* at(std::int64_t slot) const {
    return slot >= 0 && static_cast<std::size_t>(slot) < by_slot_.size() ? by_slot_[static_cast<std::size_t>(slot)]
                                                                         : nullptr;
  }

 private:
  const std::vector<Communicator>& listed_;
  const char* const kind_;
  const Rank rank_;
  std::size_t made_ = 0;
  std::vector<const Communicator*> by_slot_;
};

/// Bytes of an element of a datatype: predefined, or by slot of those that the location has made.
std::uint64_t element_bytes(const normalize::Normalized& normalized, std::int64_t type,
                            const std::vector<std::int64_t>& made) {
  if (type < mpi::kMade) return static_cast<std::uint64_t>(normalized.name_bytes[static_cast<std::size_t>(type)]);
  return static_cast<std::uint64_t>(made.at(static_cast<std::size_t>(type - mpi::kMade)));
}

/// Bytes of buffer `i` of the call; 0 if the caller does not have it.
std::uint64_t bytes_of_buffer(const normalize::Normalized& normalized, const normalize::Record& record, std::size_t i,
                              const Communicator* comm, const std::vector<std::int64_t>& made) {
  const mpi::Function& function = *normalized.symbols[record.symbol].function;
  const mpi::Parameter& buffer = function.parameters[i];
  const auto bytes_of = [&](std::int64_t count, std::int64_t type) {
    return type < 0 ? 0 : static_cast<std::uint64_t>(count) * element_bytes(normalized, type, made);
  };
  const int root = function.find(Role::root);
  const bool absent = buffer.root_only && comm &&
                      record.values[static_cast<std::size_t>(root)] != (comm->inter() ? mpi::kRoot : comm->rank);
  if (record.values[i] == mpi::kInPlace || absent) return 0;
  const auto value = [&](int parameter) { return record.values[static_cast<std::size_t>(parameter)]; };
  const auto array = [&](int parameter) -> const std::vector<std::int64_t>& {
    return normalized.arrays[static_cast<std::size_t>(value(parameter))];
  };
  const auto is_list = [&](int parameter) {
    return parameter >= 0 && mpi::is_array(function.parameters[static_cast<std::size_t>(parameter)].role);
  };
  if (is_list(buffer.datatype)) {
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < array(buffer.datatype).size(); ++k)
      sum += bytes_of(array(buffer.count)[k], array(buffer.datatype)[k]);
    return sum;
  }
  std::int64_t count = buffer.count < 0 ? 1 : is_list(buffer.count) ? 0 : value(buffer.count);
  if (is_list(buffer.count))
    count = std::accumulate(array(buffer.count).begin(), array(buffer.count).end(), std::int64_t{0});
  else if (buffer.per_rank != mpi::Ranks::none && comm)
    count *= comm->ranks(buffer.per_rank);
  else if (buffer.per_neighbour != mpi::Neighbours::none && comm)
    count *= std::max<std::int64_t>(0, comm->destinations);  // of what is sent
  return bytes_of(count, value(buffer.datatype));
}

/// Bytes of the first buffer that the call reads; 0 if it does not read it.
std::uint64_t sent_bytes(const normalize::Normalized& normalized, const normalize::Record& record,
                         const Communicator* comm, const std::vector<std::int64_t>& made) {
  const auto& parameters = normalized.symbols[record.symbol].function->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].role == Role::buffer && parameters[i].direction != mpi::Direction::out)
      return bytes_of_buffer(normalized, record, i, comm, made);
  return 0;
}

/// What a one-sided call moves to its target, and from there; nothing: no such message.
struct Moved {
  std::optional<std::uint64_t> to, from;
};
Moved moved(const normalize::Normalized& normalized, const normalize::Record& record,
            const std::vector<std::int64_t>& made) {
  const mpi::Function& function = *normalized.symbols[record.symbol].function;
  const int op = function.find(Role::op);
  const std::int64_t name = op < 0 ? -1 : record.values[static_cast<std::size_t>(op)];
  // It takes what is there and brings nothing.
  const bool only_takes =
      name >= 0 && name < mpi::kMade && normalized.names[static_cast<std::size_t>(name)] == "MPI_NO_OP";
  Moved sum;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    if (function.parameters[i].role != Role::buffer) continue;
    const bool out = function.parameters[i].direction == mpi::Direction::out;
    if (!out && only_takes) continue;
    auto& bytes = out ? sum.from : sum.to;
    bytes = bytes.value_or(0) + bytes_of_buffer(normalized, record, i, nullptr, made);
  }
  return sum;
}

}  // namespace

std::map<std::pair<Rank, Rank>, Traffic> traffic(const normalize::Normalized& normalized) {
  const Members members = members_of(normalized);
  std::map<std::pair<Rank, Rank>, Traffic> matrix;
  for (const auto& location : normalized.locations) {
    const Rank me = location.where.rank;
    std::unordered_map<Rank, Traffic> row, taken;  // to others, from others
    Made communicators(location.communicators, "communicators", me), windows(location.windows, "windows", me);
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
    communicators.at_least(borrows ? location.communicators.size() : 2);
    if (borrows) windows.at_least(location.windows.size());
    while (borrows && types < location.datatypes.size()) next_type();
    std::unordered_map<std::int64_t, std::pair<Rank, std::uint64_t>> persistent;  // sends by request: receiver, bytes
    const auto add = [](Traffic& pair, std::uint64_t bytes) {
      ++pair.messages;
      pair.bytes += bytes;
    };

    for (const auto call : location.calls) {
      const normalize::Record& record = normalized.records[call];
      const mpi::Function& function = *normalized.symbols[record.symbol].function;
      if (function.kind == Kind::comm_create) {
        if (record.values[static_cast<std::size_t>(function.find(Role::newcomm))] >= 0) communicators.next();
        continue;
      }
      if (function.kind == Kind::win_create) {
        if (record.values[static_cast<std::size_t>(function.find(Role::win))] >= 0) windows.next();
        continue;
      }
      if (function.kind == Kind::rma) {
        const std::int64_t target = record.values[static_cast<std::size_t>(function.find(Role::peer))];
        if (target < 0) continue;
        const Communicator* window = windows.at(record.values[static_cast<std::size_t>(function.find(Role::win))]);
        const Rank other = world_rank(members, window, target);
        const Moved bytes = moved(normalized, record, type_bytes);
        if (bytes.to) add(row[other], *bytes.to);
        if (bytes.from) add(taken[other], *bytes.from);
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
          if (const auto send = persistent.find(one); send != persistent.end())
            add(row[send->second.first], send->second.second);
        continue;
      }
      const bool makes_send = function.kind == Kind::send_init || function.kind == Kind::collective_init;
      if (makes_send || function.kind == Kind::recv_init) persistent.erase(slot_of_request);
      if (function.kind != Kind::send && function.kind != Kind::sendrecv && function.kind != Kind::collective &&
          !makes_send)
        continue;
      const int at = function.find(Role::comm);
      const Communicator* comm = at < 0 ? nullptr : communicators.at(record.values[static_cast<std::size_t>(at)]);
      const bool collective = function.kind == Kind::collective || function.kind == Kind::collective_init;
      const int peer = function.find(collective ? Role::root : Role::peer);
      Rank receiver = me;
      if (peer >= 0) {
        const std::int64_t rank = record.values[static_cast<std::size_t>(peer)];
        if (rank < 0) continue;
        receiver = world_rank(members, comm, rank);
      }
      const std::pair sent{receiver, sent_bytes(normalized, record, comm, type_bytes)};
      if (makes_send)
        persistent.insert_or_assign(slot_of_request, sent);
      else
        add(row[receiver], sent.second);
    }
    const auto add_all = [&](Rank from, Rank to, const Traffic& sum) {
      Traffic& pair = matrix[{from, to}];
      pair.messages += sum.messages;
      pair.bytes += sum.bytes;
    };
    for (const auto& [receiver, sum] : row) add_all(me, receiver, sum);
    for (const auto& [target, sum] : taken) add_all(target, me, sum);
  }
  return matrix;
}

}  // namespace skelgen::verify
