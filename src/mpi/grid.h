#pragma once
// Cartesian topologies, as MPI_Cart_create makes them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace skelgen::mpi {

/// Ranks on a grid, in row-major order: the last coordinate of rank + 1 is the next one.
struct Grid {
  struct Dimension {
    int size;
    bool periodic;
    bool operator==(const Dimension&) const = default;
  };
  std::vector<Dimension> dimensions;  ///< sizes >= 1; ranks() fits the communicator's size

  /// The rank that is `displacement` further in a dimension, as MPI_Cart_shift names it; kProcNull beyond an edge.
  /// 0 <= rank < product of the sizes. O(dimensions).
  std::int64_t neighbour(std::int64_t rank, std::size_t dimension, std::int64_t displacement) const;
  /// The product of the sizes; INT64_MAX if it is larger.
  std::int64_t ranks() const;
  /// Coordinate of a rank.
  std::int64_t coordinate(std::int64_t rank, std::size_t dimension) const;
  bool operator==(const Grid&) const = default;

 private:
  /// Ranks between neighbours in a dimension.
  std::int64_t stride(std::size_t dimension) const;
};

struct Communicator;

/// The peer that a member of a communicator names: a rank, or what is none, like kProcNull.
struct Peer {
  const Communicator* comm;
  std::int64_t value;
};

struct Neighbour {
  std::size_t dimension;
  std::int64_t displacement;  ///< not 0
};

/// The neighbour in the grid of its own communicator that every peer is, kProcNull beyond an edge: the one of the first
/// dimension, with the displacement nearest 0. Nothing if there is none or no peer is a rank. O(peers x dimensions).
std::optional<Neighbour> find_neighbour(std::span<const Peer> peers);

}  // namespace skelgen::mpi
