// Long computation that all ranks have in common is counted instead of spent, by the same time on all ranks.

#include "emit/long_gaps.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "unit/emit/programs.h"
#include "unit/emit/run.h"

namespace skelgen::emit {
namespace {

using namespace programs;
using testing::HasSubstr;
using testing::Not;

/// Like EP: two ranks compute for long, 0.5 s and 0.6 s, then add up.
Skeleton ep(double first_s = 0.5, double second_s = 0.6) {
  Builder b(2);
  const auto sums = b.memory(16);
  Block middle;
  middle.push_back(b.call("MPI_Barrier"));
  middle.push_back(b.call("MPI_Allreduce", {{"sendbuf", constant(buffer(sums, 0))},
                                            {"recvbuf", constant(buffer(sums, 8))},
                                            {"count", constant(1)},
                                            {"datatype", constant(b.name("MPI_DOUBLE"))},
                                            {"op", constant(b.name("MPI_SUM"))}}));
  middle.back().before.mean_s = {first_s, second_s};
  return b.finish(std::move(middle));
}

TEST(LongGaps, CommonIsWhatEveryRankComputes) {
  skeleton::Compute compute{{0.5, 0.6}, {}};
  EXPECT_DOUBLE_EQ(common_gap(compute, {4, 4}, 2), 0.5);
  EXPECT_EQ(common_gap(compute, {4, 3}, 2), 0) << "not equally often";
  EXPECT_EQ(common_gap(compute, {4, 4}, 3), 0) << "not all locations";
  compute.samples.of = {{{0.9F, 0.1F}, {1, 2}}, {{0.6F, 0.6F}, {1, 2}}};
  EXPECT_NEAR(common_gap(compute, {2, 2}, 2), 0.1, 1e-6) << "the shortest one";
  EXPECT_EQ(common_gap({{0.04, 0.6}, {}}, {1, 1}, 2), 0) << "short";
}

TEST(LongGaps, AtLeastTenMillisecondsAreSpent) {
  EXPECT_DOUBLE_EQ(left_out(1.0, 10), 0.9);
  EXPECT_DOUBLE_EQ(left_out(0.06, 10), 0.05);
  EXPECT_EQ(left_out(1.0, 1), 0);
}

TEST(LongGaps, ThePlanCountsThem) {
  EXPECT_NEAR(plan_scale(ep(), 10).expected_run_s, 0.6 - 0.45, 1e-3);
  EXPECT_NEAR(plan_scale(ep(), 1).expected_run_s, 0.6, 1e-3);
  EXPECT_NEAR(plan_budget(ep(), 0.2).expected_run_s, 0.2, 5e-3);
}

TEST(LongGaps, ALoopOfFewTripsIsCutAndItsGapsToo) {
  Builder b(2);
  Block body, middle;
  body.push_back(b.call("MPI_Barrier"));
  body.push_back(b.call("MPI_Barrier", {}, 0.1));
  middle.push_back(b.loop(constant(9), std::move(body), 1.0));
  const auto plan = plan_scale(b.finish(std::move(middle)), 10);
  ASSERT_EQ(plan.phases.size(), 3u) << "one loop is cut";
  EXPECT_EQ(plan.phases[1].kept, 1u) << "an iteration of 0.11 s: the rest of the loop is counted, not spent";
  EXPECT_LT(plan.expected_run_s, 0.5);
}

TEST(Run, LongGapsCountAsWhatIsLeftOut) {
  Scratch scratch;
  const auto skeleton = ep();
  const auto ran = run(scratch.path, skeleton, plan_scale(skeleton, 10), "SKEL_COMPUTE=time", "--json report.json");
  ASSERT_EQ(ran.status, 0) << ran.output;
  EXPECT_THAT(read(scratch.path / "p.skel" / "skeleton.c"), HasSubstr("skel_compute_long(gap[0][rank], 0.5);"));
  EXPECT_THAT(ran.output, HasSubstr("    measured s    left out s    counts as s\n"));
  const auto json = nlohmann::json::parse(read(scratch.path / "report.json"));
  double left_out = 0, seconds = json["finalize_s"];
  for (const auto& phase : json["phases"]) {
    left_out += phase["left_out_s"].get<double>();
    seconds += phase["seconds"].get<double>();
  }
  EXPECT_NEAR(left_out, 0.45, 1e-9);
  EXPECT_NEAR(json["predicted_s"], seconds, 1e-6);
  EXPECT_NEAR(json["predicted_s"].get<double>() - json["skeleton_s"].get<double>(), 0.45, 1e-6);
  EXPECT_GT(json["predicted_s"], 0.6);
}

TEST(Run, LongGapsAreSpentAtScaleOne) {
  Scratch scratch;
  const auto skeleton = ep(0.1, 0.2);
  const auto ran =
      run(scratch.path, skeleton, plan_scale(skeleton, 10), "SKEL_SCALE=1 SKEL_COMPUTE=time", "--json report.json");
  ASSERT_EQ(ran.status, 0) << ran.output;
  const auto json = nlohmann::json::parse(read(scratch.path / "report.json"));
  EXPECT_EQ(json["predicted_s"], json["skeleton_s"]);
  EXPECT_GT(json["skeleton_s"], 0.2);
}

}  // namespace
}  // namespace skelgen::emit
