#pragma once
// Traces as tests write them: what a process does, apart from how it names things.

#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "normalize/normalize.h"
#include "traces/writer.h"

namespace skelgen::test {

/// A directory that is gone after the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "skelgen-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary directory");
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// What must not matter: addresses are shifted, handle values are other numbers in another order.
struct Naming {
  std::uint64_t shift = 0, salt = 0;
};

/// What a program asks for when it starts MPI; later: it calls MPI_Init by itself, behind other calls.
enum class Level { none, serialized = 2, multiple, later };

/// One rank that calls MPI. Handles are written as small numbers > 0; 0 is the null handle. Communicator 1 is WORLD,
/// 2 is SELF.
class Process {
 public:
  Process(const std::filesystem::path& directory, const trace::Run& run, int rank, Naming naming,
          Level level = Level::none)
      : writer_(directory, run, rank, description()), naming_(naming), rank_(rank), ranks_(run.ranks) {
    announce();
    if (level == Level::none)
      call("MPI_Init", {});
    else if (level != Level::later)
      call("MPI_Init_thread", {static_cast<std::int64_t>(level)});
  }

  /// Who makes the calls that follow; a thread's own clock begins when the process does.
  void on(int thread) {
    thread_ = thread;
    if (thread <= threads_) return;
    threads_ = thread;
    announce();
  }

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  trace::Writer& writer() { return writer_; }

  std::int64_t comm(int n = 1) const { return static_cast<std::int64_t>(handle('c', n)); }
  std::int64_t request(int n) const { return static_cast<std::int64_t>(handle('r', n)); }
  std::int64_t group(int n) const { return static_cast<std::int64_t>(handle('g', n)); }
  std::int64_t doubles() const { return static_cast<std::int64_t>(handle('t', 1)); }
  std::int64_t ints() const { return static_cast<std::int64_t>(handle('t', 2)); }
  std::int64_t upper_bound() const { return static_cast<std::int64_t>(handle('t', 5000)); }
  std::int64_t derived() const { return static_cast<std::int64_t>(handle('t', 3)); }
  /// Of those that the process makes: n > 3.
  std::int64_t type(int n) const { return static_cast<std::int64_t>(handle('t', n)); }
  std::int64_t op(int n) const { return static_cast<std::int64_t>(handle('o', n)); }
  std::int64_t sum() const { return static_cast<std::int64_t>(handle('o', 1)); }
  std::int64_t own_op() const { return static_cast<std::int64_t>(handle('o', 2)); }
  std::int64_t at(std::uint64_t address) const { return static_cast<std::int64_t>(0x10000 + naming_.shift + address); }

  void call(std::string_view function, const std::vector<trace::Argument>& arguments, std::uint64_t gap = 1000) {
    writer_.call(function, arguments, gap, 100, {1, 10}, thread_);
  }
  /// What this rank is told of a communicator.
  void define(int n, int size, int rank, int leader) {
    writer_.comm({handle('c', n), size, rank, leader, false}, thread_);
  }
  void define_group(int n, std::vector<Rank> members) { writer_.group({handle('g', n), std::move(members)}, thread_); }

  void send(int peer, std::uint64_t address = 0, std::int64_t count = 4, std::int64_t tag = 7, int on = 1) {
    call("MPI_Send", {at(address), count, doubles(), peer, tag, comm(on)});
  }
  void recv(int peer, std::uint64_t address = 0, std::int64_t count = 4, std::int64_t tag = 7,
            std::vector<std::int64_t> status = {}) {
    call("MPI_Recv", {at(address), count, doubles(), peer, tag, comm(), status});
  }
  void isend(int peer, int n, std::uint64_t address = 0, std::int64_t count = 4) {
    call("MPI_Isend", {at(address), count, doubles(), peer, 7, comm(), request(n)});
  }
  void irecv(int peer, int n, std::uint64_t address = 0, std::int64_t count = 4, std::int64_t tag = 7) {
    call("MPI_Irecv", {at(address), count, doubles(), peer, tag, comm(), request(n)});
  }
  void wait(int n, std::vector<std::int64_t> status = {}) { call("MPI_Wait", {request(n), status}); }
  void waitall(const std::vector<int>& which, std::vector<std::int64_t> statuses = {}) {
    call("MPI_Waitall", {static_cast<std::int64_t>(which.size()), requests(which), statuses});
  }
  std::vector<std::int64_t> requests(const std::vector<int>& which) const {
    std::vector<std::int64_t> handles;
    for (const int n : which) handles.push_back(request(n));
    return handles;
  }
  void barrier(int on = 1) { call("MPI_Barrier", {comm(on)}); }
  void finish() {
    on(0);
    call("MPI_Finalize", {});
    writer_.finish({.finalize_entry_ticks = 2'000'000'000, .finalize_exit_ticks = 2'000'000'001});
  }

