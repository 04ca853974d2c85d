#pragma once
// How C writes the arguments of a call, as far as an MPI looks at more than their values: decided for a statement at a
// time, and checked before its text is made.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "skeleton/skeleton.h"

namespace skelgen::emit {

struct WrittenArgument {
  /// Number of the address that stands for an empty buffer, or 0 for an empty array; no value: NULL is written.
  std::optional<std::size_t> nothing{};
  /// An array that is another one than equal arrays of other arguments.
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
