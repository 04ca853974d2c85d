#pragma once
// Writer of the record format, for tests. The capture library writes the same files from inside the traced program
// (wrappers/runtime).

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/mpi.h"
#include "trace/trace.h"

namespace skelgen::trace {

/// What all ranks of a run share.
struct Run {
  std::uint64_t id = 1;  ///< never 0
  int ranks = 1;
  std::string application = "application", command = "./application", started = "2000-01-01T00:00:00Z";
  std::string mpi_name = "MPICH", mpi_version = "4.0.2";
};

/// Makes the directory where needed and writes meta.json. Throws Error{io}.
void write_meta(const std::filesystem::path& directory, const Run& run);

/// What HEAD and TAIL say of one rank. Ticks are nanoseconds of CLOCK_MONOTONIC unless ns_per_tick says otherwise.
struct RankDescription {
  std::string host = "host", boot_id = "boot";
  std::vector<std::string> columns;
  double ns_per_tick = 1;  ///< other than 1: a clock of kind "tsc"
  std::uint64_t origin_ticks = 1'000'000'000, init_entry_ticks = 1'000'000'000, init_exit_ticks = 1'000'000'000;
  std::uint64_t record_cost_ticks = 0, cpu_cost_ns = 0;
  double speed_register = 0, speed_memory = 0;
  bool online = false;                  ///< it is read while it is written
  bool threads = false;                 ///< a file of what threads did
  bool at_layers = false;               ///< of that: work is read at borders of layers only
  double units_per_second = 1e9;        ///< of that: of the clock of work
  std::uint64_t chunk_bytes = 1 << 16;  ///< payload of an event chunk, a multiple of 8
};

/// How a complete file ends.
struct RankEnding {
  std::uint64_t dropped = 0, suspended = 0;
  std::uint64_t finalize_entry_ticks = 0, finalize_exit_ticks = 0;  ///< 0: MPI_Finalize was not called
  std::uint64_t working_set_bytes = 0, core_wait_ns = 0;
  std::string exit = "finalize";
};

/// A parameter's value to be recorded: one number, or an array.
struct Argument {
  std::int64_t scalar = 0;
  std::vector<std::int64_t> array;
  Argument(std::int64_t value) : scalar(value) {}
  Argument(std::initializer_list<std::int64_t> values) : array(values) {}
  Argument(std::vector<std::int64_t> values) : array(std::move(values)) {}
};

/// One rank's file. Nothing stands under the final name before finish() or abandon(); without either, nothing is left.
class Writer {
 public:
  /// Throws Error{io} if the file cannot be written, Error{invalid_argument} for a rank that the run does not have.
  Writer(const std::filesystem::path& directory, const Run& run, Rank rank, RankDescription description = {});
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Definitions, in the stream of one thread, before their first use there.
  void comm(const CommDefinition& definition, int thread = 0);
  void neighbours(const NeighbourDefinition& definition, int thread = 0);
  void file(const FileDefinition& definition, int thread = 0);
  void datatype(const DatatypeDefinition& definition, int thread = 0);
  void op(const OpDefinition& definition, int thread = 0);
  void group(const GroupDefinition& definition, int thread = 0);

  /// A call: the function and its signature are defined where they are new. `arguments`: one per recorded parameter in
  /// the table's order; none for a function that the table lacks, or that is known by name and time only. Times in
  /// ticks; `columns` as many as described. Throws Error{invalid_argument} on a wrong number of arguments or columns.
  void call(std::string_view function, const std::vector<Argument>& arguments, std::uint64_t gap_ticks,
            std::uint64_t call_ticks, const std::vector<std::uint64_t>& columns = {}, int thread = 0);
  /// Ticks that are the tracer's own.
  void pause(std::uint64_t ticks, int thread = 0);
  /// One record as it is, for what the other functions cannot say.
  void record(const std::vector<std::uint64_t>& numbers, int thread = 0);

  /// Seals the chunks and appends TAIL.
  void finish(const RankEnding& ending = {});
  /// Leaves the file as a killed process does: one open chunk per thread, no TAIL.
  void abandon();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace skelgen::trace
