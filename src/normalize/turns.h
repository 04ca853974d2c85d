#pragma once
// Turns: calls of different threads of a rank that must keep their order. Internal to src/normalize.

#include <span>
#include <vector>

#include "normalize/normalize.h"

namespace skelgen::normalize {

/// When a call was made, in seconds on the rank's clock.
struct Interval {
  double start = 0, end = 0;
};

/// Sets LocationCalls::turns of a rank's threads, which are its locations in order, and cuts the time before a thread's
/// first call to what passed since the main thread's call that it waits for. `when`: by location, one for each call. A call
/// waits for another one only if that had returned when it began, so the traced run itself keeps all turns.
/// O(calls x log calls + calls x threads that use the same things).
void find_turns(Normalized& rank, std::span<const std::vector<Interval>> when);

}  // namespace skelgen::normalize
