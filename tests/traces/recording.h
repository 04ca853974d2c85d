#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thread_format.h"
#include "traces/writer.h"

namespace skelgen::trace {

/// What one thread recorded: calls get their numbers where they are new.
class Recording {
 public:
  explicit Recording(Writer& writer, int thread) : writer_(writer), thread_(thread) {}

  void module(std::uint64_t from, std::uint64_t to, std::uint64_t base, const std::string& path) {
    std::vector<std::uint64_t> record{SKT_TAG_MODULE, from, to, base, path.size()};
    for (const char byte : path) record.push_back(static_cast<unsigned char>(byte));
    record.push_back(0);  // no build id
    writer_.record(record, thread_);
  }
  /// Gap and call as ticks; both as work, too, unless the call blocked.
  void event(skt_primitive primitive, skt_action action, std::uint64_t object, std::uint64_t gap, std::uint64_t took,
             std::uint64_t value = 0, unsigned flags = 0, std::uint64_t second = 0, std::uint64_t site = 0x1010) {
    writer_.record({SKT_TAG_CALL, calls_, primitive, action, flags, object, second, site}, thread_);
    writer_.record({SKT_TAG_EVENT + calls_++, gap, took, gap, flags ? 0 : took, value}, thread_);
  }
  /// The same with work of its own, in the gap and in the call.
  void event_with_work(skt_primitive primitive, skt_action action, std::uint64_t object, std::uint64_t gap,
                       std::uint64_t took, std::uint64_t gap_work, std::uint64_t call_work) {
    writer_.record({SKT_TAG_CALL, calls_, primitive, action, 0, object, 0, 0x1010}, thread_);
    writer_.record({SKT_TAG_EVENT + calls_++, gap, took, gap_work, call_work, 0}, thread_);
  }

  void name(const std::string& name) {
    std::vector<std::uint64_t> record{SKT_TAG_NAME, name.size()};
    for (const char byte : name) record.push_back(static_cast<unsigned char>(byte));
    writer_.record(record, thread_);
  }

  /// The thread was ready to run but had no core for so many ns.
  void core_wait(std::uint64_t ns) { writer_.record({SKT_TAG_CORE_WAIT, ns}, thread_); }

 private:
  Writer& writer_;
  int thread_;
  std::uint64_t calls_ = 0;
};

}  // namespace skelgen::trace
