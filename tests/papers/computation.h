#pragma once
// Computations in the abstract: processes, their events, messages. What the papers define their measures on.

#include <cstddef>
#include <utility>
#include <vector>

namespace skelgen::metrics {

enum class EventKind { internal, send, receive };

/// An event of one process; `message` joins a send and a receive (not used by internal events).
struct AbstractEvent {
  EventKind kind = EventKind::internal;
  int message = -1;
};

/// processes[i]: the events of process i in order.
struct Computation {
  std::vector<std::vector<AbstractEvent>> processes;
};

/// Process and index of an event.
using EventId = std::pair<std::size_t, std::size_t>;

/// All events, each after those that happened before it. O(events). Throws Error{invalid_argument} where a message is
/// sent twice, received twice or received without being sent, and where events would precede themselves.
std::vector<EventId> causal_order(const Computation& computation);

}  // namespace skelgen::metrics
