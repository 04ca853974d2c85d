#pragma once
// Numbers and texts of records, as FORMAT.md has them. Internal to src/trace and src/threads.

#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "support/error.h"
#include "support/printable.h"
#include "trace/file.h"

namespace skelgen::trace {

/// Reads pieces of a file, one after the other. O(1) for a number, none of which is read beyond the end of its piece.
class RecordReader {
 protected:
  /// path: for messages; must outlive it.
  explicit RecordReader(const std::filesystem::path& path) : path_(path) {}

  void begin(const Piece& piece) {
    piece_ = piece;
    at_ = piece.bytes.data();
    end_ = at_ + piece.bytes.size();
  }

  /// Throws Error{corrupt} with the place where the file is being read.
  [[noreturn]] void fail(const std::string& text) const {
    throw Error(Code::corrupt, path_.string(), offset(), text, "trace the program again");
  }
  std::uint64_t offset() const { return piece_.offset + static_cast<std::uint64_t>(at_ - piece_.bytes.data()); }

  [[gnu::always_inline]] std::uint64_t number() {
    if (end_ - at_ < 8) return long_number();
    if (*at_ < 128) return *at_++;
    if (at_[1] < 128) {  // the next number may be read before it is known that this one ends here
      at_ += 2;
      return (at_[-2] & 127u) | std::uint64_t{at_[-1]} << 7;
    }
    return word_of_number();
  }

  /// A length; every element takes at least one byte, so more than what is left is wrong.
  std::size_t length() {
    const std::uint64_t value = number();
    if (value > static_cast<std::uint64_t>(end_ - at_)) fail("a length of " + std::to_string(value) + " elements");
    return static_cast<std::size_t>(value);
  }

  std::string text() {
    const std::size_t size = length();
    const std::string_view result(reinterpret_cast<const char*>(at_), size);
    at_ += size;
    return printable(result);
  }

  const std::filesystem::path& path_;
  Piece piece_{};
  const std::uint8_t *at_ = nullptr, *end_ = nullptr;

 private:
  /// A number of at most 8 bytes, with a word of them at once: the 7 bits of each are moved together.
  [[gnu::always_inline]] std::uint64_t word_of_number() {
    if constexpr (std::endian::native != std::endian::little) return long_number();
    std::uint64_t word = 0;
    std::memcpy(&word, at_, sizeof word);
    const std::uint64_t ends = ~word & 0x8080808080808080;
    if (ends == 0) return long_number();
    const int bytes = std::countr_zero(ends) / 8 + 1;
    at_ += bytes;
    word &= (ends ^ (ends - 1)) & 0x7f7f7f7f7f7f7f7f;
    word = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
    word = (word & 0x00003fff00003fff) | (word & 0x3fff00003fff0000) >> 2;
    return (word & 0x000000000fffffff) | (word & 0x0fffffff00000000) >> 4;
  }
  std::uint64_t long_number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at_ == end_) fail("a record is cut off");
      const std::uint8_t byte = *at_++;
      if (shift == 63 && byte > 1) fail("a number with more than 64 bits");
      value |= static_cast<std::uint64_t>(byte & 127) << shift;
      if (byte < 128) return value;
    }
    fail("a number with more than 64 bits");
  }
};

}  // namespace skelgen::trace
