#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "property/strings/texts.h"
#include "strings/runs.h"
#include "strings/suffix_array.h"
#include "support/error.h"

namespace skelgen::strings {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Symbol> symbols(const std::string& text) { return {text.begin(), text.end()}; }

/// "0 abab 2": begin, what is repeated, period.
std::vector<std::string> runs_of(const std::string& text) {
  std::vector<std::string> result;
  for (const Run& run : runs(symbols(text)))
    result.push_back(std::to_string(run.begin) + " " + text.substr(run.begin, run.end - run.begin) + " " +
                     std::to_string(run.period));
  return result;
}

TEST(SuffixArray, OfBanana) {
  EXPECT_THAT(suffix_array(symbols("banana"), 128), ElementsAre(5, 3, 1, 0, 4, 2));
  EXPECT_THAT(suffix_array_dc3(symbols("banana"), 128), ElementsAre(5, 3, 1, 0, 4, 2));
}

TEST(SuffixArray, OfNothingAndOfOneSymbol) {
  EXPECT_THAT(suffix_array({}, 0), IsEmpty());
  EXPECT_THAT(suffix_array_dc3({}, 0), IsEmpty());
  EXPECT_THAT(suffix_array(symbols("a"), 128), ElementsAre(0));
  EXPECT_THAT(suffix_array_dc3(symbols("a"), 128), ElementsAre(0));
}

TEST(SuffixArray, RefusesSymbolsOutsideTheAlphabet) {
  const std::vector<Symbol> text{0, 1, 7, 1};
  try {
    suffix_array(text, 7);
    FAIL() << "took it";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::invalid_argument);
    EXPECT_STREQ(e.what(), "symbol 7 at position 2 is outside an alphabet of 7");
  }
  EXPECT_THROW(suffix_array_dc3(text, 7), Error);
  EXPECT_THAT(suffix_array(text, 8), ElementsAre(0, 3, 1, 2));
}

TEST(SuffixArray, TakesAnAlphabetOfAllNumbers) {
  const std::vector<Symbol> text{0xffff'fffe, 0, 0xffff'fffe};
  EXPECT_THAT(suffix_array(text, 0xffff'ffff), ElementsAre(1, 2, 0));
}

TEST(LcpArray, OfBanana) {
  const auto text = symbols("banana");
  const auto suffixes = suffix_array(text, 128);
  EXPECT_THAT(lcp_array(text, suffixes, inverse(suffixes)), ElementsAre(0, 1, 3, 0, 0, 2));
}

TEST(Symbols, LengthsThatDoNotFitAreRefused) {
  EXPECT_NO_THROW(check_length(kMaxLength));
  try {
    check_length(kMaxLength + 1);
    FAIL() << "took it";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::invalid_argument);
    EXPECT_STREQ(e.what(), "a string of 4294967295 symbols, more than 4294967294; split it");
  }
}

TEST(Symbols, CompactKeepsOrder) {
  const auto small = compact(std::vector<Symbol>{5, 4'000'000'000, 5, 9});
  EXPECT_THAT(small.text, ElementsAre(0, 2, 0, 1));
  EXPECT_EQ(small.alphabet, 3u);
  EXPECT_THAT(compact(std::vector<Symbol>{5, 9, 7}).text, ElementsAre(0, 2, 1));
  EXPECT_EQ(compact({}).alphabet, 0u);
}

TEST(Runs, OfMississippi) {
  EXPECT_THAT(runs_of("mississippi"), ElementsAre("1 ississi 3", "2 ss 1", "5 ss 1", "8 pp 1"));
}

TEST(Runs, OfPowers) {
  EXPECT_THAT(runs_of("aaaa"), ElementsAre("0 aaaa 1"));
  EXPECT_THAT(runs_of("abababa"), ElementsAre("0 abababa 2"));
  EXPECT_THAT(runs_of("ababb"), ElementsAre("0 abab 2", "3 bb 1"));
}

TEST(Runs, OfNothingAndOfOneSymbol) {
  EXPECT_THAT(runs_of(""), IsEmpty());
  EXPECT_THAT(runs_of("a"), IsEmpty());
  EXPECT_THAT(runs_of("abcdefg"), IsEmpty());
  EXPECT_THAT(runs_by_enumeration({}), IsEmpty());
}

TEST(Runs, OfBytesWithPositionsOf64Bits) {
  const std::vector<std::uint8_t> text{255, 0, 255, 0, 255};
  EXPECT_THAT(strings::runs_of<std::uint64_t>(std::span<const std::uint8_t>(text)),
              ElementsAre(BasicRun<std::uint64_t>{0, 5, 2}));
}

TEST(Runs, OfTheSmallestAndTheLargestSymbols) {
  const std::vector<Symbol> text{0xffff'ffff, 0xffff'ffff, 0, 0xffff'fffe, 0, 0xffff'fffe};
  EXPECT_THAT(runs(text), ElementsAre(strings::Run{0, 2, 1}, strings::Run{2, 6, 2}));
  const std::vector<std::uint64_t> wide{~0ull, ~0ull, 0, 1, 0, 1};
  EXPECT_THAT(strings::runs_of<Index>(std::span<const std::uint64_t>(wide)),
              ElementsAre(strings::Run{0, 2, 1}, strings::Run{2, 6, 2}));
}

}  // namespace
}  // namespace skelgen::strings
