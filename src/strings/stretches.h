#pragma once
// A map from distances to stretches of a string. Internal to src/strings.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace skelgen::strings {

/// For a distance d, the last stretch found where the string agrees with what is d further right: text[begin, end) with
/// text[begin + d, end + d). An array for small distances, open addressing for the others: at most four entries of three
/// positions for each distance.
template <typename Position>
class Stretches {
 public:
  struct Stretch {
    Position begin = 0, end = 0;
  };

  /// largest: no distance is above.
  explicit Stretches(Position largest) : near_(static_cast<std::size_t>(std::min(largest, kNear)) + 1) {}

  /// The stretch of `distance` > 0, at first an empty one. The reference is good until the next call.
  Stretch& operator[](Position distance) { return distance < near_.size() ? near_[distance] : far(distance); }

 private:
  static constexpr Position kNear = 4095;

  struct Entry {
    Position distance = 0;  // 0: free
    Stretch stretch;
  };

  [[gnu::noinline]] Stretch& far(Position distance) {
    std::size_t at = place(distance);
    if (entries_[at].distance == distance) return entries_[at].stretch;
    if (2 * ++size_ > entries_.size()) {
      grow();
      at = place(distance);
    }
    entries_[at].distance = distance;
    return entries_[at].stretch;
  }

  /// Where `distance` is, or where it is to be put.
  std::size_t place(Position distance) const {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = (distance * std::uint64_t{0x9e3779b97f4a7c15} >> 32) & mask;  // Fibonacci hashing
    while (entries_[at].distance != distance && entries_[at].distance != 0) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Entry> old(2 * entries_.size());
    old.swap(entries_);
    for (const Entry& entry : old)
      if (entry.distance != 0) entries_[place(entry.distance)] = entry;
  }

  std::vector<Stretch> near_;
  std::vector<Entry> entries_ = std::vector<Entry>(64);
  std::size_t size_ = 0;
};

}  // namespace skelgen::strings
