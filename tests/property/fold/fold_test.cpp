#include "fold/fold.h"

#include <gtest/gtest.h>

#include "fold/around.h"
#include "fold/joint.h"
#include "fold_text.h"
#include "property/fold/exact.h"
#include "property/fold/literal.h"
#include "property/strings/texts.h"

namespace skelgen::fold {
namespace {

using texts::below;
using texts::Random;
using texts::Text;

TEST(Fold, IsTheRuleWordForWordOn4000Strings) {
  Random random(1);
  for (int round = 0; round < 4'000; ++round) {
    const Text text = texts::any(random, round % 50 == 0 ? 500 : 90);
    ASSERT_EQ(print(fold(text, Mode::seed)), print(literal::fold(text))) << texts::show(text);
  }
}

/// With runs of thousands of symbols.
TEST(Fold, IsTheRuleOnLongerStrings) {
  Random random(8);
  for (int round = 0; round < 60; ++round) {
    const Text text = round % 3 == 0   ? texts::powers(random, 20'000)
                      : round % 3 == 1 ? texts::with_noise(random, texts::nest(random, 20'000, 6, 6), 0.001, 6)
                                       : texts::any(random, 20'000);
    ASSERT_EQ(fold(text, Mode::seed), literal::fold(text, strings::runs));
  }
}

TEST(Fold, LosesNothing) {
  Random random(2);
  for (int round = 0; round < 2'000; ++round) {
    const Text text = texts::any(random, 400);
    const Program best = fold(text), seed = fold(text, Mode::seed);
    ASSERT_EQ(expand(best), text) << print(best);
    ASSERT_EQ(expand(seed), text) << print(seed);
    ASSERT_LE(length(seed), text.size());
    ASSERT_LE(length(best), length(seed)) << print(best);
  }
}

TEST(Fold, BestIsTheShortestOfShortStrings) {
  Random random(5);
  for (int round = 0; round < 1'000; ++round) {
    const Text text = texts::any(random, round % 50 == 0 ? 250 : round % 5 == 0 ? 120 : 60);
    ASSERT_EQ(length(fold(text, Mode::best)), exact::shortest(text)) << texts::show(text);
  }
}

/// Of strings that are too long for all phases.
TEST(Fold, BestIsAlmostAlwaysTheShortestOfLongerStrings) {
  Random random(6);
  for (int kind = 0; kind < 3; ++kind) {
    int shortest = 0;
    double excess = 0;
    constexpr int kStrings = 20;
    for (int i = 0; i < kStrings; ++i) {
      const Text text = kind == 0   ? texts::nest(random, 400, 6)
                        : kind == 1 ? texts::with_jitter(random, 400, 6)
                                    : texts::with_noise(random, texts::nest(random, 400, 6), 0.05, 6);
      const auto least = static_cast<double>(exact::shortest(text)),
                 found = static_cast<double>(length(fold(text, Mode::best)));
      shortest += found == least;
      excess += found / least - 1;
    }
    EXPECT_GE(shortest, kStrings * 75 / 100) << "kind " << kind;
    EXPECT_LE(excess / kStrings, 0.015) << "kind " << kind;
  }
}

TEST(Fold, LosesNothingOfLongNestsWithNoise) {
  Random random(3);
  for (const double rate : {0.0, 0.0001, 0.001, 0.01, 0.1}) {
    for (const std::size_t n : {10'000, 100'000}) {
      const Text text = texts::with_noise(random, texts::nest(random, n, 12, 6), rate, 12);
      ASSERT_EQ(expand(fold(text)), text);
      ASSERT_LE(length(fold(text)), length(fold(text, Mode::seed)));
      const Text steps = texts::with_noise(random, texts::wavefront(n), rate, 60);
      ASSERT_EQ(expand(fold(steps)), steps);
    }
  }
}

/// The cheaper one of both ways to fold iterations that differ.
Program varied(const Text& text) {
  auto around = Around({&text, 1}).next();
  auto joint = fold_jointly({&text, 1}).programs;
  return around && cost((*around)[0]) <= cost((*joint)[0]) ? (*around)[0] : (*joint)[0];
}

/// Longer than the sample on which what is common is chosen.
TEST(Fold, ChoicesInLongTextsAreOneLoop) {
  Random random(11);
  for (const bool divided : {false, true}) {
    Text text{divided ? 9u : 0u, 5};
    for (std::size_t step = 0; step < 200'000; ++step)
      for (const std::uint32_t symbol : {static_cast<std::uint32_t>(below(random, 2)), 2u}) text.push_back(symbol);
    const Program program = varied(text);
    ASSERT_EQ(expand(program), text);
    EXPECT_LE(length(program), 6u);
  }
}

/// All of the sample is a loop of its own.
TEST(Fold, ABeginningAsLongAsTheSampleIsNoHarm) {
  Random random(12);
  Text text;
  for (std::size_t n = 0; n < 3000; ++n) text.insert(text.end(), {10, 11});
  for (std::size_t step = 0; step < 20'000; ++step)
    text.insert(text.end(), {static_cast<std::uint32_t>(below(random, 2)), 2});
  const auto program = Around({&text, 1}).next();
  ASSERT_TRUE(program);
  ASSERT_EQ(expand((*program)[0]), text);
  EXPECT_LE(length((*program)[0]), 8u);
}

/// Iterations that differ in how often something is repeated, each time by another number.
TEST(Fold, VaryingTripsAreOneLoop) {
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t period = 1 + below(random, 4), steps = 12 + below(random, 30);
    Text text;
    for (std::size_t step = 0; step < steps; ++step) {
      for (std::size_t trips = 1 + below(random, 5); trips > 0; --trips)
        for (std::uint32_t s = 0; s < period; ++s) text.push_back(s);
      text.insert(text.end(), {10, 11});
    }
    const Program program = varied(text);
    ASSERT_EQ(expand(program), text) << print(program);
    ASSERT_LE(length(program), 2 * (period + 2)) << print(program);
  }
}

/// Iterations that each make one of several choices of calls, before or behind what all of them do; other calls before
/// and behind the loop, which may be among those of its iterations.
TEST(Fold, ChoicesAreOneLoop) {
  Random random(9);
  for (int round = 0; round < 300 && !HasFailure(); ++round) {
    const std::size_t choices = 3 + below(random, 4), steps = 150 + below(random, 300);
    const bool before = below(random, 2) == 0, none = below(random, 2) == 0, inner = below(random, 2) == 0;
    std::vector<Text> words(choices);
    std::uint32_t next = 10;
    std::size_t symbols = 0;
    for (Text& word : words)
      for (std::size_t n = 1 + below(random, 2); n > 0; --n, ++symbols) word.push_back(next++);
    if (none) words[0].clear();
    Text text{0, 1, 1, 2};
    for (std::size_t step = 0; step < steps; ++step) {
      const Text& word = words[below(random, choices)];
      if (before) text.insert(text.end(), word.begin(), word.end());
      text.push_back(3);
      for (std::size_t trips = inner ? 1 + below(random, 3) : 0; trips > 0; --trips) text.push_back(4);
      text.push_back(5);
      if (!before) text.insert(text.end(), word.begin(), word.end());
    }
    text.insert(text.end(), {2, 6});
    const Program program = varied(text);
    ASSERT_EQ(expand(program), text) << print(program);
    EXPECT_LE(length(program), symbols + 16) << print(program);
  }
}

/// Symbols without any order, some more frequent than others.
TEST(Fold, LosesNothingWhereThereIsNoOrder) {
  Random random(10);
  for (int round = 0; round < 300; ++round) {
    const std::size_t letters = 2 + below(random, 8);
    Text text;
    for (std::size_t n = 100 + below(random, 1000); n > 0; --n)
      text.push_back(static_cast<std::uint32_t>(below(random, 1 + below(random, letters))));
    const Program program = fold(text);
    ASSERT_EQ(expand(program), text) << print(program);
    ASSERT_LE(length(program), length(fold(text, Mode::seed)));
  }
}

/// Between two loops, or a loop and an end, nothing may be repeated.
void expect_no_run_left(const Program& program) {
  Text flat;  // loops as separators that occur once
  std::uint32_t separator = 1'000'000;
  for (const Node& node : program) {
    flat.push_back(node.is_loop() ? separator++ : node.symbol);
    if (node.is_loop()) {
      ASSERT_GE(node.trips, 2u);
      expect_no_run_left(node.body);
    }
  }
  ASSERT_TRUE(strings::naive::runs(flat).empty()) << print(program);
}

TEST(Fold, LeavesNoRunUnfolded) {
  Random random(4);
  for (int round = 0; round < 2'000; ++round) expect_no_run_left(fold(texts::any(random, 150), Mode::seed));
}

}  // namespace
}  // namespace skelgen::fold
