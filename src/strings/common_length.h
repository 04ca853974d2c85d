#pragma once
// Number of equal bytes behind, or before, two places of memory. Internal to src/strings.

#include <cstddef>

namespace skelgen::strings {

using Byte = unsigned char;

/// Both functions compare whole vectors or words: they may read 31 bytes behind (right) or before (left) the last byte
/// that they were asked for, and what they return may be above `stop`; it is exact in any case. `from` bytes are known
/// to agree.
struct CommonLength {
  using Count = std::size_t(const Byte* a, const Byte* b, std::size_t from, std::size_t stop);

  Count* right;  ///< the smallest k >= from with a[k] != b[k], or some k >= stop up to which all agree
  Count* left;   ///< the same with a[-1 - k] and b[-1 - k]
};

/// Eight bytes at a time; on any processor.
CommonLength common_length_by_words();
/// Thirty-two bytes at a time. Only where has_wide_vectors().
CommonLength common_length_by_vectors();
/// Whether this processor has AVX2.
bool has_wide_vectors();
/// The faster of the two that this processor has.
inline CommonLength common_length() {
  return has_wide_vectors() ? common_length_by_vectors() : common_length_by_words();
}

}  // namespace skelgen::strings
