// Root causes of waiting. Times are in microseconds.
#include "metrics/roots.h"

#include <gmock/gmock.h>

#include "unit/metrics/run.h"

namespace skelgen::test {
namespace {

using testing::HasSubstr;

TEST(RootCauses, AreWhereAChainOfWaitsBegins) {
  // Rank 0 computes 1000 before it sends, ranks 1 to 3 as much as each other behind what they receive.
  TracedRun run(4);
  for (int rank = 0; rank < 4; ++rank) run.barrier(rank, 10, 0);
  run.send(0, 1, 1000, 1);
  run.recv(1, 0, 0, 1002);
  run.send(1, 2, 50, 1);
  run.recv(2, 1, 0, 1055);
  run.send(2, 3, 50, 1);
  run.recv(3, 2, 50, 1058);
  for (int rank = 0; rank < 4; ++rank) run.finalize(rank, rank == 3 ? 0 : 50);
  const auto all = run.measure();
  const auto& ranks = all.waits.per_rank;
  EXPECT_THAT(us(ranks[0].caused.total()), about(1000));
  EXPECT_THAT(us(ranks[1].caused.total()), about(1052));
  EXPECT_NEAR(us(ranks[0].root.total()), 3000, 10);
  EXPECT_NEAR(us(ranks[0].root_through.total()), 2000, 10);
  EXPECT_LT(us(ranks[1].root.total() + ranks[2].root.total()), 160);
  double caused = 0, root = 0;
  for (const auto& rank : ranks) {
    caused += rank.caused.total();
    root += rank.root.total();
  }
  EXPECT_THAT(us(root), about(us(caused)));
  EXPECT_EQ(all.findings.front().ranks, std::vector<int>{0});
  EXPECT_THAT(all.findings.front().text, HasSubstr("of that indirectly"));
}

TEST(RootCauses, AreWhoComputedMoreNotWhoCameLast) {
  // Rank 1 waits for rank 0's 500, then computes 100 as rank 2 does, which waits for it.
  TracedRun run(3);
  for (int rank = 0; rank < 3; ++rank) run.barrier(rank, 10, 0);
  run.send(0, 1, 500, 1);
  run.recv(1, 0, 0, 501);
  run.send(1, 2, 100, 1);
  run.recv(2, 1, 100, 502);
  for (int rank = 0; rank < 3; ++rank) run.finalize(rank, 1);
  const auto ranks = run.measure().waits.per_rank;
  EXPECT_THAT(us(ranks[1].caused.total()), about(501));
  EXPECT_NEAR(us(ranks[0].root.total()), 1000, 2);
  EXPECT_NEAR(us(ranks[1].root.total()), 0, 2);
}

TEST(RootCauses, GoThroughCollectives) {
  // Rank 1 comes late to the barrier, since it waits for rank 2, which has nothing more to compute behind that.
  TracedRun run(3);
  for (int rank = 0; rank < 3; ++rank) run.barrier(rank, 10, 0);
  run.send(2, 1, 800, 1);
  run.recv(1, 2, 0, 801);
  run.barrier(0, 5, 797);
  run.barrier(1, 1, 0);
  run.barrier(2, 0, 1);
  for (int rank = 0; rank < 3; ++rank) run.finalize(rank, 1);
  const auto ranks = run.measure().waits.per_rank;
  EXPECT_GT(us(ranks[1].caused.collective_s), 790);
  EXPECT_NEAR(us(ranks[2].root.late_sender_s), 1595, 5);
  EXPECT_LT(us(ranks[1].root.total()), 5);
}

TEST(RootCauses, GoThroughSendsThatWaitForTheirReceives) {
  // Rank 2 posts its receive late; rank 1 waits for it in a synchronous send, rank 0 for rank 1's message behind that.
  TracedRun run(3);
  for (int rank = 0; rank < 3; ++rank) run.barrier(rank, 10, 0);
  run.recv(2, 1, 700, 2);
  run.ssend(1, 2, 0, 702);
  run.send(1, 0, 0, 1);
  run.recv(0, 1, 0, 703);
  for (int rank = 0; rank < 3; ++rank) run.finalize(rank, 1);
  const auto ranks = run.measure().waits.per_rank;
  EXPECT_NEAR(us(ranks[2].root.late_receiver_s), 1400, 5);
}

TEST(RecentRoots, AreTheLastOnes) {
  metrics::RecentRoots roots;
  const auto parts = [&](double seconds) {
    std::map<std::uint32_t, double> by_root;
    roots.each(seconds, [&](std::uint32_t root, double part) { by_root[root] += part; });
    return by_root;
  };
  EXPECT_FALSE(roots.any());
  roots.add(1, 10);
  roots.add(2, 4);
  EXPECT_EQ(parts(3), (std::map<std::uint32_t, double>{{2, 3}}));
  EXPECT_EQ(parts(9), (std::map<std::uint32_t, double>{{2, 4}, {1, 5}}));
  EXPECT_EQ(parts(90), (std::map<std::uint32_t, double>{{2, 4}, {1, 86}}));
  // Small ones do not drive a large one out, many that are as large do.
  for (int i = 0; i < 20; ++i) roots.add(3 + static_cast<std::uint32_t>(i % 3), 0.01);
  EXPECT_GT(parts(14)[1], 9);
  for (int i = 0; i < 60; ++i) roots.add(3 + static_cast<std::uint32_t>(i % 3), 10);
  EXPECT_GT(parts(30)[4], 9);
  EXPECT_EQ(parts(30).count(1), 0u);
}

}  // namespace
}  // namespace skelgen::test
