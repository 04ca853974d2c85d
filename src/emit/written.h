#pragma once
// Choices in writing a call's arguments that do not follow from their values: addresses of empty buffers, separate
// arrays with equal elements.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "skeleton/skeleton.h"

namespace skelgen::emit {

/// Addresses that can stand for empty buffers: SKEL_NOTHING in templates/runtime/skel.h.
inline constexpr std::size_t kEmptyAddresses = 3;

struct WrittenArgument {
  /// Number, below kEmptyAddresses, of the address that stands for an empty buffer, or 0 for an empty array; no value: NULL is written.
  std::optional<std::size_t> nothing{};
  /// Written as an array of its own, even if an equal array exists.
  bool apart = false;
};

struct Written {
  std::vector<WrittenArgument> of;  ///< by parameter
};

/// occurrences: by position in Node::where. MPI forbids that two buffers of a call are the same one: those that may be
/// empty together get different addresses. MPICH takes two buffers at one place, which the program may have given for
/// parts that do not overlap, for the same if their counts are the same array.
Written how_written(const skeleton::Node& node, std::span<const std::uint64_t> occurrences);

/// Throws Error{internal} that names call, rank and rule where an MPI would refuse what is written although it took what
/// the program gave it. O(locations x arguments), and the values of sequences that differ.
void check_written(const skeleton::Skeleton& skeleton, const skeleton::Node& node,
                   std::span<const std::uint64_t> occurrences, const Written& written);

}  // namespace skelgen::emit
