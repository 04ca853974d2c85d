#pragma once
// Tables of many numbers as a text that a compiler reads at once, where numbers one by one take it a second for a
// million and half a kilobyte of memory each. templates/runtime/skel_tables.h says how they are packed, and reads them.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skelgen::emit {

/// Ranks that need a table: those whose entry of the C array `of` is `number`; all if it is "NULL".
struct Needed {
  std::string of = "NULL";
  std::int64_t number = 0;
};

class PackedTables {
 public:
  /// Numbers of 4 or 8 bytes that the C variable at the address `where` ("&count_1") is to point to.
  void add(std::string_view where, int bytes, std::span<const std::int64_t> numbers, const Needed& by = {});
  /// Pointers to these arrays.
  void add_arrays(std::string_view where, int bytes, std::span<const std::vector<std::int64_t>> arrays);
  bool empty() const { return entries_.empty(); }
  /// Declares `packed`, a struct skel_packed. O(numbers).
  std::string declarations() const;

 private:
  void append(std::span<const std::int64_t> numbers);
  std::vector<std::string> entries_;
  std::vector<std::uint8_t> stream_;
};

/// The stream of bytes with copies of what came before instead of what repeats itself. O(bytes).
std::vector<std::uint8_t> without_repetitions(std::span<const std::uint8_t> bytes);

}  // namespace skelgen::emit
