// All ways to find runs against the definition and each other.
#include <gtest/gtest.h>

#include <cmath>

#include "property/strings/naive.h"
#include "property/strings/texts.h"
#include "strings/lyndon_scan.h"

namespace skelgen::strings {
namespace {

using texts::Random;
using texts::Text;

TEST(Runs, AreThoseOfTheDefinitionOn30000Strings) {
  Random random(6);
  for (int round = 0; round < 30'000; ++round) {
    const Text text = texts::any(random, round % 100 == 0 ? 500 : 70);
    const auto expected = naive::runs(text);
    ASSERT_EQ(runs(text), expected) << texts::show(text);
    if (round % 3 != 0) continue;
    ASSERT_EQ(runs_by_enumeration(text), expected) << texts::show(text);
    ASSERT_EQ(runs_by_enumeration(text, suffix_array_dc3), expected) << texts::show(text);
  }
}

TEST(Runs, OfAllStringsOfThreeSymbolsUpToNine) {
  for (std::size_t n = 0; n <= 9; ++n) {
    Text text(n, 0);
    for (bool more = true; more;) {
      const auto expected = naive::runs(text);
      ASSERT_EQ(runs(text), expected) << texts::show(text);
      ASSERT_EQ(runs_by_enumeration(text), expected) << texts::show(text);
      ASSERT_EQ(runs_by_enumeration(text, suffix_array_dc3), expected) << texts::show(text);
      more = false;
      for (auto& s : text) {
        if (s < 2) {
          ++s;
          more = true;
          break;
        }
        s = 0;
      }
    }
  }
}

TEST(Runs, AreThoseOfTheEnumerationOn300StringsOf10000) {
  Random random(8);
  for (int round = 0; round < 300; ++round) {
    Text text = texts::any(random, 10'000);
    while (text.size() < 10'000) {
      const Text more = texts::any(random, 10'000 - text.size());
      text.insert(text.end(), more.begin(), more.end());
    }
    text.resize(10'000);
    ASSERT_EQ(runs(text), runs_by_enumeration(text)) << texts::show(text);
  }
}

TEST(Runs, AllWaysAgreeOnLongStrings) {
  Random random(7);
  for (const Text& text :
       {texts::fibonacci(30'000), texts::thue_morse(30'000), Text(30'000, 7), texts::wavefront(30'000),
        texts::two_blocks(30'000), texts::comb(30'000, 99), texts::uniform(random, 30'000, 2),
        texts::nest(random, 30'000, 5), texts::uniform(random, 30'000, 0xffff'ffff),
        texts::with_noise(random, texts::nest(random, 30'000, 5), 0.01, 5)}) {
    const auto expected = runs_by_enumeration(text);
    ASSERT_EQ(runs(text), expected);
    ASSERT_EQ(runs_by_enumeration(text, suffix_array_dc3), expected);
    ASSERT_LT(expected.size(), text.size());
  }
}

/// `text`, its symbols spread over all that S has.
template <typename S>
std::vector<S> spread(const Text& text) {
  const std::uint32_t largest = std::max(1u, text.empty() ? 0 : std::ranges::max(text));
  std::vector<S> result;
  for (const auto s : text) result.push_back(static_cast<S>(std::numeric_limits<S>::max() / largest * s));
  return result;
}

template <typename Position, typename S>
void expect_exactly(const std::vector<S>& text, const std::vector<strings::Run>& expected) {
  const auto found = runs_of<Position>(std::span<const S>(text));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t r = 0; r < found.size(); ++r)
    ASSERT_EQ(found[r], (BasicRun<Position>{expected[r].begin, expected[r].end, expected[r].period}));
}

template <typename S>
void expect_runs(const Text& text, const std::vector<strings::Run>& expected) {
  expect_exactly<std::uint32_t>(std::vector<S>(text.begin(), text.end()), expected);
  expect_exactly<std::uint64_t>(std::vector<S>(text.begin(), text.end()), expected);
  expect_exactly<std::uint32_t>(spread<S>(text), expected);
  expect_exactly<std::uint64_t>(spread<S>(text), expected);
}

TEST(Runs, AreTheSameForAllWidthsOfSymbolsAndPositions) {
  Random random(9);
  for (int round = 0; round < 2'000; ++round) {
    Text text = texts::any(random, round % 20 == 0 ? 2'000 : 100);
    for (auto& s : text) s %= 200;
    const auto expected = runs(text);
    expect_runs<std::uint8_t>(text, expected);
    expect_runs<std::uint16_t>(text, expected);
    expect_runs<std::uint32_t>(text, expected);
    expect_runs<std::uint64_t>(text, expected);
    if (HasFatalFailure()) FAIL() << texts::show(text);
  }
}

template <typename S>
auto scanned(const Text& text, const CommonLength& common_length) {
  Fenced<S> fenced(text.size());
  std::ranges::transform(text, fenced.symbols(), [](auto s) { return static_cast<S>(s + 1); });
  return LyndonScan<Index, S>(fenced, common_length).runs();
}

TEST(Runs, AreTheSameWithAndWithoutVectors) {
  Random random(10);
  for (int round = 0; round < 1'000; ++round) {
    Text text = texts::any(random, 3'000);
    for (auto& s : text) s %= 200;
    const auto expected = scanned<std::uint8_t>(text, common_length_by_words());
    ASSERT_EQ(scanned<std::uint32_t>(text, common_length_by_words()), expected);
    if (!has_wide_vectors()) continue;
    ASSERT_EQ(scanned<std::uint8_t>(text, common_length_by_vectors()), expected);
    ASSERT_EQ(scanned<std::uint32_t>(text, common_length_by_vectors()), expected);
  }
}

TEST(CommonLength, IsAsFarAsBytesAgree) {
  Random random(11);
  std::vector<CommonLength> ways{common_length_by_words()};
  if (has_wide_vectors()) ways.push_back(common_length_by_vectors());
  constexpr std::size_t kRoom = 64;
  for (std::size_t length = 0; length <= 150; ++length) {
    std::vector<Byte> a(length + 2 * kRoom), b(a.size());
    for (auto& byte : a) byte = static_cast<Byte>(random());
    b = a;
    b[kRoom + length] ^= 16;  // the first difference to the right of kRoom
    b[kRoom - 1] ^= 1;        // and to the left of the end
    for (const CommonLength& way : ways) {
      for (std::size_t from = 0; from <= length; ++from) {
        ASSERT_EQ(way.right(&a[kRoom], &b[kRoom], from, length + 1), length) << "from " << from;
        ASSERT_EQ(way.left(&a[kRoom + length], &b[kRoom + length], from, length + 1), length) << "from " << from;
        const std::size_t early = way.right(&a[kRoom], &b[kRoom], 0, from);
        ASSERT_GE(early, from);
        ASSERT_LE(early, length);
      }
    }
  }
}

/// Symbols that this thread's scans have compared with far ones, beyond a word for each comparison.
std::size_t compared = 0;

std::size_t counted_right(const Byte* a, const Byte* b, std::size_t from, std::size_t stop) {
  const std::size_t end = common_length_by_words().right(a, b, from, stop);
  compared += end - from;
  return end;
}

std::size_t counted_left(const Byte* a, const Byte* b, std::size_t from, std::size_t stop) {
  const std::size_t end = common_length_by_words().left(a, b, from, stop);
  compared += end - from;
  return end;
}

/// docs/theory/runs.md proves O(n log n); this is the constant.
void expect_little_compared(const char* name, const Text& text) {
  compared = 0;
  const Text small = compact(text).text;
  scanned<std::uint32_t>(small, {counted_right, counted_left});
  const double n = static_cast<double>(text.size());
  EXPECT_LT(static_cast<double>(compared) / sizeof(std::uint32_t), 2 * n * std::log2(n)) << name;
}

TEST(Runs, CompareLittleOfStringsMadeToBeSlow) {
  // Comparing all suffixes from their first symbols on takes n^2 / 4 comparisons on many of these: hours.
  Random random(12);
  constexpr std::size_t n = 1 << 20;
  expect_little_compared("one symbol", Text(n, 3));
  expect_little_compared("two blocks", texts::two_blocks(n));
  expect_little_compared("comb", texts::comb(n, 999));
  expect_little_compared("rising powers", texts::rising_powers(n));
  expect_little_compared("falling powers", texts::falling_powers(n));
  expect_little_compared("Fibonacci", texts::fibonacci(n));
  expect_little_compared("Thue-Morse", texts::thue_morse(n));
  expect_little_compared("period doubling", texts::period_doubling(n));
  expect_little_compared("wavefront", texts::wavefront(n));
  expect_little_compared("nest", texts::nest(random, n, 5, 12));
  for (const std::size_t period : {10, 1'000, 100'000, 1 << 19})
    expect_little_compared("repeated", texts::repeated(random, n, period, 2));
  for (int round = 0; round < 1'000; ++round) expect_little_compared("morphic", texts::random_morphic(random, 1 << 14));
  for (int round = 0; round < 16; ++round) expect_little_compared("nested blocks", texts::nested_blocks(n, random()));
}

}  // namespace
}  // namespace skelgen::strings
