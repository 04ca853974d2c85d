#pragma once
// What the threads of one process did to each other, as `skelgen trace --threads` recorded it: one Run is one process,
// its threads and their events, each thread's in program order.
//
// Times are nanoseconds of one clock that all threads share (the processor's invariant time stamp where there is one,
// else CLOCK_MONOTONIC) since recording began. Work is counted per thread, in units of Run::clock.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace skelgen::threads {

enum class Primitive : std::uint8_t {
  thread,
  mutex,
  read_write_lock,
  spin_lock,
  condition,
  barrier,
  semaphore,
  once,
  futex,
  channel,
  parallel,
  mark
};

/// What a call did. acquire consumes what the release before it on the same object produced, wait consumes a signal or
/// broadcast, arrive does both.
enum class Action : std::uint8_t {
  create,
  start,
  exit,
  join,  ///< of a thread: create produces start, exit produces join; `partner` is the other thread
  acquire,
  acquire_shared,
  release,  ///< mutex, read-write lock, spin lock; a semaphore's post is release, its wait acquire; once is both
  wait,
  signal,
  broadcast,  ///< condition, futex, mark; of a parallel region broadcast forks and wait begins the work of a member
  arrive,     ///< barrier, end of a parallel region
  send,
  receive  ///< data or synchronisation signals: pipe, eventfd, pair of sockets, mark of data; `bytes`
};

constexpr std::uint32_t kNoThread = 0xffffffff;
constexpr std::uint32_t kNoSite = 0xffffffff;

/// Of these one thread (or, shared, several) is inside from acquire to release.
constexpr bool is_lock(Primitive primitive) {
  return primitive == Primitive::mutex || primitive == Primitive::read_write_lock || primitive == Primitive::spin_lock;
}

struct Event {
  Action action;
  bool blocked;           ///< the call could not go on at once (lock taken, futex entered, barrier not the last)
  std::uint32_t object;   ///< index into Run::objects
  std::uint32_t partner;  ///< thread created, joined, or that created this one; kNoThread otherwise
  std::uint32_t site;     ///< index into Run::sites: where the call returns to
  /// Which operation on the object this is, where the primitive tells: what consumes has the number of what it
  /// consumed. 0: not known, or (of a semaphore or an eventfd) what it held at first.
  std::uint64_t sequence;
  std::uint64_t enter, leave;            ///< ns
  std::uint64_t work_enter, work_leave;  ///< units of Run::clock
  std::uint64_t
      bytes;  ///< of send and receive; of an eventfd, what its counter grows or shrinks by; 1: a message; 0: nothing was taken
};

/// An address that is destroyed and made again is another object.
struct Object {
  Primitive primitive;
  std::uint64_t address;
  std::string name;
};

struct Thread {
  std::string name;
  std::uint32_t parent;       ///< kNoThread: the first one, or not seen
  std::uint64_t first, last;  ///< ns: where its own events begin and end
  std::uint64_t first_work, last_work;
  std::optional<double> core_wait_s = {};  ///< it was ready to run but had no core, all in all; none: not known
  std::vector<Event> events;
};

/// Where in the program a call returns to.
struct Site {
  std::string module;
  std::uint64_t offset;       ///< in the module's file; without a module an address
  std::string build_id = {};  ///< of the module, in hexadecimal digits; may be empty
};

struct Run {
  std::string application, command, host;
  std::uint64_t pid = 0;
  double origin_s = 0;          ///< when recording began, by CLOCK_MONOTONIC
  std::string clock;            ///< "PAPI_TOT_CYC" or "thread CPU time (ns)"
  double units_per_second = 0;  ///< of `clock`; 0: not known
  bool at_layers = false;       ///< work was read where layers begin and end only
  bool complete = true;         ///< the process ended by exit
  std::vector<Object> objects;
  std::vector<Thread> threads;
  std::vector<Site> sites;
  /// By thread and event, of calls that waited in a trace with --sites: the site at which the function that made it was called.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> callers;
  std::vector<std::string> notes;  ///< what was not seen, one sentence each
};

/// "mutex", "release": as reports name them.
const char* name_of(Primitive primitive);
const char* name_of(Action action);

/// The files of `directory` that hold threads' events, in the order of their names: one for each process.
std::vector<std::filesystem::path> thread_files(const std::filesystem::path& directory);
bool is_thread_file(const std::string& name);

/// Reads one of them. Throws Error{io}, Error{corrupt}, or Error{invalid_argument} for what a rank did.
Run read_file(const std::filesystem::path& file);
/// The file itself, or the thread_files() of a directory. Throws Error{io} if there are none.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& file_or_directory);
/// The only one of files_of(). Throws Error{invalid_argument} where there are several.
Run read_run(const std::filesystem::path& file_or_directory);

/// What a file says of itself, without its events.
struct Summary {
  std::string application;
  std::size_t threads = 0;
  std::uint64_t events = 0, bytes = 0;  ///< events: 0 unless complete
  std::uint64_t cut_threads = 0;        ///< whose records end early or are missing: there was no room
  std::uint64_t early_dropped = 0;      ///< calls before the first thread was created, not recorded
  bool complete = false;
  bool no_layers = false;                  ///< work was to be counted at layers, and no call was made in one
  std::string clock, without_counter;      ///< why work is not counted by PAPI_TOT_CYC; empty if it is
  double core_wait_s = 0, observed_s = 0;  ///< of the threads of which it is known: without a core, and in all
};
Summary summarize(const std::filesystem::path& file);

/// "20 calls before the first thread was created are not recorded ...": more than there is room for; empty if there are none.
std::string early_calls_missing(std::uint64_t calls);

/// "other work used the machine, ...: they waited for a core for 40 % of the threads' time, ..." where that is more than a
/// twentieth of observed_s, the time of all threads together; else empty.
std::string without_cores(double core_wait_s, double observed_s);

}  // namespace skelgen::threads
