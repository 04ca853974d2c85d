#pragma once
// How often a location comes to each place of a skeleton, and what it computes there. Internal to src/work.

#include <cstdint>
#include <vector>

#include "skeleton/skeleton.h"
#include "work/follower.h"

namespace skelgen::work {

/// A place over the whole run of a location.
struct Passes {
  std::uint64_t times = 0;
  double seconds = 0;  ///< of computation in all of them; 0 before MPI_Init, where nothing is profiled
  /// Where the computation varies from iteration to iteration (Compute::samples): the place between the iterations of the
  /// loop at the top level. kNoPlace: it does not vary, or this is that place.
  Place iterations = kNoPlace;
};

/// By place. O(statements).
std::vector<Passes> passes_by_place(const skeleton::Skeleton& skeleton, std::uint32_t location);

}  // namespace skelgen::work
