// Sends that depend on their receives. Times are in microseconds.
#include <gmock/gmock.h>

#include "metrics/replay.h"
#include "unit/metrics/run.h"

namespace skelgen::test {
namespace {

using testing::Optional;

/// Sends so many ints.
void send_large(TracedRun& run, int from, int to, int ints, int gap, int inside, int tag = 0) {
  run.call(from, "MPI_Send", {0x1000, ints, kInt, to, tag, kWorld}, gap, inside);
}

/// Rank 0 sends, then computes 300,000; rank 1 computes as long, then receives: one after the other.
metrics::Metrics sent_to_a_late_receiver(const std::function<void(TracedRun&, int)>& send) {
  TracedRun run(2);
  send(run, 300'100);
  run.finalize(0, 300'000);
  run.recv(1, 0, 300'000, 200);
  run.finalize(1, 0);
  return run.measure({.slack = true, .halve = true});
}

void expect_one_after_the_other(const metrics::Metrics& all) {
  EXPECT_LT(all.he_sun.alpha.value(), 0.001);
  EXPECT_NEAR(all.pop.serialization.value(), 0.5, 1e-6);
  EXPECT_GT(all.pop.transfer.value(), 0.999);
  EXPECT_GT(all.unwaited.alpha.value(), 0.499);
  EXPECT_NEAR(all.unwaited.serialization.value(), 1, 1e-6);
  EXPECT_NEAR(all.unwaited.transfer.value(), 0.5, 0.001);
  EXPECT_LE(all.raynal.alpha.value(), all.unwaited.raynal_alpha.value());
  EXPECT_THAT(us(all.unwaited.ht), about(300'000));
  EXPECT_THAT(us(all.waits.per_rank[0].late_receiver_s), about(300'000));
  EXPECT_THAT(us(all.critical_path.by_rank[1]), about(300'000));
  EXPECT_THAT(us(all.critical_path.slack_by_rank[1].least_s.value()), about(0));
  EXPECT_THAT(us(all.critical_path.seconds), about(600'100));
  std::size_t ranks = 0;
  for (const auto& half : all.critical_path.halved)
    if (half.rank) {
      ++ranks;
      EXPECT_THAT(us(half.gain_s), about(150'000));
    }
  EXPECT_EQ(ranks, 2u);
}

TEST(Sends, SynchronousOnesDependOnTheirReceives) {
  const auto all = sent_to_a_late_receiver([](TracedRun& run, int inside) { run.ssend(0, 1, 0, inside); });
  expect_one_after_the_other(all);
  EXPECT_EQ(all.sends.synchronous, 1u);
  EXPECT_EQ(all.sends.waiting, 0u);
  expect_one_after_the_other(sent_to_a_late_receiver([](TracedRun& run, int inside) {
    run.call(0, "MPI_Issend", {0x1000, 1, kInt, 1, 0, kWorld, 101}, 0, 0);
    run.call(0, "MPI_Wait", {101, std::vector<std::int64_t>{}}, 0, inside);
  }));
  expect_one_after_the_other(sent_to_a_late_receiver([](TracedRun& run, int inside) {
    run.call(0, "MPI_Ssend_init", {0x1000, 1, kInt, 1, 0, kWorld, 101}, 0, 0);
    run.call(0, "MPI_Start", {101}, 0, 0);
    run.call(0, "MPI_Wait", {101, std::vector<std::int64_t>{}}, 0, inside);
  }));
}

TEST(Sends, LargeOnesDependOnReceivesThatTheyWaitedFor) {
  const auto all =
      sent_to_a_late_receiver([](TracedRun& run, int inside) { send_large(run, 0, 1, 2'000'000, 0, inside); });
  expect_one_after_the_other(all);
  EXPECT_EQ(all.sends.waiting, 1u);
  EXPECT_THAT(all.sends.waiting_bytes, Optional(8e6));
  EXPECT_FALSE(all.sends.buffered_bytes);
}

TEST(Sends, SmallOnesDependOnReceivesThatTheyWaitedForLong) {
  // As in a pipe that is full.
  const auto all = sent_to_a_late_receiver([](TracedRun& run, int inside) { run.send(0, 1, 0, inside); });
  expect_one_after_the_other(all);
  EXPECT_EQ(all.sends.waiting, 1u);
  EXPECT_FALSE(all.sends.waiting_bytes);
}

TEST(Sends, BufferedAndReadyOnesNeverWait) {
  for (const char* name : {"MPI_Bsend", "MPI_Rsend"}) {
    const auto all = sent_to_a_late_receiver([&](TracedRun& run, int inside) {
      run.call(0, name, {0x1000, 2'000'000, kInt, 1, 0, kWorld}, 0, inside);
    });
    EXPECT_THAT(us(all.he_sun.ht), about(300'000)) << name;
    EXPECT_THAT(us(all.waits.all.late_receiver_s), about(0)) << name;
    EXPECT_EQ(all.sends.synchronous + all.sends.waiting, 0u) << name;
  }
}

TEST(Sends, OfWhatSizeTheyWaitTheTimesShow) {
  // 20,000 bytes return before their receive is posted: what is not larger was buffered. 40,000 bytes wait for 50: from
  // there on all depend on their receives, also where these were posted before.
  TracedRun run(2);
  send_large(run, 0, 1, 5000, 0, 10);
  run.recv(1, 0, 1000, 10);
  send_large(run, 0, 1, 5000, 1000, 50);   // from 1010
  run.recv(1, 0, 5, 50);                   // from 1015
  send_large(run, 0, 1, 10'000, 100, 60);  // from 1160
  run.recv(1, 0, 145, 30);                 // from 1210
  run.recv(1, 0, 100, 700);                // from 1340
  send_large(run, 0, 1, 12'000, 790, 20);  // from 2010
  run.finalize(0, 0);
  run.finalize(1, 0);
  const auto all = run.measure();
  EXPECT_THAT(all.sends.buffered_bytes, Optional(20'000));
  EXPECT_THAT(all.sends.waiting_bytes, Optional(40'000));
  EXPECT_EQ(all.sends.waiting, 2u);
  EXPECT_THAT(us(all.waits.per_rank[0].late_receiver_s), about(50));
  EXPECT_EQ(all.unmatched.total(), 0u);
}

TEST(Sends, ALargerOneThatWasBufferedTellsOfSmallerOnes) {
  // 40,000 bytes seem to wait for 5; 80,000 bytes do not.
  TracedRun run(2);
  send_large(run, 0, 1, 10'000, 0, 20);
  run.recv(1, 0, 5, 30);
  send_large(run, 0, 1, 20'000, 100, 20);
  run.recv(1, 0, 1000, 30);
  run.finalize(0, 0);
  run.finalize(1, 0);
  const auto sends = run.measure().sends;
  EXPECT_THAT(sends.buffered_bytes, Optional(80'000));
  EXPECT_FALSE(sends.waiting_bytes);
}

TEST(Sends, DependOnWhatWentBeforeTheReceiveWasPosted) {
  // Rank 1 posts at 10, computes 90 and waits: the sender, from 0 to 12, had to wait for 10 of it. Its own 20 come behind.
  for (const std::int64_t source : {0l, static_cast<long>(mpi::kAnySource)}) {
    TracedRun run(2);
    run.ssend(0, 1, 0, 12);
    run.finalize(0, 200);
    run.call(1, "MPI_Irecv", {0x1000, 1, kInt, source, 0, kWorld, 100}, 10, 0);
    run.call(1, "MPI_Wait", {100, std::vector<std::int64_t>{0, 0}}, 90, 1);
    run.finalize(1, 0);
    const auto all = run.measure({.slack = true});
    EXPECT_THAT(us(all.he_sun.ht), about(10 + 200)) << source;
    EXPECT_THAT(us(all.unwaited.ht), about(200)) << source;
    EXPECT_THAT(us(all.waits.per_rank[0].late_receiver_s), about(10)) << source;
    EXPECT_THAT(us(all.critical_path.by_rank[1]), about(10)) << source;
    EXPECT_THAT(us(all.critical_path.slack_by_rank[1].least_s.value()), about(0)) << source;
    EXPECT_EQ(all.unmatched.total(), 0u);
  }
}

TEST(Sends, OfAnExchangeWaitForItsReceiverToo) {
  // A ring of three: rank 2 comes at 700. Rank 1 waits for it as its receiver, rank 0 as its sender.
  TracedRun run(3);
  const auto exchange = [&](int rank, int gap, int inside) {
    const int left = (rank + 2) % 3, right = (rank + 1) % 3;
    run.call(rank, "MPI_Sendrecv",
             {0x1000, 5000, kInt, right, 0, 0x2000, 5000, kInt, left, 0, kWorld, std::vector<std::int64_t>{left, 0}},
             gap, inside);
  };
  exchange(0, 0, 710);
  exchange(1, 0, 710);
  exchange(2, 700, 10);
  for (int rank = 0; rank < 3; ++rank) run.finalize(rank, 1);
  const auto waits = run.measure().waits;
  EXPECT_THAT(us(waits.per_rank[0].late_sender_s), about(700));
  EXPECT_THAT(us(waits.per_rank[1].late_receiver_s), about(700));
  EXPECT_THAT(us(waits.per_rank[2].caused.total()), about(1400));
  EXPECT_THAT(us(waits.all.total()), about(1400));
}

TEST(Sends, ThatTheReceiverWaitsForElsewhereGoOn) {
  // Which message the receive of any source gets is known when the one behind it, sent later, is received.
  TracedRun run(2);
  run.ssend(0, 1, 1, 1, 5);
  run.send(0, 1, 10, 1, 6);
  run.finalize(0, 1);
  run.call(1, "MPI_Irecv", {0x1000, 1, kInt, mpi::kAnySource, 5, kWorld, 100}, 0, 0);
  run.recv(1, 0, 0, 15, 6);
  run.call(1, "MPI_Wait", {100, std::vector<std::int64_t>{0, 5}}, 0, 1);
  run.finalize(1, 1);
  const auto all = run.measure();
  EXPECT_EQ(all.unmatched.total(), 0u);
  EXPECT_THAT(us(all.he_sun.ht), about(12));
}

TEST(Sends, ThatNobodyReceivesWaitForNobody) {
  TracedRun run(2);
  run.ssend(0, 1, 1, 300, 5);
  send_large(run, 0, 1, 9000, 1, 300, 6);
  run.finalize(0, 1);
  run.finalize(1, 20);
  const auto all = run.measure();
  EXPECT_EQ(all.unmatched.sends, 2u);
  EXPECT_EQ(all.unmatched.total(), 2u);
  EXPECT_THAT(us(all.he_sun.ht), about(20));
}

TEST(Sends, ThatAReceiveBehindACancelledOneGets) {
  TracedRun run(2);
  run.call(1, "MPI_Irecv", {0x1000, 1, kInt, 0, 0, kWorld, 55}, 1, 0);
  run.call(1, "MPI_Cancel", {55}, 0, 0);
  run.call(1, "MPI_Wait", {55, std::vector<std::int64_t>{}}, 0, 0);
  run.recv(1, 0, 50, 5);
  run.finalize(1, 0);
  run.ssend(0, 1, 10, 45);
  run.finalize(0, 100);
  const auto all = run.measure();
  EXPECT_EQ(all.unmatched.total(), 0u);
  EXPECT_EQ(all.sends.synchronous, 1u);
}

TEST(Sends, CountForEventsToo) {
  // Rank 1 computes 42 before it receives; the sender's 21 come behind them.
  TracedRun run(2);
  run.ssend(0, 1, 1, 100);
  for (int i = 0; i < 10; ++i) run.call(0, "MPI_Wtime", {}, 2, 0);
  run.finalize(0, 1);
  for (int i = 0; i < 20; ++i) run.call(1, "MPI_Wtime", {}, 2, 0);
  run.recv(1, 0, 2, 60);
  run.finalize(1, 1);
  const auto all = run.measure({.unit_s = 1e-6});
  EXPECT_EQ(all.raynal.height, 42 + 21);
  EXPECT_EQ(all.unwaited.height, 42 + 1 + 1);
  EXPECT_LT(all.raynal.alpha.value(), all.unwaited.raynal_alpha.value());
}

TEST(Sends, AreHeldUpNoLongerThanTheirReceiverIsBehind) {
  // The send, which took long, was over long before its receive was posted; what follows goes on meanwhile.
  TracedRun run(2);
  run.send(0, 1, 0, 200, 1);
  for (int i = 0; i < 1000; ++i) run.send(0, 1, 10, 1, 2);
  run.finalize(0, 0);
  for (int i = 0; i < 1000; ++i) run.recv(1, 0, 12, 1, 2);
  run.recv(1, 0, 0, 1, 1);
  run.finalize(1, 0);
  const auto all = metrics::replay(run.open(), {.rho = {}, .cuts = {}, .message = {}, .altered = {}});
  EXPECT_EQ(all.unmatched.total(), 0u);
  EXPECT_LE(all.wakes, 300u);
  EXPECT_EQ(all.sends.waiting, 0u);
}

}  // namespace
}  // namespace skelgen::test
