#include "threads/match.h"

#include <algorithm>
#include <map>
#include <set>

namespace skelgen::threads {
namespace {

/// The events of one object, of all threads.
struct Calls {
  std::vector<EventId> producers, consumers, arrivals;
};

class Matcher {
 public:
  explicit Matcher(const Run& run) : run_(run), calls_(run.objects.size()) {}

  Matching run() {
    for (std::uint32_t t = 0; t < run_.threads.size(); ++t) find_waits(t), find_sections(t);
    for (std::uint32_t t = 0; t < run_.threads.size(); ++t)
      for (std::uint32_t e = 0; e < run_.threads[t].events.size(); ++e) sort_in({t, e});
    find_conditions();
    match_threads();
    for (std::uint32_t o = 0; o < calls_.size(); ++o) {
      match_object(o);
      calls_[o] = {};
    }
    std::ranges::sort(result_.matches, {}, &Match::consumer);
    return std::move(result_);
  }

 private:
  const Event& at(EventId place) const { return run_.threads[place.thread].events[place.event]; }
  std::uint64_t enter(EventId place) const { return at(place).enter; }
  std::uint64_t leave(EventId place) const { return at(place).leave; }

  /// A wait for a condition is three events, the outer ones of the mutex that it gives back meanwhile; one that timed out has these two,
  /// of one call: the mutex is given back in no time, and taken again where the call ends.
  void find_waits(std::uint32_t t) {
    const auto& events = run_.threads[t].events;
    auto& in_wait = result_.in_wait.emplace_back(events.size());
    for (std::size_t e = 0; e + 1 < events.size(); ++e) {
      if (events[e].action != Action::release || run_.objects[events[e].object].primitive != Primitive::mutex) continue;
      const bool woken = is_condition_wait(events[e + 1]);
      const auto last = e + (woken ? 2 : 1);
      if (last >= events.size() || events[last].action != Action::acquire || events[last].object != events[e].object ||
          events[last].site != events[e].site || (!woken && events[e].leave != events[e].enter))
        continue;
      std::fill(in_wait.begin() + static_cast<std::ptrdiff_t>(e),
                in_wait.begin() + static_cast<std::ptrdiff_t>(last + 1), true);
      e = last;
    }
  }

  bool is_condition_wait(const Event& event) const {
    return event.action == Action::wait && run_.objects[event.object].primitive == Primitive::condition;
  }

  void find_sections(std::uint32_t t) {
    const auto& events = run_.threads[t].events;
    auto& sections = result_.sections.emplace_back();
    std::vector<std::size_t> held;  // sections, the last one taken at the end
    const auto of = [&](std::uint32_t object) {
      return std::find_if(held.rbegin(), held.rend(),
                          [&](std::size_t s) { return events[sections[s].acquire].object == object; });
    };
    for (std::uint32_t e = 0; e < events.size(); ++e) {
      const auto& event = events[e];
      if (is_life(event.action)) continue;
      if (result_.in_wait[t][e]) {
        if (e == 0 || !is_condition_wait(event)) continue;
        if (const auto mutex = of(events[e - 1].object); mutex != held.rend()) sections[*mutex].waits.push_back(e);
        continue;
      }
      if (event.action == Action::signal || event.action == Action::broadcast)
        for (const auto lock : held) sections[lock].signals.push_back(e);
      if (!is_lock(run_.objects[event.object].primitive)) continue;
      if (event.action == Action::acquire || event.action == Action::acquire_shared) {
        const bool shared = event.action == Action::acquire_shared;
        held.push_back(sections.size());
        sections.push_back({e, static_cast<std::uint32_t>(events.size()), shared, {}, {}, kNoObject});
      } else if (event.action == Action::release) {
        const auto lock = of(event.object);
        if (lock == held.rend()) continue;  // another thread took it
        sections[*lock].release = e;
        if (sections[*lock].shared) shared_.insert({t, e});
        held.erase(std::next(lock).base());
      }
    }
  }

