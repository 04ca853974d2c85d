#pragma once
// Strings to try: random ones, and those that algorithms on repetitions find hard. Same seed, same strings.

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace skelgen::texts {

using Text = std::vector<std::uint32_t>;
using Random = std::mt19937_64;

inline std::size_t below(Random& random, std::size_t n) { return random() % n; }

inline Text uniform(Random& random, std::size_t n, std::uint32_t alphabet) {
  Text text(n);
  for (auto& s : text) s = static_cast<std::uint32_t>(below(random, alphabet));
  return text;
}

/// Random edits: a symbol changed, taken out or put in, each with probability rate / 3.
inline Text with_noise(Random& random, const Text& text, double rate, std::uint32_t alphabet) {
  Text result;
  std::uniform_real_distribution<double> chance;
  for (const auto s : text) {
    const double c = chance(random) * 3;
    const auto other = static_cast<std::uint32_t>(below(random, alphabet));
    if (c < rate) continue;
    if (c < 2 * rate) result.push_back(other);
    result.push_back(c >= 2 * rate && c < 3 * rate ? other : s);
  }
  return result;
}

/// Loops in loops of about n symbols; trip counts differ from loop to loop.
inline Text nest(Random& random, std::size_t n, std::uint32_t alphabet, int depth = 4) {
  Text text;
  while (text.size() < n) {
    if (depth == 0 || below(random, 4) == 0) {
      text.push_back(static_cast<std::uint32_t>(below(random, alphabet)));
      if (depth == 0 && below(random, 3) == 0) break;
      continue;
    }
    Text body = nest(random, 1 + below(random, n / 4 + 1), alphabet, depth - 1);
    const std::size_t trips = 2 + below(random, 6);
    for (std::size_t trip = 0; trip < trips && text.size() < n; ++trip)
      text.insert(text.end(), body.begin(), body.end());
  }
  if (text.size() > n) text.resize(n);
  return text;
}

/// The calls of a wavefront solver: time steps of two sweeps over planes, with an exchange and, every 20 steps, a norm.
inline Text wavefront(std::size_t n, std::size_t planes = 160) {
  Text text;
  for (std::uint32_t s = 0; s < 30; ++s) text.push_back(s);
  for (std::size_t step = 0; text.size() < n; ++step) {
    for (std::size_t k = 0; k < planes; ++k) text.insert(text.end(), {40, 41});
    for (std::size_t k = 0; k < planes; ++k) text.insert(text.end(), {42, 43});
    text.insert(text.end(), {50, 51, 52, 50, 51, 53});
    if (step % 20 == 0) text.push_back(60);
  }
  text.resize(n);
  return text;
}

inline Text fibonacci(std::size_t n) {
  Text shorter{1}, text{0};
  while (text.size() < n) {
    Text longer = text;
    longer.insert(longer.end(), shorter.begin(), shorter.end());
    shorter.swap(text);
    text.swap(longer);
  }
  text.resize(n);
  return text;
}

/// No cube; Thue & Morse.
inline Text thue_morse(std::size_t n) {
  Text text(n);
  for (std::size_t i = 0; i < n; ++i) text[i] = static_cast<std::uint32_t>(__builtin_popcountll(i) & 1);
  return text;
}

/// a^k b a^k c: every a of the left block has another distance to the right block.
inline Text two_blocks(std::size_t n) {
  Text text(n, 0);
  if (n > 1) {
    text[n / 2] = 1;
    text[n - 1] = 2;
  }
  return text;
}

/// (a^k b)^m
inline Text comb(std::size_t n, std::size_t k) {
  Text text(n, 0);
  for (std::size_t i = k; i < n; i += k + 1) text[i] = 1;
  return text;
}

/// One of all kinds, of at most n symbols.
inline Text any(Random& random, std::size_t n) {
  const std::size_t size = below(random, n + 1);
  const auto alphabet = static_cast<std::uint32_t>(1 + below(random, 6));
  Text text;
  switch (below(random, 9)) {
    case 0:
      text = uniform(random, size, alphabet);
      break;
    case 1:
      text = nest(random, size, alphabet);
      break;
    case 2:
      text = with_noise(random, nest(random, size, alphabet), 0.05, alphabet);
      break;
    case 3:
      text = fibonacci(size);
      break;
    case 4:
      text = thue_morse(size);
      break;
    case 5:
      text = two_blocks(size);
      break;
    case 6:
      text = comb(size, 1 + below(random, 9));
      break;
    case 7:
      text = with_noise(random, comb(size, 1 + below(random, 9)), 0.1, 2);
      break;
    default:
      text = with_noise(random, wavefront(size, 1 + below(random, 5)), 0.02, 60);
      break;
  }
  if (below(random, 4) == 0) text.assign(text.rbegin(), text.rend());
  return text;
}

inline std::string show(const Text& text) {
  std::string out = "the string";
  for (const auto s : text) out += " " + std::to_string(s);
  return out;
}

}  // namespace skelgen::texts
