// Concurrency inside phases and windows of time. Times are in microseconds.
#include "metrics/windows.h"

#include <gmock/gmock.h>

#include "unit/metrics/run.h"

namespace skelgen::test {
namespace {

using testing::Optional;

constexpr int kRanks = 4, kTurns = 8;

/// All compute for 60 or 100, then meet; one after the other computes for 100; as at first.
metrics::Metrics balanced_chain_balanced() {
  TracedRun run(kRanks);
  std::vector<std::uint64_t> calls(kRanks, 1);
  metrics::Phases phases;
  const auto balanced = [&](int turn) {
    for (int rank = 0; rank < kRanks; ++rank) {
      const int computes = (rank + turn) % 2 ? 60 : 100;
      run.barrier(rank, computes, 100 - computes);
      ++calls[static_cast<std::size_t>(rank)];
    }
  };
  const auto chain = [&] {
    for (int rank = 0; rank < kRanks; ++rank) {
      if (rank > 0) run.recv(rank, rank - 1, 0, 100 * rank), ++calls[static_cast<std::size_t>(rank)];
      if (rank + 1 < kRanks) run.send(rank, rank + 1, 100, 0), ++calls[static_cast<std::size_t>(rank)];
      run.barrier(rank, rank + 1 < kRanks ? 0 : 100, rank + 1 < kRanks ? 100 * (kRanks - 1 - rank) : 0);
      ++calls[static_cast<std::size_t>(rank)];
    }
  };
  for (const char* name : {"loop 1", "loop 2", "loop 3"}) {
    phases.push_back({name, phases.empty() ? std::vector<std::uint64_t>(kRanks, 0) : calls});
    for (int turn = 0; turn < kTurns; ++turn) name == std::string("loop 2") ? chain() : balanced(turn);
  }
  for (int rank = 0; rank < kRanks; ++rank) {
    run.call(rank, "MPI_Finalize", {}, 0, 5);
    run.rank(rank).finish({.finalize_entry_ticks = 1'004'800'000, .finalize_exit_ticks = 1'004'805'000});
  }
  return run.measure({.phases = phases, .windows = 12});
}

TEST(Windows, PhasesHaveAnAlphaOfTheirOwn) {
  const auto phases = balanced_chain_balanced().phases;
  ASSERT_EQ(phases.size(), 3u);
  // Of each turn: computing 320, volume 400; the longest chain is 100 in each.
  EXPECT_THAT(phases[0].alpha, Optional(testing::DoubleNear(220.0 / 300, 1e-9)));
  EXPECT_THAT(phases[1].alpha, Optional(testing::DoubleNear(0, 1e-9)));
  EXPECT_THAT(phases[2].alpha, Optional(testing::DoubleNear(220.0 / 300, 1e-9)));
}

TEST(Windows, OfTimeShowWhereTheChainIs) {
  const auto windows = balanced_chain_balanced().windows;
  // 800 of the first phase, 3200, 800, and what MPI_Finalize takes, in windows of 400.4.
  ASSERT_EQ(windows.alpha.size(), 12u);
  EXPECT_THAT(us(windows.length_s), testing::DoubleNear(4805.0 / 12, 1e-6));
  EXPECT_GT(windows.alpha[0].value(), 0.7);
  EXPECT_GT(windows.alpha[1].value(), 0.7);
  for (std::size_t i = 3; i < 9; ++i) EXPECT_NEAR(windows.alpha[i].value(), 0, 1e-9) << i;
  EXPECT_GT(windows.alpha[11].value(), 0.7);
}

TEST(Windows, AChainInsideAWindowIsNotLongerThanTheWindow) {
  metrics::TimeWindows windows(2, 10, 1.0);
  metrics::Step step;
  step.at = 9;
  step.computing = 7.5;
  step.blocked = 1;
  windows.pass(0, step, 1);
  step.computing = 0.25;
  step.blocked = 8.25;
  windows.pass(1, step, 1);
  const auto alpha = windows.take().alpha;
  EXPECT_THAT(alpha[0], Optional(testing::DoubleNear(0.25 / 0.5, 1e-12)));  // both compute for 0.25 of 0.5
  for (std::size_t i = 1; i < 8; ++i) EXPECT_THAT(alpha[i], Optional(testing::DoubleNear(0, 1e-12))) << i;
  EXPECT_THAT(alpha[8], Optional(testing::DoubleNear(0, 1e-12)));  // nobody computes
  EXPECT_FALSE(alpha[9]);
}

TEST(Windows, OfOneLocationHaveNoAlphaThoughAnotherLooksIn) {
  metrics::TimeWindows windows(2, 1, 1.0);
  metrics::Step step;
  step.at = 1;
  step.computing = 1;
  windows.pass(0, step, 1);
  step.at = 1e-9;
  step.computing = 0;
  step.blocked = 1e-9;
  windows.pass(1, step, 1);
  EXPECT_FALSE(windows.take().alpha[0]);
}

TEST(Windows, MessagesFromWindowsBeforeMakeNoChainLonger) {
  metrics::WindowChain chain{3, 0.5};
  chain.follow({2, 0.9});
  EXPECT_EQ(chain.seconds, 0.5);
  chain.follow({3, 0.9});
  EXPECT_EQ(chain.seconds, 0.9);
  chain.join({4, 0.1});
  EXPECT_EQ(chain.window, 4);
  EXPECT_EQ(chain.seconds, 0.1);
  chain.join({3, 0.9});
  EXPECT_EQ(chain.seconds, 0.1);
}

}  // namespace
}  // namespace skelgen::test
