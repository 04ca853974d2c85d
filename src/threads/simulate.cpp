#include "threads/simulate.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <tuple>

#include "support/busy.h"
#include "support/median.h"

namespace skelgen::threads {
namespace {

/// Uses of a condition or a mark as of a semaphore: each signal gives one, each section (or wait of a mark) takes one.
struct Counter {
  bool counts = false;
  std::int64_t first = 0;  ///< what was there before the first signal
};

/// What the run says of its objects, for the simulation.
class Rules {
 public:
  Rules(const Run& run, const Analysis& analysis) : run_(run), analysis_(analysis) {
    counters.resize(run.objects.size());
    for (const auto& thread : run.threads) counter_of.emplace_back(thread.events.size(), kNoLoop);
    find_time_without_core();
    measure_calls();
    find_signals();
    find_sections();
    count_marks();
    count_semaphores();
  }

  std::vector<Counter> counters;                       ///< by object
  std::vector<std::vector<std::uint32_t>> counter_of;  ///< by event: the object of which it takes one first
  double hand_over(std::uint32_t object) const { return of(hand_over_, object); }
  double call(std::uint32_t object) const { return of(call_, object); }
  std::vector<double> start_s;  ///< by thread: from its creation until it begins
  double join_s = 0;
  std::vector<double>
      with_core;  ///< by thread: of its hand-overs and its time off a processor, how much is not for want of a core

 private:
  /// Where threads waited for cores: that time is known of a thread as a whole, and counts as spread evenly.
  void find_time_without_core() {
    double waited_s = 0, all_s = 0;
    for (std::size_t t = 0; t < run_.threads.size(); ++t) {
      if (!run_.threads[t].core_wait_s) continue;
      waited_s += *run_.threads[t].core_wait_s;
      all_s += analysis_.threads[t].seconds();
    }
    with_core.assign(run_.threads.size(), 1);
    if (waited_s <= kBusy * all_s) return;  // a thread that is woken waits for its core, too
    for (std::size_t t = 0; t < with_core.size(); ++t) {
      const double idle_s = analysis_.threads[t].hand_over_s + analysis_.threads[t].off_processor_s;
      if (const auto waited = run_.threads[t].core_wait_s; waited && idle_s > 0)
        with_core[t] = 1 - std::min(1.0, *waited / idle_s);
    }
  }

  double seconds(std::uint64_t begin, std::uint64_t end) const {
    return end > begin ? static_cast<double>(end - begin) * 1e-9 : 0;
  }

  /// Of this object, else of all of its kind, else of all.
  double of(const std::map<std::uint32_t, double>& by_object, std::uint32_t object) const {
    for (const auto key : {object, kKinds + static_cast<std::uint32_t>(run_.objects[object].primitive), kAll})
      if (const auto found = by_object.find(key); found != by_object.end()) return found->second;
    return 0;
  }

  /// Of each object, of all of its kind, and of all.
  std::map<std::uint32_t, double> medians(std::map<std::uint32_t, std::vector<double>> values) const {
    std::map<std::uint32_t, double> result;
    std::map<std::uint32_t, std::vector<double>> kinds;
    std::vector<double> all;
    const auto move_to = [](std::vector<double>& to, std::vector<double>& from) {
      if (to.empty())
        to.swap(from);
      else
        to.insert(to.end(), from.begin(), from.end());
      from = std::vector<double>();
    };
    for (auto& [object, own] : values) {
      result[object] = upper_median(own);
      move_to(kinds[kKinds + static_cast<std::uint32_t>(run_.objects[object].primitive)], own);
    }
    for (auto& [kind, own] : kinds) {
      result[kind] = upper_median(own);
      move_to(all, own);
    }
    if (!all.empty()) result[kAll] = upper_median(std::move(all));
    return result;
  }

