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

TEST(Growth, IsReadAsItIsPrinted) {
  for (const char* const one : {"0.25", "2 * p^-1", "3 * p", "0.25 * log2(p)", "1e-05 * p^-0.5 * log2(p)"})
    EXPECT_EQ(text(parse_growth(one, "t:1")), one);
  for (const char* const one : {"", "p", "-1", "1 * q", "1 * p^", "1 * p * p", "1 +", "nan"})
    EXPECT_THROW(parse_growth(one, "t:1"), Error) << one;
}

}  // namespace
}  // namespace skelgen::generalize
