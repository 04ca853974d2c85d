#include "threads/analysis.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace skelgen::threads {
namespace {

constexpr double kNanosecond = 1e-9;

double measured_units_per_second(const Run& run) {
  double work = 0, ns = 0;
  for (const auto& thread : run.threads)
    for (std::size_t e = 1; e < thread.events.size(); ++e) {
      work += static_cast<double>(thread.events[e].work_enter - thread.events[e - 1].work_leave);
      ns += static_cast<double>(thread.events[e].enter - thread.events[e - 1].leave);
    }
  return work > 0 && ns > 0 ? work / (ns * kNanosecond) : 1 / kNanosecond;
}

double seconds_between(std::uint64_t begin, std::uint64_t end) {
  return end > begin ? static_cast<double>(end - begin) * kNanosecond : 0;
}

/// Accounts of a run: the cost of each event, and the work before it. Sums at every kStep-th event give those of a stretch
/// in O(kStep).
class Ledger {
 public:
  Ledger(const Run& run, const Matching& matching, double units_per_second)
      : run_(run), units_per_second_(units_per_second), waits_(waits(run, matching)), sums_(run.threads.size()) {
    for (std::uint32_t t = 0; t < run.threads.size(); ++t) {
      Account sum;
      for (std::uint32_t e = 0; e < run.threads[t].events.size(); ++e) {
        if (e % kStep == 0) sums_[t].push_back(sum);
        add(sum, t, e);
      }
    }
  }

  /// Of one event's call alone.
  Account call(std::uint32_t t, std::uint32_t e) const {
    const auto& event = run_.threads[t].events[e];
    Account account;
    account.waiting_s = kNanosecond * static_cast<double>(waits_[t][e].waiting);
    account.hand_over_s = kNanosecond * static_cast<double>(waits_[t][e].hand_over);
    const double rest = seconds_between(event.enter, event.leave) - account.waiting_s - account.hand_over_s;
    account.call_s = rest > kNanosecond / 2 ? rest : 0;  // times are whole nanoseconds
    return account;
  }

  /// Between the call before an event, or the thread's begin, and the event's.
  Account gap_before(std::uint32_t t, std::uint32_t e) const {
    const auto& thread = run_.threads[t];
    const auto& event = thread.events[e];
    if (e == 0) return gap(thread.first, event.enter, thread.first_work, event.work_enter);
    const auto& before = thread.events[e - 1];
    return gap(before.leave, event.enter, before.work_leave, event.work_enter);
  }

  Account gap(std::uint64_t begin, std::uint64_t end, std::uint64_t work_begin, std::uint64_t work_end) const {
    Account account;
    account.work = work_end > work_begin ? static_cast<double>(work_end - work_begin) : 0;
    const double all = seconds_between(begin, end);
    account.compute_s = std::min(all, account.work / units_per_second_);
    const double off = all - account.compute_s;
    account.off_processor_s = off > kNanosecond / 2 ? off : 0;  // times are whole nanoseconds
    return account;
  }
  /// From the call of the first event to that of the last.
  Account between(std::uint32_t thread, std::uint32_t first, std::uint32_t last) const {
    Account account = sum_until(thread, last + 1);
    account -= sum_until(thread, first);
    account -= gap_before(thread, first);
    for (double* part : {&account.work, &account.compute_s, &account.off_processor_s, &account.waiting_s,
                         &account.hand_over_s, &account.call_s})
      *part = std::max(0.0, *part);  // rounding
    return account;
  }

 private:
  static constexpr std::uint32_t kStep = 64;

  void add(Account& sum, std::uint32_t t, std::uint32_t e) const {
    sum += gap_before(t, e);
    sum += call(t, e);
  }

  /// Of the events before this one.
  Account sum_until(std::uint32_t t, std::uint32_t end) const {
    if (end == 0) return {};
    Account sum = sums_[t][(end - 1) / kStep];
    for (auto e = (end - 1) / kStep * kStep; e < end; ++e) add(sum, t, e);
    return sum;
  }

