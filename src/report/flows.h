#pragma once
// Messages as lines between rows of a timeline, in a number that does not grow with the run.

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace skelgen::report {

/// Messages of about the same time between the same rows count as one line. When there are too many lines, times become
/// coarser, then neighbouring rows become one. O(1) per message, O(most) memory. At most 1024 rows (10 bits of a key).
class Flows {
 public:
  static constexpr std::size_t kMost = 6000;
  /// from, to: below `rows`. A message that clocks show as received before it was sent counts as received when sent.
  struct Message {
    std::size_t from;
    double sent_s;
    std::size_t to;
    double received_s;
  };
  /// Times are from `begin` column on: column k is [k, k + 1) * column_s().
  struct Line {
    std::uint32_t from, to;  ///< rows; the first ones of row_step() each
    std::uint32_t sent, received;
    std::uint32_t messages;
  };

  Flows(std::size_t rows, double column_s, std::size_t most = kMost) : rows_(rows), column_s_(column_s), most_(most) {}
  void add(const Message& message);

  double column_s() const { return column_s_; }
  std::size_t row_step() const { return std::size_t{1} << row_shift_; }
  /// By time sent, then row.
  std::vector<Line> lines() const;

 private:
  using Key = std::uint64_t;  // sent, received: 22 bits each; from, to: 10 bits each
  static constexpr std::uint32_t kColumns = 1u << 22;
  static constexpr std::uint32_t kFewColumns = 32;  // a line says little when times are coarser
  static Key key(std::uint32_t sent, std::uint32_t received, std::uint32_t from, std::uint32_t to) {
    return static_cast<Key>(sent) << 42 | static_cast<Key>(received) << 20 | from << 10 | to;
  }
  static Line line(Key key, std::uint32_t messages) {
    constexpr std::uint32_t kRow = 1023;
    return {static_cast<std::uint32_t>(key >> 10) & kRow, static_cast<std::uint32_t>(key) & kRow,
            static_cast<std::uint32_t>(key >> 42), static_cast<std::uint32_t>(key >> 20) & (kColumns - 1), messages};
  }
  void coarsen(bool rows);

  std::size_t rows_;
  double column_s_, end_s_ = 0;
  std::size_t most_;
  unsigned row_shift_ = 0;
  std::unordered_map<Key, std::uint32_t> lines_;
};

}  // namespace skelgen::report
