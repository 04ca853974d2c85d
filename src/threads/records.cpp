#include "threads/records.h"

#include "support/error.h"
#include "support/printable.h"

namespace skelgen::threads {
namespace {

class Decoder {
 public:
  Decoder(const trace::RankFile& file, Stream& stream) : file_(file), stream_(stream) {}

  void read(const trace::Piece& piece) {
    piece_ = &piece;
    at_ = 0;
    while (at_ < piece.bytes.size()) {
      begin_ = at_;
      record(number());
    }
  }

 private:
  [[noreturn]] void fail(const std::string& text) const {
    throw Error(Code::corrupt, file_.path.string(), piece_->offset + begin_, text, "trace the program again");
  }

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at_ == piece_->bytes.size()) fail("a record is cut off");
      const std::uint64_t byte = piece_->bytes[at_++];
      if (shift == 63 && byte > 1) fail("a number is too large");
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail("a number is too long");
  }

  std::string text() {
    const auto length = number();
    if (length > piece_->bytes.size() - at_) fail("a text is cut off");
    const auto bytes = piece_->bytes.subspan(at_, length);
    at_ += length;
    return printable(std::string(bytes.begin(), bytes.end()));
  }

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
        call.flags = below(4, "flags");
        call.object = number();
        call.second = number();
        call.site = number();
        stream_.calls.push_back(call);
        return;
      }
      case SKT_TAG_MODULE: {
        Module module{};
        module.from = number();
        module.to = number();
        module.base = number();
        module.path = text();
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
        stream_.dropped += number();
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

  const trace::RankFile& file_;
  Stream& stream_;
  const trace::Piece* piece_ = nullptr;
  std::size_t at_ = 0, begin_ = 0;
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
