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

double deviation(const std::vector<Part>& parts, const std::string& name) {
  for (const auto& part : parts)
    if (part.name == name) return part.deviation;
  return 0;
}

TEST(PredictionInterval, IsOfTheSumOfItsParts) {
  const std::vector<Part> parts{{"a", 0.03, 4}, {"b", 0.04}};  // 0.05 with 4 (0.05 / 0.03)^4 degrees of freedom
  const auto interval = prediction_interval(10, parts, 0.95);
  const double factor = std::exp(student_t(0.95, 4 * std::pow(5.0 / 3, 4)) * 0.05);
  EXPECT_NEAR(interval.low, 10 / factor, 1e-9);
  EXPECT_NEAR(interval.high, 10 * factor, 1e-9);
}

TEST(PredictionInterval, IsNeverBelowZero) {
  const auto interval = prediction_interval(1, std::vector<Part>{{"launches", 2, 4}}, 0.95);
  EXPECT_GT(interval.low, 0);
  EXPECT_NEAR(interval.low * interval.high, 1, 1e-9);
  EXPECT_EQ(prediction_interval(2, {}, 0.95).low, 2);
}

TEST(IntervalParts, TakeTheSpreadOfOriginalsThatWereMeasured) {
  const Evidence one{.launches = {10, 10, 10, 10, 10}};
  EXPECT_TRUE(interval_parts(one)[0].assumed);
  Evidence several = one;
  several.originals = {9, 10, 11, 10, 10};
  const auto parts = interval_parts(several);
  EXPECT_EQ(parts[0].name, "original");
  EXPECT_FALSE(parts[0].assumed);
  EXPECT_EQ(parts[0].degrees, 4);
  EXPECT_GT(parts[0].deviation, interval_parts(one)[0].deviation);
  several.launches = {5, 10, 15, 20, 40};  // this machine is the noisier one
  EXPECT_GT(deviation(interval_parts(several), "original"), deviation(parts, "original"));
}

TEST(IntervalParts, CountIterationsThatWereLeftOut) {
  Evidence evidence{.launches = {10, 10, 10, 10, 10}};
  evidence.phases = {{.weight = 1, .iterations = 100, .deviation_s = 0.1}};
  EXPECT_EQ(deviation(interval_parts(evidence), "iterations"), 0);
  evidence.phases.push_back({.weight = 11, .iterations = 25, .deviation_s = 0.01});
  EXPECT_NEAR(deviation(interval_parts(evidence), "iterations"), 10 * 5 * 0.01 / 10, 1e-12);
  // Too few iterations tell no deviation: the planned error is assumed.
  evidence.phases.push_back({.weight = 3, .iterations = 2, .planned_error = 0.12});
  EXPECT_NEAR(deviation(interval_parts(evidence), "iterations"), std::hypot(0.05, 0.12), 1e-12);
  evidence.phases.back().weight = 1;
  EXPECT_NEAR(deviation(interval_parts(evidence), "iterations"), 0.05, 1e-12);
}

TEST(IntervalParts, KnowThatTheMachineChanged) {
  Evidence evidence{.launches = {10, 10, 10, 10, 10}, .computed_s = 5};
  evidence.work_ratios = {1.2, 1.2, 1.2};
  evidence.speed_ratios = {0.5, 1, 2};
  EXPECT_NEAR(deviation(interval_parts(evidence), "drift"), 0.5 * std::log(1.2), 1e-12);
  EXPECT_EQ(deviation(interval_parts(evidence), "work"), 0);
  evidence.work = true;  // follows it
  EXPECT_EQ(deviation(interval_parts(evidence), "drift"), 0);
  EXPECT_NEAR(deviation(interval_parts(evidence), "work"), 0.5 * std::hypot(0.08, std::log(2)), 1e-12);
  evidence.unexplained = 0.1;  // of the rest the mixture of kernels is not certain
  EXPECT_NEAR(deviation(interval_parts(evidence), "work"), 0.5 * std::hypot(0.08, 0.55 * std::log(2)), 1e-12);
  EXPECT_EQ(deviation(interval_parts(evidence), "mpi"), 0);
  evidence.other_mpi = true;
  EXPECT_NEAR(deviation(interval_parts(evidence), "mpi"), 0.05, 1e-12);
}

TEST(IntervalParts, OfAnotherNumberOfRanksHaveTheErrorOfItsComputation) {
  Evidence evidence{.launches = {10, 10, 10, 10, 10}, .computed_s = 4, .computation_error = 0.05};
  EXPECT_NEAR(deviation(interval_parts(evidence), "ranks"), std::hypot(0.04, 0.4 * std::log(1.05)), 1e-12);
}

TEST(IntervalParts, OfATracedRunThatWaitedForCoresReachWhatItTookWithoutThem) {
  Evidence evidence{.launches = {10, 10, 10, 10, 10}, .computed_s = 5, .traced_core_wait = 0.4};
  EXPECT_NEAR(deviation(interval_parts(evidence), "cores"), 0.5 * std::log(10 / (10 - 4.0)), 1e-12);
  evidence.traced_core_wait = 0.04;
  EXPECT_EQ(deviation(interval_parts(evidence), "cores"), 0);
  evidence.traced_core_wait = 1;
  evidence.computed_s = 10;
  EXPECT_LT(deviation(interval_parts(evidence), "cores"), 2);
}

TEST(IntervalParts, OfSimulatedLaunchesHaveNoSpreadOfRuns) {
  Evidence evidence{.launches = {10}, .computed_s = 4, .simulated = true, .computation_error = 0.05};
  const auto parts = interval_parts(evidence);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].name, "ranks");
  EXPECT_EQ(parts[1].name, "skeleton");
}

}  // namespace
}  // namespace skelgen::predict