  const Run& run_;
  double units_per_second_;
  std::vector<std::vector<Waited>> waits_;
  std::vector<std::vector<Account>> sums_;  // by thread
};

class Graph {
 public:
  Graph(const Run& run, Analysis& result) : run_(run), result_(result), signals_(carries_signals(run)) {}

  void make(const Ledger& ledger) {
    starts_.assign(result_.loops.all.size(), kNoLoop);
    ends_ = starts_;
    find_sections();
    for (std::uint32_t t = 0; t < run_.threads.size(); ++t) add_thread(t, ledger);
    for (const auto& [key, edge] : edges_) result_.edges.push_back(edge);
    std::map<std::pair<std::uint32_t, std::uint32_t>, SignalEdge> signals;
    for (const auto& [producer, consumer, confidence] : result_.matching.matches) {
      const auto given = signal_of(producer);
      if (given != producer && waited_.contains(consumer)) continue;  // its wait has a match of its own
      const auto from = vertex(given), to = vertex(consumer);
      if (from == kNoLoop || to == kNoLoop || producer.thread == consumer.thread) continue;
      if (is_of_another_life(result_.vertices[from], result_.vertices[to])) continue;
      auto& edge = signals.try_emplace({from, to}, SignalEdge{from, to}).first->second;
      const auto cost = ledger.call(consumer.thread, consumer.event);
      ++edge.count;
      edge.confidence += confidence;
      const bool let_go = event(producer).enter >= event(consumer).enter;
      if (cost.hand_over_s > 0 || (let_go && cost.waiting_s > 0)) ++edge.waited;
      edge.waiting_s += cost.waiting_s;
      edge.hand_over_s += cost.hand_over_s;
    }
    for (const auto& [key, edge] : signals) result_.signals.push_back(edge);
  }

 private:
  using Call = std::tuple<std::uint32_t, Action, std::uint32_t, std::uint32_t>;  // loop, action, site, object

  const Event& event(EventId place) const { return run_.threads[place.thread].events[place.event]; }
  std::uint32_t vertex(EventId place) const { return result_.vertex_of[place.thread][place.event]; }

  /// A signal of what was destroyed, and a wait for what was made at its address: their mutex orders them, nothing else.
  bool is_of_another_life(const Vertex& from, const Vertex& to) const {
    if (is_life(from.action) || is_life(to.action)) return false;
    const auto &one = run_.objects[from.object], &other = run_.objects[to.object];
    return from.object != to.object && one.primitive == other.primitive && one.address == other.address;
  }

  std::uint32_t new_vertex(const Vertex& vertex) {
    result_.vertices.push_back(vertex);
    return static_cast<std::uint32_t>(result_.vertices.size() - 1);
  }

  std::uint32_t border(std::vector<std::uint32_t>& of, std::uint32_t loop, Vertex::Kind kind) {
    if (of[loop] == kNoLoop) of[loop] = new_vertex({kind, loop, 0, {}, 0, 0, {}});
    return of[loop];
  }

  bool is_call(std::uint32_t t, std::uint32_t e) const {
    const auto& event = run_.threads[t].events[e];
    if (is_life(event.action)) return true;
    if (!signals_[event.object]) return false;
    if (result_.matching.in_wait[t][e])
      return !in_section_.contains({t, e}) && (event.action == Action::wait || is_reacquire(event));
    return !result_.matching.of_conditions[event.object] || condition_of_.contains({t, e});
  }

  /// The acquire behind a wait for a condition, if the mutex was waited for: see separate_reacquires().
  static bool is_reacquire(const Event& event) { return event.action == Action::acquire && event.blocked; }