 private:
  static trace::RankDescription description() {
    trace::RankDescription description;
    description.columns = {"ONE", "TEN"};
    return description;
  }

  /// What every thread is told before its first call.
  void announce() {
    define(1, ranks_, rank_, 0);
    define(2, 1, 0, rank_);
    for (const auto& [type, bytes, name] :
         {std::tuple(1, 8, "MPI_DOUBLE"), {2, 4, "MPI_INT"}, {3, 24, ""}, {5000, 0, "MPI_UB"}})
      writer_.datatype({handle('t', type), bytes, bytes, name}, thread_);
    writer_.op({handle('o', 1), true, "MPI_SUM"}, thread_);
    writer_.op({handle('o', 2), true, ""}, thread_);
  }

  /// A permutation of the numbers 1, 2, 3, ... for every kind of handle and naming.
  std::uint64_t handle(char kind, int n) const {
    if (n == 0) return 0;
    const std::uint64_t number = (static_cast<std::uint64_t>(n) * (2 * naming_.salt + 1)) & 0xffff;
    return static_cast<std::uint64_t>(kind) << 16 | number;
  }

  trace::Writer writer_;
  Naming naming_;
  int rank_, ranks_;
  int thread_ = 0, threads_ = 0;
};

using Behaviour = std::function<void(Process&)>;

/// Writes the trace of a run in which every rank behaves like this, between Init and Finalize.
inline void write(const std::filesystem::path& directory, int ranks, const Behaviour& behaviour, Naming naming = {},
                  Level level = Level::none) {
  trace::Run run;
  run.ranks = ranks;
  trace::write_meta(directory, run);
  for (int rank = 0; rank < ranks; ++rank) {
    Process process(directory, run, rank, naming, level);
    behaviour(process);
    process.finish();
  }
}

/// Whether what was counted, 1 and 10 before each recorded call, is all there.
inline bool counts_all(const normalize::Normalized& run, const trace::Trace& trace) {
  struct Events : trace::Visitor {
    void event(const trace::Event&) override { ++n; }
    double n = 0;
  };
  for (std::size_t l = 0; l < run.locations.size(); ++l) {
    Events events;
    trace.visit(run.locations[l].where, events);
    double sum[2] = {0, 0};
    normalize::each_counted(run, l, [&](std::span<const double> counted) {
      for (std::size_t c = 0; c < 2; ++c) sum[c] += counted[c];
    });
    if (sum[0] != events.n || sum[1] != 10 * events.n) return false;
  }
  return true;
}

inline normalize::Normalized normalized(int ranks, const Behaviour& behaviour, Naming naming = {},
                                        Level level = Level::none) {
  const Folder folder;
  write(folder.path(), ranks, behaviour, naming, level);
  const auto trace = trace::open(folder.path());
  auto run = normalize::classes(trace);
  if (!counts_all(run, trace)) throw std::logic_error("counts of some calls are lost");
  return run;
}

/// The calls of one location between Init and Finalize, one text each.
inline std::vector<std::string> texts(const normalize::Normalized& run, std::size_t location = 0) {
  std::vector<std::string> lines;
  for (const auto call : run.locations[location].calls) lines.push_back(normalize::text(run, run.records[call]));
  if (!lines.empty()) lines.pop_back();
  if (!lines.empty()) lines.erase(lines.begin());
  return lines;
}

/// What is said of a run that cannot be normalized; empty if it can.
inline std::string refusal(int ranks, const Behaviour& behaviour, Level level = Level::none) {
  try {
    normalized(ranks, behaviour, {}, level);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace skelgen::test
