// Which calls of different ranks and threads belong together. Times are in microseconds.
#include <gmock/gmock.h>

#include "unit/metrics/run.h"

namespace skelgen::test {
namespace {

TEST(Threads, ComputeBeforeTheirFirstCall) {
  for (const char* first : {"MPI_Send", "MPI_Comm_free_keyval"}) {
    TracedRun run(1);
    const bool message = first == std::string("MPI_Send");
    run.rank(0).call(first,
                     message ? std::vector<trace::Argument>{0x1000, 1, kInt, mpi::kProcNull, 0, kWorld}
                             : std::vector<trace::Argument>{},
                     7000, 0, {}, 1);
    run.rank(0).call("MPI_Send", {0x1000, 1, kInt, mpi::kProcNull, 0, kWorld}, 2000, 0, {}, 1);
    run.finalize(0, 1);
    double computing = 0;
    for (const auto& rank : run.measure().he_sun.per_rank) computing += rank.computing_s;
    EXPECT_THAT(us(computing), about(7 + 2 + 1)) << first;
  }
}

TEST(Threads, MeanByAHandleWhatItStoodForThen) {
  TracedRun run(2);
  // Thread 0 of each rank makes a communicator of both, frees it and gets the handle again for itself alone; thread 1
  // waits for the other rank in the first one.
  for (int rank = 0; rank < 2; ++rank) {
    auto& writer = run.rank(rank);
    run.call(rank, "MPI_Comm_split", {kWorld, 0, 0, 0x84}, 0, 1);
    writer.comm({0x84, 2, rank, 0, false});
    run.call(rank, "MPI_Comm_free", {0x84}, 10, 1);
    run.call(rank, "MPI_Comm_split", {kWorld, rank, 0, 0x84}, 0, 1);
    writer.comm({0x84, 1, 0, rank, false});
    writer.comm({0x84, 2, rank, 0, false}, 1);
    writer.pause(2000, 1);
    writer.call("MPI_Barrier", {0x84}, rank ? 5000 : 1000, rank ? 1000 : 5000, {}, 1);
    run.finalize(rank, 1);
  }
  const auto measured = run.measure();
  EXPECT_EQ(measured.unmatched.total(), 0u);
  double blocked = 0;
  for (const auto& rank : measured.he_sun.per_rank) blocked += rank.blocked_s;
  EXPECT_THAT(us(blocked), testing::Gt(9));  // MPI_Comm_split 4, MPI_Barrier 6
}

TEST(Matching, NonblockingFromPostToCompletion) {
  // Rank 1 posts two receives, computes 20, and completes both at once.
  TracedRun run(2);
  run.call(1, "MPI_Irecv", {0x1000, 1, kInt, 0, 5, kWorld, 101}, 0, 0);
  run.call(1, "MPI_Irecv", {0x1000, 1, kInt, 0, 6, kWorld, 102}, 0, 0);
  run.call(1, "MPI_Waitall", {2, {101, 102}, std::vector<std::int64_t>{}}, 20, 10);
  run.finalize(1, 4);
  run.call(0, "MPI_Isend", {0x1000, 1, kInt, 1, 6, kWorld, 7}, 8, 0);
  run.call(0, "MPI_Isend", {0x1000, 1, kInt, 1, 5, kWorld, 7}, 17, 0);
  run.call(0, "MPI_Waitall", {2, {7, 7}, std::vector<std::int64_t>{}}, 0, 0);
  run.finalize(0, 0);
  const auto all = run.measure();
  EXPECT_EQ(all.unmatched.total(), 0u);
  EXPECT_THAT(us(all.he_sun.ht), about(29));  // 8 + 17 of rank 0, then 4
  EXPECT_THAT(us(all.he_sun.per_rank[1].blocked_s), about(10));
}

TEST(Matching, WildcardsByWhatWasRecorded) {
  TracedRun run(3);
  run.call(0, "MPI_Irecv", {0x1000, 1, kInt, mpi::kAnySource, mpi::kAnyTag, kWorld, 101}, 0, 0);
  run.call(0, "MPI_Recv", {0x1000, 1, kInt, mpi::kAnySource, 9, kWorld, {1, 9}}, 0, 3);
  run.call(0, "MPI_Wait", {101, {2, 4}}, 0, 30);
  run.finalize(0, 1);
  run.send(1, 0, 3, 0, 9);
  run.finalize(1, 0);
  run.send(2, 0, 33, 0, 4);
  run.finalize(2, 0);
  const auto all = run.measure();
  EXPECT_EQ(all.unmatched.total(), 0u);
  EXPECT_THAT(us(all.he_sun.ht), about(34));
}

TEST(Matching, AReceiveOfAnySourceTakesItsTurnWhereItWasPosted) {
  // It was posted first, so it has the first message although the other receive completes before it.
  TracedRun run(2);
  run.call(0, "MPI_Irecv", {0x1000, 1, kInt, mpi::kAnySource, 4, kWorld, 101}, 0, 0);
  run.recv(0, 1, 0, 50, 4);
  run.call(0, "MPI_Wait", {101, {1, 4}}, 10, 0);
  run.finalize(0, 7);
  run.send(1, 0, 1, 0, 4);
  run.send(1, 0, 49, 0, 4);
  run.finalize(1, 0);
  const auto all = run.measure();
  EXPECT_EQ(all.unmatched.total(), 0u);
  EXPECT_THAT(us(all.he_sun.ht), about(50 + 10 + 7));
}

TEST(Matching, AnotherThreadMayComplete) {
  TracedRun run(2);
  run.rank(1).call("MPI_Irecv", {0x1000, 1, kInt, 0, 0, kWorld, 101}, 1000, 0, {}, 1);
  run.call(1, "MPI_Wait", {101, std::vector<std::int64_t>{}}, 2, 8);
  run.finalize(1, 3);
  run.send(0, 1, 6, 0);
  run.finalize(0, 0);
  const auto all = run.measure();
  EXPECT_EQ(all.unmatched.total(), 0u);
  EXPECT_THAT(us(all.he_sun.ht), about(6 + 3));
}

TEST(Matching, UnsuccessfulTestsCompleteNothing) {
  TracedRun run(2);
  run.call(1, "MPI_Irecv", {0x1000, 1, kInt, 0, 0, kWorld, 101}, 0, 0);
  run.call(1, "MPI_Test", {101, 0, std::vector<std::int64_t>{}}, 1, 1);
  run.call(1, "MPI_Test", {101, 1, std::vector<std::int64_t>{}}, 1, 1);
  run.finalize(1, 2);
  run.send(0, 1, 2, 0);
  run.finalize(0, 0);
  const auto all = run.measure();
  EXPECT_EQ(all.unmatched.total(), 0u);
  EXPECT_THAT(us(all.he_sun.ht), about(4));
}

TEST(Matching, SameTagInOrder) {
  // The second message takes long to compute; only the second receive waits for it.
  TracedRun run(2);
  run.send(0, 1, 1, 0);
  run.send(0, 1, 100, 0);
  run.finalize(0, 0);
  run.recv(1, 0, 0, 1);
  run.recv(1, 0, 0, 100);
  run.finalize(1, 7);
  EXPECT_THAT(us(run.measure().he_sun.ht), about(108));
}

TEST(Matching, MessagesToNobodyAreLocal) {
  TracedRun run(2);
  run.send(0, static_cast<int>(mpi::kProcNull), 1, 2);
  run.recv(0, static_cast<int>(mpi::kProcNull), 1, 2);
  run.finalize(0, 0);
  run.finalize(1, 6);
  const auto all = run.measure();
  EXPECT_EQ(all.unmatched.total(), 0u);
  EXPECT_THAT(us(all.he_sun.per_rank[0].computing_s), about(2));
  EXPECT_THAT(us(all.he_sun.per_rank[0].blocked_s), about(4));
  EXPECT_THAT(us(all.waits.all.total()), about(0));
}

TEST(Matching, CommunicatorsWithOneHandleAreToldApartByWhereTheyComeFrom) {
  // Ranks 0,1 and 2,3 split into pairs; all call theirs 0x84. Rank 1 of each pair gets its own pair's message.
  TracedRun run(4);
  for (int rank = 0; rank < 4; ++rank) {
    run.call(rank, "MPI_Comm_split", {kWorld, rank / 2, rank, 0x84}, 0, 0);
    run.rank(rank).comm({0x84, 2, rank % 2, rank / 2 * 2, false});
    if (rank % 2 == 0)
      run.send(rank, 1, 10 * (rank + 1), 0, 0, 0x84);
    else
      run.recv(rank, 0, 0, 0, 0, 0x84);
    run.finalize(rank, 1);
  }
  const auto all = run.measure();
  EXPECT_EQ(all.unmatched.total(), 0u);
  EXPECT_THAT(us(all.he_sun.ht), about(31));
  EXPECT_EQ(all.raynal.weight, 4 * (1 + 1 + 1 + 1 + 1)) << "each: gap, split, gap, message, gap";
}

TEST(Matching, WhatIsLeftOverIsCounted) {
  TracedRun run(2);
  run.send(0, 1, 1, 0);
  run.send(0, 1, 1, 0);
  run.barrier(0, 1, 0);
  run.call(0, "MPI_Irecv", {0x1000, 1, kInt, mpi::kAnySource, 5, kWorld, 9}, 0, 0);
  run.finalize(0, 1);
  run.recv(1, 0, 0, 1);
  run.recv(1, 0, 0, 0, 44);
  run.finalize(1, 1);
  const auto unmatched = run.measure().unmatched;
  EXPECT_EQ(unmatched.sends, 1u);
  EXPECT_EQ(unmatched.receives, 1u);
  EXPECT_EQ(unmatched.collectives, 1u);
  EXPECT_EQ(unmatched.unfinished, 1u);
  EXPECT_EQ(unmatched.circular, 0u);
}

TEST(Matching, ACircleIsCountedNotFollowed) {
  TracedRun run(2);
  for (int rank = 0; rank < 2; ++rank) {
    run.recv(rank, 1 - rank, 1, 1);
    run.send(rank, 1 - rank, 1, 1);
    run.finalize(rank, 1);
  }
  const auto all = run.measure();
  EXPECT_EQ(all.unmatched.circular, 1u);
  EXPECT_EQ(all.raynal.weight, 10);
}

}  // namespace
}  // namespace skelgen::test
