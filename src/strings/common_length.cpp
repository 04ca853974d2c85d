#include "strings/common_length.h"

#include "strings/words.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define SKELGEN_AVX2 __attribute__((target("avx2")))
#endif

namespace skelgen::strings {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);

std::size_t right_by_words(const Byte* a, const Byte* b, std::size_t from, std::size_t stop) {
  for (; from < stop; from += kWord)
    if (const auto difference = word_at(a + from) ^ word_at(b + from)) return from + zero_bytes_first(difference);
  return from;
}

std::size_t left_by_words(const Byte* a, const Byte* b, std::size_t from, std::size_t stop) {
  for (; from < stop; from += kWord)
    if (const auto difference = word_at(a - from - kWord) ^ word_at(b - from - kWord))
      return from + zero_bytes_last(difference);
  return from;
}

#ifdef SKELGEN_AVX2

constexpr std::size_t kVector = 32;

/// Bit k: whether byte k of both is the same.
SKELGEN_AVX2 inline std::uint32_t equal_bytes(const Byte* a, const Byte* b) {
  const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a));
  const __m256i y = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b));
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, y)));
}

SKELGEN_AVX2 std::size_t right_by_vectors(const Byte* a, const Byte* b, std::size_t from, std::size_t stop) {
  for (; from < stop; from += kVector)
    if (const std::uint32_t equal = equal_bytes(a + from, b + from); ~equal != 0) return from + std::countr_one(equal);
  return from;
}

SKELGEN_AVX2 std::size_t left_by_vectors(const Byte* a, const Byte* b, std::size_t from, std::size_t stop) {
  for (; from < stop; from += kVector)
    if (const std::uint32_t equal = equal_bytes(a - from - kVector, b - from - kVector); ~equal != 0)
      return from + std::countl_one(equal);
  return from;
}

#endif

}  // namespace

CommonLength common_length_by_words() { return {right_by_words, left_by_words}; }

#ifdef SKELGEN_AVX2
CommonLength common_length_by_vectors() { return {right_by_vectors, left_by_vectors}; }
bool has_wide_vectors() { return __builtin_cpu_supports("avx2"); }
#else
CommonLength common_length_by_vectors() { return common_length_by_words(); }
bool has_wide_vectors() { return false; }
#endif

}  // namespace skelgen::strings
