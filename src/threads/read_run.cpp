// A file of threads' records as a Run: which thread, which object, which of its operations each event is about.

#include <algorithm>
#include <cmath>
#include <map>

#include "support/error.h"
#include "support/format.h"
#include "support/printable.h"
#include "threads/reacquire.h"
#include "threads/records.h"
#include "threads/run.h"
#include "trace/cores.h"
#include "trace/fields.h"
#include "trace/partial.h"

namespace skelgen::threads {
namespace {

namespace fs = std::filesystem;
using trace::amount, trace::part, trace::whole, trace::word;

static_assert(static_cast<int>(Primitive::mark) == SKT_MARK && static_cast<int>(Action::receive) == SKT_RECEIVE);

constexpr const char* kPrimitives[] = {"thread",    "mutex", "read-write lock", "spin lock", "condition", "barrier",
                                       "semaphore", "once",  "futex",           "channel",   "parallel",  "mark"};
constexpr const char* kActions[] = {"create", "start",  "exit",      "join",   "acquire", "acquire shared", "release",
                                    "wait",   "signal", "broadcast", "arrive", "send",    "receive"};

/// Where an event's record is.
struct Place {
  std::uint32_t thread, index;
};

using Places = std::vector<Place>;

class Reader {
 public:
  explicit Reader(const trace::RankFile& file) : file_(file), clock_(trace::read_clock(file)) {
    for (std::size_t i = 0; i < file.threads.size(); ++i) streams_.push_back(read_stream(file, i));
    // The first thread, then in the order in which they were created, whoever began first.
    if (!streams_.empty()) std::ranges::stable_sort(streams_.begin() + 1, streams_.end(), {}, creation_of);
    check_clocks();
  }

  Run read() {
    describe();
    find_modules();
    order();
    find_threads();
    name_objects();
    in_order_ = Places();
    for (std::uint32_t i = 0; i < streams_.size(); ++i) add_events(i);
    for (std::uint32_t i = 0; i < run_.objects.size(); ++i) number(i);
    if (run_.at_layers)
      for (auto& thread : run_.threads) spread_work(thread);
    separate_reacquires(run_);
    note();
    return std::move(run_);
  }

 private:
  /// Number of the creation of a thread; behind all others where it was not seen.
  static std::uint64_t creation_of(const Stream& stream) {
    for (const auto& record : stream.records)
      if (stream.calls[record.call].action == SKT_START && record.value) return record.value;
    return UINT64_MAX;
  }

  const Record& record(Place place) const { return streams_[place.thread].records[place.index]; }
  const Call& call(Place place) const { return streams_[place.thread].calls[record(place).call]; }
  std::uint64_t time(std::uint64_t ticks) const {
    return static_cast<std::uint64_t>(static_cast<double>(ticks) * (1e9 * clock_.seconds_per_tick) + 0.5);
  }

  /// Times are whole nanoseconds below 2^63, and so are ticks; seconds times the rate are shown as whole units.
  void check_clocks() const {
    constexpr double kMostNs = 0x1p63, kMostUnits = 1e12;
    for (const auto& stream : streams_)
      if (!stream.records.empty() &&
          static_cast<double>(stream.records.back().leave) * (1e9 * clock_.seconds_per_tick) >= kMostNs)
        throw Error(Code::corrupt, file_.path.string(), {}, "by the clock of HEAD the run took more than 292 years",
                    "trace the program again");
    if (amount(part(file_.head, "work"), "units_per_second") > kMostUnits)
      throw Error(Code::corrupt, file_.path.string(), {}, "the clock of work in HEAD is too fast",
                  "trace the program again");
  }

  void describe() {
    const auto& work = part(file_.head, "work");
    run_.application = word(file_.head, "application");
    run_.command = word(file_.head, "command");
    run_.host = word(file_.head, "host");
    run_.pid = whole(file_.head, "pid");
    run_.origin_s = clock_.origin_s;
    run_.clock = word(work, "clock");
    run_.units_per_second = amount(work, "units_per_second");
    run_.at_layers = part(work, "at_layers") == true;
    run_.complete = file_.tail.has_value();
  }