  /// From the first to the last call of an object: one that is made later at its address is another one.
  struct Life {
    std::uint64_t first = UINT64_MAX, last = 0;
    std::uint64_t distance(std::uint64_t time) const {
      return time < first ? first - time : time > last ? time - last : 0;
    }
  };

  std::vector<Life> lives() const {
    std::vector<Life> result(run_.objects.size());
    for (const auto& thread : run_.threads)
      for (const auto& event : thread.events) {
        if (is_life(event.action)) continue;
        auto& life = result[event.object];
        life.first = std::min(life.first, event.enter);
        life.last = std::max(life.last, event.leave);
      }
    return result;
  }

  /// A section waits for the condition of its own waits, else for that of its statement which is there at its time.
  void find_conditions() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> waited_for;  // by site and lock
    const auto for_sections = [&](const auto& body) {
      for (std::uint32_t t = 0; t < run_.threads.size(); ++t)
        for (auto& section : result_.sections[t]) body(section, run_.threads[t].events);
    };
    for_sections([&](Section& section, const std::vector<Event>& events) {
      const auto& acquire = events[section.acquire];
      if (section.waits.empty()) return;
      section.condition = events[section.waits.front()].object;
      auto& all = waited_for[{acquire.site, acquire.object}];
      if (std::ranges::find(all, section.condition) == all.end()) all.push_back(section.condition);
    });
    const auto life = waited_for.empty() ? std::vector<Life>() : lives();
    result_.of_conditions.resize(run_.objects.size());
    for (const auto& [statement, condition] : waited_for) result_.of_conditions[statement.second] = true;
    for_sections([&](Section& section, const std::vector<Event>& events) {
      const auto& acquire = events[section.acquire];
      const auto found = waited_for.find({acquire.site, acquire.object});
      if (section.condition != kNoObject) return;
      if (found != waited_for.end())
        section.condition = *std::ranges::min_element(
            found->second, {}, [&](std::uint32_t condition) { return life[condition].distance(acquire.leave); });
      else if (section.signals.empty())
        result_.of_conditions[acquire.object] = false;
    });
  }

  void sort_in(EventId place) {
    const auto& event = at(place);
    if (is_life(event.action)) return;
    auto& calls = calls_[event.object];
    switch (event.action) {
      case Action::acquire:
      case Action::acquire_shared:
      case Action::wait:
      case Action::receive:
        calls.consumers.push_back(place);
        break;
      case Action::release:
      case Action::signal:
      case Action::broadcast:
      case Action::send:
        calls.producers.push_back(place);
        break;
      case Action::arrive:
        calls.arrivals.push_back(place);
        break;
      default:
        break;
    }
  }

  void add(EventId producer, EventId consumer, double confidence = 1) {
    result_.matches.push_back({producer, consumer, confidence});
  }

  void match_threads() {
    std::map<std::uint32_t, EventId> created, ended;
    for (std::uint32_t t = 0; t < run_.threads.size(); ++t)
      for (std::uint32_t e = 0; e < run_.threads[t].events.size(); ++e) {
        const auto& event = at({t, e});
        if (event.action == Action::create) created[event.partner] = {t, e};
        if (event.action == Action::exit) ended[t] = {t, e};
      }
    for (std::uint32_t t = 0; t < run_.threads.size(); ++t)
      for (std::uint32_t e = 0; e < run_.threads[t].events.size(); ++e) {
        const auto& event = at({t, e});
        if (event.action == Action::start && created.contains(t)) add(created[t], {t, e});
        if (event.action == Action::join && ended.contains(event.partner)) add(ended[event.partner], {t, e});
      }
  }

