#include "threads/records.h"

#include "trace/record_reader.h"

namespace skelgen::threads {
namespace {

class Decoder : trace::RecordReader {
 public:
  Decoder(const trace::RankFile& file, Stream& stream) : RecordReader(file.path), stream_(stream) {}

  void read(const trace::Piece& piece) {
    begin(piece);
    while (at_ < end_) record(number());
  }

 private:
  std::uint8_t below(std::uint64_t end, const char* what) {
    const auto value = number();
    if (value >= end) fail(std::string(what) + " " + std::to_string(value));
    return static_cast<std::uint8_t>(value);
  }

  /// Times and work are sums of what records say: none may pass what 63 bits hold.
  void advance(std::uint64_t& sum) {
    constexpr auto kMost = std::uint64_t{1} << 63;
    const auto more = number();
    if (more >= kMost - sum) fail("a time or a count is too large");
    sum += more;
  }

  void record(std::uint64_t tag) {
    switch (tag) {
      case SKT_TAG_CALL: {
        if (number() != stream_.calls.size()) fail("a call's number is not the next one");
        Call call{};
        call.primitive = below(SKT_PRIMITIVES, "primitive");
        call.action = below(SKT_ACTIONS, "action");
        call.flags = below(8, "flags");
        call.object = number();
        call.second = number();
        call.site = number();
        stream_.calls.push_back(call);
        return;
      }
      case SKT_TAG_MODULE: {
        trace::Module module{};
        module.from = number();
        module.to = number();
        module.base = number();
        module.path = text();
        module.build_id = text();
        stream_.modules.push_back(std::move(module));
        return;
      }
      case SKT_TAG_NAME:
        stream_.name = text();
        return;
      case SKT_TAG_PAUSE:
        return advance(now_);
      case SKT_TAG_CLOCK:
        number();
        number();
        return;
      case SKT_TAG_DROPPED:
        stream_.ends_early = number() > 0;
        return;
      case SKT_TAG_CORE_WAIT:
        stream_.core_wait_ns = number();
        return;
      default:
        break;
    }
    if (tag < SKT_TAG_EVENT || tag - SKT_TAG_EVENT >= stream_.calls.size())
      fail("record of kind " + std::to_string(tag));
    Record record{};
    record.call = static_cast<std::uint32_t>(tag - SKT_TAG_EVENT);
    advance(now_);
    record.enter = now_;
    advance(now_);
    record.leave = now_;
    advance(work_);
    record.work_enter = work_;
    advance(work_);
    record.work_leave = work_;
    record.value = number();
    stream_.records.push_back(record);
  }

  Stream& stream_;
  std::uint64_t now_ = 0, work_ = 0;
};

}  // namespace

Stream read_stream(const trace::RankFile& file, std::size_t thread) {
  Stream stream;
  Decoder decoder(file, stream);
  for (const auto& piece : file.threads[thread]) decoder.read(piece);
  return stream;
}

}  // namespace skelgen::threads
