#pragma once
// Neighbours in Cartesian communicators as variables of the emitted program: "cart_plus[0]".

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "emit/values.h"
#include "skeleton/skeleton.h"

namespace skelgen::emit {

/// Of a communicator's slot and a displacement two arrays by dimension: the neighbours that far down and up. They take the
/// results of the program's own calls of MPI_Cart_shift; where these do not say all before it is needed, skel_neighbours
/// sets them as soon as the communicator is made.
class Neighbours {
 public:
  /// O(statements x arguments).
  Neighbours(const skeleton::Skeleton& skeleton, const Handles& handles);

  /// The variable of a neighbour whose call names this communicator; empty if it has none.
  std::string name(const skeleton::Call& call, const skeleton::RankRule& rule) const;
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

  std::string base(const Key& key, bool up) const;

  const Handles& handles_;
  std::map<Key, Arrays> arrays_;
};

}  // namespace skelgen::emit