  void measure_calls() {
    std::map<std::uint32_t, std::vector<double>> waits, calls;
    std::vector<double> joins;
    start_s.resize(run_.threads.size());
    for (const auto& [producer, consumer, confidence] : analysis_.matching.matches) {
      const auto& from = run_.threads[producer.thread].events[producer.event];
      const auto& to = run_.threads[consumer.thread].events[consumer.event];
      if (to.action == Action::start)
        start_s[consumer.thread] = seconds(from.enter, to.leave);
      else if (producer.thread == consumer.thread || from.enter < to.enter)
        continue;
      else if (to.action == Action::join)
        joins.push_back(seconds(from.enter, to.leave) * with_core[consumer.thread]);
      else
        waits[to.object].push_back(seconds(from.enter, to.leave) * with_core[consumer.thread]);
    }
    for (std::size_t t = 0; t < run_.threads.size(); ++t)
      for (std::size_t e = 0; e < run_.threads[t].events.size(); ++e) {
        const auto& event = run_.threads[t].events[e];
        if (event.blocked || is_life(event.action) || analysis_.matching.in_wait[t][e]) continue;
        if (event.action == Action::arrive || event.action == Action::wait) continue;
        calls[event.object].push_back(seconds(event.enter, event.leave));
      }
    // Who begins later than usual had no processor.
    auto starts = start_s;
    std::erase(starts, 0);
    for (const double usual = upper_median(std::move(starts)); double& start : start_s) start = std::min(start, usual);
    join_s = upper_median(std::move(joins));
    hand_over_ = medians(std::move(waits));
    call_ = medians(std::move(calls));
  }

  /// Sections whose statement waits for a condition take one of it.
  void find_sections() {
    struct Uses {
      std::vector<std::uint64_t> taken, waits;  // when sections had one, when they began to wait for one
    };
    std::map<std::uint32_t, Uses> uses;
    for (std::uint32_t t = 0; t < run_.threads.size(); ++t)
      for (const auto& section : analysis_.matching.sections[t]) {
        if (section.condition == kNoObject) continue;
        counter_of[t][section.acquire] = section.condition;
        auto& [taken, waits] = uses[section.condition];
        taken.push_back(event(t, section.waits.empty() ? section.acquire : section.waits.back()).leave);
        if (!section.waits.empty()) waits.push_back(event(t, section.waits.front()).enter);
      }
    for (auto& [condition, all] : uses) {
      std::ranges::sort(all.taken);
      if (const auto& signals = signals_of(condition)) decide(counters[condition], *signals, all.taken, all.waits);
    }
    for (auto& of_thread : counter_of)
      for (auto& object : of_thread)
        if (object != kNoLoop && !counters[object].counts) object = kNoLoop;
  }

  void count_marks() {
    std::map<std::uint32_t, std::vector<EventId>> uses;
    for (std::uint32_t t = 0; t < run_.threads.size(); ++t)
      for (std::uint32_t e = 0; e < run_.threads[t].events.size(); ++e)
        if (event(t, e).action == Action::wait && primitive(event(t, e).object) == Primitive::mark)
          uses[event(t, e).object].push_back({t, e});
    for (const auto& [mark, all] : uses) {
      const auto& signals = signals_of(mark);
      if (!signals) continue;
      std::vector<std::uint64_t> taken, waits;
      for (const auto& use : all) {
        const auto& wait = event(use.thread, use.event);
        taken.push_back(wait.leave);
        const auto next = std::ranges::upper_bound(*signals, wait.enter);
        if (next != signals->end() && *next <= wait.leave) waits.push_back(wait.enter);
      }
      std::ranges::sort(taken);
      decide(counters[mark], *signals, taken, waits);
      if (counters[mark].counts)
        for (const auto& use : all) counter_of[use.thread][use.event] = mark;
    }
  }

  /// What is there first is what the first waits had without a post.
  void count_semaphores() {
    for (auto& object : run_.objects)
      if (object.primitive == Primitive::semaphore) counters[index(object)].counts = true;
    for (const auto& thread : run_.threads)
      for (const auto& e : thread.events)
        if (e.action == Action::acquire && primitive(e.object) == Primitive::semaphore) ++counters[e.object].first;
    for (const auto& one : analysis_.matching.matches) {
      const auto& e = event(one.consumer.thread, one.consumer.event);
      if (e.action == Action::acquire && primitive(e.object) == Primitive::semaphore) --counters[e.object].first;
    }
    for (std::uint32_t t = 0; t < run_.threads.size(); ++t)
      for (std::uint32_t e = 0; e < run_.threads[t].events.size(); ++e)
        if (event(t, e).action == Action::acquire && primitive(event(t, e).object) == Primitive::semaphore)
          counter_of[t][e] = event(t, e).object;
  }

