#include <gmock/gmock.h>

#include <cmath>

#include "emit/emit.h"
#include "support/error.h"
#include "unit/emit/programs.h"

namespace skelgen::emit {
namespace {

using namespace programs;

std::vector<std::string> names(const Plan& plan) {
  std::vector<std::string> all;
  for (const auto& phase : plan.phases) all.push_back(phase.name);
  return all;
}

std::vector<std::string> loops(const Plan& plan) {
  std::vector<std::string> all;
  for (const auto& phase : plan.phases)
    if (phase.loop) all.push_back(phase.name);
  return all;
}

double counted(const Plan& plan) {
  double sum = 0;
  for (const auto& phase : plan.phases) sum += phase.weight * static_cast<double>(phase.kept);
  return sum;
}

TEST(Plan, KeepsOneIterationInKBesidesTheFirst) {
  const auto plan = plan_scale(ring(2, 1001, 1e-2), 10);
  EXPECT_EQ(names(plan), (std::vector<std::string>{"prologue", "loop 1", "epilogue"}));
  EXPECT_EQ(loops(plan), std::vector<std::string>{"loop 1"});
  EXPECT_EQ(plan.phases[1].trips, 1001u);
  EXPECT_EQ(plan.phases[1].kept, 100u);
  EXPECT_DOUBLE_EQ(plan.phases[1].weight, 10);
  EXPECT_NEAR(plan.phases[1].traced_s, 10.0, 0.1);
  EXPECT_NEAR(plan.expected_run_s, 1.0, 0.02);
}

TEST(Plan, WeightsCountEveryIterationForEveryScale) {
  for (const double k : {1.0, 1.5, 7.0, 10.0, 333.0, 1e9}) {
    const auto plan = plan_scale(ring(2, 1001, 1e-2), k);
    EXPECT_DOUBLE_EQ(counted(plan), 1000 + 2) << "K = " << k;
    EXPECT_GE(plan.phases[1].kept, 1u);
    EXPECT_LE(plan.phases[1].kept, 1000u);
  }
}

TEST(Plan, ScaleOneRunsEverything) {
  const auto plan = plan_scale(ring(2, 50), 1);
  EXPECT_EQ(plan.phases[1].kept, 49u);
  EXPECT_DOUBLE_EQ(plan.phases[1].weight, 1);
}

TEST(Plan, KeptPartIsNotShorterThanTheFloor) {
  const auto plan = plan_scale(ring(2, 1001, 1e-3), 1000);  // one iteration would be 1 ms
  EXPECT_NEAR(static_cast<double>(plan.phases[1].kept) * 1e-3, kShortestPart_s, 5e-3);
  const auto all = plan_scale(ring(2, 11, 1e-3), 1000);  // less than the floor altogether
  EXPECT_EQ(all.phases[1].kept, 10u);
}

TEST(Plan, TheFloorOfALoopIsItsShareOfTheTime) {
  const auto loop = [](Builder& b, std::int64_t trips) {
    Block body;
    body.push_back(b.call("MPI_Barrier"));
    return b.loop(constant(trips), std::move(body), 1e-3);
  };
  Builder b(2);
  Block m;
  for (const std::int64_t trips : {7001, 2001, 201}) m.push_back(loop(b, trips)), m.push_back(b.call("MPI_Barrier"));
  const auto plan = plan_scale(b.finish(std::move(m)), 1000);
  std::vector<double> kept_s;
  for (const auto& phase : plan.phases)
    if (phase.loop) kept_s.push_back(1e-3 * static_cast<double>(phase.kept));
  ASSERT_EQ(kept_s.size(), 3u);
  EXPECT_NEAR(kept_s[0], kShortestPart_s, 2e-3);
  EXPECT_NEAR(kept_s[1], kShortestPart_s * 2 * 2.0 / 9.2, 2e-3);
  EXPECT_NEAR(kept_s[2], kShortestPart_s / 4, 2e-3) << "not less than a quarter";
}

TEST(Plan, WhatSomeRanksRunALoopMoreOftenAlwaysRuns) {
  Builder b(2);
  Block body, m;
  body.push_back(b.call("MPI_Wtime", {}, 1e-2));
  m.push_back(b.loop(each({1010, 1001}), std::move(body)));
  const auto plan = plan_scale(b.finish(std::move(m)), 10);
  ASSERT_EQ(names(plan), (std::vector<std::string>{"prologue", "loop 1", "epilogue"}));
  EXPECT_EQ(plan.phases[1].ends, (std::vector<skeleton::Ends>{{1, 9}, {1, 0}}));
  EXPECT_EQ(plan.phases[1].kept, 100u);
  EXPECT_NEAR(plan.phases[1].traced_s, 10, 0.02);
  EXPECT_NEAR(plan.phases[2].traced_s, 0.09, 0.02);
}

TEST(Plan, LoopsThatSomeRanksLeaveWithAMessageOpenAreNotCut) {
  Builder b(2);
  Block body, m;
  body.push_back(b.call("MPI_Send", {{"dest", constant(1)}, {"count", constant(1)}}, Where{0}, 1e-2));
  body.push_back(b.call("MPI_Comm_rank", {{"comm", constant(0)}}));
  m.push_back(b.loop(each({100, 90}), std::move(body)));
  const auto plan = plan_scale(b.finish(std::move(m)), 10);
  EXPECT_TRUE(loops(plan).empty());
  EXPECT_NE(plan.uncut.find("90 to 100 times, not equally often by all ranks"), std::string::npos) << plan.uncut;
}

TEST(Plan, LoopsOfPoolsAreNotCut) {
  Builder b(2);
  Block body, m;
  body.push_back(b.call("MPI_Wtime", {}, 1e-3));
  m.push_back(b.loop(constant(100), std::move(body)));
  m.back().loop().pool = 0;
  const auto plan = plan_scale(b.finish(std::move(m)), 10);
  EXPECT_TRUE(loops(plan).empty());
  EXPECT_NE(plan.uncut.find("runs until its pool has no messages left"), std::string::npos) << plan.uncut;
}

TEST(Plan, LoopsThatLeaveAMessageOpenAreNotCut) {
  Builder b(2);
  Block body, m;
  body.push_back(b.call("MPI_Send", {{"dest", constant(1)}, {"count", constant(1)}}, Where{0}, 1e-2));
  m.push_back(b.loop(constant(100), std::move(body)));
  EXPECT_TRUE(loops(plan_scale(b.finish(std::move(m)), 10)).empty());
}

TEST(Plan, SmallLoopsAreNotCutAndTwoMainOnesAre) {
  Builder b(2);
  const auto loop = [&](std::int64_t trips, double gap_s) {
    Block body;
    body.push_back(b.call("MPI_Barrier"));
    return b.loop(constant(trips), std::move(body), gap_s);
  };
  Block m;
  m.push_back(loop(1000, 1e-2));
  m.push_back(loop(10, 1e-6));
  m.push_back(loop(500, 1e-2));
  const auto plan = plan_scale(b.finish(std::move(m)), 10);
  EXPECT_EQ(names(plan), (std::vector<std::string>{"prologue", "loop 1", "between 1 and 2", "loop 2", "epilogue"}));
}

TEST(Plan, CallsBeforePhasesAreThoseOfEachRank) {
  // In loop 1 rank 1 asks for the time once and twice in turn.
  Builder b(2);
  Block asks, first, second, m;
  asks.push_back(b.call("MPI_Wtime", {}, Where{1}));
  first.push_back(b.call("MPI_Barrier"));
  first.push_back(b.loop(sequence({1, 2, 1, 2, 1, 2, 1, 2}), std::move(asks)));
  first.back().where = {1};
  second.push_back(b.call("MPI_Barrier"));
  m.push_back(b.loop(constant(1000), std::move(first), 1e-2));
  m.push_back(b.call("MPI_Barrier"));
  m.push_back(b.loop(constant(500), std::move(second), 1e-2));
  const auto skeleton = b.finish(std::move(m));
  const auto plan = plan_scale(skeleton, 10);
  EXPECT_EQ(names(plan), (std::vector<std::string>{"prologue", "loop 1", "between 1 and 2", "loop 2", "epilogue"}));
  std::vector<std::vector<std::uint64_t>> calls;
  for (const auto& [phase, before] : calls_before(skeleton, plan)) {
    EXPECT_EQ(phase, calls.size());
    calls.push_back(before);
  }
  // MPI_Init; the first iterations stand before the loops.
  EXPECT_THAT(calls, testing::ElementsAre(testing::ElementsAre(0, 0), testing::ElementsAre(2, 3),
                                          testing::ElementsAre(1001, 2501), testing::ElementsAre(1003, 2503),
                                          testing::ElementsAre(1502, 3002)));
}

TEST(Plan, BudgetFindsTheSmallestScaleThatFits) {
  const auto skeleton = ring(2, 1001, 1e-2);
  const auto plan = plan_budget(skeleton, 2.0);
  EXPECT_LE(plan.expected_run_s, 2.0);
  EXPECT_GT(plan_scale(skeleton, plan.scale * 0.98).expected_run_s, 2.0);
  EXPECT_EQ(plan_budget(skeleton, 100).scale, 1);
}

TEST(Plan, BudgetThatCannotBeMetGivesTheShortestRun) {
  const auto skeleton = ring(2, 1001, 1e-2);
  EXPECT_DOUBLE_EQ(plan_budget(skeleton, 1e-6).expected_run_s, plan_scale(skeleton, 1e6).expected_run_s);
}

TEST(Plan, ScaleBelowOneIsAnError) {
  for (const double k : {0.0, 0.99, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(plan_scale(ring(2, 5), k), Error) << k;
  EXPECT_THROW(plan_budget(ring(2, 5), 0), Error);
}

}  // namespace
}  // namespace skelgen::emit
