#pragma once

#include <cstdint>
#include <vector>

#include "threads/run.h"

namespace skelgen::threads {

/// Sets of threads of one function, as far as a trace tells: created at the same place, with a first call at the same place.
/// The first thread is alone. Threads ascend, and groups by their first ones. O(n log n) for n threads.
std::vector<std::vector<std::uint32_t>> groups(const Run& run);

}  // namespace skelgen::threads
