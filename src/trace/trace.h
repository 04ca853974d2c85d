#pragma once
// Reading a trace directory: meta.json and one rank-NNNNNN.skt per rank (FORMAT.md). Raw handles and addresses are as
// recorded; src/normalize gives them their canonical names.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mpi/mpi.h"
#include "support/error.h"
#include "support/units.h"

namespace skelgen::trace {

/// How a rank's file ended.
struct Ending {
  bool complete = false;        ///< sealed at MPI_Finalize or exit; false: killed, everything up to `used` is read
  std::uint64_t calls = 0;      ///< counted by the capture library (0 if not complete)
  std::uint64_t dropped = 0;    ///< calls seen but not recorded
  std::uint64_t suspended = 0;  ///< calls made after MPI_Pcontrol(0) and not recorded; not among `calls`
  std::uint64_t working_set_bytes = 0;  ///< memory referenced per sampling period, 0 if unknown
  double core_wait_s =
      0;  ///< from MPI_Init to MPI_Finalize the main thread was ready to run but had no core; 0 also if
          ///< unknown
};

/// Code of the traced program, as it was loaded: addresses from `from` to `to` (included), which were `base` higher than
/// in the file. Where modules overlap, an address belongs to the first that contains it.
struct Module {
  std::uint64_t from, to, base;
  std::string path, build_id;  ///< in hexadecimal digits, may be empty
  bool contains(std::uint64_t address) const { return address >= from && address <= to; }
};

/// What HEAD says of one rank.
struct RankInfo {
  Rank rank = 0;
  int threads = 1;
  std::string host, mpi_name, mpi_version;
  std::vector<std::string> columns;  ///< extra per-event columns: PAPI event names, "cpu_ns", "site"
  std::vector<Module> modules;       ///< that the column "site" has addresses in; of a complete file
  std::string clock;                 ///< "tsc", "monotonic", or "simulated": one clock for all ranks
  double seconds_per_tick = 0;       ///< from the clock pairs of the file
  double record_cost_s = 0;          ///< calibrated own cost of one record, part of every raw gap
  double cpu_cost_s = 0;             ///< the same of every raw "cpu_ns"
  std::map<std::string, double>
      speeds;  ///< kernel -> iterations per second at trace time ("register", "memory"; of a simulated host "flops")
  /// Passes per second of each kernel (templates/runtime/skel_kernel_names.h), and the standard errors of their logarithms:
  /// before MPI_Init and after MPI_Finalize together. Empty: not of all is it known.
  std::vector<double> kernel_speeds, kernel_noise;
  std::string processor;         ///< as templates/runtime/skel_processor.h names it; empty: unknown
  bool knows_cancelled = false;  ///< statuses say whether a request was cancelled
  Ending ending;
  std::uint64_t bytes = 0;  ///< of the file
};

/// By counter: its place among the rank's columns. Every name is one of them.
std::vector<std::size_t> columns_of(const RankInfo& rank, std::span<const std::string> counters);

/// A rank's first thread waited for other threads of its process, in seconds of CLOCK_MONOTONIC: until one of them let it go
/// on, and from then until it did.
struct ThreadWait {
  double begin, let_go, end;
};
/// By process (host and its number there); of each in order, none overlapping.
using ThreadWaits = std::map<std::pair<std::string, std::uint64_t>, std::vector<ThreadWait>>;

/// One recorded call. Valid during the visitor's call only.
struct Event {
  const mpi::Function*
      function;  ///< from the table; for names that the table lacks, an opaque entry owned by the reader
  /// One per function->recorded, in order; not recorded ones are 0. None where only name and time are known.
  std::span<const mpi::Value> values;
  std::uint64_t signature;  ///< same signature => same function and same values of all parameters recorded in it
  Seconds gap;              ///< since the location's previous call returned, tracer's cost removed, >= 0
  Seconds cpu;  ///< of it on a processor, or in thread_wait, if the trace has_cpu_time(), else all of it; <= gap
  Seconds thread_wait;  ///< of it waiting for other threads of the process, by OpenOptions::thread_waits; <= cpu
  Seconds hand_over;    ///< of that: another thread had let it go on already
  Seconds start, end;   ///< since the earliest MPI_Init entry of any rank of the run (same host clock)
  std::span<const std::uint64_t> columns;
  std::uint64_t site;  ///< of the call in the program: an address behind it; 0 if it is not known
  int error_class;     ///< that the call returned, a number of the traced MPI's; 0: it succeeded
};

struct CommDefinition {
  std::uint64_t handle;
  int size, rank, leader;
  bool inter;
  int remote_size = 0, remote_leader = -1;  ///< of an intercommunicator's other group; the leader is -1 outside the run
};
/// Who is next to the caller in a communicator's topology, in the order of the neighbourhood collectives: ranks in it, or
/// mpi::kProcNull.
struct NeighbourDefinition {
  std::uint64_t handle;
  std::vector<int> sources, destinations;
};
/// What a file that was opened held at that moment, in bytes; -1: not known.
struct FileDefinition {
  std::uint64_t handle;
  std::int64_t bytes;
};
struct DatatypeDefinition {
  std::uint64_t handle;
  std::int64_t size, extent;
  std::string name;
};
struct OpDefinition {
  std::uint64_t handle;
  bool commutes;
  std::string name;
};
struct GroupDefinition {
  std::uint64_t handle;
  std::vector<Rank> members;
};

/// Receives one location's stream in order. Definitions arrive before the first event that uses them;
/// a communicator's after the event that made it.
class Visitor {
 public:
  virtual ~Visitor() = default;
  virtual void event(const Event&) = 0;
  virtual void comm(const CommDefinition&) {}
  virtual void neighbours(const NeighbourDefinition&) {}  ///< after comm() of that communicator
  virtual void file(const FileDefinition&) {}             ///< after the event that opened it
  virtual void datatype(const DatatypeDefinition&) {}
  virtual void op(const OpDefinition&) {}
  virtual void group(const GroupDefinition&) {}
};

struct OpenOptions {
  bool allow_incomplete = true;   ///< read killed ranks as far as they go; false: Error{corrupt} names the first one
  bool allow_missing = false;     ///< false: Error names the missing ranks
  ThreadWaits thread_waits = {};  ///< for Event::thread_wait; of processes that are no rank: ignored
};

class Stream;

/// Reads one location's stream event by event, so that several can be read side by side. Memory O(signatures).
class Cursor {
 public:
  explicit Cursor(Stream stream);
  ~Cursor();
  Cursor(Cursor&&) noexcept;
  /// The next event, valid until the next call; the definitions before it go to `definitions` first (its event() is not
  /// called). Null at the end. Throws Error{corrupt} with path and offset.
  const Event* next(Visitor& definitions);