  void find_modules() {
    for (const auto& stream : streams_)
      for (const auto& module : stream.modules) modules_[module.from] = module;
  }

  /// All events, by the time at which they were entered.
  void order() {
    for (std::uint32_t t = 0; t < streams_.size(); ++t)
      for (std::uint32_t i = 0; i < streams_[t].records.size(); ++i) in_order_.push_back({t, i});
    std::ranges::stable_sort(in_order_, {}, [&](Place place) { return record(place).enter; });
  }

  /// Who created whom: by the number of the creation; who was joined: the latest thread with that pthread_t.
  void find_threads() {
    std::map<std::uint64_t, std::uint32_t> by_creation;
    run_.threads.resize(streams_.size());
    for (std::uint32_t t = 0; t < streams_.size(); ++t) {
      auto& thread = run_.threads[t];
      thread.parent = kNoThread;
      if (const auto waited = streams_[t].core_wait_ns) thread.core_wait_s = 1e-9 * static_cast<double>(*waited);
      thread.name = t == 0                                                             ? "main"
                    : streams_[t].name.empty() || streams_[t].name == streams_[0].name ? "thread " + std::to_string(t)
                                                                                       : streams_[t].name;
      for (const auto& record : streams_[t].records)
        if (streams_[t].calls[record.call].action == SKT_START && record.value) by_creation[record.value] = t;
    }
    std::map<std::uint64_t, std::uint32_t> by_handle;
    for (const Place place : in_order_) {
      const auto& [primitive, action, flags, object, second, site] = call(place);
      if (primitive != SKT_THREAD) continue;
      if (action == SKT_CREATE) {
        const auto found = by_creation.find(record(place).value);
        by_handle[object] = found == by_creation.end() ? kNoThread : found->second;
        if (found == by_creation.end()) continue;
        partner_[{place.thread, place.index}] = found->second;
        run_.threads[found->second].parent = place.thread;
      } else if (action == SKT_START) {
        by_handle[object] = place.thread;
      } else if (action == SKT_JOIN) {
        if (const auto found = by_handle.find(object); found != by_handle.end())
          partner_[{place.thread, place.index}] = found->second;
      }
    }
  }

  std::uint32_t new_object(std::uint8_t primitive, std::uint64_t address) {
    auto& count = count_[primitive];
    run_.objects.push_back({static_cast<Primitive>(primitive), address,
                            std::string(kPrimitives[primitive]) + " " + std::to_string(++count)});
    first_count_.push_back(0);
    return static_cast<std::uint32_t>(run_.objects.size() - 1);
  }

  std::uint32_t object_at(std::uint8_t primitive, std::uint64_t address) {
    const auto [found, fresh] = at_.try_emplace({primitive, address}, 0);
    if (fresh) found->second = new_object(primitive, address);
    return found->second;
  }

  /// Opened once more, or closed but not by the last one: the object is what it was.
  bool stays_open(const Call& call) {
    if ((call.flags & SKT_OPENED) == 0) return false;
    auto& count = opened_[call.object];
    if (call.action == SKT_MADE) return count++ > 0 && at_.contains({call.primitive, call.object});
    return count > 0 && --count > 0;
  }

  void name_objects() {
    for (std::uint32_t t = 0; t < streams_.size(); ++t) {
      objects_.emplace_back(streams_[t].records.size());
      seconds_.emplace_back(streams_[t].records.size());
    }
    for (const Place place : in_order_) {
      const auto& [primitive, action, flags, object, second, site] = call(place);
      const bool made = (action == SKT_MADE || action == SKT_DESTROYED) && !stays_open(call(place));
      if (made) at_.erase({primitive, object});
      if (action == SKT_DESTROYED || action == SKT_DETACH) continue;
      const auto index = object_at(primitive, object);
      if (action == SKT_MADE && made) first_count_[index] = record(place).value;
      objects_[place.thread][place.index] = index;
      if (primitive == SKT_CONDITION && action == SKT_WAIT)
        seconds_[place.thread][place.index] = object_at(SKT_MUTEX, second);
    }
  }

