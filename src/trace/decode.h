#pragma once
// Records of one stream -> visitor calls. Internal to src/trace.

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "trace/file.h"
#include "trace/trace.h"

namespace skelgen::trace {

/// Opaque functions that the table does not have, by name; shared by all streams of a trace.
class UnknownFunctions {
 public:
  const mpi::Function* get(const std::string& name);

 private:
  struct Entry {
    std::string name;
    mpi::Function function;
  };
  std::mutex lock_;
  std::map<std::string, std::unique_ptr<Entry>> entries_;
};

struct StreamContext {
  const RankFile* file;
  int thread;
  Clock clock;
  double zero_s;  ///< CLOCK_MONOTONIC seconds that count as 0
  double record_cost_s, cpu_cost_s;
  std::size_t columns, cpu_column;  ///< number of columns; which of them is "cpu_ns", or no smaller than their number
  std::size_t site_column;          ///< the same of "site"
  UnknownFunctions* unknown;
  std::span<const ThreadWait> waits;  ///< of this thread
};

/// The records of one stream, read event by event.
class Stream {
 public:
  /// release_bytes: mapped bytes that were read are given back when they are so many.
  Stream(const StreamContext& context, std::ptrdiff_t release_bytes);
  ~Stream();
  Stream(Stream&&) noexcept;
  /// The next event, valid until the next call; the definitions before it go to `definitions` first. Null at the end.
  /// Throws Error{corrupt} with path and offset on anything that the format does not allow.
  const Event* next(Visitor& definitions);

 private:
  class Decoder;
  std::unique_ptr<Decoder> decoder_;
};

}  // namespace skelgen::trace
