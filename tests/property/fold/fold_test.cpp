#include <gtest/gtest.h>

#include "property/fold/literal.h"
#include "property/strings/texts.h"

namespace skelgen::fold {
namespace {

using texts::Random;
using texts::Text;

TEST(Fold, IsTheRuleWordForWordOn4000Strings) {
  Random random(1);
  for (int round = 0; round < 4'000; ++round) {
    const Text text = texts::any(random, round % 50 == 0 ? 500 : 90);
    ASSERT_EQ(print(fold(text)), print(literal::fold(text))) << texts::show(text);
  }
}

TEST(Fold, LosesNothing) {
  Random random(2);
  for (int round = 0; round < 2'000; ++round) {
    const Text text = texts::any(random, 400);
    const Program program = fold(text);
    ASSERT_EQ(expand(program), text) << print(program);
    ASSERT_LE(length(program), text.size());
  }
}

TEST(Fold, LosesNothingOfLongNestsWithNoise) {
  Random random(3);
  for (const double rate : {0.0, 0.0001, 0.001, 0.01, 0.1}) {
    for (const std::size_t n : {10'000, 100'000}) {
      const Text text = texts::with_noise(random, texts::nest(random, n, 12, 6), rate, 12);
      ASSERT_EQ(expand(fold(text)), text);
      const Text steps = texts::with_noise(random, texts::wavefront(n), rate, 60);
      ASSERT_EQ(expand(fold(steps)), steps);
    }
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
  for (int round = 0; round < 2'000; ++round) expect_no_run_left(fold(texts::any(random, 150)));
}

}  // namespace
}  // namespace skelgen::fold
