#pragma once
// The computation of a location at each place of a skeleton. Internal to src/work.

#include <cstdint>
#include <vector>

#include "skeleton/skeleton.h"

namespace skelgen::work {

/// Over the whole run, in seconds; 0 before MPI_Init, where nothing is profiled. O(statements).
std::vector<double> seconds_by_place(const skeleton::Skeleton& skeleton, std::uint32_t location);

}  // namespace skelgen::work
