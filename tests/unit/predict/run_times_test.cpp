#include "predict/run_times.h"

#include <gtest/gtest.h>

#include <fstream>

#include "launch/temporary.h"
#include "support/error.h"

namespace skelgen::predict {
namespace {

RankTimes rank(int number, int ranks, const std::string& host, std::uint64_t a, std::uint64_t b, std::uint64_t c,
               std::uint64_t d) {
  return {number, ranks, host, a, b, c, d};
}

TEST(RunTimes, RunFromTheFirstEntryToTheLastExit) {
  const auto run = run_times({rank(0, 2, "h", 1'000'000'000, 1'200'000'000, 3'000'000'000, 3'100'000'000),
                              rank(1, 2, "h", 1'100'000'000, 1'200'000'000, 3'050'000'000, 3'500'000'000)},
                             400'000'000, "h");
  EXPECT_DOUBLE_EQ(run.wall_s, 2.5);
  EXPECT_DOUBLE_EQ(run.launch_s.value(), 0.6);
  EXPECT_DOUBLE_EQ(run.init_s, 0.2);
  EXPECT_DOUBLE_EQ(run.finalize_s, 0.45);
}

TEST(RunTimes, NeverCompareClocksOfTwoHosts) {
  const auto run = run_times({rank(0, 2, "a", 5'000'000'000, 5'000'000'001, 6'000'000'000, 7'000'000'000),
                              rank(1, 2, "b", 900'000'000'000, 900'000'000'001, 902'000'000'000, 903'000'000'000)},
                             0, "c");
  EXPECT_DOUBLE_EQ(run.wall_s, 3);
  EXPECT_FALSE(run.launch_s);
}

TEST(RunTimes, KnowThatASimulatedClockIsEverybodys) {
  auto times = std::vector{rank(0, 2, "a", 1'000'000'000, 1'000'000'000, 2'000'000'000, 2'000'000'000),
                           rank(1, 2, "b", 1'000'000'000, 1'000'000'000, 5'000'000'000, 6'000'000'000)};
  times[0].init_entry_ns = 0;
  for (auto& one : times) one.simulated = true;
  const auto run = run_times(times, 400'000'000, "a");
  EXPECT_DOUBLE_EQ(run.wall_s, 6);
  EXPECT_FALSE(run.launch_s);
}

TEST(RunTimes, WantEveryRank) { EXPECT_THROW(run_times({rank(0, 2, "a", 1, 2, 3, 4)}, 0, "a"), Error); }

TEST(RankTimes, AreReadInOrder) {
  const launch::TemporaryDirectory scratch(launch::scratch_parent(), "test");
  const auto write = [&](const char* name, const char* text) { std::ofstream(scratch.path() / name) << text; };
  write(
      "time-000001.json",
      R"({"rank":1,"ranks":2,"host":"h","init_entry_ns":5,"init_exit_ns":6,"finalize_entry_ns":7,"finalize_exit_ns":18446744073709551615})");
  write(
      "time-000000.json",
      R"({"rank":0,"ranks":2,"host":"h","init_entry_ns":1,"init_exit_ns":2,"finalize_entry_ns":3,"finalize_exit_ns":4})");
  write("other.txt", "x");
  const auto times = read_rank_times(scratch.path());
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].rank, 0);
  EXPECT_EQ(times[1].finalize_exit_ns, 18446744073709551615u);
  write("time-000002.json", R"({"rank":2,"ran)");
  EXPECT_THROW(read_rank_times(scratch.path()), Error);
}

}  // namespace
}  // namespace skelgen::predict