  std::uint32_t site_of(std::uint64_t address) {
    const auto [found, fresh] = sites_.try_emplace(address, static_cast<std::uint32_t>(run_.sites.size()));
    if (!fresh) return found->second;
    auto module = modules_.upper_bound(address);
    if (module != modules_.begin() && (--module)->second.contains(address))
      run_.sites.push_back({module->second.path, address - module->second.base, module->second.build_id});
    else
      run_.sites.push_back({{}, address, {}});
    return found->second;
  }

  void add_events(std::uint32_t t) {
    auto& stream = streams_[t];
    auto& thread = run_.threads[t];
    auto& events = thread.events;
    events.reserve(stream.records.size());
    // The run begins when the second thread is created. Earlier events of the first thread say which locks it holds; they take no time.
    const auto start = std::ranges::find_if(
        stream.records, [&](const Record& record) { return stream.calls[record.call].action == SKT_START; });
    if (start != stream.records.end())
      for (auto early = stream.records.begin(); early != start; ++early) {
        early->enter = early->leave = start->enter;
        early->work_enter = early->work_leave = start->work_enter;
      }
    for (std::uint32_t i = 0; i < stream.records.size(); ++i) {
      const auto& record = stream.records[i];
      const auto& call = stream.calls[record.call];
      if (call.action >= SKT_MADE) continue;
      const auto partner = partner_.find({t, i});
      Event event{static_cast<Action>(call.action),
                  (call.flags & SKT_BLOCKED) != 0,
                  objects_[t][i],
                  partner == partner_.end() ? kNoThread : partner->second,
                  site_of(call.site),
                  0,
                  time(record.enter),
                  time(record.leave),
                  record.work_enter,
                  record.work_leave,
                  record.value};
      if (event.action == Action::start) event.partner = thread.parent;
      if (call.primitive != SKT_CONDITION && call.second)
        run_.callers[{t, static_cast<std::uint32_t>(events.size())}] = site_of(call.second);
      if (event.action != Action::send && event.action != Action::receive) event.bytes = 0;
      if (call.primitive == SKT_PARALLEL || call.primitive == SKT_BARRIER) event.sequence = record.value;
      if (call.primitive != SKT_CONDITION || call.action != SKT_WAIT) {
        if ((call.flags & SKT_TIMED_OUT) == 0) events.push_back(event);
        continue;
      }
      // A wait gives the mutex back and takes it again.
      Event release = event, acquire = event;
      release.object = acquire.object = seconds_[t][i];
      release.action = Action::release;
      release.leave = release.enter;
      release.work_leave = release.work_enter;
      release.blocked = false;
      acquire.action = Action::acquire;
      acquire.enter = acquire.leave;
      acquire.work_enter = acquire.work_leave;
      acquire.blocked = false;
      events.push_back(release);
      // Without a signal in time the thread has slept, and waited for nobody.
      if ((call.flags & SKT_TIMED_OUT) == 0) events.push_back(event);
      events.push_back(acquire);
    }
    if (stream.records.empty()) return;
    const auto& begin = stream.records.front();
    thread.first = time(begin.enter);
    thread.last = time(stream.records.back().leave);
    thread.first_work = begin.work_enter;
    thread.last_work = stream.records.back().work_leave;
    // They would take as much memory as the run; = {} would keep it.
    stream.records = std::vector<Record>();
    objects_[t] = std::vector<std::uint32_t>();
    seconds_[t] = std::vector<std::uint32_t>();
  }

