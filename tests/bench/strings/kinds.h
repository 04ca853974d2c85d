#pragma once
// The kinds of string that benchmarks take, each of any length.

#include "property/strings/texts.h"

namespace skelgen::kinds {

using texts::Random;
using texts::Text;

struct Kind {
  const char* name;
  Text (*make)(std::size_t n);
};

inline Text of_length(Text text, std::size_t n) {
  text.resize(n);
  return text;
}

inline const Kind nest{"nest, 0.1 % noise", [](std::size_t n) {
                         Random random(1);
                         const Text clean = texts::nest(random, n + n / 100 + 1'000, 12, 6);
                         return of_length(texts::with_noise(random, clean, 0.001, 12), n);
                       }};
inline const Kind wavefront{"wavefront sweeps", [](std::size_t n) { return texts::wavefront(n); }};
inline const Kind irregular{"nest, trips vary", [](std::size_t n) {
                              Random random(5);
                              return texts::IrregularNest(random).text(n);
                            }};
inline const Kind fibonacci{"Fibonacci", texts::fibonacci};
inline const Kind thue_morse{"Thue-Morse", texts::thue_morse};
inline const Kind period_doubling{"period doubling", texts::period_doubling};
template <std::uint32_t kLetters>
Text uniform(std::size_t n) {
  Random random(2);
  return texts::uniform(random, n, kLetters);
}
inline const Kind random2{"random, 2 letters", uniform<2>};
inline const Kind random4{"random, 4 letters", uniform<4>};
inline const Kind random10000{"random, 10^4 letters", uniform<10'000>};
inline const Kind doubled{"random, 4 letters, twice", [](std::size_t n) {
                            Random random(3);
                            return texts::repeated(random, n, (n + 1) / 2, 4);
                          }};
inline const Kind repeated{"random, 4 letters, 1000 times", [](std::size_t n) {
                             Random random(4);
                             return texts::repeated(random, n, (n + 999) / 1'000, 4);
                           }};
inline const Kind power{"a^n b", [](std::size_t n) {
                          Text text(n, 0);
                          text.back() = 1;
                          return text;
                        }};
inline const Kind two_blocks{"a^k b a^k c", texts::two_blocks};
inline const Kind rising{"a b a^2 b a^3 b ...", texts::rising_powers};
inline const Kind falling{"... b a^3 b a^2 b a", texts::falling_powers};

}  // namespace skelgen::kinds
