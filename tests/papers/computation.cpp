#include "papers/computation.h"

#include <string>
#include <unordered_map>

#include "support/error.h"

namespace skelgen::metrics {

std::vector<EventId> causal_order(const Computation& computation) {
  const auto& processes = computation.processes;
  struct Message {
    int sends = 0, receives = 0;
    bool sent = false;
    std::size_t waiting = 0;  // process + 1
  };
  std::unordered_map<int, Message> messages;
  std::size_t events = 0;
  for (const auto& process : processes) {
    events += process.size();
    for (const auto& event : process) {
      if (event.kind == EventKind::send) ++messages[event.message].sends;
      if (event.kind == EventKind::receive) ++messages[event.message].receives;
    }
  }
  for (const auto& [number, message] : messages)
    if (message.sends != 1 || message.receives > 1)
      throw Error(Code::invalid_argument, "message " + std::to_string(number) + " is sent " +
                                              std::to_string(message.sends) + " times and received " +
                                              std::to_string(message.receives) + " times");

  std::vector<EventId> order;
  order.reserve(events);
  std::vector<std::size_t> next(processes.size(), 0), ready;
  for (std::size_t i = processes.size(); i > 0; --i) ready.push_back(i - 1);
  while (!ready.empty()) {
    const std::size_t process = ready.back();
    ready.pop_back();
    while (next[process] < processes[process].size()) {
      const AbstractEvent& event = processes[process][next[process]];
      if (event.kind == EventKind::receive && !messages[event.message].sent) {
        messages[event.message].waiting = process + 1;
        break;
      }
      order.emplace_back(process, next[process]++);
      if (event.kind != EventKind::send) continue;
      Message& message = messages[event.message];
      message.sent = true;
      if (message.waiting) ready.push_back(message.waiting - 1);
    }
  }
  if (order.size() != events) throw Error(Code::invalid_argument, "events that would have to precede themselves");
  return order;
}

}  // namespace skelgen::metrics
