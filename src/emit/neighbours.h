#pragma once
// Neighbours in Cartesian communicators as variables of the emitted program: "cart_plus[0]".

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "emit/emit.h"
#include "emit/timing.h"
#include "emit/values.h"
#include "skeleton/skeleton.h"

namespace skelgen::emit {

/// Of a communicator's slot and a displacement two arrays by dimension: the neighbours that far down and up. They take the
/// results of the program's own calls of MPI_Cart_shift; where these do not say all before it is needed, skel_neighbours
/// sets them as soon as the communicator is made. A peer that no formula gives may be what the call of MPI_Cart_shift
/// before it, in the same iteration, returned: "cart_source", "cart_dest".
class Neighbours {
 public:
  /// O(statements x arguments); for peers behind MPI_Cart_shift O(occurrences x locations), or the period of their values.
  Neighbours(const skeleton::Skeleton& skeleton, const Plan& plan, const Timing& timing, const Handles& handles);

  /// The variable of a neighbour whose call names this communicator; empty if it has none.
  std::string name(const skeleton::Call& call, const skeleton::RankRule& rule) const;
  /// The variable with what the MPI_Cart_shift before returned, if a peer without a rule always is that; else empty.
  std::string returned(const skeleton::Argument& peer) const;
  /// Where a call of MPI_Cart_shift puts its results, given its direction in C; nothing if nobody needs them.
  std::optional<std::pair<std::string, std::string>> results(const skeleton::Call& shift,
                                                             const std::string& direction) const;
  /// Statements behind a call that makes a communicator.
  std::vector<std::string> behind(const skeleton::Call& maker) const;
  std::string declarations() const;

 private:
  struct Arrays {
    std::size_t dimensions = 0;
    std::set<std::size_t> used;         ///< dimensions
    std::set<std::uint32_t> locations;  ///< that use them
    bool shifted = false;               ///< MPI_Cart_shift sets all that are used before they are needed
  };
  using Key = std::pair<std::int64_t, std::int64_t>;  ///< slot, displacement > 0

  void look_for_returned(const skeleton::Block& block, const Timing& timing);
  std::string base(std::int64_t slot) const;
  std::string base(const Key& key, bool up) const;

  const skeleton::Skeleton& skeleton_;
  const Handles& handles_;
  std::map<Key, Arrays> arrays_;
  std::map<const skeleton::Argument*, std::string> returned_;
  std::set<const skeleton::Call*> returning_;  ///< calls of MPI_Cart_shift whose results some peers are
};

}  // namespace skelgen::emit