  void match_object(std::uint32_t o) {
    auto& calls = calls_[o];
    const auto sorted = [&](std::vector<EventId>& places, auto time) {
      std::ranges::stable_sort(places, {}, [&](EventId p) { return std::pair((this->*time)(p), p); });
    };
    sorted(calls.producers, &Matcher::enter);
    sorted(calls.consumers, &Matcher::leave);
    sorted(calls.arrivals, &Matcher::enter);
    gather_rounds(calls);
    switch (run_.objects[o].primitive) {
      case Primitive::mutex:
      case Primitive::spin_lock:
        if (!match_by_number(calls)) match_lock(calls);
        break;
      case Primitive::read_write_lock:  // a number does not say whether a reader or a writer had it
        match_lock(calls);
        break;
      case Primitive::semaphore:
      case Primitive::channel:
      case Primitive::parallel:
        match_by_number(calls);
        break;
      case Primitive::condition:
      case Primitive::futex:
        match_wakes(calls);
        break;
      case Primitive::mark:
        match_marks(calls);
        break;
      default:
        break;
    }
  }

  /// By number, or by time: a round ends when its last thread arrives, and all others are inside by then.
  void gather_rounds(const Calls& calls) {
    std::map<std::uint64_t, std::vector<EventId>> numbered;
    std::vector<EventId> round;
    std::uint64_t first_leave = 0;
    const auto close = [&](std::vector<EventId>& places) {
      for (const auto& place : places)
        if (place != places.back()) add(places.back(), place);
      if (!places.empty()) result_.rounds.push_back(std::move(places));
      places.clear();
    };
    for (const auto& place : calls.arrivals) {
      if (at(place).sequence) {
        numbered[at(place).sequence].push_back(place);
        continue;
      }
      const auto same_thread = [&](EventId other) { return other.thread == place.thread; };
      if (!round.empty() && (enter(place) > first_leave || std::ranges::any_of(round, same_thread))) close(round);
      first_leave = round.empty() ? leave(place) : std::min(first_leave, leave(place));
      round.push_back(place);
    }
    close(round);
    for (auto& [number, places] : numbered) close(places);
  }

  /// Owners follow each other: from the end of the acquire to the beginning of the release nobody else has the lock.
  void match_lock(const Calls& calls) {
    std::vector<EventId> releases, exclusive;
    std::size_t next = 0;
    const auto precedes = [&](EventId producer, EventId consumer) {
      return enter(producer) < leave(consumer) ||
             (enter(producer) == leave(consumer) && producer.thread != consumer.thread);
    };
    for (const auto& consumer : calls.consumers) {
      for (; next < calls.producers.size() && precedes(calls.producers[next], consumer); ++next) {
        const auto& producer = calls.producers[next];
        releases.push_back(producer);
        if (!shared_.contains(producer)) exclusive.push_back(producer);
      }
      const auto& before = at(consumer).action == Action::acquire_shared ? exclusive : releases;
      if (!before.empty()) add(before.back(), consumer);
    }
  }

  /// Matches each consumer with the producer of the same number (Event::sequence). False if the object has no numbers.
  bool match_by_number(const Calls& calls) {
    std::vector<std::pair<std::uint64_t, EventId>> by_number;
    const auto number = [](const auto& one) { return one.first; };
    for (const auto& producer : calls.producers)
      if (at(producer).sequence) by_number.emplace_back(at(producer).sequence, producer);
    std::ranges::stable_sort(by_number, {}, number);
    for (const auto& consumer : calls.consumers) {
      const auto behind = std::ranges::upper_bound(by_number, at(consumer).sequence, {}, number);
      if (behind != by_number.begin() && std::prev(behind)->first == at(consumer).sequence)
        add(std::prev(behind)->second, consumer);
    }
    return !by_number.empty();
  }

  void match_wakes(const Calls& calls) {
    std::vector<bool> used(calls.producers.size());
    for (const auto& consumer : calls.consumers) {
      const auto first =
          std::ranges::lower_bound(calls.producers, enter(consumer), {}, [&](EventId p) { return enter(p); });
      std::size_t candidates = 0, taken = used.size();
      for (auto i = static_cast<std::size_t>(first - calls.producers.begin());
           i < calls.producers.size() && enter(calls.producers[i]) <= leave(consumer); ++i) {
        if (used[i] || calls.producers[i].thread == consumer.thread) continue;
        if (candidates++ == 0) taken = i;
      }
      if (candidates == 0) continue;  // nobody, or the clock, woke it
      if (at(calls.producers[taken]).action == Action::signal) used[taken] = true;
      add(calls.producers[taken], consumer, 1 / static_cast<double>(candidates));
    }
  }