  /// Whoever waits has found none: what was there first + signals - uses is 0 then. It counts where most waits agree, and if it never
  /// becomes negative.
  static void decide(Counter& counter, const std::vector<std::uint64_t>& signals,
                     const std::vector<std::uint64_t>& taken, const std::vector<std::uint64_t>& waits) {
    constexpr double kAgree = 0.9;
    const auto until = [](const std::vector<std::uint64_t>& all, std::uint64_t time) {
      return std::ranges::upper_bound(all, time) - all.begin();
    };
    std::map<std::int64_t, std::size_t> votes;
    for (const auto time : waits) ++votes[until(taken, time) - until(signals, time)];
    if (votes.empty()) return;
    const auto most = std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
    if (static_cast<double>(most->second) < kAgree * static_cast<double>(waits.size()) || most->first < 0) return;
    std::size_t negative = 0;
    for (std::size_t k = 0; k < taken.size(); ++k)
      if (static_cast<std::int64_t>(k) + 1 > most->first + until(signals, taken[k])) ++negative;
    if (static_cast<double>(negative) > (1 - kAgree) * static_cast<double>(taken.size())) return;
    counter = {true, most->first};
  }

  void find_signals() {
    signals_.resize(run_.objects.size(), std::vector<std::uint64_t>());
    for (const auto& thread : run_.threads)
      for (const auto& e : thread.events) {
        if (e.action == Action::broadcast) signals_[e.object] = std::nullopt;
        if (e.action == Action::signal && signals_[e.object]) signals_[e.object]->push_back(e.enter);
      }
    for (auto& times : signals_)
      if (times) std::ranges::sort(*times);
  }

  /// Times of the signals of a condition or a mark; nothing if one of them may have woken more than one.
  const std::optional<std::vector<std::uint64_t>>& signals_of(std::uint32_t object) const { return signals_[object]; }

  const Event& event(std::uint32_t t, std::uint32_t e) const { return run_.threads[t].events[e]; }
  Primitive primitive(std::uint32_t object) const { return run_.objects[object].primitive; }
  std::size_t index(const Object& object) const { return static_cast<std::size_t>(&object - run_.objects.data()); }

  static constexpr std::uint32_t kAll = 0xfffffffe, kKinds = 0xffffff00;  // keys beside objects
  const Run& run_;
  const Analysis& analysis_;
  std::map<std::uint32_t, double> hand_over_, call_;
  std::vector<std::optional<std::vector<std::uint64_t>>> signals_;  // by object
};

/// Loops of several threads that share their iterations.
class Pools {
 public:
  struct Member {
    std::uint32_t pool = kNoLoop;
    std::vector<std::uint32_t> iterations;  ///< first events of those that are shared
    std::uint32_t end = 0;                  ///< the event behind them
  };

  Pools(const Run& run, const Analysis& analysis, const Rules& rules) : members(run.threads.size()) {
    std::map<std::string, std::vector<const Loop*>> by_code;
    for (const auto& loop : analysis.loops.all)
      if (loop.parent != kNoLoop && analysis.loops.all[loop.parent].parent == kNoLoop && loop.activations.size() == 1)
        by_code[loop.code].push_back(&loop);
    for (const auto& [code, loops] : by_code) {
      std::set<std::uint32_t> threads;
      for (const auto* loop : loops) threads.insert(loop->thread);
      if (threads.size() < 2 || threads.size() != loops.size() || !shares(run, rules, loops)) continue;
      std::size_t iterations = 0;
      for (const auto* loop : loops) {
        auto& member = members[loop->thread];
        if (member.pool != kNoLoop) continue;
        member = shared_part(loop->activations.front());
        member.pool = static_cast<std::uint32_t>(left.size());
        iterations += member.iterations.size();
      }
      left.push_back(iterations);
    }
  }

  std::vector<Member> members;    ///< by thread
  std::vector<std::size_t> left;  ///< by pool: iterations that nobody has taken

 private:
  static std::size_t length(const Activation& activation, std::size_t i) {
    const auto& iterations = activation.iterations;
    return (i + 1 < iterations.size() ? iterations[i + 1] : activation.last + 1) - iterations[i];
  }

  /// In the last iteration the thread found that nothing is left to do: it was left in the middle, or is shorter than all others.
  static bool ends_empty(const Activation& activation) {
    const auto last = activation.iterations.size() - 1;
    if (activation.ends_inside || last == 0) return activation.ends_inside;
    for (std::size_t i = activation.begins_inside ? 1 : 0; i < last; ++i)
      if (length(activation, i) <= length(activation, last)) return false;
    return true;
  }

  /// Whole iterations but such a last one.
  static Member shared_part(const Activation& activation) {
    const auto whole = activation.whole();
    Member member{kNoLoop, {whole.begin(), whole.end()}, activation.end_of_whole()};
    if (!activation.ends_inside && ends_empty(activation)) {
      member.end = member.iterations.back();
      member.iterations.pop_back();
    }
    return member;
  }

