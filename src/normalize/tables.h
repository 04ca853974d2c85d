#pragma once
// Interning of records, symbols, arrays and names while locations are read one after the other. Internal to
// src/normalize.

#include <functional>
#include <unordered_map>

#include "normalize/normalize.h"

namespace skelgen::normalize {

inline std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  // hash and value are often both small: without the first product, different pairs gave equal hashes.
  hash = ((hash + 0x94d049bb133111ebu) * 0xbf58476d1ce4e5b9u ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}
std::uint64_t hash_of(std::span<const std::int64_t> words, std::uint64_t seed);

/// Ids 0, 1, 2, ... of things that are kept elsewhere, found by their hashes. Open addressing, 8 bytes a cell, at
/// most half of the cells in use, and 8 bytes a thing.
class Ids {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  /// The id whose thing has this hash and for which equal(id) holds, or kNone; then add() the next one.
  template <typename Equal>
  std::uint32_t find(std::uint64_t hash, Equal&& equal) const {
    if (cells_.empty()) return kNone;
    for (std::size_t at = hash & mask(); cells_[at].id != kNone; at = (at + 1) & mask())
      if (cells_[at].hash == static_cast<std::uint32_t>(hash >> 32) && equal(cells_[at].id)) return cells_[at].id;
    return kNone;
  }
  /// kNone if there are 2^32 - 1 already.
  std::uint32_t add(std::uint64_t hash);

 private:
  struct Cell {
    std::uint32_t hash, id = kNone;  // the upper half of the hash; the lower one says where to look
  };
  std::size_t mask() const { return cells_.size() - 1; }
  void put(std::uint64_t hash, std::uint32_t id);

  std::vector<Cell> cells_;
  std::vector<std::uint64_t> hashes_;  // by id
};

/// Gives equal values equal numbers, in the order of their first appearance.
class Tables {
 public:
  /// directory: of the trace, for errors.
  Tables(std::string directory, Normalized& normalized);
  SymbolId symbol(const mpi::Function* function, std::span<const std::int64_t> key);
  RecordId record(SymbolId symbol, std::span<const std::int64_t> values);
  std::int64_t array(std::span<const std::int64_t> values);
  std::int64_t name(const std::string& name, std::int64_t bytes);

 private:
  std::uint32_t add(Ids& ids, std::uint64_t hash) const;

  const std::string directory_;
  Normalized& out_;
  Ids symbols_, records_, arrays_;
  std::unordered_map<std::string, std::int64_t> names_;
};

/// Locations with equal sequences of symbols, in the order of their first members.
std::vector<Class> group_equal(const Normalized& normalized);

/// Lowest free number first.
class Slots {
 public:
  int take();
  void give(int slot);

 private:
  std::vector<int> free_;  // a heap, smallest first
  int next_ = 0;
};

}  // namespace skelgen::normalize
