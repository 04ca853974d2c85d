// Folding of what is pushed bit by bit: exact, and nearly as short as what is folded as a whole.
#include "fold/stream.h"

#include <gtest/gtest.h>

#include "fold_text.h"
#include "property/strings/texts.h"
#include "support/error.h"

namespace skelgen::fold {
namespace {

using texts::below;
using texts::Random;
using texts::Text;

Program streamed(Random& random, const Text& text, std::size_t block) {
  Stream stream(block);
  const std::size_t most = 1 + below(random, 300);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t now = std::min(text.size() - at, below(random, most + 1));
    stream.push(std::span(text).subspan(at, now));
    at += now;
  }
  return std::move(stream).finish();
}

/// Loops of any number of trips in such loops, with something before and behind, all of it a few times.
Text loops(Random& random, std::size_t n) {
  Text text = texts::uniform(random, 1 + below(random, 5), 3);
  while (text.size() < n) {
    Text longer = texts::uniform(random, below(random, 4), 3);
    for (std::size_t trips = 1 + below(random, 14); trips > 0 && longer.size() < n; --trips)
      longer.insert(longer.end(), text.begin(), text.end());
    const Text behind = texts::uniform(random, below(random, 4), 3);
    longer.insert(longer.end(), behind.begin(), behind.end());
    if (longer.size() > text.size()) text.swap(longer);
  }
  return text;
}

TEST(Stream, LosesNothing) {
  Random random(1);
  for (int round = 0; round < 6'000; ++round) {
    const Text text = round % 3 == 0   ? texts::any(random, 1'000)
                      : round % 3 == 1 ? texts::powers(random, 1 + below(random, 2'000))
                                       : loops(random, 1 + below(random, 2'000));
    const std::size_t block = round % 4 == 0 ? 1 + below(random, 200) : 1'000'000;
    ASSERT_EQ(expand(streamed(random, text, block)), text) << texts::show(text);
  }
}

TEST(Stream, LosesNothingOfLongStrings) {
  Random random(2);
  for (const Text& text : {texts::fibonacci(100'000), texts::thue_morse(50'000), texts::rising_powers(200'000),
                           Text(100'000, 7), texts::wavefront(300'000), texts::comb(100'000, 99),
                           texts::comb(100'000, 300), texts::uniform(random, 50'000, 2),
                           texts::nest(random, 100'000, 12, 8), texts::repeated(random, 100'000, 256, 4),
                           texts::repeated(random, 100'000, 257, 4), texts::nested_blocks(50'000, 5)}) {
    ASSERT_EQ(expand(streamed(random, text, 1'000'000)), text);
    ASSERT_EQ(expand(fold(text, Mode::stream)), text);
  }
}

TEST(Stream, IsAlmostAsShortAsTheWhole) {
  Random random(3);
  const auto expect = [&](const char* name, const Text& text) {
    const std::size_t whole = length(fold(text, Mode::best)), found = length(fold(text, Mode::stream));
    EXPECT_LE(static_cast<double>(found), 1.01 * static_cast<double>(whole)) << name;
  };
  expect("wavefront", texts::wavefront(500'000));
  expect("nest, noise", texts::with_noise(random, texts::nest(random, 300'000, 12, 6), 0.001, 12));
  expect("nest", texts::nest(random, 300'000, 12, 6));
  Random other(5);
  expect("nest, trips vary", texts::IrregularNest(other).text(300'000));
  expect("Fibonacci", texts::fibonacci(200'000));
  expect("random", texts::uniform(random, 200'000, 4));
  expect("repeated", texts::repeated(random, 500'000, 1'000, 4));
}

TEST(Stream, ALoopOverManyBlocksIsOne) {
  Random random(11);
  for (int round = 0; round < 300; ++round) {
    const std::size_t block = 2'000 + below(random, 3'000), period = 257 + below(random, block / 4 - 256);
    const Text before = texts::uniform(random, below(random, 300), 1000), body = texts::uniform(random, period, 1000),
               behind = texts::uniform(random, below(random, 300), 1000);
    const std::size_t trips = 5 * block / period + below(random, 100);
    Text text = before;
    for (std::size_t i = 0; i < trips; ++i) text.insert(text.end(), body.begin(), body.end());
    text.insert(text.end(), behind.begin(), behind.end());
    const Program found = streamed(random, text, block);
    ASSERT_EQ(expand(found), text);
    // A block's border may stand in a body: then less than a body stays beside the loop.
    EXPECT_LE(length(found), length(fold(text, Mode::best)) + period) << "period " << period << ", block " << block;
    EXPECT_EQ(std::ranges::count_if(found, [&](const Node& node) { return node.trips + 1 >= trips; }), 1);
  }
}

TEST(Stream, ANestOverManyBlocksIsOne) {
  Text body;
  for (int j = 0; j < 12; ++j) {
    body.insert(body.end(), {0, 1, 2});
    for (int k = 0; k < 4; ++k) body.insert(body.end(), {3, 4, 5});
  }
  body.insert(body.end(), {6, 7});
  for (std::size_t block = 2'000; block < 30'000; block += 511) {
    Stream stream(block);
    for (int i = 0; i < 1000; ++i) stream.push(body);
    EXPECT_EQ(print(std::move(stream).finish()), "1000 x { 12 x { a b c 4 x { d e f } } g h }");
  }
}

TEST(Stream, ALoopIsOneWhereverItsBodyBegins) {
  const auto folded = [](const std::string& text) {
    Text symbols;
    for (const char c : text) symbols.push_back(static_cast<Symbol>(c - 'a'));
    return print(fold(symbols, Mode::stream));
  };
  std::string text;
  for (int step = 0; step < 100; ++step) text += "abc";
  EXPECT_EQ(folded(text), "100 x { a b c }");
  EXPECT_EQ(folded("x" + text + "ay"), "x 100 x { a b c } a y");
  EXPECT_EQ(folded("zc" + text + "z"), "z 100 x { c a b } c z");
  std::string outer;
  for (int step = 0; step < 50; ++step) outer += text + "yz";
  EXPECT_EQ(folded("x" + outer), "x 50 x { 100 x { a b c } y z }");
}

TEST(Stream, RefusesSymbolsThatStandForLoops) {
  Stream stream;
  stream.push(kLargestStreamed);
  EXPECT_THROW(stream.push(kLargestStreamed + 1), Error);
}

}  // namespace
}  // namespace skelgen::fold
