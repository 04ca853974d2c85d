#pragma once
// Records of one threads-HOST-PID.skt as they stand there, before they become a Run. Internal to src/threads.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "thread_format.h"
#include "trace/file.h"
#include "trace/trace.h"

namespace skelgen::threads {

/// A call of the program, with what is the same each time that the thread makes it. Records refer to it by number.
struct Call {
  std::uint8_t primitive, action;  ///< enum skt_primitive, enum skt_action
  std::uint8_t flags;              ///< enum skt_call_flag
  std::uint64_t object, second, site;
};

struct Record {
  std::uint32_t call;                    ///< index into Stream::calls
  std::uint64_t enter, leave;            ///< ticks since the file's origin
  std::uint64_t work_enter, work_leave;  ///< since the thread's first record
  std::uint64_t value;
};

struct Stream {
  std::string name;  ///< that the thread gave itself; may be empty
  std::vector<Call> calls;
  std::vector<trace::Module> modules;
  std::vector<Record> records;
  bool ends_early = false;                    ///< there was no room for more
  std::optional<std::uint64_t> core_wait_ns;  ///< ready to run but without a core
};

/// Throws Error{corrupt} with path and offset.
Stream read_stream(const trace::RankFile& file, std::size_t thread);

}  // namespace skelgen::threads
