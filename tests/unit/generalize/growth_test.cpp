#include "generalize/growth.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/error.h"

namespace skelgen::generalize {
namespace {

using Points = std::vector<std::pair<std::uint32_t, double>>;

Points points(auto time) { return {{4, time(4.0)}, {8, time(8.0)}, {16, time(16.0)}}; }

TEST(Growth, FindsTermsOfTheNormalForm) {
  EXPECT_EQ(text(fit_growth(points([](double) { return 0.25; })).growth), "0.25");
  EXPECT_EQ(text(fit_growth(points([](double p) { return 2 / p; })).growth), "2 * p^-1");
  EXPECT_EQ(text(fit_growth(points([](double p) { return 3 * p; })).growth), "3 * p");
  EXPECT_EQ(text(fit_growth(points([](double p) { return std::log2(p) / 4; })).growth), "0.25 * log2(p)");
  EXPECT_EQ(text(fit_growth(points([](double p) { return std::pow(p, -0.5) * std::log2(p); })).growth),
            "1 * p^-0.5 * log2(p)");
}

TEST(Growth, PredictsAndSaysHowFarItWasOff) {
  const auto exact = fit_growth(points([](double p) { return 2 / p; }));
  EXPECT_NEAR(exact.growth.at(64), 2.0 / 64, 1e-12);
  EXPECT_NEAR(exact.error, 0, 1e-9);
  const auto noisy = fit_growth(Points{{4, 0.5}, {8, 0.26}, {16, 0.125}});
  EXPECT_GT(noisy.error, 0.01);
  EXPECT_NEAR(noisy.growth.at(64), 2.0 / 64, 0.003);
}

TEST(Growth, OfOneNumberIsConstant) { EXPECT_EQ(text(fit_growth(Points{{4, 0.5}}).growth), "0.5"); }

/// What ranks of 4, 8 and 16 compute.
std::vector<RunTimes> runs(auto time) {
  std::vector<RunTimes> all;
  for (const std::uint32_t p : {4u, 8u, 16u}) {
    all.push_back({p, {}});
    for (std::uint32_t r = 0; r < p; ++r) all.back().seconds.emplace_back(r, time(double(p), double(r)));
  }
  return all;
}

TEST(RankTimes, AreTheSameWhereNothingSaysElse) {
  const auto same = fit_times(runs([](double p, double) { return 2 / p; }));
  EXPECT_EQ(text(same.times), "2 * p^-1");
  EXPECT_NEAR(same.uneven, 0, 1e-9);
  // A hundredth more or less, by chance.
  const auto noisy = fit_times(runs([](double p, double r) { return (1 + 0.01 * std::sin(r * r + 5 * p)) / p; }));
  EXPECT_FALSE(noisy.times.differs()) << text(noisy.times);
  EXPECT_NEAR(noisy.uneven, 0.01, 0.003);
}

TEST(RankTimes, GrowWithTheRank) {
  const auto up = fit_times(runs([](double, double r) { return 1 + r / 80; }));
  EXPECT_EQ(text(up.times), "1 + 0.0125 * r");
  EXPECT_NEAR(up.error, 0, 1e-9);
  EXPECT_NEAR(up.times.at(64, 63, 63, 64), 1 + 63.0 / 80, 1e-9);
  const auto down = fit_times(runs([](double p, double r) { return (2 - r / p) / p; }));
  EXPECT_EQ(text(down.times), "2 * p^-1 - 1 * p^-2 * r");
  EXPECT_NEAR(down.uneven, 0, 1e-9);
}

TEST(RankTimes, AreSpreadByThePlaceOfTheRank) {
  const auto time = [](double p, double r) { return (1.5 + std::sin(6 * (r + 0.5) / p)) / p; };
  const auto found = fit_times(runs(time));
  ASSERT_EQ(found.times.spread.size(), 16u) << text(found.times);
  for (const std::uint32_t r : {0u, 10u, 31u, 63u})
    EXPECT_NEAR(found.times.at(64, r, r, 64) / time(64, r), 1, 0.12) << r;
  EXPECT_LT(found.uneven, 0.02);
}

TEST(RankTimes, OfManyRanksAreMeansOfNeighbours) {
  std::vector<RunTimes> all;
  for (const std::uint32_t p : {200u, 400u}) {
    all.push_back({p, {}});
    for (std::uint32_t r = 0; r < p; ++r)
      all.back().seconds.emplace_back(r, r < p / 2 ? 1.0 : 2.0 + (r % 2 ? 0.1 : -0.1));
  }
  const auto found = fit_times(all);
  EXPECT_EQ(found.times.spread.size(), 64u);
  EXPECT_NEAR(found.times.at(1000, 100, 100, 1000), 1, 0.01);
  EXPECT_NEAR(found.times.at(1000, 900, 900, 1000), 2, 0.02);
}

TEST(RankTimes, OfOneRunAreItsMean) {
  EXPECT_EQ(text(fit_times(std::vector<RunTimes>{{2, {{0, 1.0}, {1, 3.0}}}}).times), "2");
}

TEST(RankTimes, OfRanksThatDoNotAllComputeAreNeverNegative) {
  RankTimes times{{1, 0, 0}, {-0.1, 0, 0}};
  EXPECT_EQ(times.at(64, 63, 63, 64), 0);
}

TEST(RankTimes, AreReadAsTheyArePrinted) {
  for (const char* const one :
       {"0.25", "2 * p^-1", "3 * p", "0.25 * log2(p)", "1e-05 * p^-0.5 * log2(p)", "1 + 0.0125 * r",
        "2 * p^-1 - 1 * p^-2 * log2(p) * r", "0.25 * p spread (0.9, 1, 1.1)", "1 + 2 * r spread (2)"})
    EXPECT_EQ(text(parse_times(one, "t:1")), one);
  for (const char* const one :
       {"", "p", "-1", "1 * q", "1 * p^", "1 * p * p", "1 +", "nan", "1 * r", "1 + 2", "1 + -2 * r", "1 + 2 * r * p",
        "1 spread", "1 spread ()", "1 spread (1, -1)", "1 spread (1", "1 spread (1) 2"})
    EXPECT_THROW(parse_times(one, "t:1"), Error) << one;
}

}  // namespace
}  // namespace skelgen::generalize
