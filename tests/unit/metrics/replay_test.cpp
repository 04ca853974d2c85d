// What a replay costs, in steps and in calls that it keeps.
#include "metrics/replay.h"

#include <gmock/gmock.h>

#include "unit/metrics/run.h"

namespace skelgen::test {
namespace {

metrics::Replayed replayed(TracedRun& run) {
  return metrics::replay(run.open(), {.rho = {}, .cuts = {}, .message = {}, .altered = {}});
}

TEST(Replay, LooksAtEachRankAFewTimesWhenRanksEnd) {
  // Ranks end one after another. Half of them wait for the last one.
  constexpr int kRanks = 200;
  TracedRun run(kRanks);
  const int last = kRanks - 1;
  for (int rank = 0; rank < last; ++rank) {
    if (rank % 2 == 0) run.recv(rank, last, 0, 1000);
    run.finalize(rank, rank);
  }
  for (int rank = 0; rank < last; rank += 2) run.send(last, rank, rank ? 0 : 1000, 0);
  run.finalize(last, 0);
  const auto all = replayed(run);
  EXPECT_EQ(all.unmatched.total(), 0u);
  EXPECT_LE(all.wakes, 4u * kRanks);
}

TEST(Replay, GoesOnWithWhatWaitsForARankThatEnds) {
  // Rank 0 waits for a message, rank 1 in a barrier; rank 2 does neither.
  TracedRun run(3);
  run.recv(0, 2, 1, 8);
  run.finalize(0, 2);
  run.barrier(1, 3, 6);
  run.finalize(1, 4);
  run.finalize(2, 20);
  const auto all = replayed(run);
  EXPECT_EQ(all.unmatched.receives, 1u);
  EXPECT_EQ(all.unmatched.collectives, 1u);
  EXPECT_EQ(all.unmatched.total(), 2u);
  EXPECT_THAT(us(all.computing[0]), about(3));
  EXPECT_THAT(us(all.computing[1]), about(7));
}

}  // namespace
}  // namespace skelgen::test
