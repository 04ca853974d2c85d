#include "threads/reacquire.h"

#include <algorithm>

#include "threads/match.h"

namespace skelgen::threads {

void separate_reacquires(Run& run) {
  const auto is_condition = [](const Object& object) { return object.primitive == Primitive::condition; };
  if (std::ranges::none_of(run.objects, is_condition)) return;
  const auto matches = match(run).matches;
  const auto at = [&](EventId id) -> Event& { return run.threads[id.thread].events[id.event]; };
  for (std::size_t i = 0; i + 1 < matches.size(); ++i) {
    const auto& [signal, waiter, confidence] = matches[i];
    const auto& [release, acquirer, sure] = matches[i + 1];
    if (!is_condition(run.objects[at(waiter).object]) || confidence < 1) continue;
    if (acquirer != EventId{waiter.thread, waiter.event + 1} || release.thread == waiter.thread) continue;
    auto &wait = at(waiter), &acquire = at(acquirer);
    const auto woken = at(signal).enter, free = at(release).enter;
    if (woken < wait.enter || free <= woken || free > wait.leave || free - woken <= wait.leave - free) continue;
    wait.leave = acquire.enter = woken;
    acquire.blocked = true;
  }
}

}  // namespace skelgen::threads
