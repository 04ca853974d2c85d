// Sets of ranks as conditions: what holds for the set, and only for it.
#include "emit/conditions.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

namespace skelgen::emit {
namespace {

using Ranks = std::vector<std::uint32_t>;

std::string of(std::uint32_t ranks, const std::function<bool(std::uint32_t)>& in) {
  Ranks all(ranks), some;
  std::iota(all.begin(), all.end(), 0u);
  for (const auto l : all)
    if (in(l)) some.push_back(l);
  return rank_condition(all, some);
}

TEST(Conditions, EndsAndRuns) {
  EXPECT_EQ(of(8, [](auto r) { return r == 3; }), "rank == 3");
  EXPECT_EQ(of(8, [](auto r) { return r != 3; }), "rank != 3");
  EXPECT_EQ(of(8, [](auto r) { return r > 3; }), "rank >= 4");
  EXPECT_EQ(of(8, [](auto r) { return r < 2 || r > 5; }), "rank < 2 || rank > 5");
}

TEST(Conditions, SidesOfAGridWhateverItsSize) {
  for (const std::uint32_t rows : {8u, 9u, 64u}) {
    const auto text = [](const char* before, std::uint32_t n, const std::string& behind) {
      return before + std::to_string(n) + behind;
    };
    EXPECT_EQ(of(rows * rows, [&](auto r) { return r % rows == 0; }), text("rank % ", rows, " == 0"));
    EXPECT_EQ(of(rows * rows, [&](auto r) { return r % rows > 0; }), text("rank % ", rows, " >= 1"));
    EXPECT_EQ(of(rows * rows, [&](auto r) { return r % rows + 1 < rows; }),
              text("rank % ", rows, text(" < ", rows - 1, "")));
    EXPECT_EQ(of(rows * rows, [&](auto r) { return r % rows + 1 < rows && r >= rows; }),
              text("rank % ", rows, text(" < ", rows - 1, text(" && rank >= ", rows, ""))));
  }
}

TEST(Conditions, NoneForASetWithoutAPattern) {
  EXPECT_EQ(of(16, [](auto r) { return r == 0 || r == 3 || r == 4 || r == 11; }), "");
}

TEST(Conditions, HoldForTheSetAndNoOthersOfThoseAsked) {
  // Of the ranks 0, 3, 5, 8 and 13 only these are odd.
  EXPECT_EQ(rank_condition({0, 3, 5, 8, 13}, {3, 5, 13}), "rank % 2 == 1");
}

}  // namespace
}  // namespace skelgen::emit
