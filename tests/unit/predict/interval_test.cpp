#include "predict/interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/error.h"

namespace skelgen::predict {
namespace {

TEST(StudentT, MatchesPublishedTables) {
  struct {
    double confidence;
    int degrees;
    double t;
  } rows[] = {{0.95, 1, 12.706204736}, {0.95, 2, 4.302652730},      {0.95, 4, 2.776445105}, {0.95, 9, 2.262157163},
              {0.95, 30, 2.042272456}, {0.99, 4, 4.604094871},      {0.90, 4, 2.131846786}, {0.50, 10, 0.699812061},
              {0.999, 6, 5.958816179}, {0.95, 1000000, 1.959966357}};
  for (const auto& row : rows) EXPECT_NEAR(student_t(row.confidence, row.degrees), row.t, 2e-8 * row.t) << row.degrees;
}

TEST(StudentT, HasClosedFormsForOneAndTwoDegrees) {
  for (const double c : {0.01, 0.3, 0.8, 0.99, 0.9999}) {
    EXPECT_NEAR(student_t(c, 1) / std::tan(std::acos(-1.0) / 2 * c), 1, 1e-9);
    EXPECT_NEAR(student_t(c, 2) / (c * std::sqrt(2 / (1 - c * c))), 1, 1e-9);
  }
}

TEST(StudentT, RefusesWhatHasNoMeaning) {
  EXPECT_THROW(student_t(0, 4), Error);
  EXPECT_THROW(student_t(1, 4), Error);
  EXPECT_THROW(student_t(std::nan(""), 4), Error);
  EXPECT_THROW(student_t(0.95, 0), Error);
}

TEST(Median, IsTheMiddle) {
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median(std::vector<double>{7}), 7);
}

TEST(PredictionInterval, IsForOneFurtherRun) {
  const std::vector<double> runs{10, 11, 12, 13, 14};  // s = sqrt(2.5)
  const auto interval = prediction_interval(runs, 0.95);
  ASSERT_TRUE(interval);
  const double half = 2.776445105 * std::sqrt(2.5) * std::sqrt(1.2);
  EXPECT_NEAR(interval->low, 12 - half, 1e-6);
  EXPECT_NEAR(interval->high, 12 + half, 1e-6);
}

TEST(PredictionInterval, NeedsFiveLaunches) {
  EXPECT_FALSE(prediction_interval(std::vector<double>{1, 2, 3, 4}, 0.95));
  const auto equal = prediction_interval(std::vector<double>{2, 2, 2, 2, 2}, 0.95);
  ASSERT_TRUE(equal);
  EXPECT_EQ(equal->low, 2);
  EXPECT_EQ(equal->high, 2);
  EXPECT_EQ(prediction_interval(std::vector<double>{0.1, 5, 0.1, 9, 0.2}, 0.95)->low, 0);
}

}  // namespace
}  // namespace skelgen::predict
