#pragma once
// Interning of records, symbols, arrays and names while locations are read one after the other. Internal to
// src/normalize.

#include <unordered_map>

#include "normalize/normalize.h"

namespace skelgen::normalize {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value);

struct WordsHash {
  std::size_t operator()(const std::vector<std::int64_t>& words) const {
    std::uint64_t hash = words.size();
    for (const std::int64_t word : words) hash = mix(hash, static_cast<std::uint64_t>(word));
    return hash;
  }
};

/// Gives equal values equal numbers, in the order of their first appearance.
class Tables {
 public:
  explicit Tables(Normalized& normalized);
  SymbolId symbol(const mpi::Function* function, const std::vector<std::int64_t>& key);
  RecordId record(SymbolId symbol, const std::vector<std::int64_t>& values);
  std::int64_t array(std::span<const std::int64_t> values);
  std::int64_t name(const std::string& name, std::int64_t bytes);

 private:
  Normalized& out_;
  std::unordered_map<const mpi::Function*, std::unordered_map<std::vector<std::int64_t>, SymbolId, WordsHash>> symbols_;
  std::vector<std::unordered_map<std::vector<std::int64_t>, RecordId, WordsHash>> records_;  // by symbol
  std::unordered_map<std::vector<std::int64_t>, std::int64_t, WordsHash> arrays_;
  std::unordered_map<std::string, std::int64_t> names_;
  std::vector<std::int64_t> scratch_;
};

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