  static bool shares(const Run& run, const Rules& rules, const std::vector<const Loop*>& loops) {
    std::set<std::uint32_t> counters, locks;
    bool barrier = false, trips_differ = false, all_end_empty = true;
    for (std::size_t i = 0; i < loops.size(); ++i) {
      std::set<std::uint32_t> taken, held;
      const auto& activation = loops[i]->activations.front();
      const auto t = loops[i]->thread;
      for (auto e = activation.first; e <= activation.last; ++e) {
        const auto& event = run.threads[t].events[e];
        if (event.action == Action::arrive) barrier = true;
        if (rules.counter_of[t][e] != kNoLoop)
          taken.insert(rules.counter_of[t][e]);
        else if (event.action == Action::acquire)
          held.insert(event.object);
      }
      const auto keep_common = [&](std::set<std::uint32_t>& all, const std::set<std::uint32_t>& own) {
        if (i == 0)
          all = own;
        else
          std::erase_if(all, [&](std::uint32_t object) { return !own.contains(object); });
      };
      keep_common(counters, taken);
      keep_common(locks, held);
      trips_differ = trips_differ || loops[i]->trips() != loops[0]->trips();
      all_end_empty = all_end_empty && ends_empty(activation);
    }
    return !barrier && (!counters.empty() || ((trips_differ || all_end_empty) && !locks.empty()));
  }
};

class Simulation {
 public:
  Simulation(const Run& run, const Analysis& analysis, std::span<const Change> changes, unsigned processors)
      : run_(run),
        analysis_(analysis),
        rules_(run, analysis),
        pools_(run, analysis, rules_),
        processors_(processors),
        objects_(run.objects.size()),
        threads_(run.threads.size()) {
    for (std::uint32_t o = 0; o < objects_.size(); ++o) objects_[o].count = rules_.counters[o].first;
    for (const auto& change : changes) threads_[change.thread].factor *= change.factor;
    find_held();
    find_rounds();
    find_waited_for();
    find_usual_pauses();
  }

  Simulated run() {
    for (std::uint32_t t = 0; t < threads_.size(); ++t)
      if (!threads_[t].created) {
        const auto offset = run_.threads[t].first - origin();
        timers_.push({static_cast<double>(offset) * 1e-9, order_++, t});
        threads_[t].then = Then::begin;
      }
    while (step()) {
    }
    Simulated result;
    for (auto& thread : threads_) {
      result.seconds = std::max(result.seconds, thread.end);
      result.thread_seconds.push_back(std::max(0.0, thread.end - thread.begin));
    }
    result.forced = forced_;
    return result;
  }

 private:
  /// What a thread does when its timer, or its computing, is over.
  enum class Then : std::uint8_t { begin, pause, act, next, end };

  struct Worker {
    double factor = 1;
    bool created = false, ended = false, blocked = false, has_one = false;
    std::uint32_t event = 0;
    Then then = Then::begin;
    double begin = 0, end = 0;
    std::deque<std::uint32_t> joiners;
    // In a pool: the iteration of its own that it repeats, and how many it has begun.
    std::size_t iteration = 0, begun = 0;
    bool in_pool = false;
  };

  struct State {
    std::int64_t count = 0;                      // of counters
    std::uint32_t owner = kNoThread, depth = 0;  // exclusive; how often the owner has locked it
    int readers = 0;
    std::deque<std::uint32_t> queue, counter_queue;
  };

  struct Timer {
    double time;
    std::uint64_t order;
    std::uint32_t thread;
    bool operator>(const Timer& other) const { return std::tie(time, order) > std::tie(other.time, other.order); }
  };
  using Timers = std::priority_queue<Timer, std::vector<Timer>, std::greater<>>;

  std::uint64_t origin() const {
    auto first = std::numeric_limits<std::uint64_t>::max();
    for (const auto& thread : run_.threads) first = std::min(first, thread.first);
    return first;
  }

  /// A lock that is given back before anybody takes it was taken before there were other threads.
  void find_held() {
    struct First {
      std::uint64_t time;
      std::uint32_t thread;
      Action action;
    };
    std::map<std::uint32_t, First> first;  // by object
    for (std::uint32_t t = 0; t < threads_.size(); ++t)
      for (const auto& e : run_.threads[t].events) {
        if (!is_lock(e.object)) continue;
        const First own{e.action == Action::release ? e.enter : e.leave, t, e.action};
        const auto [known, fresh] = first.try_emplace(e.object, own);
        if (!fresh && own.time < known->second.time) known->second = own;
      }
    for (const auto& [object, own] : first)
      if (own.action == Action::release) objects_[object].owner = own.thread, objects_[object].depth = 1;
  }

