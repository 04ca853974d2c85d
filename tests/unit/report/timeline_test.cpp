// A run in a bounded number of cells and lines.
#include "report/timeline.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <random>

#include "mpi/mpi.h"
#include "unit/metrics/run.h"

namespace skelgen::report {
namespace {

using test::TracedRun;

const mpi::Function& kRecv = *mpi::find("MPI_Recv");

/// Microseconds of a kind in all columns of a row.
double in_cells(const Timeline& timeline, std::size_t row, Spending what) {
  double sum = 0;
  for (std::size_t column = 0; column < timeline.columns(); ++column)
    sum += timeline.cell(row, column)[static_cast<std::size_t>(what)];
  return 1e6 * sum;
}

testing::Matcher<double> near(double value) { return testing::DoubleNear(value, 1e-4 * std::max(1.0, value)); }

TEST(Groups, AreConsecutiveAndDifferInSizeByOneAtMost) {
  const Groups groups(1000, 128);
  std::size_t ranks = 0;
  for (std::size_t group = 0; group < groups.count(); ++group) {
    EXPECT_THAT(groups.size(group), testing::AnyOf(7u, 8u));
    for (Rank rank = groups.first(group); rank < groups.first(group + 1); ++rank, ++ranks)
      EXPECT_EQ(groups.of(rank), group);
  }
  EXPECT_EQ(ranks, 1000u);
  EXPECT_EQ(groups.name(0), "ranks 0-7");
  EXPECT_EQ(Groups(3, 128).name(2), "rank 2");
}

TEST(Timeline, TellsWaitingFromTransfer) {
  // Rank 1 waits for 10 us for a message that is sent late and takes 2 us; then rank 0 waits 8 us in a barrier.
  TracedRun run(2);
  run.send(0, 1, 15, 1);
  run.recv(1, 0, 5, 12);
  run.barrier(0, 1, 9);
  run.barrier(1, 8, 1);
  run.finalize(0, 2);
  run.finalize(1, 2);
  Timeline timeline({1, 1}, 30e-6);
  metrics::Options options;
  options.observer = &timeline;
  run.measure(options);
  EXPECT_THAT(in_cells(timeline, 0, Spending::computing), near(18));
  EXPECT_THAT(in_cells(timeline, 0, Spending::messages), near(1));
  EXPECT_THAT(in_cells(timeline, 0, Spending::waits_in_collective), near(8));
  EXPECT_THAT(in_cells(timeline, 1, Spending::computing), near(15));
  EXPECT_THAT(in_cells(timeline, 1, Spending::waits_for_message), near(10));
  EXPECT_THAT(in_cells(timeline, 1, Spending::messages), near(2));
  EXPECT_THAT(in_cells(timeline, 1, Spending::collectives), near(1));
  const auto& pairs = timeline.pairs();
  EXPECT_THAT(pairs.messages, testing::ElementsAre(0, 1, 0, 0));
  EXPECT_NEAR(pairs.waited_s[1 * 2 + 0], 10e-6, 1e-12);  // rank 1 for rank 0
  EXPECT_NEAR(pairs.waited_s[0 * 2 + 1], 8e-6, 1e-12);
  ASSERT_EQ(timeline.flows().lines().size(), 1u);
}

TEST(Timeline, KeepsItsSizeAndAllTimeHoweverLongTheRunIs) {
  Timeline timeline({1, 1, 1}, 0, 3 * 64);
  for (int call = 1; call <= 10000; ++call) timeline.spent({call % 3, 0}, 1e-3 * call, 0.6e-3, 0.2e-3, kRecv);
  EXPECT_LE(timeline.columns(), 64u);
  EXPECT_GT(timeline.columns(), 32u);
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_THAT(in_cells(timeline, row, Spending::computing), near(1e6 * timeline.by_rank()[row][0]));
    EXPECT_THAT(in_cells(timeline, row, Spending::messages), near(1e6 * timeline.by_rank()[row][1]));
  }
}

TEST(Timeline, OfManyRanksHasFewRows) {
  Timeline timeline(std::vector<int>(4096, 1), 1);
  for (Rank rank = 0; rank < 4096; ++rank) timeline.spent({rank, 0}, 1, 0.75, 0.25, kRecv);
  EXPECT_EQ(timeline.rows().count(), 128u);
  EXPECT_THAT(in_cells(timeline, 77, Spending::computing), near(32 * 0.75e6));
  EXPECT_LE(timeline.columns() * timeline.rows().count(), Timeline::kMostCells);
}

TEST(Timeline, KeepsShortCallsWhereACellHoldsManySeconds) {
  Timeline timeline({1}, 400, 2);
  timeline.spent({0, 0}, 150, 150, 0, kRecv);
  for (int call = 1; call <= 1'000'000; ++call) timeline.spent({0, 0}, 150 + 4e-6 * call, 2e-6, 2e-6, kRecv);
  EXPECT_THAT(in_cells(timeline, 0, Spending::computing), testing::DoubleNear(152e6, 1));
  EXPECT_THAT(in_cells(timeline, 0, Spending::messages), testing::DoubleNear(2e6, 1));
}

TEST(Timeline, ThreadsOfARankAreRows) {
  // Thread 1 waits for 6 of 10 s in a barrier; thread 0 receives at the same time, without waiting.
  Timeline timeline({2, 1}, 10);
  timeline.spent({0, 1}, 8, 2, 6, *mpi::find("MPI_Barrier"));
  timeline.spent({0, 0}, 8, 7, 1, kRecv);
  timeline.waited({0, 1}, {1, 0}, &metrics::Waits::collective_s, 2, 8);
  timeline.message({0, 0}, 1, {0, 1}, 2);
  ASSERT_EQ(timeline.rows().count(), 3u);
  EXPECT_EQ(timeline.rows().name(1), "rank 0, thread 1");
  EXPECT_EQ(timeline.rows().name(2), "rank 1, thread 0");
  EXPECT_THAT(in_cells(timeline, 0, Spending::computing), near(7e6));
  EXPECT_THAT(in_cells(timeline, 0, Spending::messages), near(1e6));
  EXPECT_THAT(in_cells(timeline, 1, Spending::computing), near(2e6));
  EXPECT_THAT(in_cells(timeline, 1, Spending::collectives), near(0));
  EXPECT_THAT(in_cells(timeline, 1, Spending::waits_in_collective), near(6e6));
  EXPECT_EQ(timeline.seen(), 2u);
  EXPECT_THAT(timeline.by_rank()[0], testing::ElementsAre(9, 1, 0, 0, 0, 6, 0));
  for (const auto& stretch : few_ranks(timeline, 5)) EXPECT_GE(stretch.lost_s, 0);
  ASSERT_EQ(timeline.flows().lines().size(), 1u);
  EXPECT_THAT(timeline.pairs().messages, testing::Each(0)) << "a message to oneself is none to another rank";
}

TEST(Timeline, TimeWithoutACoreIsNoTimeOfMessages) {
  // Computes 3 s, has no core for 5 s, and then receives for 2 s.
  const mpi::Function without_core{.name = metrics::CriticalPath::kWithoutCore, .kind = mpi::Kind::local};
  Timeline timeline({1}, 10);
  timeline.spent({0, 0}, 8, 3, 5, without_core);
  timeline.spent({0, 0}, 10, 0, 2, kRecv);
  EXPECT_THAT(timeline.by_rank()[0], testing::ElementsAre(3, 2, 0, 0, 0, 0, 5));
}

TEST(Rows, OfManyThreadsAreGroups) {
  const Rows rows(std::vector<int>(100, 4), 128);
  EXPECT_EQ(rows.count(), 128u);
  EXPECT_EQ(rows.name(0), "rank 0, thread 0 to rank 0, thread 3");
  EXPECT_EQ(rows.of({99, 3}), 127u);
  EXPECT_EQ(Rows({1, 1, 1, 1}, 2).name(1), "ranks 2-3");
}

TEST(Timeline, OfNothingIsEmpty) {
  const Timeline timeline({0}, 0);
  EXPECT_EQ(timeline.columns(), 0u);
  EXPECT_EQ(timeline.seen(), 0u);
  EXPECT_TRUE(few_ranks(timeline, 5).empty());
}

TEST(FewRanks, IsWhereFewRanksCompute) {
  // All four compute, but from 4 to 6 s only rank 2.
  Timeline timeline({1, 1, 1, 1}, 10);
  for (Rank rank = 0; rank < 4; ++rank) {
    timeline.spent({rank, 0}, rank == 2 ? 6 : 4, rank == 2 ? 6 : 4, 0, kRecv);
    if (rank != 2) timeline.spent({rank, 0}, 6, 0, 2, *mpi::find("MPI_Barrier"));
    timeline.spent({rank, 0}, 10, 4, 0, kRecv);
  }
  const auto found = few_ranks(timeline, 5);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].from_s, 4, timeline.column_s());
  EXPECT_NEAR(found[0].to_s, 6, timeline.column_s());
  EXPECT_NEAR(found[0].computing, 1, 0.01);
  EXPECT_NEAR(found[0].lost_s, 6, 0.01);
  EXPECT_EQ(found[0].busiest, 2u);
  EXPECT_EQ(found[0].instead, Spending::collectives);
}

