#pragma once
// Which call of one thread let which call of another go on.

#include <cstdint>
#include <vector>

#include "threads/run.h"

namespace skelgen::threads {

/// An event of a thread.
struct EventId {
  std::uint32_t thread = 0, event = 0;
  auto operator<=>(const EventId&) const = default;
};

/// `consumer` went on by what `producer` did: the release before an acquire, a post for a semaphore's wait (by number), signal or
/// broadcast for a wait, the last to arrive in a round for the others, create for start, exit for join, send for the receive of its last
/// byte.
struct Match {
  EventId producer, consumer;
  double confidence = 1;  ///< 1: the primitive tells, or only one can be; otherwise one of so many that can be: 1/n
};

constexpr std::uint32_t kNoObject = 0xffffffff;

/// A stretch in which a thread holds a lock, from acquire to release.
struct Section {
  std::uint32_t acquire = 0, release = 0;  ///< events; release: number of events where the lock was never given back
  bool shared = false;
  std::vector<std::uint32_t> waits;    ///< for conditions, inside: they give the lock back meanwhile
  std::vector<std::uint32_t> signals;  ///< signals and broadcasts inside
  /// What its statement (the same place and lock) waits for, now or at another time: an object; kNoObject: nothing.
  std::uint32_t condition = kNoObject;
};

struct Matching {
  std::vector<Match> matches;                  ///< by consumer; at most one for each
  std::vector<std::vector<EventId>> rounds;    ///< of barriers: who arrived
  std::vector<std::vector<Section>> sections;  ///< of each thread, by acquire
  /// Of each thread's events: part of a wait for a condition. How many there are is a matter of time, not of the program.
  std::vector<std::vector<bool>> in_wait;
  /// Locks that are held only to wait for conditions or to signal them, by object: the signal is the condition.
  std::vector<bool> of_conditions;
};

/// True of what creates threads and waits for their end: the frame of a run, no signal between loops.
bool is_life(Action action);
/// Objects that carry data signals: channels at which nobody ever waited for what is sent, and marks of data.
std::vector<bool> carries_data(const Run& run);

/// Locks, barriers and semaphores tell by the order of their calls who waited for whom. Of conditions and futexes, which
/// wake whoever waits, the first signal of those during a wait that woke nobody yet, or the first broadcast, is taken.
/// Where a thread waits for a mark as often as others signal it, its k-th wait ends by the k-th signal, else by the last
/// one before its end. O(n log n) for n events.
Matching match(const Run& run);

/// Of one call: until another thread let it go on, and from then until it returned; ns.
struct Waited {
  std::uint64_t waiting = 0, hand_over = 0;
};
/// By thread and event. A call that blocked and that nobody let go on, as far as is known, waited all the time.
std::vector<std::vector<Waited>> waits(const Run& run, const Matching& matching);

}  // namespace skelgen::threads