  /// Of locks that belong to conditions: which acquire is a wait for which condition, which release a signal.
  void find_sections() {
    for (std::uint32_t t = 0; t < run_.threads.size(); ++t)
      for (const auto& section : result_.matching.sections[t]) {
        if (!result_.matching.of_conditions[run_.threads[t].events[section.acquire].object]) continue;
        if (section.condition != kNoObject) condition_of_[{t, section.acquire}] = section.condition;
        if (!section.waits.empty()) waited_.insert({t, section.acquire});
        for (const auto wait : section.waits) in_section_[{t, wait}] = in_section_[{t, wait + 1}] = section.acquire;
        if (!section.signals.empty()) signal_of_[{t, section.release}] = {t, section.signals.front()};
      }
  }

  EventId signal_of(EventId producer) const {
    const auto found = signal_of_.find(producer);
    return found == signal_of_.end() ? producer : found->second;
  }

  static Vertex::Kind kind_of(Action action) {
    switch (action) {
      case Action::create:
      case Action::exit:
      case Action::release:
      case Action::signal:
      case Action::broadcast:
      case Action::send:
        return Vertex::Kind::producer;
      case Action::arrive:
        return Vertex::Kind::both;
      default:
        return Vertex::Kind::consumer;
    }
  }

  void pass(std::uint32_t vertex, const Account& gap) {
    if (last_ != kNoLoop) {
      auto& edge = edges_.try_emplace({last_, vertex}, ThreadEdge{last_, vertex}).first->second;
      ++edge.count;
      edge.work += gap.work;
      edge.seconds += gap.seconds();
    }
    last_ = vertex;
    ++result_.vertices[vertex].count;
  }

  /// Follows the thread: the gap before an event stands before the borders that it crosses.
  void add_thread(std::uint32_t t, const Ledger& ledger) {
    const auto& loops = result_.loops;
    const auto& events = run_.threads[t].events;
    auto& of = result_.vertex_of.emplace_back(events.size(), kNoLoop);
    using Border = std::pair<std::uint32_t, std::uint32_t>;  // event, loop
    std::vector<Border> begins, ends, iterations;            // by event; of one event outermost first
    std::uint32_t thread_loop = kNoLoop;
    for (std::uint32_t l = 0; l < loops.all.size(); ++l) {
      if (loops.all[l].thread != t) continue;
      if (loops.all[l].parent == kNoLoop) thread_loop = l;
      for (const auto& one : loops.all[l].activations) {
        if (l != thread_loop) begins.emplace_back(one.first, l), ends.emplace_back(one.last, l);
        for (const auto first : one.iterations) iterations.emplace_back(first, l);
      }
    }
    for (auto* all : {&begins, &ends, &iterations}) std::ranges::stable_sort(*all, {}, &Border::first);
    auto begin = begins.begin(), end = ends.begin(), iteration = iterations.begin();
    std::map<std::uint32_t, std::map<Call, std::uint32_t>> occurrences;  // by loop, in this iteration
    std::map<std::pair<Call, std::uint32_t>, std::uint32_t> known;
    last_ = kNoLoop;
    pass(border(starts_, thread_loop, Vertex::Kind::loop_start), {});
    Account gap;
    for (std::uint32_t e = 0; e < events.size(); ++e) {
      gap += ledger.gap_before(t, e);
      for (; iteration != iterations.end() && iteration->first == e; ++iteration)
        occurrences[iteration->second].clear();
      for (; begin != begins.end() && begin->first == e; ++begin) {
        pass(border(starts_, begin->second, Vertex::Kind::loop_start), gap);
        gap = {};
      }
      const auto& event = events[e];
      if (is_call(t, e)) {
        const auto loop = loops.owner[t][e];
        const auto condition = condition_of_.find({t, e});
        const bool waits = condition != condition_of_.end();
        const auto action = waits ? Action::wait : event.action;
        const auto object = waits ? condition->second : event.object;
        const Call call{loop, action, event.site, is_life(action) ? 0 : object};
        const auto occurrence = occurrences[loop][call]++;
        const auto [found, fresh] = known.try_emplace({call, occurrence}, 0);
        if (fresh) found->second = new_vertex({kind_of(action), loop, object, action, event.site, 0, {}});
        of[e] = found->second;
        pass(of[e], gap);
        gap = {};
        result_.vertices[of[e]].calls += ledger.call(t, e);
      } else if (const auto section = in_section_.find({t, e}); section != in_section_.end()) {
        // Of the wait of this section, and of the mutex behind it: its time is its vertex's.
        if (event.action == Action::wait) of[e] = of[section->second];
        result_.vertices[of[section->second]].calls += ledger.call(t, e);
      } else {
        gap += ledger.call(t, e);
      }
      const auto first_end = end;
      while (end != ends.end() && end->first == e) ++end;
      for (auto l = end; l != first_end;) {
        pass(border(ends_, (--l)->second, Vertex::Kind::loop_end), gap);
        gap = {};
      }
    }
    const auto& thread = run_.threads[t];
    if (!events.empty())
      gap += ledger.gap(events.back().leave, thread.last, events.back().work_leave, thread.last_work);
    pass(border(ends_, thread_loop, Vertex::Kind::loop_end), gap);
  }