  /// Where a thread waits as often as all others signal, its k-th wait ends by the k-th signal.
  void match_marks(const Calls& calls) {
    std::map<std::uint32_t, std::vector<EventId>> waits;
    for (const auto& consumer : calls.consumers) waits[consumer.thread].push_back(consumer);
    for (const auto& [thread, own] : waits) {
      if (own.size() != calls.producers.size()) {
        for (const auto& consumer : own) match_last(calls, consumer);
        continue;
      }
      for (std::size_t k = 0; k < own.size(); ++k) add(calls.producers[k], own[k]);
    }
  }

  void match_last(const Calls& calls, EventId consumer) {
    const auto first_in =
        std::ranges::upper_bound(calls.producers, enter(consumer), {}, [&](EventId p) { return enter(p); });
    const auto behind =
        std::ranges::upper_bound(calls.producers, leave(consumer), {}, [&](EventId p) { return enter(p); });
    if (behind == calls.producers.begin()) return;
    add(*std::prev(behind), consumer, 1 / static_cast<double>(std::max<std::ptrdiff_t>(1, behind - first_in)));
  }

  const Run& run_;
  std::vector<Calls> calls_;  // by object
  std::set<EventId> shared_;  // releases of readers
  Matching result_;
};

}  // namespace

bool is_life(Action action) {
  return action == Action::create || action == Action::start || action == Action::exit || action == Action::join;
}

std::vector<bool> carries_data(const Run& run) {
  std::vector<bool> data(run.objects.size());
  for (std::size_t o = 0; o < data.size(); ++o) data[o] = run.objects[o].primitive == Primitive::channel;
  for (const auto& thread : run.threads)
    for (const auto& event : thread.events) {
      if (event.action != Action::send && event.action != Action::receive) continue;
      if (run.objects[event.object].primitive == Primitive::mark) data[event.object] = true;
    }
  for (const auto& thread : run.threads)
    for (const auto& event : thread.events)
      if (event.action == Action::receive && event.blocked && run.objects[event.object].primitive == Primitive::channel)
        data[event.object] = false;
  return data;
}

Matching match(const Run& run) { return Matcher(run).run(); }

std::vector<std::vector<Waited>> waits(const Run& run, const Matching& matching) {
  std::vector<std::vector<Waited>> result;
  for (const auto& thread : run.threads) result.emplace_back(thread.events.size());
  const auto between = [](std::uint64_t begin, std::uint64_t end) { return end > begin ? end - begin : 0; };
  for (const auto& [producer, consumer, confidence] : matching.matches) {
    const auto& from = run.threads[producer.thread].events[producer.event];
    const auto& to = run.threads[consumer.thread].events[consumer.event];
    if (producer.thread == consumer.thread || from.enter < to.enter || to.action == Action::start) continue;
    const bool mark = run.objects[to.object].primitive == Primitive::mark;  // may be told after the variable is set
    if (from.enter > to.leave && !mark) continue;
    result[consumer.thread][consumer.event] = {between(to.enter, std::min(from.enter, to.leave)),
                                               between(from.enter, to.leave)};
  }
  for (std::size_t t = 0; t < run.threads.size(); ++t)
    for (std::size_t e = 0; e < result[t].size(); ++e) {
      const auto& event = run.threads[t].events[e];
      auto& [waiting, hand_over] = result[t][e];
      if (waiting + hand_over == 0 && event.blocked && event.action != Action::arrive)
        waiting = between(event.enter, event.leave);
    }
  return result;
}

}  // namespace skelgen::threads
