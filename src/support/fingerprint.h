#pragma once
// Texts that are recognised by a number.

#include <cstdint>
#include <string_view>

namespace skelgen {

/// FNV-1a: the same number for equal texts, and hardly for others; in files, so it stays what it is. O(n).
constexpr std::uint64_t fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace skelgen