  void find_rounds() {
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      round_of_.emplace_back(run_.threads[t].events.size(), kNoLoop);
      waits_for_.emplace_back(run_.threads[t].events.size());
      done_.emplace_back(run_.threads[t].events.size());
    }
    for (std::uint32_t r = 0; r < analysis_.matching.rounds.size(); ++r)
      for (const auto& one : analysis_.matching.rounds[r]) round_of_[one.thread][one.event] = r;
    arrived_.resize(analysis_.matching.rounds.size());
  }

  void find_waited_for() {
    for (const auto& [producer, consumer, confidence] : analysis_.matching.matches) {
      const auto& event = run_.threads[consumer.thread].events[consumer.event];
      if (event.action == Action::start) threads_[consumer.thread].created = true;
      waits_for_[consumer.thread][consumer.event] = producer;
    }
  }

  /// Between two calls a thread may sleep, or wait for a device: what it usually does there; of a place that it passes
  /// once or twice, what threads of this name with as many calls usually do. More than usual is a disturbance; time in which the run's own threads kept all processors busy is no pause.
  void find_usual_pauses() {
    const auto worked = processors_ > 0 ? work_until() : nullptr;
    constexpr std::size_t kFew = 2;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<double>> at;  // by thread and vertex
    std::map<std::tuple<std::string, std::size_t, std::uint32_t>, std::vector<double>>
        alike;  // name, calls, which call
    const auto likes = [&](std::uint32_t t, std::uint32_t e) {
      return std::tuple(run_.threads[t].name, run_.threads[t].events.size(), e);
    };
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      auto& pauses = pauses_.emplace_back(run_.threads[t].events.size());
      for (std::uint32_t e = 1; e < pauses.size(); ++e) {
        pauses[e] = pause(t, e) * rules_.with_core[t];
        if (processors_ > 0) {
          const auto from = event(t, e - 1).leave, to = event(t, e).enter;
          const double all = processors_ * static_cast<double>(to - std::min(from, to)) * 1e-9;
          pauses[e] = std::clamp(all - (worked(to) - worked(from)), 0.0, pauses[e]);
        }
        at[{t, vertex(t, e)}].push_back(pauses[e]);
      }
    }
    for (std::uint32_t t = 0; t < threads_.size(); ++t)
      for (std::uint32_t e = 1; e < pauses_[t].size(); ++e)
        if (at[{t, vertex(t, e)}].size() <= kFew) alike[likes(t, e)].push_back(pauses_[t][e]);
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> usual;
    std::map<std::tuple<std::string, std::size_t, std::uint32_t>, double> usual_of_alike;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> count;
    for (auto& [key, values] : at) {
      count[key] = values.size();
      usual[key] = upper_median(std::move(values));
    }
    at.clear();
    for (auto& [key, values] : alike) usual_of_alike[key] = upper_median(std::move(values));
    for (std::uint32_t t = 0; t < threads_.size(); ++t)
      for (std::uint32_t e = 1; e < pauses_[t].size(); ++e) {
        const bool few = count[{t, vertex(t, e)}] <= kFew;
        pauses_[t][e] = std::min(pauses_[t][e], few ? usual_of_alike[likes(t, e)] : usual[{t, vertex(t, e)}]);
      }
  }

  /// What all threads together had computed until a time, in seconds: each evenly from one of its calls to the next.
  std::function<double(std::uint64_t)> work_until() const {
    std::vector<std::pair<std::uint64_t, double>> steps;  // time, change of the rate (per ns)
    for (std::uint32_t t = 0; t < threads_.size(); ++t)
      for (std::uint32_t e = 1; e < run_.threads[t].events.size(); ++e) {
        const auto from = event(t, e - 1).leave, to = event(t, e).enter;
        if (to <= from) continue;
        const double rate = work(t, e) / static_cast<double>(to - from);
        steps.emplace_back(from, rate);
        steps.emplace_back(to, -rate);
      }
    std::ranges::sort(steps);
    struct Knot {
      std::uint64_t time;
      double sum, rate;
    };
    std::vector<Knot> knots{{0, 0, 0}};
    for (const auto& [time, change] : steps) {
      const Knot last = knots.back();
      knots.push_back({time, last.sum + last.rate * static_cast<double>(time - last.time), last.rate + change});
    }
    return [knots = std::move(knots)](std::uint64_t time) {
      const auto& last = *std::prev(std::ranges::upper_bound(knots, time, {}, &Knot::time));
      return last.sum + last.rate * static_cast<double>(time - last.time);
    };
  }

