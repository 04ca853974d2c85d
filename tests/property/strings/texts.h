#pragma once
// Strings to try: random ones, and those that algorithms on repetitions find hard. Same seed, same strings.

#include <algorithm>
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

/// Powers of powers, some of many trips, with a few symbols between them.
inline Text powers(Random& random, std::size_t n) {
  Text text = uniform(random, 1 + below(random, 6), 4);
  while (text.size() < n) {
    Text longer = uniform(random, 1 + below(random, 4), 4);
    for (std::size_t trips = 1 + below(random, below(random, 3) == 0 ? 30 : 4); trips > 0 && longer.size() < n; --trips)
      longer.insert(longer.end(), text.begin(), text.end());
    if (below(random, 2) == 0) std::reverse(longer.begin(), longer.end());
    text.swap(longer);
  }
  text.resize(n);
  return below(random, 2) == 0 ? text : with_noise(random, text, 0.003, 4);
}

/// A loop nest that is the same all the time but for its trip counts: those are drawn anew at every entry.
class IrregularNest {
 public:
  explicit IrregularNest(Random& random, int depth = 4) : random_(random) {
    while (top_.empty() || next_ < 40) top_ = body(depth);
  }

  Text text(std::size_t n) {
    Text text;
    while (text.size() < n) run(top_, text, n);
    text.resize(n);
    return text;
  }

 private:
  struct Statement {
    std::uint32_t symbol, fewest, more;  // trips if this is a loop
    std::vector<Statement> body;
  };

  std::vector<Statement> body(int depth) {
    if (depth == 4) next_ = 0;
    std::vector<Statement> statements;
    for (std::size_t left = 2 + below(random_, 4); left > 0; --left) {
      if (depth > 0 && below(random_, 2) == 0)
        statements.push_back({0, 1 + static_cast<std::uint32_t>(below(random_, 4)),
                              1 + static_cast<std::uint32_t>(below(random_, 8)), body(depth - 1)});
      else
        statements.push_back({next_++ % 40, 1, 1, {}});
    }
    return statements;
  }

  void run(const std::vector<Statement>& statements, Text& text, std::size_t n) {
    for (const Statement& statement : statements) {
      if (statement.body.empty()) {
        text.push_back(statement.symbol);
        continue;
      }
      for (std::size_t trips = statement.fewest + below(random_, statement.more); trips > 0 && text.size() < n; --trips)
        run(statement.body, text, n);
    }
  }

  Random& random_;
  std::uint32_t next_ = 0;
  std::vector<Statement> top_;
};

/// Loops in loops in whose iterations one symbol stands one to three times.
inline Text with_jitter(Random& random, std::size_t n, std::uint32_t alphabet, int depth = 3) {
  Text text;
  while (text.size() < n) {
    if (depth == 0 || below(random, 4) == 0) {
      text.push_back(static_cast<std::uint32_t>(below(random, alphabet)));
      if (depth == 0 && below(random, 3) == 0) break;
      continue;
    }
    const Text body = with_jitter(random, 1 + below(random, n / 4 + 1), alphabet, depth - 1);
    const std::size_t trips = 2 + below(random, 5), place = below(random, body.size());
    for (std::size_t trip = 0; trip < trips && text.size() < n; ++trip) {
      text.insert(text.end(), body.begin(), body.begin() + static_cast<std::ptrdiff_t>(place));
      text.insert(text.end(), below(random, 3), body[place]);
      text.insert(text.end(), body.begin() + static_cast<std::ptrdiff_t>(place), body.end());
    }
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

/// a b a^2 b a^3 b ...
inline Text rising_powers(std::size_t n) {
  Text text;
  for (std::size_t k = 1; text.size() < n; ++k) {
    text.insert(text.end(), k, 0);
    text.push_back(1);
  }
  text.resize(n);
  return text;
}

/// ... b a^3 b a^2 b a
inline Text falling_powers(std::size_t n) {
  const Text text = rising_powers(n);
  return {text.rbegin(), text.rend()};
}

/// No cube of more than one symbol; a -> ab, b -> aa.
inline Text period_doubling(std::size_t n) {
  Text text(n);
  for (std::size_t i = 0; i < n; ++i) text[i] = static_cast<std::uint32_t>(__builtin_ctzll(i + 1) & 1);
  return text;
}

/// A random string, over and over.
inline Text repeated(Random& random, std::size_t n, std::size_t period, std::uint32_t alphabet) {
  Text text = uniform(random, period, alphabet);
  text.resize(n);
  for (std::size_t i = period; i < n; ++i) text[i] = text[i - period];
  return text;
}

/// What rewriting each symbol by a random word, time and again, makes of one symbol.
inline Text random_morphic(Random& random, std::size_t n) {
  const auto alphabet = static_cast<std::uint32_t>(2 + below(random, 3));
  std::vector<Text> images;
  for (std::uint32_t s = 0; s < alphabet; ++s) images.push_back(uniform(random, 1 + below(random, 4), alphabet));
  images[0].insert(images[0].begin(), 0);  // so that the string grows from its begin on
  Text text{0};
  for (std::size_t read = 0; text.size() < n; ++read)
    text.insert(text.end(), images[text[read]].begin() + (read == 0 ? 1 : 0), images[text[read]].end());
  text.resize(n);
  return text;
}

/// w c w d, w being such a string itself, and so on down to one symbol; c and d are new ones, larger or smaller than
/// all of w, as the bits of `larger` have it.
inline Text nested_blocks(std::size_t n, std::uint64_t larger) {
  Text text{100};
  std::uint32_t high = 100, low = 100;
  for (; text.size() < n; larger = larger >> 2 | larger << 62) {
    text.push_back(larger & 1 ? ++high : --low);
    const std::size_t half = text.size() - 1;
    for (std::size_t i = 0; i < half; ++i) text.push_back(text[i]);
    text.push_back(larger & 2 ? ++high : --low);
  }
  text.resize(n);
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
  switch (below(random, 14)) {
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
    case 8:
      text = nested_blocks(size, random());
      break;
    case 9:
      text = with_noise(random, repeated(random, size, 1 + below(random, 20), alphabet), 0.02, alphabet);
      break;
    case 10:
      text = random_morphic(random, size);
      break;
    case 11:
      text = powers(random, size);
      break;
    case 12:
      text = below(random, 2) == 0 ? rising_powers(size) : period_doubling(size);
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
