#include <fmt/format.h>

#include <unordered_map>

#include "engine/bytes.h"
#include "engine/live_objects.h"
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

/// Bytes of an element of a datatype: predefined, or by slot of those that the location has made.
class ElementBytes {
 public:
  explicit ElementBytes(const normalize::Normalized& normalized) : normalized_(normalized) {}
  void add(const normalize::DerivedDatatype& type) {
    const auto slot = static_cast<std::size_t>(type.slot);
    if (made_.size() <= slot) made_.resize(slot + 1);
    made_[slot] = type.bytes;
  }
  std::int64_t operator()(std::int64_t type) const {
    if (type < 0) return -1;
    return type < mpi::kMade ? normalized_.name_bytes[static_cast<std::size_t>(type)]
                             : made_.at(static_cast<std::size_t>(type - mpi::kMade));
  }

 private:
  const normalize::Normalized& normalized_;
  std::vector<std::int64_t> made_;
};

}  // namespace

std::map<std::pair<Rank, Rank>, PairTraffic> traffic(const normalize::Normalized& normalized) {
  const Members members = members_of(normalized);
  std::map<std::pair<Rank, Rank>, PairTraffic> matrix;
  for (const auto& location : normalized.locations) {
    const Rank me = location.where.rank;
    using Row = std::unordered_map<Rank, PairTraffic>;
    Row row, taken;  // to others, from others
    // What another thread made is there before it is used.
    const bool borrows = location.where.thread != 0;
    const auto there = [&](const auto& all, std::size_t first) { return borrows ? all.size() : first; };
    engine::LiveObjects communicators(location.communicators, there(location.communicators, 2));
    engine::LiveObjects windows(location.windows, there(location.windows, 0));
    ElementBytes element(normalized);
    std::size_t types = 0;
    while (types < there(location.datatypes, 0)) element.add(location.datatypes[types++]);
    struct Transfer {
      Row* to_or_from;
      Rank other;
      std::uint64_t bytes;
    };
    std::unordered_map<std::int64_t, Transfer> persistent;  // by request
    const auto add = [](PairTraffic& pair, std::uint64_t bytes) {
      ++pair.messages;
      pair.bytes += bytes;
    };

    const auto not_listed = [&](const char* what) {
      throw Error(Code::internal, fmt::format("rank {} made other {} than are listed", me, what));
    };
    const auto make = [&](engine::LiveObjects& made, std::int64_t slot, const char* what) {
      if (slot >= 0 && !made.make(slot)) not_listed(what);
    };
    engine::NumberedCall held;
    for (const auto index : location.calls) {
      const normalize::Record& record = normalized.records[index];
      const mpi::Function& function = *normalized.symbols[record.symbol].function;
      const auto number = [&](Role role) {
        const int at = function.find(role);
        return at < 0 ? -1 : record.values[static_cast<std::size_t>(at)];
      };
      const auto call = [&]() -> const engine::Call& {
        return held.set(function, normalized.arrays, [&](std::size_t i) { return record.values[i]; });
      };
      const bool makes_send = function.kind == Kind::send_init || function.kind == Kind::collective_init;
      if (makes_send || function.kind == Kind::recv_init) persistent.erase(number(Role::request));
      switch (function.kind) {
        case Kind::comm_create:
          make(communicators, number(Role::newcomm), "communicators");
          break;
        case Kind::win_create:
          make(windows, number(Role::win), "windows");
          break;
        case Kind::type_create:
          if (number(Role::newtype) < 0) break;
          if (types == location.datatypes.size()) not_listed("datatypes");
          element.add(location.datatypes[types++]);
          break;
        case Kind::rma: {
          if (number(Role::peer) < 0) break;
          const Rank target = world_rank(members, windows.at(number(Role::win)), number(Role::peer));
          const std::int64_t op = number(Role::op);
          const bool brings =
              op < 0 || op >= mpi::kMade || normalized.names[static_cast<std::size_t>(op)] != "MPI_NO_OP";
          const auto [brought, taken_back] = engine::moved(call(), nullptr, element, brings);
          if (brought) add(row[target], *brought);
          if (taken_back) add(taken[target], *taken_back);
          break;
        }
        case Kind::start:
          for (const std::int64_t one : call().requests())
            if (const auto made = persistent.find(one); made != persistent.end())
              add((*made->second.to_or_from)[made->second.other], made->second.bytes);
          break;
        case Kind::send:
        case Kind::sendrecv:
        case Kind::collective:
        case Kind::send_init:
        case Kind::collective_init: {
          const Communicator* const comm = communicators.at(number(Role::comm));
          const bool meets = function.kind == Kind::collective || function.kind == Kind::collective_init;
          const Role to = meets ? Role::root : Role::peer;
          if (function.find(to) >= 0 && number(to) < 0) break;
          const Rank other = function.find(to) < 0 ? me : world_rank(members, comm, number(to));
          const bool from_root = function.flow == mpi::Flow::from_root;
          if (from_root && other == me) break;
          const auto [brought, received] = engine::moved(call(), comm, element);
          const Transfer transfer{from_root ? &taken : &row, other,
                                  brought     ? *brought
                                  : from_root ? received.value_or(0)
                                              : 0};
          if (makes_send)
            persistent.insert_or_assign(number(Role::request), transfer);
          else
            add((*transfer.to_or_from)[other], transfer.bytes);
          break;
        }
        default:
          break;
      }
    }
    const auto add_all = [&](Rank from, Rank to, const PairTraffic& sum) {
      PairTraffic& pair = matrix[{from, to}];
      pair.messages += sum.messages;
      pair.bytes += sum.bytes;
    };
    for (const auto& [receiver, sum] : row) add_all(me, receiver, sum);
    for (const auto& [target, sum] : taken) add_all(target, me, sum);
  }
  return matrix;
}

}  // namespace skelgen::verify