  std::uint32_t vertex(std::uint32_t t, std::uint32_t e) const { return analysis_.vertex_of[t][e]; }
  const Event& event(std::uint32_t t, std::uint32_t e) const { return run_.threads[t].events[e]; }

  double work(std::uint32_t t, std::uint32_t e) const {
    const auto from = e == 0 ? run_.threads[t].first_work : event(t, e - 1).work_leave;
    const auto to = event(t, e).work_enter;
    return to > from ? static_cast<double>(to - from) / analysis_.units_per_second : 0;
  }
  double pause(std::uint32_t t, std::uint32_t e) const {
    const auto from = event(t, e - 1).leave, to = event(t, e).enter;
    return std::max(0.0, (to > from ? static_cast<double>(to - from) * 1e-9 : 0) - work(t, e));
  }

  // ---- time ----

  double rate() const {
    const auto n = static_cast<double>(computing_.size());
    return processors_ == 0 || n <= processors_ ? 1 : processors_ / n;
  }

  bool step() {
    const double computed = computing_.empty() ? std::numeric_limits<double>::infinity()
                                               : now_ + (computing_.top().time - service_) / rate();
    if (computing_.empty() && timers_.empty()) return force();
    if (timers_.empty() || computed <= timers_.top().time) {
      const auto done = computing_.top();
      service_ = done.time;
      now_ = computed;
      computing_.pop();
      resume(done.thread);
    } else {
      const auto timer = timers_.top();
      timers_.pop();
      service_ += std::max(0.0, timer.time - now_) * rate();
      now_ = std::max(now_, timer.time);
      resume(timer.thread);
    }
    return true;
  }

