#pragma once
// Calls that make communicators: who must make them together.

#include <cstdint>
#include <map>
#include <vector>

#include "engine/call.h"

namespace skelgen::engine {

/// all: the members of the communicator that the call names. group: those of its group that the call names
/// (MPI_Comm_create_group). both_sides: two groups, known by the communicator that they make (MPI_Intercomm_create).
enum class MadeBy : std::uint8_t { all, group, both_sides };

inline MadeBy made_by(const Call& call) {
  using mpi::Role;
  if (call.has(Role::tag) && call.has(Role::group)) return MadeBy::group;
  return call.function->find_last(Role::comm) != call.function->find(Role::comm) ? MadeBy::both_sides : MadeBy::all;
}

/// Numbers of the groups that calls of MadeBy::group name.
class NamedGroups {
 public:
  struct Meeting {
    std::uint64_t who;  ///< for Operations::meet
    std::size_t size;
  };
  /// parent: the identity of the communicator that the call names.
  Meeting meeting(std::uint64_t parent, const Call& call) {
    const auto members = call.array(mpi::Role::group);
    const auto group = numbers_.try_emplace({members.begin(), members.end()}, numbers_.size()).first->second;
    const auto tag = static_cast<std::uint64_t>(call.number(mpi::Role::tag));
    return {parent ^ (group + 1) << 32 ^ (tag + 1) << 8, members.size()};
  }

 private:
  std::map<std::vector<std::int64_t>, std::uint64_t> numbers_;  ///< by members
};

}  // namespace skelgen::engine