  const Run& run_;
  Analysis& result_;
  std::vector<bool> signals_;
  std::map<EventId, std::uint32_t> condition_of_,
      in_section_;  // by acquire: the condition; by wait, and the acquire behind it: its section's acquire
  std::map<EventId, EventId> signal_of_;      // by release
  std::set<EventId> waited_;                  // by acquire
  std::vector<std::uint32_t> starts_, ends_;  // by loop
  std::map<std::pair<std::uint32_t, std::uint32_t>, ThreadEdge> edges_;
  std::uint32_t last_ = kNoLoop;
};

/// Synchronisation loops, what they have to do with each other, and their layers.
class LayerFinder {
 public:
  LayerFinder(const Run& run, Analysis& result, const Ledger& ledger) : run_(run), result_(result), ledger_(ledger) {}

  void find() {
    of_.assign(result_.loops.all.size(), kNoLoop);
    std::vector<bool> has(of_.size());
    for (const auto& vertex : result_.vertices)
      if (is_signal(vertex)) has[vertex.loop] = true;
    for (std::uint32_t l = 0; l < has.size(); ++l)
      if (has[l]) add(l);
    for (const auto& vertex : result_.vertices) {
      if (!is_signal(vertex)) continue;
      auto& loop = loops()[of_[vertex.loop]];
      if (vertex.kind != Vertex::Kind::consumer) loop.produces.insert(vertex.object);
      if (vertex.kind != Vertex::Kind::producer) loop.consumes.insert(vertex.object);
    }
    for (const auto& edge : result_.signals) {
      const auto from = loop_of(edge.producer), to = loop_of(edge.consumer);
      if (from != kNoLoop && to != kNoLoop && (keeps(edge.consumer) || live_together(from, to))) tie(from, to);
    }
    tie_rounds();
    locate();
  }

 private:
  std::vector<SynchronisationLoop>& loops() { return result_.synchronisation_loops; }

  static bool is_signal(const Vertex& vertex) {
    return vertex.kind != Vertex::Kind::loop_start && vertex.kind != Vertex::Kind::loop_end && !is_life(vertex.action);
  }

  void add(std::uint32_t l) {
    SynchronisationLoop loop;
    loop.name = "l" + std::to_string(loops().size() + 1);
    loop.loop = l;
    loop.parent = kNoLoop;
    of_[l] = static_cast<std::uint32_t>(loops().size());
    for (auto around = result_.loops.all[l].parent; around != kNoLoop; around = result_.loops.all[around].parent) {
      if (of_[around] == kNoLoop) continue;
      if (loop.parent == kNoLoop) loop.parent = of_[around];
      loops()[of_[around]].nested.insert(of_[l]);
    }
    const auto& all = result_.loops.all;
    for (const auto& other : all)
      if (other.thread == all[l].thread ||
          (all[l].parent != kNoLoop && other.parent != kNoLoop && other.code == all[l].code))
        loop.threads.insert(other.thread);
    for (const auto& one : all[l].activations) loop.cost += ledger_.between(all[l].thread, one.first, one.last);
    loops().push_back(std::move(loop));
  }