 private:
  std::unique_ptr<Stream> stream_;
};

/// An opened trace. Files are mapped; opening checks every checksum (about 10 GB/s).
class Trace {
 public:
  const std::filesystem::path& directory() const;
  int ranks() const;
  const std::string& application() const;  ///< base name of the traced program
  std::string shown_application() const;   ///< the same for people: of a Python script its name, not the interpreter's
  const std::string& command() const;
  std::string run_id() const;  ///< the run's number, 16 hexadecimal digits
  std::span<const RankInfo> rank_info() const;
  /// All locations, ordered by rank, then thread.
  std::span<const Location> locations() const;
  /// Streams one location's records. Cost O(records), memory O(signatures). Thread-safe for different locations.
  void visit(Location where, Visitor& visitor) const;
  /// The same, at the caller's pace. The trace must outlive it.
  Cursor read(Location where) const;
  /// All ranks have the column "cpu_ns": computation is what a rank's own clock says, the rest of a gap waiting for a
  /// processor. If only some have it, it tells nothing.
  bool has_cpu_time() const;
  /// All ranks have the column "site": where in the program each call was made, as an address behind it.
  bool has_sites() const;
  /// Events that all ranks counted over the gaps before their calls (PAPI's names), in the order of the first rank's columns.
  std::vector<std::string> counters() const;
  /// Run time: earliest MPI_Init entry to latest MPI_Finalize exit; nothing if a rank has no Finalize.
  std::optional<Seconds> wall() const;
  /// Run times of all runs of the program that were traced, this one among them; empty if it was traced once.
  std::vector<double> runs_s() const;
  /// Of the machine where all ranks ran; nothing: not known.
  std::optional<int> cores() const;
  /// Exit status of the run; 0 also where it is not known.
  int status() const;

  struct Impl;
  explicit Trace(std::shared_ptr<const Impl> impl);

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Throws Error{io} (no such directory, no meta.json, unreadable), Error{corrupt} (checksum, truncation, mixed runs,
/// other version: path and offset given).
Trace open(const std::filesystem::path& directory, const OpenOptions& options = {});

/// Writes Trace::runs_s() into the directory's meta.json. Throws Error{io}, Error{corrupt}.
void note_runs(const std::filesystem::path& directory, std::span<const double> runs_s);
/// The same of Trace::status().
void note_status(const std::filesystem::path& directory, int status);
/// The same of Trace::cores(), if all ranks ran on the host of that name. Whether they did.
bool note_cores(const Trace& trace, const std::string& host, int cores);

}  // namespace skelgen::trace
