#pragma once

#include "threads/run.h"

namespace skelgen::threads {

/// A thread that a signal wakes from its wait for a condition still needs the mutex. Where another thread had that for longer, counted from the
/// signal, than it then took the waiter to go on, the wait ends with the signal here, and what follows is a wait for the mutex: the acquire
/// that stands behind each wait begins there and has blocked. Of others the acquire takes no time. Waits with several
/// signals stay as they are, since nobody knows which one it was. O(n log n) for n events.
void separate_reacquires(Run& run);

}  // namespace skelgen::threads