  /// Work that was read at the borders of layers: what came between two readings is divided evenly among the time between
  /// calls, as far as that can hold it. The rest was done in calls, and counts in that of the second reading.
  void spread_work(Thread& thread) const {
    auto& events = thread.events;
    const double most = run_.clock == "PAPI_TOT_CYC" ? HUGE_VAL : 1;  // in a nanosecond; how fast cycles pass varies
    const auto gap = [&](std::size_t e) {
      const auto before = e == 0 ? thread.first : std::max(thread.first, events[e - 1].leave);
      return events[e].enter > before ? static_cast<double>(events[e].enter - before) : 0;
    };
    std::uint64_t last = thread.first_work;
    for (std::size_t e = 0, first = 0; e < events.size(); ++e) {
      const auto now = std::max(last, events[e].work_leave);
      if (now == last && e + 1 < events.size()) continue;
      double time = 0, passed = 0;
      for (std::size_t i = first; i <= e; ++i) time += gap(i);
      const double rate = time > 0 ? std::min(most, static_cast<double>(now - last) / time) : 0;
      for (; first <= e; ++first) {
        passed += gap(first);
        const auto work = std::min(now, last + static_cast<std::uint64_t>(rate * passed + 0.5));
        events[first].work_enter = events[first].work_leave = work;
      }
      events[e].work_leave = last = now;
    }
  }

  /// Events of one object.
  std::vector<Event*> events_of(std::uint32_t object) {
    if (by_object_.empty()) {
      by_object_.resize(run_.objects.size());
      std::vector<std::size_t> count(run_.objects.size());
      for (const auto& thread : run_.threads)
        for (const auto& event : thread.events) ++count[event.object];
      for (std::size_t o = 0; o < count.size(); ++o) by_object_[o].reserve(count[o]);
      for (auto& thread : run_.threads)
        for (auto& event : thread.events) by_object_[event.object].push_back(&event);
    }
    return std::move(by_object_[object]);
  }

  /// A lock is taken before the call that takes it returns, and given back after the call that gives it back was
  /// entered: by these times the two alternate.
  static std::uint64_t moment(const Event* event) {
    return event->action == Action::release || event->action == Action::arrive || event->action == Action::send
               ? event->enter
               : event->leave;
  }

  void number(std::uint32_t object) {
    const auto primitive = run_.objects[object].primitive;
    if (primitive == Primitive::thread || primitive == Primitive::condition || primitive == Primitive::futex ||
        primitive == Primitive::mark || primitive == Primitive::parallel)
      return;
    auto events = events_of(object);
    std::ranges::stable_sort(events, {}, moment);
    if (primitive == Primitive::barrier) return number_rounds(events, first_count_[object]);
    if (primitive == Primitive::semaphore) return number_units(events, first_count_[object]);
    if (primitive == Primitive::channel) return number_bytes(events, first_count_[object]);
    std::uint64_t released = 0;
    for (Event* event : events) event->sequence = event->action == Action::release ? ++released : released;
  }

  /// All threads of a round have arrived before the first one of the next round does.
  static void number_rounds(const std::vector<Event*>& events, std::uint64_t members) {
    if (members == 0) return;
    for (std::size_t i = 0; i < events.size(); ++i) events[i]->sequence = i / members + 1;
  }

  static void number_units(const std::vector<Event*>& events, std::uint64_t held) {
    std::uint64_t posted = 0, taken = 0;
    for (Event* event : events) {
      if (event->action == Action::release)
        event->sequence = ++posted;
      else
        event->sequence = ++taken > held ? taken - held : 0;
    }
  }