  /// The synchronisation loop of a vertex; kNoLoop: it is no signal.
  std::uint32_t loop_of(std::uint32_t vertex) const {
    if (vertex == kNoLoop || !is_signal(result_.vertices[vertex])) return kNoLoop;
    return of_[result_.vertices[vertex].loop];
  }

  /// A unit of a semaphore, or bytes in a channel, stay there after the thread that put them in has ended.
  bool keeps(std::uint32_t vertex) const {
    const auto primitive = run_.objects[result_.vertices[vertex].object].primitive;
    return primitive == Primitive::semaphore || primitive == Primitive::channel;
  }

  bool live_together(std::uint32_t from, std::uint32_t to) const {
    const auto& one = run_.threads[result_.loops.all[result_.synchronisation_loops[from].loop].thread];
    const auto& other = run_.threads[result_.loops.all[result_.synchronisation_loops[to].loop].thread];
    return one.first <= other.last && other.first <= one.last;
  }

  /// Each with each; rounds of the same loops say the same.
  void tie_rounds() {
    std::set<std::vector<std::uint32_t>> tied;
    for (const auto& round : result_.matching.rounds) {
      std::vector<std::uint32_t> together;
      for (const auto& one : round)
        if (const auto loop = loop_of(result_.vertex_of[one.thread][one.event]); loop != kNoLoop)
          together.push_back(loop);
      std::ranges::sort(together);
      const auto [found, fresh] = tied.insert(std::move(together));
      if (!fresh) continue;
      for (const auto from : *found)
        for (const auto to : *found) tie(from, to);
    }
  }

  void tie(std::uint32_t from, std::uint32_t to) {
    if (result_.loops.all[loops()[from].loop].thread == result_.loops.all[loops()[to].loop].thread) return;
    loops()[from].partners_it_produces_for.insert(to);
    loops()[to].partners_it_consumes_from.insert(from);
  }

  /// At some moment both are between the beginning and the end of an activation.
  bool concurrent(std::uint32_t i, std::uint32_t j) const {
    const auto& a = result_.loops.all[result_.synchronisation_loops[i].loop];
    const auto& b = result_.loops.all[result_.synchronisation_loops[j].loop];
    const auto begin = [&](const Loop& loop, std::size_t k) {
      return run_.threads[loop.thread].events[loop.activations[k].first].enter;
    };
    const auto end = [&](const Loop& loop, std::size_t k) {
      return run_.threads[loop.thread].events[loop.activations[k].last].leave;
    };
    for (std::size_t k = 0, m = 0; k < a.activations.size() && m < b.activations.size();) {
      if (begin(a, k) <= end(b, m) && begin(b, m) <= end(a, k)) return true;
      end(a, k) < end(b, m) ? ++k : ++m;
    }
    return false;
  }

  void locate() {
    Relations relations(loops().size());
    for (std::uint32_t i = 0; i < loops().size(); ++i) {
      for (const auto j : loops()[i].partners_it_produces_for) {
        relations.tied[i][j] = relations.tied[j][i] = true;
        if (!relations.concurrent[i][j]) relations.concurrent[i][j] = relations.concurrent[j][i] = concurrent(i, j);
      }
      for (const auto j : loops()[i].nested) relations.nests[i][j] = true;
    }
    const auto levels = locate_layers(relations);
    for (std::size_t level = 0; level < levels.size(); ++level)
      for (const auto& layer : levels[level]) {
        LayerCost cost{level + 1, {}, 0};
        for (const auto loop : layer) {
          cost.loops.push_back(static_cast<std::uint32_t>(loop));
          cost.seconds = std::max(cost.seconds, loops()[loop].cost.seconds());
        }
        result_.layers.push_back(std::move(cost));
      }
  }

  const Run& run_;
  Analysis& result_;
  const Ledger& ledger_;
  std::vector<std::uint32_t> of_;  // by loop: its synchronisation loop
};

}  // namespace

