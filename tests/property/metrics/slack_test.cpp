// Slack, against the run that was made again with one stretch of computation so long that it decides when the run ends.
#include "metrics/slack.h"

#include <gtest/gtest.h>

#include "metrics/replay.h"
#include "property/metrics/program.h"

namespace skelgen::test {
namespace {

/// By rank: of its computation. Times in microseconds.
std::vector<metrics::SlackSum> slack_by_trying(const Program& program) {
  constexpr int kLong = 1'000'000;
  const int whole = program.simulate();
  std::vector<metrics::SlackSum> all(program.ranks);
  for (std::size_t i = 0; i < program.calls.size(); ++i)
    for (std::size_t r = 0; r < program.ranks; ++r) {
      if (!Program::makes(program.calls[i], r)) continue;
      const int delayed = program.simulate([&](std::size_t rank, std::size_t call, int compute) {
        return compute + (rank == r && call == i ? kLong : 0);
      });
      all[r].add(program.calls[i].compute[r], whole + kLong - delayed);
    }
  return all;
}

TEST(Slack, IsThatOfTheDelayedRun) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const Program program(seed, 50);
    TracedRun run(static_cast<int>(program.ranks));
    program.simulate(&run);
    const auto expected = slack_by_trying(program);
    const auto path = run.measure({.slack = true}).critical_path;
    ASSERT_EQ(path.slack_by_rank.size(), program.ranks);
    bool critical = false;
    for (std::size_t r = 0; r < program.ranks; ++r) {
      EXPECT_NEAR(1e6 * path.slack_by_rank[r].least_s.value(), expected[r].least, 1e-6);
      EXPECT_NEAR(1e6 * path.slack_by_rank[r].mean_s.value(), expected[r].weighted / expected[r].seconds, 1e-6);
      critical = critical || path.slack_by_rank[r].least_s.value() < 1e-12;
    }
    EXPECT_TRUE(critical);
  }
}

TEST(Slack, IsNeverTooLargeWhereLittleIsKept) {
  double found = 0, all = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Program program(seed, 50);
    TracedRun run(static_cast<int>(program.ranks));
    program.simulate(&run);
    const auto expected = slack_by_trying(program);
    for (const std::size_t window : {1, 7, 40}) {
      const auto slacks =
          metrics::replay(run.open(), {.rho = {}, .cuts = {}, .slack_window = window, .message = {}, .altered = {}})
              .slacks;
      for (std::size_t r = 0; r < program.ranks; ++r) {
        EXPECT_NEAR(1e6 * slacks.by_location[r].seconds, expected[r].seconds, 1e-6);
        EXPECT_LE(1e6 * slacks.by_location[r].least, expected[r].least + 1e-6) << seed << ' ' << window;
        EXPECT_LE(1e12 * slacks.by_location[r].weighted, expected[r].weighted + 1e-3) << seed << ' ' << window;
        found += 1e12 * slacks.by_location[r].weighted;
        all += expected[r].weighted;
      }
    }
  }
  EXPECT_GT(found, 0.3 * all);
}

}  // namespace
}  // namespace skelgen::test
