#pragma once
// Addresses -> (slot, offset). Internal to src/normalize.

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "normalize/normalize.h"

namespace skelgen::normalize {

/// First collects every interval of addresses that a location's calls touch; after finish(), names addresses.
class Buffers {
 public:
  /// bytes > 0.
  void touch(std::uint64_t address, std::uint64_t bytes);
  /// The same of memory attached to a window: others may access neighbouring pieces of it at once.
  void attach(std::uint64_t address, std::uint64_t bytes);
  /// Joins overlapping intervals to areas; of those that merely touch only attached ones, if this is not asked for.
  void finish(Areas areas = Areas::overlapping);
  struct Place {
    std::int64_t slot;
    std::uint64_t offset;
  };
  /// Where an address lies; nothing if in no area. A slot is made at the area's first use.
  std::optional<Place> find(std::uint64_t address);
  std::vector<std::uint64_t> bytes_by_slot() const;

 private:
  struct Interval {
    std::uint64_t begin, end;
    bool operator==(const Interval&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Interval& i) const {
      return (i.begin * 0x9e3779b97f4a7c15u) ^ (i.end * 0xc2b2ae3d27d4eb4fu);
    }
  };
  std::unordered_set<Interval, Hash> touched_;
  std::set<std::uint64_t> attached_begins_, attached_ends_;
  std::optional<Place> at_address(std::uint64_t address);

  bool addresses_ = false;                        // Areas::addresses
  std::unordered_map<std::uint64_t, int> slots_;  // by address, of those
  std::vector<Interval> areas_;                   // sorted
  std::vector<int> slot_;                         // parallel to areas_, -1: not used yet
  std::vector<std::uint64_t> size_;               // by slot
  std::size_t last_ = 0;
};

}  // namespace skelgen::normalize