Account& Account::operator+=(const Account& other) {
  work += other.work;
  compute_s += other.compute_s;
  off_processor_s += other.off_processor_s;
  waiting_s += other.waiting_s;
  hand_over_s += other.hand_over_s;
  call_s += other.call_s;
  return *this;
}

Account& Account::operator-=(const Account& other) {
  work -= other.work;
  compute_s -= other.compute_s;
  off_processor_s -= other.off_processor_s;
  waiting_s -= other.waiting_s;
  hand_over_s -= other.hand_over_s;
  call_s -= other.call_s;
  return *this;
}

double Analysis::seconds() const {
  double most = 0;
  for (const auto& thread : threads) most = std::max(most, thread.seconds());
  return most;
}

double Analysis::without_synchronisation() const {
  double most = 0;
  for (const auto& thread : threads) most = std::max(most, thread.work);
  return most;
}

std::vector<bool> carries_signals(const Run& run) {
  std::vector<std::uint32_t> user(run.objects.size(), kNoThread);
  std::vector<bool> shared(run.objects.size());
  for (std::uint32_t t = 0; t < run.threads.size(); ++t)
    for (const auto& event : run.threads[t].events) {
      if (is_life(event.action)) continue;
      if (user[event.object] != kNoThread && user[event.object] != t) shared[event.object] = true;
      user[event.object] = t;
    }
  const auto data = carries_data(run);
  for (std::size_t o = 0; o < shared.size(); ++o)
    if (data[o] || run.objects[o].primitive == Primitive::once) shared[o] = false;
  return shared;
}

std::vector<Awaited> awaited(const Run& run, const Analysis& analysis) {
  const auto waited = waits(run, analysis.matching);
  std::map<std::uint32_t, Awaited> objects;
  for (std::size_t t = 0; t < run.threads.size(); ++t)
    for (std::size_t e = 0; e < run.threads[t].events.size(); ++e) {
      const auto& event = run.threads[t].events[e];
      const auto& [waiting, hand_over] = waited[t][e];
      if (is_life(event.action) || waiting + hand_over == 0) continue;
      auto& object = objects.try_emplace(event.object, Awaited{event.object, 0, 0, {}}).first->second;
      object.waiting_s += kNanosecond * static_cast<double>(waiting);
      object.hand_over_s += kNanosecond * static_cast<double>(hand_over);
      const auto caller = run.callers.find({static_cast<std::uint32_t>(t), static_cast<std::uint32_t>(e)});
      object.sites[{event.site, caller == run.callers.end() ? kNoSite : caller->second}] +=
          kNanosecond * static_cast<double>(waiting + hand_over);
    }
  std::vector<Awaited> all;
  for (auto& [index, object] : objects) all.push_back(std::move(object));
  std::ranges::stable_sort(all, std::greater(), &Awaited::seconds);
  return all;
}

Analysis analyse(const Run& run) {
  Analysis result;
  result.units_per_second = run.units_per_second > 0 ? run.units_per_second : measured_units_per_second(run);
  result.matching = match(run);
  for (auto& sections : result.matching.sections) {
    std::erase_if(sections, [](const Section& one) { return one.condition == kNoObject && one.signals.empty(); });
    sections.shrink_to_fit();
  }
  result.loops = find_loops(run, result.matching);
  const Ledger ledger(run, result.matching, result.units_per_second);
  Graph(run, result).make(ledger);
  LayerFinder(run, result, ledger).find();
  for (std::uint32_t t = 0; t < run.threads.size(); ++t) {
    const auto& thread = run.threads[t];
    auto& account = result.threads.emplace_back();
    if (thread.events.empty()) continue;
    const auto last = static_cast<std::uint32_t>(thread.events.size() - 1);
    account = ledger.between(t, 0, last);
    account += ledger.gap_before(t, 0);
    account += ledger.gap(thread.events[last].leave, thread.last, thread.events[last].work_leave, thread.last_work);
  }
  return result;
}

}  // namespace skelgen::threads
