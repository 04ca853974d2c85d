#pragma once
// The run once more, with other work, by the rules of its objects: waits follow from the graph.

#include <cstdint>
#include <span>
#include <vector>

#include "threads/analysis.h"

namespace skelgen::threads {

/// The work of one thread times a factor.
struct Change {
  std::uint32_t thread;
  double factor;
};

struct Simulated {
  double seconds = 0;                  ///< until the last thread ends
  std::vector<double> thread_seconds;  ///< of each thread, from its beginning
  std::uint64_t forced =
      0;  ///< waits that were ended because nothing else could go on: the order of the run does not hold
};

/// Each thread computes what it computed between its calls (times its factor), sleeps what it usually slept there, and makes its calls. Locks are
/// free or wait for their owner, semaphores and barriers count, threads begin and end each other. A condition or a mark counts, too, where
/// the run's waits say so (signals minus uses are the same number whenever somebody waited); elsewhere a wait ends as in the run after
/// the same signal. Who waited goes on after the object's median hand-over; where threads waited for cores for more than a twentieth of
/// their time, that and sleep are shortened by each thread's time without a core. Loops of several threads with the same code that take
/// from one such counter, or that share a lock without a barrier and differ in trips or all end by an iteration that finds nothing to do, share their iterations: whoever is free
/// takes the next. `processors`: those that compute at a moment share them, as they did in the run (0: each has one). O(n log n) for n
/// events, and once through the threads for each forced wait.
Simulated simulate(const Run& run, const Analysis& analysis, std::span<const Change> changes = {},
                   unsigned processors = 0);

}  // namespace skelgen::threads
