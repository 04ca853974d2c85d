#pragma once
// Eight bytes of memory as one number. Internal to src/strings.

#include <bit>
#include <cstdint>
#include <cstring>

namespace skelgen::strings {

inline std::uint64_t word_at(const void* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// How many bytes at the low addresses of a word are 0.
inline unsigned zero_bytes_first(std::uint64_t word) {
  return (std::endian::native == std::endian::little ? std::countr_zero(word) : std::countl_zero(word)) / 8u;
}

/// The same at its high addresses.
inline unsigned zero_bytes_last(std::uint64_t word) {
  return (std::endian::native == std::endian::little ? std::countl_zero(word) : std::countr_zero(word)) / 8u;
}

}  // namespace skelgen::strings
