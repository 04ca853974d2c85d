#pragma once
// Groups of ranks that the peers and roots of a call refer to.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "mpi/mpi.h"
#include "skeleton/skeleton.h"

namespace skelgen::skeleton {

/// Index of the parameter whose group peers and roots of the function are ranks in: its communicator, or the window of a
/// one-sided call. -1: it names none.
inline int group_parameter(const mpi::Function& function) {
  const int comm = function.find(mpi::Role::comm);
  return comm >= 0 ? comm : function.find(mpi::Role::win);
}

/// The groups that peers and roots of a call may be ranks in, on the location at this position of Node::where: all
/// communicators, or windows, that the location had in the slot that the call names, one for each size and rank of its own
/// in them. Empty if the slot changes from one occurrence to the next, or there is none. `location`: LocationData, or what else
/// has communicators and windows. O(communicators or windows of the location).
template <class LocationOf>
std::vector<const Communicator*> groups_of_peers(const Call& call, std::size_t position, const LocationOf& location) {
  std::vector<const Communicator*> groups;
  const int at = group_parameter(*call.function);
  if (at < 0) return groups;
  const Sequence& slots = call.arguments[static_cast<std::size_t>(at)].of(position);
  if (slots.kind != Sequence::Kind::constant) return groups;
  const bool window = call.function->parameters[static_cast<std::size_t>(at)].role == mpi::Role::win;
  for (const Communicator& one : window ? location.windows : location.communicators) {
    if (one.slot != slots.values[0]) continue;
    if (std::ranges::none_of(groups, [&](const Communicator* known) {
          return known->size == one.size && known->rank == one.rank && known->inter() == one.inter() &&
                 (known->grid == one.grid || (known->grid && one.grid && *known->grid == *one.grid));
        }))
      groups.push_back(&one);
  }
  return groups;
}

/// Whether an argument of this role may be a formula of the caller's rank: who takes part, and numbers that ranks choose.
/// Numbers that stand for constants of MPI (Parameter::codes) are none.
inline bool may_be_formula(mpi::Role role) {
  using mpi::Role;
  return role == Role::peer || role == Role::root || role == Role::tag || role == Role::color || role == Role::key ||
         role == Role::integer;
}
inline bool may_be_formula(const mpi::Parameter& parameter) {
  return may_be_formula(parameter.role) && !parameter.codes;
}

/// What a formula gives for location l in this call: its rank and size are those of the call's communicator or window.
/// Nothing if the location has no such one, or several in turn in which the formula gives different ranks, or
/// if the slot changes.
std::optional<std::int64_t> rule_at(const Skeleton& skeleton, const Call& call, std::size_t position, std::uint32_t l,
                                    const RankRule& rule);

/// Whether a formula must also give MPI_PROC_NULL where it is named: beyond the edges of a grid, for r + c before the first
/// and behind the last rank. Neighbours in grids always do.
enum class Edges : std::uint8_t { ignored, named };
/// True if the argument's formula gives what location l, at this position of Node::where, names.
bool holds(const Skeleton& skeleton, const Call& call, std::size_t position, std::uint32_t l, const Argument& argument,
           Edges edges = Edges::ignored);

/// The least and the largest rank among the values of a peer, those that are no ranks left out; -1 if there is none. A
/// walk has several.
std::pair<std::int64_t, std::int64_t> ranks_of(const Sequence& peers);

}  // namespace skelgen::skeleton
