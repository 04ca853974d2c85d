#pragma once
// Sums, indices that are used again, keys of several numbers. Internal to src/metrics.

#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <span>
#include <vector>

namespace skelgen::metrics {

/// Of all values; 0 of none.
inline double sum(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// Index of an entry of `all` that is not in use: one of `free`, which has it no more, or a new one.
template <class Entry>
std::uint32_t use_again(std::vector<Entry>& all, std::vector<std::uint32_t>& free) {
  if (free.empty()) {
    all.emplace_back();
    return static_cast<std::uint32_t>(all.size()) - 1;
  }
  const std::uint32_t at = free.back();
  free.pop_back();
  return at;
}

inline std::size_t hash_of(std::initializer_list<int> parts) {
  std::uint64_t hash = 0;
  for (const int part : parts) hash = (hash ^ hash >> 32 ^ static_cast<std::uint32_t>(part)) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

}  // namespace skelgen::metrics
