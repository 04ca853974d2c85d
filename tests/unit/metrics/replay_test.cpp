// What a replay costs, in steps and in calls that it keeps.
#include "metrics/replay.h"

#include <gmock/gmock.h>

#include "unit/metrics/processor_time.h"
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

TEST(Replay, LooksAFewTimesForEachRankInACollective) {
  constexpr int kRanks = 200, kBarriers = 5;
  TracedRun run(kRanks);
  for (int rank = 0; rank < kRanks; ++rank) {
    for (int i = 0; i < kBarriers; ++i) run.barrier(rank, 1 + rank, kRanks - rank);
    run.finalize(rank, 1);
  }
  const auto all = replayed(run);
  EXPECT_EQ(all.unmatched.total(), 0u);
  EXPECT_LE(all.wakes, 4u * kRanks * kBarriers);
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

TEST(Replay, LooksAFewTimesForEachCallThatIsLetGo) {
  constexpr int kRanks = 200, kReceives = 50;
  TracedRun run(kRanks);
  for (int rank = 0; rank < kRanks; ++rank) {
    for (int i = 0; i < kReceives; ++i) run.recv(rank, (rank + 1) % kRanks, 1, 1);
    run.finalize(rank, 1);
  }
  const auto all = replayed(run);
  EXPECT_EQ(all.unmatched.total(), 1u * kRanks * kReceives);
  EXPECT_LE(all.wakes, 5u * kRanks * kReceives);
}

TEST(Replay, ScansCostLittleMoreThanBarriers) {
  // Each rank waits for all below it, and is not looked at for each of those.
  constexpr int kRanks = 400, kCalls = 40;
  const auto seconds = [](const char* name, const std::vector<trace::Argument>& arguments) {
    TracedRun run(kRanks);
    for (int rank = 0; rank < kRanks; ++rank) {
      for (int i = 0; i < kCalls; ++i) run.call(rank, name, arguments, 1, 1);
      run.finalize(rank, 1);
    }
    const auto trace = run.open();
    return processor_seconds([&] { metrics::measure(trace, {.slack = true}); });
  };
  const double barriers = seconds("MPI_Barrier", {kWorld});
  EXPECT_LT(seconds("MPI_Scan", {0x1000, 0x2000, 1, kInt, kSum, kWorld}), 10 * barriers);
}

TEST(Replay, ForgetsTagsThatAreNotUsedAnyMore) {
  // Each message has a tag of its own, and one is under way for long; its receive and its send end last.
  constexpr int kMessages = 70'000;
  TracedRun run(2);
  run.call(0, "MPI_Isend", {0x1000, 1, kInt, 1, 1'000'000, kWorld, 7}, 0, 0);
  for (int i = 0; i < kMessages; ++i) {
    run.send(0, 1, 2, 1, i);
    run.recv(1, 0, 1, 2, i);
    run.call(1, "MPI_Irecv", {0x1000, 1, kInt, 0, 2'000'000 + i, kWorld, 9}, 0, 0);
    run.call(1, "MPI_Cancel", {9}, 0, 0);
    run.call(1, "MPI_Wait", {9, std::vector<std::int64_t>{}}, 0, 0);
  }
  run.recv(1, 0, 5, 1, 1'000'000);
  run.finalize(1, 1);
  run.call(0, "MPI_Wait", {7, std::vector<std::int64_t>{}}, 0, 0);
  run.finalize(0, 1);
  const auto all = replayed(run);
  EXPECT_EQ(all.unmatched.total(), 0u);
  EXPECT_LE(all.channels, 65'537u);
  EXPECT_THAT(us(all.chains.seconds), testing::DoubleNear(2 * kMessages + 5 + 1, 1e-3));
}

TEST(Replay, KeepsWhatARankWentOnWithout) {
  // Both wait for each other's message, which is sent behind that: no number is given anew before it is.
  TracedRun run(2);
  for (int rank = 0; rank < 2; ++rank) {
    run.recv(rank, 1 - rank, 1, 1, 5);
    run.send(rank, 1 - rank, 1, 1, 5);
    for (int tag = 6; tag < 100; ++tag) {
      run.send(rank, 1 - rank, 1, 1, tag);
      run.recv(rank, 1 - rank, 1, 1, tag);
    }
    run.finalize(rank, 1);
  }
  const auto all =
      metrics::replay(run.open(), {.rho = {}, .cuts = {}, .message = {}, .altered = {}, .idle_channels = 0});
  EXPECT_EQ(all.unmatched.circular, 1u);
  EXPECT_EQ(all.unmatched.total(), 1u);
}

}  // namespace
}  // namespace skelgen::test
