#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "skeleton/skeleton.h"
#include "support/error.h"

namespace skelgen::skeleton {
namespace {

using Values = std::vector<std::int64_t>;
using Kind = Sequence::Kind;

TEST(Sequence, PrefersTheSimplestDescription) {
  EXPECT_EQ(Sequence::of(Values{7}), (Sequence{Kind::constant, {7}}));
  EXPECT_EQ(Sequence::of(Values{7, 7, 7}), (Sequence{Kind::constant, {7}}));
  EXPECT_EQ(Sequence::of(Values{7, 5}), (Sequence{Kind::arithmetic, {7, -2}}));
  EXPECT_EQ(Sequence::of(Values{1, 2, 1}), (Sequence{Kind::periodic, {1, 2}}));
  EXPECT_EQ(Sequence::of(Values{1, 1, 2, 1, 1, 2, 1}), (Sequence{Kind::periodic, {1, 1, 2}}));
  EXPECT_EQ(Sequence::of(Values{1, 1, 2}), (Sequence{Kind::table, {1, 1, 2}}));
  EXPECT_THROW(Sequence::of(Values{}), Error);
}

TEST(Sequence, StepsMayBeLargerThanAnyValue) {
  const std::int64_t low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max();
  const Sequence s = Sequence::of(Values{low, high});
  EXPECT_EQ(s.at(0), low);
  EXPECT_EQ(s.at(1), high);
}

TEST(Sequence, GivesBackAndSumsWhatItDescribes) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    Values all(1 + random() % 40);
    const std::size_t period = 1 + random() % 12;
    const std::int64_t step = static_cast<std::int64_t>(random() % 7) - 3;
    for (std::size_t k = 0; k < all.size(); ++k)
      all[k] = round % 3 == 0 ? step * static_cast<std::int64_t>(k) : k < period ? random() % 3 : all[k - period];
    const Sequence s = Sequence::of(all);
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
      ASSERT_EQ(s.at(k), all[k]);
      ASSERT_EQ(s.sum(k), sum);
      sum += all[k];
    }
    ASSERT_EQ(s.sum(all.size()), sum);
  }
}

TEST(Sequence, KnowsWhichValuesItTakes) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    Values all(1 + random() % 12);
    const std::int64_t first = static_cast<std::int64_t>(random() % 21) - 10,
                       step = static_cast<std::int64_t>(random() % 7) - 3;
    for (std::size_t k = 0; k < all.size(); ++k)
      all[k] =
          round % 2 == 0 ? first + step * static_cast<std::int64_t>(k) : static_cast<std::int64_t>(random() % 9) - 4;
    const Sequence s = Sequence::of(all);
    for (std::int64_t v = -40; v <= 40; ++v)
      ASSERT_EQ(s.takes(v, all.size()), std::ranges::find(all, v) != all.end()) << v;
  }
  EXPECT_FALSE((Sequence{Kind::constant, {7}}.takes(7, 0)));
}

TEST(Sequence, KnowsItsLargestValue) {
  EXPECT_EQ((Sequence{Kind::constant, {-3}}).largest(5), -3);
  EXPECT_EQ((Sequence{Kind::arithmetic, {2, 3}}).largest(4), 11);
  EXPECT_EQ((Sequence{Kind::arithmetic, {2, -3}}).largest(4), 2);
  EXPECT_EQ((Sequence{Kind::periodic, {1, 7, 2}}).largest(9), 7);
  EXPECT_EQ((Sequence{Kind::table, {1, 2, 9, 4}}).largest(4), 9);
}

TEST(Sequence, CountsWhatIsAbove0) {
  std::mt19937 random(2);
  for (int round = 0; round < 5000; ++round) {
    Values all(1 + random() % 40);
    const std::size_t period = 1 + random() % 12;
    const std::int64_t first = static_cast<std::int64_t>(random() % 81) - 40;
    const std::int64_t step = static_cast<std::int64_t>(random() % 11) - 5;
    for (std::size_t k = 0; k < all.size(); ++k)
      all[k] = round % 2 == 0 ? first + step * static_cast<std::int64_t>(k)
               : k < period   ? static_cast<std::int64_t>(random() % 3) - 1
                              : all[k - period];
    const Sequence s = Sequence::of(all);
    std::uint64_t above = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
      ASSERT_EQ(s.positive(k), above) << first << " + " << step << " k, " << k;
      above += all[k] > 0;
    }
    ASSERT_EQ(s.positive(all.size()), above);
  }
  const std::int64_t low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(Sequence::of(Values{low, high}).positive(2), 1u);
  constexpr std::uint64_t many = 1'000'000'000'000'000;
  EXPECT_EQ((Sequence{Kind::arithmetic, {-10, 1}}.positive(many)), many - 11);
  EXPECT_EQ((Sequence{Kind::arithmetic, {10, -1}}.positive(many)), 10u);
  EXPECT_EQ((Sequence{Kind::periodic, {1, 0, 2}}.positive(many)), many / 3 * 2 + 1);
}

TEST(Sequence, EndsWhereItsTableEnds) {
  const Sequence s = Sequence::of(Values{1, 1, 2});
  EXPECT_THROW(s.at(3), Error);
  EXPECT_THROW(s.sum(4), Error);
}

TEST(RankRule, ModuloIsNeverNegative) {
  const auto at = [](RankRule::Kind kind, std::int64_t c, int rank, int size) {
    return RankRule{kind, c}.at({.slot = 0, .size = size, .rank = rank, .identity = 1});
  };
  EXPECT_EQ(at(RankRule::Kind::plus_mod, -1, 0, 4), 3);
  EXPECT_EQ(at(RankRule::Kind::plus_mod, 5, 3, 4), 0);
  EXPECT_EQ(at(RankRule::Kind::plus, -1, 2, 4), 1);
  EXPECT_EQ(at(RankRule::Kind::exclusive_or, 4, 5, 8), 1);
  EXPECT_EQ(at(RankRule::Kind::constant, 2, 5, 8), 2);
  EXPECT_EQ(at(RankRule::Kind::neighbour, 1, 5, 8), std::nullopt);  // it has no grid
}

}  // namespace
}  // namespace skelgen::skeleton