  /// Nothing can go on: whoever waits since the earliest event goes on.
  bool force() {
    std::uint32_t first = kNoThread;
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      const auto& thread = threads_[t];
      if (!thread.blocked) continue;
      if (first == kNoThread || event(t, thread.event).enter < event(first, threads_[first].event).enter) first = t;
    }
    if (first == kNoThread) return false;
    ++forced_;
    leave_queue(first);
    wake(first, 0, Then::next);
    return true;
  }

  /// A blocked thread is in one queue: that of its call.
  void leave_queue(std::uint32_t t) {
    const auto& thread = threads_[t];
    const auto& call = event(t, thread.event);
    const auto counter = rules_.counter_of[t][thread.event];
    if (call.action == Action::join) {
      std::erase(threads_[call.partner].joiners, t);
    } else if (call.action == Action::arrive) {
      std::erase(arrived_[round_of_[t][thread.event]], t);
    } else if (counter != kNoLoop && !thread.has_one) {
      std::erase(objects_[counter].counter_queue, t);
    } else if (is_lock(call.object)) {
      std::erase(objects_[call.object].queue, t);
    } else {
      const auto& producer = *waits_for_[t][thread.event];
      auto [one, last] = waiting_.equal_range({producer.thread, producer.event});
      while (one != last) one = one->second == t ? waiting_.erase(one) : std::next(one);
    }
  }

  void compute(std::uint32_t t, double seconds, Then then) {
    threads_[t].then = then;
    computing_.push({service_ + seconds, order_++, t});
  }
  void wait_until(std::uint32_t t, double time, Then then) {
    threads_[t].then = then;
    timers_.push({time, order_++, t});
  }
  void wake(std::uint32_t t, double after, Then then) {
    threads_[t].blocked = false;
    wait_until(t, now_ + after, then);
  }
  void block(std::uint32_t t) { threads_[t].blocked = true; }

  void resume(std::uint32_t t) {
    auto& thread = threads_[t];
    switch (thread.then) {
      case Then::begin:
        thread.begin = now_;
        return prepare(t);
      case Then::pause:
        return wait_until(t, now_ + pauses_[t][thread.event], Then::act);
      case Then::act:
        return act(t);
      case Then::next:
        done(t, thread.event);
        thread.has_one = false;
        ++thread.event;
        return prepare(t);
      case Then::end:
        return end(t);
    }
  }

  double call_s(std::uint32_t t) const {
    const auto& e = event(t, threads_[t].event);
    if (is_life(e.action)) return static_cast<double>(e.leave - e.enter) * (e.action == Action::create ? 1e-9 : 0);
    return rules_.call(e.object);
  }

  // ---- a thread's program ----

  /// The next event of the thread, which `event` names already but for pools.
  void prepare(std::uint32_t t) {
    auto& thread = threads_[t];
    choose_iteration(t);
    const auto n = run_.threads[t].events.size();
    if (thread.event < n)
      return compute(t, work(t, thread.event) * thread.factor, thread.event == 0 ? Then::act : Then::pause);
    double tail = 0;
    if (n > 0 && run_.threads[t].last_work > event(t, n - 1).work_leave)
      tail = static_cast<double>(run_.threads[t].last_work - event(t, n - 1).work_leave) / analysis_.units_per_second;
    compute(t, tail * thread.factor, Then::end);
  }

  /// At an iteration of a shared loop: the next one that nobody has, or what follows the loop.
  void choose_iteration(std::uint32_t t) {
    const auto& [pool, iterations, end] = pools_.members[t];
    auto& thread = threads_[t];
    if (pool == kNoLoop || iterations.empty()) return;
    const auto end_of = [&](std::size_t i) { return i + 1 < iterations.size() ? iterations[i + 1] : end; };
    const bool entering = !thread.in_pool && thread.begun == 0 && thread.event == iterations[0];
    const bool leaving = thread.in_pool && thread.event == end_of(thread.iteration);
    if (!entering && !leaving) return;
    auto& left = pools_.left[pool];
    if (left == 0) {
      thread.in_pool = false;
      thread.event = end;
      ++thread.begun;
      return;
    }
    --left;
    thread.in_pool = true;
    thread.iteration = thread.begun++ % iterations.size();
    thread.event = iterations[thread.iteration];
  }

  void end(std::uint32_t t) {
    auto& thread = threads_[t];
    thread.end = now_;
    finish(t);
  }

  void finish(std::uint32_t t) {
    auto& thread = threads_[t];
    if (thread.ended) return;
    thread.ended = true;
    for (const auto joiner : thread.joiners) wake(joiner, rules_.join_s, Then::next);
    thread.joiners.clear();
  }

  /// Whoever waits for this event goes on.
  void done(std::uint32_t t, std::uint32_t e) {
    const auto [begin, last] = waiting_.equal_range({t, e});
    for (auto one = begin; one != last; ++one)
      wake(one->second, rules_.hand_over(event(one->second, threads_[one->second].event).object), Then::next);
    waiting_.erase(begin, last);
    done_[t][e] = true;
  }

  // ---- calls ----

  void act(std::uint32_t t) {
    const auto e = threads_[t].event;
    const auto& call = event(t, e);
    const auto continues = [&] { compute(t, call_s(t), Then::next); };
    switch (call.action) {
      case Action::create:
        if (call.partner < threads_.size() && threads_[call.partner].created) {
          wait_until(call.partner, now_ + rules_.start_s[call.partner], Then::begin);
        }
        return continues();
      case Action::start:
        return continues();
      case Action::exit:
        finish(t);
        return continues();
      case Action::join:
        if (call.partner >= threads_.size() || threads_[call.partner].ended) return continues();
        threads_[call.partner].joiners.push_back(t);
        return block(t);
      case Action::acquire:
      case Action::acquire_shared:
        return acquire(t);
      case Action::release:
        return release(t);
      case Action::signal:
      case Action::broadcast:
        if (rules_.counters[call.object].counts) give(call.object);
        done(t, e);
        return continues();
      case Action::wait:
      case Action::receive:
        return wait(t);
      case Action::arrive:
        return arrive(t);
      case Action::send:
        done(t, e);
        return continues();
    }
  }

  bool is_lock(std::uint32_t object) const { return threads::is_lock(run_.objects[object].primitive); }

  /// Sections that count their condition make none of its waits.
  bool is_skipped(std::uint32_t t) const {
    const auto e = threads_[t].event;
    if (!analysis_.matching.in_wait[t][e]) return false;
    const auto& sections = analysis_.matching.sections[t];
    const auto after = std::ranges::upper_bound(sections, e, {}, &Section::acquire);
    for (auto section = after; section != sections.begin();) {
      --section;
      if (section->release < e) continue;
      return rules_.counter_of[t][section->acquire] != kNoLoop;
    }
    return false;
  }

  void acquire(std::uint32_t t) {
    auto& thread = threads_[t];
    const auto& call = event(t, thread.event);
    if (is_skipped(t)) return wait_until(t, now_, Then::next);
    const auto counter = rules_.counter_of[t][thread.event];
    if (counter != kNoLoop && !thread.has_one) {
      auto& state = objects_[counter];
      if (state.count <= 0) {
        state.counter_queue.push_back(t);
        return block(t);
      }
      --state.count;
      thread.has_one = true;
    }
    if (!is_lock(call.object)) return compute(t, call_s(t), Then::next);
    auto& lock = objects_[call.object];
    const bool shared = call.action == Action::acquire_shared;
    const bool again = lock.owner == t && !shared;  // a recursive lock
    if (!again && (lock.owner != kNoThread || (!shared && lock.readers > 0))) {
      lock.queue.push_back(t);
      return block(t);
    }
    if (shared)
      ++lock.readers;
    else
      lock.owner = t, ++lock.depth;
    compute(t, call_s(t), Then::next);
  }

  /// One more of a counter: whoever waits longest has it.
  void give(std::uint32_t object) {
    auto& state = objects_[object];
    if (state.counter_queue.empty()) {
      ++state.count;
      return;
    }
    const auto t = state.counter_queue.front();
    state.counter_queue.pop_front();
    threads_[t].has_one = true;
    const auto action = event(t, threads_[t].event).action;
    // A section still needs its lock.
    const bool section = action == Action::acquire && is_lock(event(t, threads_[t].event).object);
    wake(t, rules_.hand_over(object), section ? Then::act : Then::next);
  }

  void release(std::uint32_t t) {
    const auto& call = event(t, threads_[t].event);
    if (is_skipped(t)) return wait_until(t, now_, Then::next);
    if (run_.objects[call.object].primitive == Primitive::semaphore) {
      give(call.object);
    } else if (is_lock(call.object)) {
      auto& lock = objects_[call.object];
      if (lock.owner == t && lock.depth > 1)
        --lock.depth;
      else if (lock.readers > 0)
        --lock.readers;
      else
        lock.owner = kNoThread, lock.depth = 0;
      // Those that wait try again; until then somebody who runs may take it.
      if (lock.owner == kNoThread && lock.readers == 0) {
        const bool all = run_.objects[call.object].primitive == Primitive::read_write_lock;
        for (bool first = true; !lock.queue.empty() && (all || first); first = false) {
          wake(lock.queue.front(), rules_.hand_over(call.object), Then::act);
          lock.queue.pop_front();
        }
      }
    }
    done(t, threads_[t].event);
    compute(t, call_s(t), Then::next);
  }

  void wait(std::uint32_t t) {
    auto& thread = threads_[t];
    const auto& call = event(t, thread.event);
    if (is_skipped(t)) return wait_until(t, now_, Then::next);
    if (const auto counter = rules_.counter_of[t][thread.event]; counter != kNoLoop) {
      if (objects_[counter].count > 0) {
        --objects_[counter].count;
        return compute(t, 0, Then::next);
      }
      objects_[counter].counter_queue.push_back(t);
      return block(t);
    }
    const auto& producer = waits_for_[t][thread.event];
    if (!producer || thread.in_pool) {  // nobody is known: as long as in the run, unless that was another's iteration
      const double seconds =
          producer || call.leave < call.enter ? 0 : static_cast<double>(call.leave - call.enter) * 1e-9;
      return wait_until(t, now_ + seconds, Then::next);
    }
    if (done_[producer->thread][producer->event]) return compute(t, 0, Then::next);
    waiting_.insert({{producer->thread, producer->event}, t});
    block(t);
  }

  void arrive(std::uint32_t t) {
    const auto e = threads_[t].event;
    const auto round = round_of_[t][e];
    if (round == kNoLoop) return compute(t, 0, Then::next);
    auto& here = arrived_[round];
    here.push_back(t);
    if (here.size() < analysis_.matching.rounds[round].size()) return block(t);
    for (const auto other : here)
      if (other != t) wake(other, rules_.hand_over(event(t, e).object), Then::next);
    compute(t, 0, Then::next);
  }

  const Run& run_;
  const Analysis& analysis_;
  Rules rules_;
  Pools pools_;
  unsigned processors_;
  std::vector<State> objects_;
  std::vector<Worker> threads_;
  std::vector<std::vector<std::uint32_t>> round_of_;
  std::vector<std::vector<std::optional<EventId>>> waits_for_;
  std::vector<std::vector<bool>> done_;
  std::vector<std::vector<std::uint32_t>> arrived_;                                // by round
  std::multimap<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> waiting_;  // by event of the producer
  std::vector<std::vector<double>> pauses_;
  double now_ = 0, service_ = 0;  // service_: what each computing thread has computed since the beginning
  std::uint64_t order_ = 0, forced_ = 0;
  Timers timers_, computing_;
};

}  // namespace

Simulated simulate(const Run& run, const Analysis& analysis, std::span<const Change> changes, unsigned processors) {
  return Simulation(run, analysis, changes, processors).run();
}

}  // namespace skelgen::threads