  /// held: what an eventfd has counted before anybody wrote to it. A receive of 0 bytes has waited and taken
  /// nothing: the send that it waited for is the one that the next receive takes from.
  static void number_bytes(const std::vector<Event*>& events, std::uint64_t held) {
    std::vector<std::uint64_t> sent_until;  // by send
    std::uint64_t sent = held, received = 0;
    for (Event* event : events)
      if (event->action == Action::send) {
        sent_until.push_back(sent += event->bytes);
        event->sequence = sent_until.size();
      }
    for (Event* event : events)
      if (event->action == Action::receive) {
        received += event->bytes;
        const auto last = event->bytes ? received : received + 1;
        if (last <= held) continue;
        const auto found = std::ranges::lower_bound(sent_until, last);
        event->sequence = found == sent_until.end() ? 0 : static_cast<std::uint64_t>(found - sent_until.begin() + 1);
      }
  }

  /// Seconds without a core, and in all: as TAIL says them, else of the threads of which it is known.
  std::pair<double, double> core_waits() const {
    if (file_.tail && whole(*file_.tail, "observed_ticks") > 0)
      return {1e-9 * amount(*file_.tail, "core_wait_ns"),
              clock_.seconds_per_tick * amount(*file_.tail, "observed_ticks")};
    std::pair<double, double> sums;
    for (const Thread& thread : run_.threads) {
      if (!thread.core_wait_s) continue;
      sums.first += *thread.core_wait_s;
      sums.second += 1e-9 * static_cast<double>(thread.last - thread.first);
    }
    return sums;
  }

  /// Of threads that went on when there was no room for their records any more, and of those that began then.
  void note_cut_records() {
    const Thread* first = nullptr;
    std::uint64_t count = 0;
    for (std::size_t t = 0; t < streams_.size(); ++t) {
      if (!streams_[t].ends_early) continue;
      ++count;
      if (!first || run_.threads[t].last < first->last) first = &run_.threads[t];
    }
    const auto all = file_.tail ? std::max(count, whole(*file_.tail, "dropped")) : count;
    const auto threads = [](std::uint64_t n) { return std::to_string(n) + (n == 1 ? " thread" : " threads"); };
    if (first)
      run_.notes.push_back("the record of " + first->name + " ends at " +
                           format_seconds(1e-9 * static_cast<double>(first->last)) + ", as there was no room for more" +
                           (count > 1 ? "; those of " + threads(count - 1) + " end then or later" : ""));
    if (all > count)
      run_.notes.push_back("of " + threads(all - count) + " there is no record, as there was no room for it");
  }

  void note() {
    const auto say = [&](std::string text) { run_.notes.push_back(std::move(text)); };
    const auto has = [&](Primitive primitive) {
      return std::ranges::any_of(run_.objects, [&](const Object& object) { return object.primitive == primitive; });
    };
    if (!file_.tail) say("the process did not end by exit: its record ends where it was then");
    note_cut_records();
    if (auto text = early_calls_missing(whole(file_.head, "early_dropped")); !text.empty()) say(std::move(text));
    const auto [waited_s, observed_s] = core_waits();
    if (auto text = without_cores(waited_s, observed_s); !text.empty()) say(std::move(text));
    if (const auto reason = word(part(file_.head, "work"), "without_counter"); !reason.empty())
      say("work is " + run_.clock + ", because PAPI_TOT_CYC is not available (" + reason + ")");
    if (forks_by_function()) say("of GCC's OpenMP the calls into libgomp are seen, not the waits inside of it");
    if (has(Primitive::futex))
      say("of futexes (atomic waits, latches, barriers and semaphores of C++) only calls that reach the system are "
          "seen");
  }

  /// A region of GCC's OpenMP is known by its function, one of OMPT by the place that forks it.
  bool forks_by_function() const {
    return std::ranges::any_of(streams_, [](const Stream& stream) {
      return std::ranges::any_of(stream.calls, [](const Call& call) {
        return call.primitive == SKT_PARALLEL && call.action == SKT_BROADCAST && call.object != call.site;
      });
    });
  }

