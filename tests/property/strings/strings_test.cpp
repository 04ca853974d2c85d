// Every algorithm against its definition, on strings of all kinds.
#include <gtest/gtest.h>

#include "property/strings/naive.h"
#include "property/strings/texts.h"
#include "strings/extension.h"
#include "strings/range_minimum.h"
#include "strings/suffix_array.h"

namespace skelgen::strings {
namespace {

using texts::Random;
using texts::Text;

Symbol alphabet_of(const Text& text) { return text.empty() ? 0 : std::ranges::max(text) + 1; }

TEST(SuffixArray, SaIsAndDc3AgreeWithSortingOn10000Strings) {
  Random random(1);
  for (int round = 0; round < 10'000; ++round) {
    const Text text = texts::any(random, round % 100 == 0 ? 600 : 80);
    const auto expected = naive::suffix_array(text);
    ASSERT_EQ(suffix_array(text, alphabet_of(text)), expected) << texts::show(text);
    ASSERT_EQ(suffix_array_dc3(text, alphabet_of(text)), expected) << texts::show(text);
  }
}

TEST(SuffixArray, SaIsAndDc3AgreeOnLongStrings) {
  Random random(2);
  for (const Text& text : {texts::fibonacci(50'000), texts::thue_morse(50'000), Text(50'000, 7),
                           texts::wavefront(50'000), texts::two_blocks(50'000), texts::uniform(random, 50'000, 2),
                           texts::uniform(random, 50'000, 50'000), texts::uniform(random, 50'000, 0xffff'ffff)}) {
    const Symbol alphabet = alphabet_of(text);
    ASSERT_EQ(suffix_array(text, alphabet), suffix_array_dc3(text, alphabet));
  }
}

TEST(LcpArray, IsTheCommonPrefixOfNeighbours) {
  Random random(3);
  for (int round = 0; round < 2'000; ++round) {
    const Text text = texts::any(random, 80);
    const auto suffixes = suffix_array(text, alphabet_of(text));
    const auto lcp = lcp_array(text, suffixes, inverse(suffixes));
    ASSERT_EQ(lcp.size(), text.size());
    for (std::size_t r = 0; r < text.size(); ++r)
      ASSERT_EQ(lcp[r], r == 0 ? 0 : naive::forward(text, suffixes[r - 1], suffixes[r])) << texts::show(text);
  }
}

TEST(RangeMinimum, IsTheSmallestOfEveryRange) {
  Random random(4);
  for (const std::size_t n : {1, 2, 31, 32, 33, 64, 65, 200, 300}) {
    for (const std::uint32_t alphabet : {1u, 3u, 1'000'000u}) {
      const Text values = texts::uniform(random, n, alphabet);
      const RangeMinimum range(values);
      for (Index begin = 0; begin < n; ++begin) {
        Index smallest = values[begin];
        for (Index end = begin + 1; end <= n; ++end) {
          smallest = std::min(smallest, values[end - 1]);
          ASSERT_EQ(range.minimum(begin, end), smallest) << "[" << begin << ", " << end << ") of " << n;
        }
      }
    }
  }
}

TEST(Extension, IsAsFarAsSymbolsAgree) {
  Random random(5);
  for (int round = 0; round < 300; ++round) {
    const Text text = texts::any(random, 60);
    const Extension extension(text, alphabet_of(text), round % 2 == 0 ? suffix_array : suffix_array_dc3);
    for (Index i = 0; i <= text.size(); ++i) {
      for (Index j = 0; j <= text.size(); ++j) {
        ASSERT_EQ(extension.forward(i, j), naive::forward(text, i, j)) << i << ' ' << j << ' ' << texts::show(text);
        ASSERT_EQ(extension.backward(i, j), naive::backward(text, i, j)) << i << ' ' << j << ' ' << texts::show(text);
      }
    }
  }
}

}  // namespace
}  // namespace skelgen::strings
