#pragma once
// Reading a trace while it is being written: of a run that is too long to keep its records.

#include <atomic>
#include <filesystem>
#include <memory>
#include <vector>

#include "trace/trace.h"

namespace skelgen::trace {

class Growing;
class Pace;

/// The trace of a run that goes on. Its cursors wait for records that are not there yet, so all ranks are read as far as
/// the slowest one has come. Reading takes a twentieth of a processor, more only where much waits or the run is over:
/// for one rank a share of 256 MiB (as many as there are ranks; but 4 MiB at least).
class Followed {
 public:
  /// Waits until all ranks have begun. `over`: set by whoever sees that nobody writes any more. give_back: what was read
  /// gives its place on the disk back, as far as the file system can do that. Throws Error{io} and Error{corrupt} as
  /// open() does (of records that are damaged the cursors do, behind them); where the run ended before all ranks had
  /// begun, Error{corrupt} that names the missing ones.
  Followed(const std::filesystem::path& directory, const std::atomic<bool>& over, bool give_back);
  ~Followed();
  Followed(const Followed&) = delete;
  Followed& operator=(const Followed&) = delete;

  /// With one location for each rank: cursors throw Error{unsupported} at the first record of another thread.
  const Trace& trace() const { return *trace_; }
  /// How it ended, when all cursors came to their end: no records, but what the files say behind them.
  Trace ended() const;
  /// Whether records were given back: the files are no trace any more.
  bool gave_back() const;

 private:
  std::unique_ptr<Pace> pace_;
  std::vector<std::shared_ptr<Growing>> files_;
  std::unique_ptr<const Trace> trace_;
};

}  // namespace skelgen::trace