  const trace::RankFile& file_;
  const trace::Clock clock_;
  std::vector<Stream> streams_;
  std::map<std::uint64_t, trace::Module> modules_;  // by `from`
  Places in_order_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> partner_;  // by thread and record
  std::map<std::pair<std::uint8_t, std::uint64_t>, std::uint32_t> at_;        // the object that is there now
  std::map<std::uint64_t, std::uint64_t> opened_;                             // by address: how often it is open
  std::vector<std::vector<std::uint32_t>> objects_, seconds_;                 // by thread and record
  std::vector<std::uint64_t> first_count_;                                    // by object
  std::map<std::uint8_t, int> count_;                                         // objects by primitive
  std::map<std::uint64_t, std::uint32_t> sites_;                              // by address
  std::vector<std::vector<Event*>> by_object_;
  Run run_;
};

}  // namespace

const char* name_of(Primitive primitive) { return kPrimitives[static_cast<std::size_t>(primitive)]; }
const char* name_of(Action action) { return kActions[static_cast<std::size_t>(action)]; }

bool is_thread_file(const std::string& name) { return name.starts_with("threads-") && name.ends_with(".skt"); }

std::vector<fs::path> thread_files(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error))
    if (is_thread_file(entry.path().filename().string())) files.push_back(entry.path());
  if (error) throw Error(Code::io, directory.string(), {}, error.message(), "give the directory of a trace");
  std::ranges::sort(files);
  return files;
}

Run read_file(const fs::path& path) {
  const auto file = trace::open_rank_file(path);
  if (part(file.head, "threads") != true)
    throw Error(Code::invalid_argument, path.string(), {}, "has what a rank did, not what threads did",
                "name a file threads-HOST-PID.skt, which skelgen trace --threads writes");
  return Reader(file).read();
}

std::vector<fs::path> files_of(const fs::path& path) {
  if (std::error_code ignored; fs::is_regular_file(path, ignored)) return {path};
  auto files = thread_files(path);
  if (files.empty()) trace::refuse_partial(path);
  if (files.empty())
    throw Error(Code::io, path.string(), {}, "no threads were recorded here", "trace with skelgen trace --threads");
  return files;
}

Run read_run(const fs::path& path) {
  const auto files = files_of(path);
  if (files.size() > 1)
    throw Error(Code::invalid_argument, path.string(), {},
                std::to_string(files.size()) + " processes recorded their threads here", "name the file of one");
  return read_file(files.front());
}

Summary summarize(const fs::path& path) {
  const auto file = trace::open_rank_file(path);
  const auto& work = part(file.head, "work");
  Summary summary;
  summary.application = word(file.head, "application");
  summary.threads = file.threads.size();
  summary.complete = file.tail.has_value();
  summary.bytes = file.mapping.bytes().size();
  summary.early_dropped = whole(file.head, "early_dropped");
  summary.clock = word(work, "clock");
  summary.without_counter = word(work, "without_counter");
  if (file.tail) {
    summary.events = whole(*file.tail, "calls");
    summary.cut_threads = whole(*file.tail, "dropped");
    summary.no_layers = part(work, "at_layers") == true && whole(*file.tail, "layer_calls") == 0;
    summary.core_wait_s = 1e-9 * amount(*file.tail, "core_wait_ns");
    summary.observed_s = trace::read_clock(file).seconds_per_tick * amount(*file.tail, "observed_ticks");
  }
  return summary;
}

std::string early_calls_missing(std::uint64_t calls) {
  if (calls == 0) return {};
  return std::to_string(calls) +
         " calls of semaphores, barriers and channels before the first thread was created are not recorded (there is "
         "room for 32 "
         "kB of them): what these objects held then is not known";
}

std::string without_cores(double core_wait_s, double observed_s) {
  if (trace::without_cores("threads", core_wait_s, observed_s).empty()) return {};
  const auto percent = std::lround(100 * std::min(1.0, core_wait_s / observed_s));
  return "other work used the machine, or the threads are more than its cores: they waited for a core for " +
         std::to_string(percent) +
         " % of the threads' time. Times of calls and hand-overs, who is late and what is predicted are unreliable; "
         "trace on a machine without other work";
}

}  // namespace skelgen::threads
