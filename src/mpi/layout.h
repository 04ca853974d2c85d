#pragma once
// Bytes that an element of a datatype occupies, computed from how it was made: sizes, bounds and extents as the MPI
// standard defines them (MPI 3.1, section 4.1). Nothing here needs an MPI.

#include <cstdint>
#include <span>
#include <string_view>

#include "mpi/mpi.h"

namespace skelgen::mpi {

/// Of one element, in bytes relative to its address.
struct Layout {
  std::int64_t size = 0;                  ///< data in it
  std::int64_t lb = 0, ub = 0;            ///< elements side by side are ub - lb apart
  std::int64_t true_lb = 0, true_ub = 0;  ///< first byte of data, and the first one behind all data
  std::int64_t alignment = 1;             ///< that its basic types want: structures are padded to multiples of it
  std::int64_t extent() const { return ub - lb; }
  bool operator==(const Layout&) const = default;
};

// Every function throws Error{corrupt} if a bound or size does not fit into 62 bits, or lists differ in length.

/// A predefined datatype of this canonical name.
Layout predefined_layout(std::string_view name, std::int64_t size, std::int64_t extent);

Layout contiguous(std::int64_t count, const Layout& old);
/// MPI_Type_create_hvector: stride in bytes. MPI_Type_vector: the same with stride x extent.
Layout vector(std::int64_t count, std::int64_t length, std::int64_t stride_bytes, const Layout& old);
/// MPI_Type_create_struct: displacements in bytes. One length for all blocks: lengths has one entry. O(blocks).
Layout structure(std::span<const std::int64_t> lengths, std::span<const std::int64_t> displacements_bytes,
                 std::span<const Layout> olds);
/// MPI_Type_create_hindexed and its kin: displacements in units of `unit` bytes. O(blocks).
Layout indexed(std::span<const std::int64_t> lengths, std::span<const std::int64_t> displacements, std::int64_t unit,
               const Layout& old);
Layout resized(std::int64_t lb, std::int64_t extent, const Layout& old);

/// order: kOrderC or kOrderFortran.
Layout subarray(std::span<const std::int64_t> sizes, std::span<const std::int64_t> subsizes,
                std::span<const std::int64_t> starts, std::int64_t order, const Layout& old);

/// A process grid of `processes`; ranks are row-major in it. Throws Error{corrupt} where the rank is outside.
struct Distribution {
  std::int64_t rank;
  /// kinds: kDistributeBlock, kDistributeCyclic, kDistributeNone; arguments: or kDistributeDfltDarg.
  std::span<const std::int64_t> sizes, kinds, arguments, processes;
};
Layout darray(const Distribution& distribution, std::int64_t order, const Layout& old);

/// Of the datatype that a call of this constructor makes of `olds`, which are those of its datatypes in their order. No size
/// if there are none (a parametrized basic type). Throws Error{internal} if the function has not the parameters of its Way.
Layout made_layout(const Function& function, std::span<const Value> values, std::span<const Layout> olds);

}  // namespace skelgen::mpi