TEST(FewRanks, CountsRanksThatAreOver) {
  Timeline timeline({1, 1, 1, 1}, 10);
  for (Rank rank = 0; rank < 4; ++rank) timeline.spent({rank, 0}, rank == 0 ? 10 : 5, rank == 0 ? 10 : 5, 0, kRecv);
  const auto found = few_ranks(timeline, 5);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].lost_s, 15, 0.01);
  EXPECT_FALSE(found[0].instead);
}

std::uint64_t messages_of(const Flows& flows) {
  std::uint64_t sum = 0;
  for (const auto& line : flows.lines()) sum += line.messages;
  return sum;
}

TEST(Flows, AreFewLinesThatStandForAllMessages) {
  std::mt19937 random(1);
  Flows flows(4, 1e-6, 1000);
  double at = 0;
  for (int message = 0; message < 100'000; ++message) {
    const std::size_t from = random() % 4;
    at += 1e-5;
    flows.add({from, at, (from + 1 + random() % 3) % 4, at + 1e-6 * (random() % 100)});
  }
  EXPECT_LE(flows.lines().size(), 1000u);
  EXPECT_EQ(flows.row_step(), 1u);
  EXPECT_EQ(messages_of(flows), 100'000u);
  for (const auto& line : flows.lines()) EXPECT_LE(line.sent, line.received);
}

TEST(Flows, EndsAfterItBegan) {
  // Sent long after all that was received: between hosts whose clocks differ.
  Flows flows(2, 1e-6, 100);
  flows.add({0, 10.0, 1, 1e-6});
  ASSERT_EQ(flows.lines().size(), 1u);
  EXPECT_GE(flows.lines()[0].received, flows.lines()[0].sent);
  EXPECT_NEAR(flows.lines()[0].sent * flows.column_s(), 10, 1e-3);
}

TEST(Flows, OfTooManyPairsJoinRows) {
  Flows flows(64, 1e-3, 500);
  for (std::size_t from = 0; from < 64; ++from)
    for (std::size_t to = 0; to < 64; ++to) flows.add({from, 0.001 * static_cast<double>(from), to, 0.1});
  EXPECT_LE(flows.lines().size(), 500u);
  EXPECT_GT(flows.row_step(), 1u);
  for (const auto& line : flows.lines()) {
    EXPECT_NE(line.from, line.to);
    EXPECT_EQ(line.from % flows.row_step(), 0u);
  }
}

}  // namespace
}  // namespace skelgen::report
