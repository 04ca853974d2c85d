// Measures of whole traces. Times are in microseconds.
#include <gmock/gmock.h>

#include <algorithm>

#include "unit/metrics/run.h"

namespace skelgen::test {
namespace {

using testing::ElementsAre;
using testing::Optional;

/// The receiver waits 5 for what the sender computes first, however the message is called for.
void expect_message(const std::function<void(TracedRun&, int)>& send, const std::function<void(TracedRun&)>& receive) {
  TracedRun run(2);
  send(run, 6);
  run.finalize(0, 1);
  receive(run);
  run.finalize(1, 2);
  const auto measured = run.measure();
  EXPECT_EQ(measured.unmatched.total(), 0u);
  EXPECT_THAT(us(measured.he_sun.ht), about(6 + 2));
}

TEST(Calls, PersistentRequestsAreMessagesEachTime) {
  expect_message(
      [](TracedRun& run, int gap) {
        run.call(0, "MPI_Send_init", {0x1000, 1, kInt, 1, 3, kWorld, 77}, 0, 0);
        run.call(0, "MPI_Start", {77}, gap, 0);
        run.call(0, "MPI_Wait", {77, std::vector<std::int64_t>{}}, 0, 0);
      },
      [](TracedRun& run) {
        run.call(1, "MPI_Recv_init", {0x1000, 1, kInt, mpi::kAnySource, 3, kWorld, 88}, 0, 0);
        run.call(1, "MPI_Startall", {1, std::vector<std::int64_t>{88}}, 1, 0);
        run.call(1, "MPI_Wait", {88, std::vector<std::int64_t>{0, 3}}, 0, 5);
        run.call(1, "MPI_Wait", {88, std::vector<std::int64_t>{}}, 0, 0);  // inactive
      });
}

TEST(Calls, MatchedProbesReceiveWhatTheySaw) {
  expect_message([](TracedRun& run, int gap) { run.send(0, 1, gap, 0, 3); },
                 [](TracedRun& run) {
                   run.call(1, "MPI_Mprobe", {mpi::kAnySource, 3, kWorld, 99, std::vector<std::int64_t>{0, 3}}, 1, 5);
                   run.call(1, "MPI_Mrecv", {0x1000, 1, kInt, 99, std::vector<std::int64_t>{}}, 0, 0);
                 });
  expect_message([](TracedRun& run, int gap) { run.send(0, 1, gap, 0, 3); },
                 [](TracedRun& run) {
                   run.call(1, "MPI_Mprobe", {0, 3, kWorld, 99, std::vector<std::int64_t>{}}, 1, 5);
                   run.call(1, "MPI_Imrecv", {0x1000, 1, kInt, 99, 55}, 0, 0);
                   run.call(1, "MPI_Wait", {55, std::vector<std::int64_t>{}}, 0, 0);
                 });
}

TEST(Calls, CollectivesThatCompleteLaterWaitForAll) {
  expect_message(
      [](TracedRun& run, int gap) {
        run.call(0, "MPI_Iallreduce", {0x1000, 0x2000, 1, kInt, kSum, kWorld, 66}, gap, 0);
        run.call(0, "MPI_Wait", {66, std::vector<std::int64_t>{}}, 0, 0);
      },
      [](TracedRun& run) {
        run.call(1, "MPI_Iallreduce", {0x1000, 0x2000, 1, kInt, kSum, kWorld, 66}, 1, 0);
        run.call(1, "MPI_Wait", {66, std::vector<std::int64_t>{}}, 0, 5);
      });
}

TEST(Calls, PersistentCollectivesWaitForAllEachTimeInWhateverOrderTheyAreStarted) {
  const auto make = [](TracedRun& run, int rank) {
    for (const std::int64_t request : {66, 67}) run.call(rank, "MPI_Barrier_init", {kWorld, 0, request}, 0, 0);
  };
  const auto pass = [](TracedRun& run, int rank, std::int64_t request, int gap, int inside) {
    run.call(rank, "MPI_Start", {request}, gap, 0);
    run.call(rank, "MPI_Wait", {request, std::vector<std::int64_t>{}}, 0, inside);
  };
  expect_message(
      [&](TracedRun& run, int gap) {
        make(run, 0);
        run.call(0, "MPI_Start", {67}, 0, 0);
        pass(run, 0, 66, gap, 0);
        run.call(0, "MPI_Wait", {67, std::vector<std::int64_t>{}}, 0, 0);
      },
      [&](TracedRun& run) {
        make(run, 1);
        pass(run, 1, 66, 1, 5);
        pass(run, 1, 67, 0, 0);
      });
}

TEST(Calls, ACollectiveOfNeighboursWaitsForThemOnly) {
  // A chain 0 -> 1 -> 2: rank 1 waits for rank 0, rank 0 for nobody, rank 2 for rank 1, which came early.
  TracedRun run(3);
  const int computes[] = {10, 1, 2};
  for (int rank = 0; rank < 3; ++rank) {
    run.call(rank, "MPI_Dist_graph_create_adjacent",
             {kWorld, rank > 0, std::vector<std::int64_t>{}, std::vector<std::int64_t>{}, rank < 2,
              std::vector<std::int64_t>{}, std::vector<std::int64_t>{}, 0, 0, 0x55},
             0, 0);
    run.rank(rank).comm({0x55, 3, rank, 0, false});
    trace::NeighbourDefinition topology{0x55, {}, {}};
    if (rank > 0) topology.sources.push_back(rank - 1);
    if (rank < 2) topology.destinations.push_back(rank + 1);
    run.rank(rank).neighbours(topology);
    run.call(rank, "MPI_Neighbor_allgather", {0x1000, 1, kInt, 0x2000, 1, kInt, 0x55}, computes[rank],
             rank == 1 ? 9 : 0);
    run.finalize(rank, rank == 2 ? 3 : 1);
  }
  const auto measured = run.measure();
  EXPECT_EQ(measured.unmatched.total(), 0u);
  EXPECT_THAT(us(measured.he_sun.ht), about(10 + 1));  // not 10 + 3: rank 2 does not wait for rank 0
}

// The run of unit/metrics/he_sun_test.cpp: P1 computes 4, sends, computes 6; P2 computes 3, waits 2, computes 5.
void one_message(TracedRun& run) {
  run.send(0, 1, 4, 0);
  run.finalize(0, 6);
  run.recv(1, 0, 3, 2);
  run.finalize(1, 5);
}

TEST(OneMessage, HeSun) {
  TracedRun run(2);
  one_message(run);
  const auto h = run.measure().he_sun;
  EXPECT_THAT(us(h.wt), about(18));
  EXPECT_THAT(us(h.vol), about(20));
  EXPECT_THAT(us(h.ht), about(10));
  EXPECT_THAT(h.alpha, Optional(about(0.8)));
  EXPECT_THAT(h.phi7, Optional(about(8.0 / 9)));
  EXPECT_THAT(us(h.per_rank[1].computing_s), about(8));
  EXPECT_THAT(us(h.per_rank[1].blocked_s), about(2));
}

TEST(OneMessage, ProcessorSpeeds) {
  TracedRun run(2);
  one_message(run);
  const auto h = run.measure({.rho = {1, 0.5}}).he_sun;
  EXPECT_THAT(us(h.wt), about(14));
  EXPECT_THAT(us(h.ht), about(10));
  EXPECT_THAT(h.phi7_rho, Optional(about(4.0 / 7)));
  EXPECT_THROW(run.measure({.rho = {1}}), Error);
  EXPECT_THROW(run.measure({.rho = {1, 0}}), Error);
  EXPECT_THROW(run.measure({.rho = {1, 1.1}}), Error);
}

TEST(OneMessage, Raynal) {
  // Each gap is one event: P1 gap send gap (W 1 2 3), P2 gap receive gap (W 1, max(1,2)+1 = 3, 4).
  TracedRun run(2);
  one_message(run);
  const auto r = run.measure().raynal;
  EXPECT_EQ(r.weight, 6);
  EXPECT_EQ(r.height, 4);
  EXPECT_EQ(r.volume, 8);
  EXPECT_THAT(r.alpha, Optional(0.5));  // 1 - (8 - 6) / 4
  EXPECT_THAT(r.theta4, ElementsAre(1, 1));
}

TEST(OneMessage, RaynalInUnits) {
  // Gaps of 4, 6 and 3, 5 us in units of 2 us: P1 2 send 3 (W 2 3 6), P2 1 receive 3 (W 1, 4, 7).
  TracedRun run(2);
  one_message(run);
  const auto r = run.measure({.unit_s = 2e-6}).raynal;
  EXPECT_EQ(r.weight, 11);
  EXPECT_EQ(r.height, 7);
  EXPECT_THAT(r.unit_s, Optional(2e-6));
}

TEST(OneMessage, RaynalInItsOwnUnit) {
  // 18 us are computed for two events that are not internal: one each 9 us. P1: send 1 (W 1 2), P2: receive (W 2).
  TracedRun run(2);
  one_message(run);
  for (const bool halve : {false, true}) {
    const auto r = run.measure({.halve = halve, .own_unit = true}).raynal;
    EXPECT_THAT(us(r.unit_s.value()), about(9));
    EXPECT_EQ(r.weight, 3);
    EXPECT_EQ(r.height, 2);
  }
  EXPECT_FALSE(run.measure().raynal.unit_s);
}

/// Rank 1 polls each `every`, from 10,000 to 60,000, for what rank 0 sends then; rank 0 asks for the time so often.
metrics::Raynal polled(int every, int local_calls) {
  TracedRun run(2);
  for (int rank = 0; rank < 2; ++rank) run.barrier(rank, 10'000, 0);
  const int computes = 40'000;
  for (int i = 0; i < local_calls; ++i) run.call(0, "MPI_Wtime", {}, computes / local_calls, 0);
  run.send(0, 1, local_calls ? 10'000 : computes + 10'000, 1);
  const std::vector<std::int64_t> unknown;
  for (int at = 0; at < 50'000; at += every)
    run.call(1, "MPI_Iprobe", {0, 0, kWorld, 0, unknown}, every / 2, every - every / 2);
  run.recv(1, 0, 0, 10);
  run.finalize(0, 20'000);
  run.finalize(1, 20'000);
  return run.measure({.own_unit = true}).raynal;
}

TEST(Raynal, DoesNotDependOnPollingAndLocalCalls) {
  const auto often = polled(100, 0), seldom = polled(2000, 0), local = polled(2000, 2000);
  EXPECT_NEAR(often.alpha.value(), seldom.alpha.value(), 0.05);
  EXPECT_NEAR(local.alpha.value(), seldom.alpha.value(), 0.05);
  EXPECT_NEAR(local.unit_s.value(), seldom.unit_s.value(), 1e-9);
  EXPECT_LT(seldom.alpha.value(), 0.99);
}

TEST(OneMessage, RaynalInVerySmallUnits) {
  // Gaps of 4e9, 6e9 and 3e9, 5e9 units; that each is made of two, with a call that needs nobody between, does not matter.
  TracedRun run(2);
  run.call(0, "MPI_Wtime", {}, 2, 0);
  run.send(0, 1, 2, 0);
  run.finalize(0, 6);
  run.call(1, "MPI_Wtime", {}, 1, 0);
  run.recv(1, 0, 2, 2);
  run.finalize(1, 5);
  const auto r = run.measure({.unit_s = 1e-15}).raynal;
  EXPECT_EQ(r.weight, 18e9 + 2);
  EXPECT_EQ(r.height, 10e9 + 1);
}

TEST(OneMessage, CharronBost) {
  // Three events each; of 4 x 4 cuts, those with the receive and without the send are none: 2 x 2.
  TracedRun run(2);
  one_message(run);
  const auto cuts = run.measure({.cuts = true}).charron_bost;
  EXPECT_THAT(cuts.m, Optional(about((12 - 7.0) / (16 - 7))));
  EXPECT_EQ(cuts.reason, "");
}

TEST(OneMessage, Efficiencies) {
  // 10 us in all; useful 10 and 8; the longest chain of computation is P1's own.
  TracedRun run(2);
  one_message(run);
  const auto pop = run.measure().pop;
  EXPECT_THAT(pop.parallel, Optional(about(0.9)));
  EXPECT_THAT(pop.load_balance, Optional(about(0.9)));
  EXPECT_THAT(pop.communication, Optional(about(1)));
  EXPECT_THAT(pop.serialization, Optional(about(1)));
  EXPECT_THAT(pop.transfer, Optional(about(1)));
}

TEST(OneMessage, TheTracersOwnTimeIsNoPartOfTheRun) {
  // Behind MPI_Init it measures for 100 us how fast the processors are.
  TracedRun run(2);
  for (int rank = 0; rank < 2; ++rank) run.rank(rank).pause(100'000);
  one_message(run);
  const auto pop = run.measure().pop;
  EXPECT_THAT(pop.parallel, Optional(about(0.9)));
  EXPECT_THAT(pop.communication, Optional(about(1)));
}

TEST(Relay, EfficienciesTellSerializationFromTransfer) {
  // 0 computes 4; 1 waits for it 5 (1 of them for the network), computes 4: T = 9, chain 8, useful at most 4.
  TracedRun run(2);
  run.send(0, 1, 4, 0);
  run.finalize(0, 0);
  run.recv(1, 0, 0, 5);
  run.finalize(1, 4);
  const auto pop = run.measure().pop;
  EXPECT_THAT(pop.parallel, Optional(about(4.0 / 9)));
  EXPECT_THAT(pop.serialization, Optional(about(0.5)));
  EXPECT_THAT(pop.transfer, Optional(about(8.0 / 9)));
  EXPECT_THAT(*pop.communication, about(*pop.serialization * *pop.transfer));
}

TEST(Regions, LowestAlphaFirst) {
  TracedRun run(2);
  one_message(run);
  const auto regions = run.measure({.regions = 1}).regions;
  ASSERT_EQ(regions.size(), 1u);  // the one up to the send has no alpha
  EXPECT_EQ(regions[0].rank, 1);
  EXPECT_EQ(regions[0].call, 1u);
  EXPECT_EQ(regions[0].function, "MPI_Recv");
  EXPECT_THAT(us(regions[0].start_s), about(0));
  EXPECT_THAT(us(regions[0].computing_s), about(3));
  EXPECT_THAT(us(regions[0].blocked_s), about(2));
  EXPECT_THAT(regions[0].alpha, Optional(about(3.0 / 5)));
  EXPECT_THAT(regions[0].phi1, Optional(about(3.0 / 5)));
  EXPECT_THAT(regions[0].waits_for, Optional(0));
}

TEST(Regions, ACollectiveIsEnteredAndLeft) {
  // Rank 0 computes 3, waits 6 for rank 1's 9: where it leaves W = (3,9), U = (6,0), HT = 9. Rank 1 waits for nobody: its
  // U = (0,0) at its own departure, and W = (3,9).
  TracedRun run(2);
  run.barrier(0, 3, 6);
  run.barrier(1, 9, 0);
  run.finalize(0, 1);
  run.finalize(1, 1);
  const auto regions = run.measure({.regions = 9}).regions;
  ASSERT_EQ(regions.size(), 2u);
  EXPECT_EQ(regions[0].rank, 0);                            // 6 us blocked
  EXPECT_THAT(regions[0].alpha, Optional(about(3.0 / 9)));  // wt 12, vol 18
  EXPECT_THAT(regions[0].waits_for, Optional(1));
  EXPECT_EQ(regions[1].rank, 1);
  EXPECT_THAT(regions[1].alpha, Optional(about(1)));  // wt 12, vol 12
  EXPECT_FALSE(regions[1].waits_for);
}

TEST(Relay, CriticalPathGoesThroughBothRanks) {
  TracedRun run(2);
  run.send(0, 1, 4, 0);
  run.finalize(0, 0);
  run.recv(1, 0, 0, 5);
  run.finalize(1, 4);
  const auto path = run.measure().critical_path;
  EXPECT_THAT(us(path.seconds), about(9));
  EXPECT_THAT(us(path.by_rank[0]), about(4));
  EXPECT_THAT(us(path.by_rank[1]), about(5));
  EXPECT_EQ(path.by_function[0].first, "computation");
  EXPECT_THAT(us(path.by_function[0].second), about(8));
  EXPECT_EQ(path.by_function[1].first, "MPI_Recv");
  EXPECT_THAT(us(path.by_function[1].second), about(1));
}

TEST(Slack, IsByHowMuchEachMomentCouldBeLater) {
  // Rank 0 computes 4, sends, computes 1 up to 5. Rank 1 computes 3, waits for what was sent at 4 and is there at 5, computes
  // 5 up to 10. So rank 0's last 1 has 5 to lose, rank 1's first 3 have 1, all else nothing.
  TracedRun run(2);
  run.send(0, 1, 4, 0);
  run.finalize(0, 1);
  run.recv(1, 0, 3, 2);
  run.finalize(1, 5);
  const auto path = run.measure({.phases = {{"first", {0, 0}}, {"second", {2, 2}}}, .slack = true}).critical_path;
  ASSERT_EQ(path.slack_by_rank.size(), 2u);
  EXPECT_THAT(us(path.slack_by_rank[0].mean_s.value()), about(1));
  EXPECT_THAT(us(path.slack_by_rank[0].least_s.value()), about(0));
  EXPECT_THAT(us(path.slack_by_rank[1].mean_s.value()), about(3.0 / 8));
  ASSERT_EQ(path.slack_by_function.size(), 1u);  // sending took no time
  EXPECT_EQ(path.slack_by_function[0].first, "MPI_Recv");
  EXPECT_THAT(us(path.slack_by_function[0].second.mean_s.value()), about(0));
  ASSERT_EQ(path.slack_by_phase.size(), 2u);
  EXPECT_THAT(us(path.slack_by_phase[0].second.mean_s.value()), about(3.0 / 8));  // 4 + 3 of computing, 1 of receiving
  EXPECT_THAT(us(path.slack_by_phase[1].second.mean_s.value()), about(5.0 / 6));
  EXPECT_TRUE(run.measure().critical_path.slack_by_rank.empty());
}

TEST(Slack, OfAMessageGoesUpToTheLastOneThatIsWaitedForWithIt) {
  for (const bool early_first : {true, false}) {
    // Rank 0 computes 10 and waits for messages that are sent at 20 and 100.
    TracedRun run(3);
    const int early = early_first ? 1 : 2, late = 3 - early;
    run.call(0, "MPI_Irecv", {0x1000, 1, kInt, 1, 0, kWorld, 51}, 0, 0);
    run.call(0, "MPI_Irecv", {0x1000, 1, kInt, 2, 0, kWorld, 52}, 0, 0);
    run.call(0, "MPI_Waitall", {2, {51, 52}, {1, 0, 2, 0}}, 10, 93);
    run.send(early, 0, 20, 1);
    run.send(late, 0, 100, 1);
    for (int rank = 0; rank < 3; ++rank) run.finalize(rank, 0);
    const auto slack = run.measure({.slack = true}).critical_path.slack_by_rank;
    EXPECT_THAT(us(slack[0].least_s.value()), about(90));
    EXPECT_THAT(us(slack[static_cast<std::size_t>(early)].least_s.value()), about(80));
    EXPECT_THAT(us(slack[static_cast<std::size_t>(late)].least_s.value()), about(0));
  }
}

TEST(Slack, IsNotBelowNothingWhereClocksDiffer) {
  // By the clocks the message was received before it was sent.
  TracedRun run(2);
  run.send(0, 1, 9, 0);
  run.finalize(0, 1);
  run.recv(1, 0, 3, 2);
  run.finalize(1, 1);
  for (const auto& slack : run.measure({.slack = true}).critical_path.slack_by_rank)
    EXPECT_GE(slack.least_s.value(), 0);
}

TEST(Phases, APhaseThatNobodyHasStepsInTakesNoTime) {
  TracedRun run(2, 400'000);
  for (int rank = 0; rank < 2; ++rank) run.barrier(rank, 10, 1), run.finalize(rank, 0);
  const auto all = run.measure({.phases = {{"a", {0, 0}}, {"b", {1, 1}}}});
  EXPECT_EQ(all.phases[0].seconds, 0);
  EXPECT_THAT(us(all.phases[1].seconds), about(11));
  EXPECT_THAT(all.phases[1].share, testing::Optional(about(1)));
}

TEST(Phases, EachHasTheTimeOfItsCallsAndTheComputationBeforeThem) {
  // First: rank 0 computes 4, asks for the time for 2, rank 1 computes 1. Second: rank 0 computes 3, sends for 1; rank 1
  // waits from 1 to 11 and computes 4.
  TracedRun run(2);
  run.call(0, "MPI_Wtime", {}, 4, 2);
  run.send(0, 1, 3, 1);
  run.finalize(0, 0);
  run.call(1, "MPI_Wtime", {}, 1, 0);
  run.recv(1, 0, 0, 10);
  run.finalize(1, 4);
  const auto all = run.measure({.phases = {{"first", {0, 0}}, {"second", {2, 2}}}});
  ASSERT_EQ(all.phases.size(), 2u);
  EXPECT_EQ(all.phases[0].name, "first");
  EXPECT_THAT(us(all.phases[0].seconds), about(6));
  EXPECT_THAT(all.phases[0].share, Optional(about(7.0 / 25)));
  EXPECT_THAT(all.phases[0].pop.parallel, Optional(about(2.5 / 6)));
  EXPECT_THAT(all.phases[0].pop.load_balance, Optional(about(2.5 / 4)));
  EXPECT_THAT(us(all.phases[1].seconds), about(14));
  EXPECT_THAT(all.phases[1].pop.parallel, Optional(about(3.5 / 14)));
  EXPECT_THAT(all.phases[1].pop.load_balance, Optional(about(3.5 / 4)));
  EXPECT_THAT(all.phases[1].pop.serialization, Optional(about(4.0 / 10)));  // without network it waits until 7
  EXPECT_THAT(all.phases[1].pop.transfer, Optional(about(10.0 / 14)));
  const auto& path = all.critical_path.by_phase;
  ASSERT_EQ(path.size(), 2u);
  EXPECT_THAT(us(path[0].second), about(6));
  EXPECT_THAT(us(path[1].second), about(9));
  EXPECT_THROW(run.measure({.phases = {{"first", {0}}}}), Error);
  EXPECT_THROW(run.measure({.phases = {{"first", {0, 0}}, {"second", {2, 2}}, {"third", {1, 1}}}}), Error);
}

TEST(Waits, ForALateSender) {
  // The receive is called at 3, the message sent at 4, there at 5.
  TracedRun run(2);
  one_message(run);
  const auto waits = run.measure().waits;
  EXPECT_THAT(us(waits.per_rank[1].late_sender_s), about(1));
  EXPECT_THAT(us(waits.per_rank[0].caused.total()), about(1));
  EXPECT_THAT(us(waits.all.total()), about(1));
  EXPECT_THAT(us(waits.transfer_s), about(1));
}

/// Rank 1 computes 1, gets rank 0's message, which is sent at 6 and there at 8, and computes 4.
void expect_a_late_sender(const std::function<void(TracedRun&)>& get) {
  TracedRun run(2);
  run.send(0, 1, 6, 0);
  run.finalize(0, 0);
  get(run);
  run.finalize(1, 4);
  const auto all = run.measure({.regions = 9, .slack = true, .halve = true});
  EXPECT_EQ(all.unmatched.total(), 0u);
  EXPECT_THAT(us(all.waits.per_rank[1].late_sender_s), about(5));
  EXPECT_THAT(us(all.waits.per_rank[0].caused.total()), about(5));
  EXPECT_THAT(us(all.waits.transfer_s), about(2));
  const auto& path = all.critical_path;
  EXPECT_THAT(us(path.seconds), about(12));
  EXPECT_THAT(us(path.by_rank[0]), about(6));
  EXPECT_THAT(us(path.by_rank[1]), about(6));
  EXPECT_THAT(us(path.slack_by_rank[1].mean_s.value()), about(5.0 / 5));  // what it does first has 5, the rest nothing
  EXPECT_THAT(us(path.slack_by_rank[0].least_s.value()), about(0));
  double inside = 0;
  for (const auto& half : path.halved) {
    if (half.rank == 0) EXPECT_THAT(us(half.gain_s), about(3));
    if (half.rank == 1) EXPECT_THAT(us(half.gain_s), about(2));
    if (!half.function.empty()) inside += half.gain_s;
  }
  EXPECT_THAT(us(inside), about(1));
  EXPECT_THAT(all.regions.front().waits_for, Optional(0));
}

TEST(Waits, ForALateSenderThatAProbeTellsOf) {
  const std::vector<std::int64_t> status{0, 0}, unknown;
  expect_a_late_sender([&](TracedRun& run) {
    run.call(1, "MPI_Probe", {mpi::kAnySource, 0, kWorld, status}, 1, 6);
    run.recv(1, 0, 0, 1);
  });
  expect_a_late_sender([&](TracedRun& run) {
    run.call(1, "MPI_Mprobe", {0, 0, kWorld, 99, status}, 1, 7);
    run.call(1, "MPI_Mrecv", {0x1000, 1, kInt, 99, status}, 0, 0);
  });
  expect_a_late_sender([&](TracedRun& run) {
    run.call(1, "MPI_Probe", {mpi::kAnySource, 0, kWorld, status}, 1, 6);
    run.call(1, "MPI_Get_count", {kInt}, 0, 0);
    run.call(1, "MPI_Irecv", {0x1000, 1, kInt, 0, 0, kWorld, 55}, 0, 0);
    run.call(1, "MPI_Wait", {55, status}, 0, 1);
  });
  expect_a_late_sender([&](TracedRun& run) {
    for (int i = 0; i < 6; ++i) run.call(1, "MPI_Iprobe", {0, 0, kWorld, i == 5, unknown}, i == 0, 1);
    run.recv(1, 0, 0, 1);
  });
}

TEST(Waits, ForALateSenderThatTestsTellOf) {
  const std::vector<std::int64_t> status{0, 0}, unknown;
  expect_a_late_sender([&](TracedRun& run) {
    run.call(1, "MPI_Irecv", {0x1000, 1, kInt, 0, 0, kWorld, 55}, 1, 0);
    for (int i = 0; i < 6; ++i) run.call(1, "MPI_Test", {55, 0, unknown}, 0, 1);
    run.call(1, "MPI_Test", {55, 1, status}, 0, 1);
  });
  expect_a_late_sender([&](TracedRun& run) {
    run.call(1, "MPI_Irecv", {0x1000, 1, kInt, 0, 0, kWorld, 55}, 1, 0);
    run.call(1, "MPI_Request_get_status", {55, 0, unknown}, 0, 3);
    run.call(1, "MPI_Testsome", {1, std::vector<std::int64_t>{55}, unknown, unknown}, 0, 3);
    run.call(1, "MPI_Wait", {55, status}, 0, 1);
  });
}

TEST(Waits, WhatIsComputedBetweenTestsIsNoWaiting) {
  // Rank 1 asks from 1 to 3 and from 6 to 7, the message is sent at 5: it waited for 2, not for the 1 after that.
  TracedRun run(2);
  run.send(0, 1, 5, 0);
  run.finalize(0, 0);
  run.call(1, "MPI_Irecv", {0x1000, 1, kInt, 0, 0, kWorld, 55}, 1, 0);
  run.call(1, "MPI_Test", {55, 0, std::vector<std::int64_t>{}}, 0, 2);
  run.call(1, "MPI_Wait", {55, std::vector<std::int64_t>{0, 0}}, 3, 1);
  run.finalize(1, 4);
  const auto all = run.measure({.halve = true});
  EXPECT_THAT(us(all.waits.per_rank[1].late_sender_s), about(2));
  EXPECT_THAT(us(all.critical_path.seconds), about(11));
}

TEST(Waits, ForAMessageThatWasThereWhenItWasAskedForAreNone) {
  // What comes between the tests and the receive, or was there before them, was not waited for.
  TracedRun run(2);
  const std::vector<std::int64_t> status{0, 0}, unknown;
  run.send(0, 1, 0, 0);
  run.send(0, 1, 6, 0);
  run.finalize(0, 0);
  run.call(1, "MPI_Probe", {0, 0, kWorld, status}, 1, 1);
  run.recv(1, 0, 0, 1);
  run.call(1, "MPI_Iprobe", {0, 0, kWorld, 0, unknown}, 0, 2);
  run.send(1, 0, 0, 0, 7);
  run.recv(1, 0, 4, 1);
  run.finalize(1, 0);
  EXPECT_THAT(us(run.measure().waits.all.total()), about(0));
}

TEST(Waits, ForACollectiveThatIsTestedFor) {
  TracedRun run(2);
  for (int rank = 0; rank < 2; ++rank)
    run.call(rank, "MPI_Iallreduce", {0x1000, 0x2000, 1, kInt, kSum, kWorld, 66}, 1 + 5 * rank, 0);
  run.call(0, "MPI_Test", {66, 0, std::vector<std::int64_t>{}}, 0, 3);
  run.call(0, "MPI_Wait", {66, std::vector<std::int64_t>{}}, 0, 4);
  run.call(1, "MPI_Wait", {66, std::vector<std::int64_t>{}}, 0, 2);
  for (int rank = 0; rank < 2; ++rank) run.finalize(rank, 1);
  const auto all = run.measure();
  EXPECT_THAT(us(all.waits.per_rank[0].imbalance_s), about(5));
  EXPECT_THAT(us(all.critical_path.by_rank[1]), about(6));
}

TEST(Waits, ForALateReceiverOfASendThatIsTestedFor) {
  TracedRun run(2);
  run.call(0, "MPI_Issend", {0x1000, 1, kInt, 1, 0, kWorld, 101}, 1, 0);
  run.call(0, "MPI_Test", {101, 0, std::vector<std::int64_t>{}}, 0, 3);
  run.call(0, "MPI_Wait", {101, std::vector<std::int64_t>{}}, 0, 4);
  run.recv(1, 0, 6, 2);
  for (int rank = 0; rank < 2; ++rank) run.finalize(rank, 1);
  EXPECT_THAT(us(run.measure().waits.per_rank[0].late_receiver_s), about(5));
}

TEST(Waits, ForALateReceiver) {
  // The send takes from 1 to 10, its receive is posted at 6.
  TracedRun run(2);
  run.ssend(0, 1, 1, 9);
  run.recv(1, 0, 6, 4);
  // This one returns at 21, long before its receive is posted: it waited for nobody.
  run.send(0, 1, 10, 1);
  run.recv(1, 0, 40, 1);
  run.finalize(0, 0);
  run.finalize(1, 0);
  const auto waits = run.measure().waits;
  EXPECT_THAT(us(waits.per_rank[0].late_receiver_s), about(5));
  EXPECT_THAT(us(waits.per_rank[1].caused.total()), about(5));
  EXPECT_THAT(us(waits.all.total()), about(5));
}

/// The send takes from 100 to 1000, its receive is posted at 600 and done at 1100. Then rank 0 computes until 5000.
void expect_a_late_receiver(const std::function<void(TracedRun&)>& send) {
  TracedRun run(2);
  send(run);
  run.recv(1, 0, 600, 500);
  run.finalize(0, 4000);
  run.finalize(1, 0);
  const auto all = run.measure({.phases = {{"all", {0, 0}}}, .slack = true, .halve = true});
  EXPECT_THAT(us(all.waits.per_rank[0].late_receiver_s), about(500));
  const auto& path = all.critical_path;
  std::map<std::string, double> functions(path.by_function.begin(), path.by_function.end());
  EXPECT_THAT(us(functions.at(path.kComputation)), about(4600));
  EXPECT_THAT(us(path.by_rank[1]), about(600));
  double inside = 0;
  for (const auto& [name, seconds] : path.by_function)
    if (name.starts_with("MPI_")) inside += us(seconds);
  EXPECT_NEAR(inside, 400, 1e-3);
  EXPECT_THAT(us(path.seconds), about(5000));
  EXPECT_THAT(us(path.by_phase[0].second), about(5000));
  double gain = 0;
  for (const auto& half : path.halved) {
    if (!half.function.empty()) gain += us(half.gain_s);
    if (half.rank == 1) EXPECT_THAT(us(half.gain_s), about(300));
  }
  EXPECT_NEAR(gain, 200, 1e-3);
  EXPECT_THAT(us(path.slack_by_rank[1].least_s.value()), about(0));
  bool named = false;
  for (const auto& finding : all.findings) {
    named = named || finding.cause == metrics::Finding::Cause::late_receiver;
    if (finding.cause == metrics::Finding::Cause::function) EXPECT_LE(us(finding.cost_s), 401);
  }
  EXPECT_TRUE(named);
}

TEST(Waits, ForALateReceiverIsNoTimeOfTheSend) {
  expect_a_late_receiver([](TracedRun& run) { run.send(0, 1, 100, 900); });
  expect_a_late_receiver([](TracedRun& run) {
    run.call(0, "MPI_Isend", {0x1000, 1, kInt, 1, 0, kWorld, 101}, 100, 0);
    run.call(0, "MPI_Wait", {101, std::vector<std::int64_t>{}}, 0, 900);
  });
  // Until 300 it waits for a message that is sent then.
  expect_a_late_receiver([](TracedRun& run) {
    run.call(0, "MPI_Irecv", {0x1000, 1, kInt, 0, 1, kWorld, 100}, 0, 0);
    run.call(0, "MPI_Isend", {0x1000, 1, kInt, 1, 0, kWorld, 101}, 100, 0);
    run.call(0, "MPI_Isend", {0x1000, 1, kInt, 0, 1, kWorld, 102}, 0, 0);
    run.call(0, "MPI_Waitall", {3, {100, 101, 102}, std::vector<std::int64_t>{}}, 0, 900);
  });
}

TEST(Waits, ForALateReceiverWhereTheSendIsCompleted) {
  // The send returns at 1, is waited for from 3 to 10; its receive is posted at 6 and completed at `received`, before or
  // after the sender's wait ends.
  for (const int received : {9, 20}) {
    TracedRun run(2);
    run.call(0, "MPI_Issend", {0x1000, 1, kInt, 1, 0, kWorld, 101}, 1, 0);
    run.call(0, "MPI_Wait", {101, std::vector<std::int64_t>{}}, 2, 7);
    run.recv(1, 0, 6, received - 6);
    // This one is complete before its receive is posted, this one is freed: nobody waits for them.
    run.call(0, "MPI_Isend", {0x1000, 1, kInt, 1, 0, kWorld, 101}, 20, 0);
    run.call(0, "MPI_Wait", {101, std::vector<std::int64_t>{}}, 0, 1);
    run.call(0, "MPI_Isend", {0x1000, 1, kInt, 1, 0, kWorld, 101}, 0, 0);
    run.call(0, "MPI_Request_free", {101}, 0, 10);
    run.recv(1, 0, 40, 1);
    run.recv(1, 0, 0, 1);
    run.finalize(0, 0);
    run.finalize(1, 0);
    const auto all = run.measure();
    EXPECT_THAT(us(all.waits.per_rank[0].late_receiver_s), about(3)) << received;
    EXPECT_THAT(us(all.waits.per_rank[1].caused.total()), about(3)) << received;
    EXPECT_THAT(us(all.waits.all.total()), about(3)) << received;
    EXPECT_EQ(all.unmatched.total(), 0u);
  }
}

TEST(Waits, ForSeveralAtOnceAreCountedOnce) {
  // Rank 0 waits from 2 to 20 for a message that is sent at 5 and for receives that are posted at 9, 4 and 13.
  TracedRun run(5);
  run.call(0, "MPI_Irecv", {0x1000, 1, kInt, 4, 0, kWorld, 100}, 1, 0);
  for (int to = 1; to <= 3; ++to) run.call(0, "MPI_Issend", {0x1000, 1, kInt, to, 0, kWorld, 100 + to}, 0, 0);
  run.call(0, "MPI_Waitall", {4, {101, 100, 102, 103}, std::vector<std::int64_t>{}}, 1, 18);
  const int posted[] = {0, 9, 4, 13};
  for (int to = 1; to <= 3; ++to) run.recv(to, 0, posted[to], 30);
  run.send(4, 0, 5, 0);
  for (int rank = 0; rank < 5; ++rank) run.finalize(rank, 0);
  const auto waits = run.measure().waits;
  EXPECT_THAT(us(waits.per_rank[0].late_sender_s), about(3));
  EXPECT_THAT(us(waits.per_rank[0].late_receiver_s), about(8));
  EXPECT_THAT(us(waits.per_rank[1].caused.total()) + us(waits.per_rank[3].caused.total()), about(8));
  EXPECT_THAT(us(waits.per_rank[2].caused.total()), about(0));
}

TEST(Waits, ForSendsOfOneHandle) {
  // MPICH: both requests are the same one. What is waited for is the second.
  TracedRun run(2);
  for (int i = 0; i < 2; ++i) run.call(0, "MPI_Isend", {0x1000, 1, kInt, 1, 0, kWorld, 101}, 1, 0);
  for (int i = 0; i < 2; ++i) run.call(0, "MPI_Wait", {101, std::vector<std::int64_t>{}}, 1, 3);
  for (int i = 0; i < 2; ++i) run.recv(1, 0, 4, 1);
  for (int rank = 0; rank < 2; ++rank) run.finalize(rank, 0);
  const auto all = run.measure();
  EXPECT_EQ(all.unmatched.total(), 0u);
  EXPECT_THAT(us(all.waits.per_rank[0].late_receiver_s), about(0));
}

TEST(Waits, ForTwoMessagesAtOnceAreCountedOnce) {
  // Rank 2 completes both receives from 1 to 20; they are sent at 5 and 9.
  TracedRun run(3);
  run.call(2, "MPI_Irecv", {0x1000, 1, kInt, 0, 0, kWorld, 101}, 0, 0);
  run.call(2, "MPI_Irecv", {0x1000, 1, kInt, 1, 0, kWorld, 102}, 0, 0);
  run.call(2, "MPI_Waitall", {2, {101, 102}, std::vector<std::int64_t>{}}, 1, 19);
  run.send(0, 2, 5, 0);
  run.send(1, 2, 9, 0);
  for (int rank = 0; rank < 3; ++rank) run.finalize(rank, 0);
  const auto waits = run.measure().waits;
  EXPECT_THAT(us(waits.per_rank[2].late_sender_s), about(8));
  EXPECT_THAT(us(waits.per_rank[0].caused.total()), about(4));
  EXPECT_THAT(us(waits.per_rank[1].caused.total()), about(4));
}

TEST(Waits, ForARankThatHasMoreToCompute) {
  TracedRun run(2);
  for (int turn = 0; turn < 2; ++turn) {
    run.barrier(0, 3, 6);
    run.barrier(1, 9, 0);
  }
  run.finalize(0, 0);
  run.finalize(1, 0);
  const auto waits = run.measure().waits;
  EXPECT_THAT(us(waits.per_rank[0].imbalance_s), about(12));
  EXPECT_THAT(us(waits.per_rank[1].caused.total()), about(12));
  EXPECT_THAT(us(waits.all.total()), about(12));
}

/// All ranks make a communicator of the ranks first, ..., last; those have it as `handle` then.
void split(TracedRun& run, int first, int last, std::int64_t handle, int ranks) {
  for (int rank = 0; rank < ranks; ++rank) {
    const bool in = rank >= first && rank <= last;
    run.call(rank, "MPI_Comm_split", {kWorld, in ? 0 : mpi::kUndefined, rank, in ? handle : 0}, 0, 0);
    if (in) run.rank(rank).comm({static_cast<std::uint64_t>(handle), last - first + 1, rank - first, first, false});
  }
}

TEST(Waits, ForARankThatHasNotMoreToComputeSinceTheyMet) {
  // Ranks 1 and 2 compute 6 each. Rank 1 does 5 of them before it meets rank 0; rank 2 comes at 8, for a message late.
  TracedRun run(4);
  split(run, 0, 1, 0x71, 4);
  split(run, 1, 2, 0x72, 4);
  run.barrier(0, 5, 0, 0x71);
  run.barrier(1, 5, 0, 0x71);
  run.send(3, 2, 2, 0);
  run.recv(2, 3, 0, 2);
  run.barrier(1, 1, 2, 0x72);
  run.barrier(2, 6, 0, 0x72);
  for (int rank = 0; rank < 4; ++rank) run.finalize(rank, 0);
  const auto all = run.measure();
  EXPECT_EQ(all.unmatched.total(), 0u);
  EXPECT_THAT(us(all.waits.per_rank[1].imbalance_s), about(0));
  EXPECT_THAT(us(all.waits.per_rank[1].collective_s), about(2));
}

TEST(Waits, ForARankThatHasMoreToComputeSinceTheCommunicatorWasMade) {
  // Before that ranks 0 and 1 computed 9 and 2, and rank 1 waited for it.
  TracedRun run(2);
  run.barrier(0, 9, 0);
  run.barrier(1, 2, 7);
  split(run, 0, 1, 0x71, 2);
  run.barrier(0, 1, 3, 0x71);
  run.barrier(1, 4, 0, 0x71);
  for (int rank = 0; rank < 2; ++rank) run.finalize(rank, 0);
  const auto waits = run.measure().waits;
  EXPECT_THAT(us(waits.per_rank[1].imbalance_s), about(7));
  EXPECT_THAT(us(waits.per_rank[0].imbalance_s), about(3));
  EXPECT_THAT(us(waits.all.total()), about(10));
}

TEST(Waits, ForARankThatHadToWaitItself) {
  // Rank 1 computes nothing and comes at 9, since rank 2 sends at 8 only.
  TracedRun run(3);
  run.send(2, 1, 8, 0);
  run.recv(1, 2, 0, 9);
  run.barrier(0, 1, 8);
  run.barrier(1, 0, 0);
  run.barrier(2, 0, 1);
  for (int rank = 0; rank < 3; ++rank) run.finalize(rank, 0);
  const auto waits = run.measure().waits;
  EXPECT_THAT(us(waits.per_rank[0].collective_s), about(8));
  EXPECT_THAT(us(waits.per_rank[2].collective_s), about(1));
  EXPECT_THAT(us(waits.per_rank[1].late_sender_s), about(8));
  EXPECT_THAT(us(waits.per_rank[1].caused.total()), about(9));
  EXPECT_THAT(us(waits.per_rank[2].caused.total()), about(8));
  EXPECT_THAT(us(waits.all.imbalance_s), about(0));
}

TEST(Collectives, AllWaitForTheLast) {
  TracedRun run(3);
  for (int rank = 0; rank < 3; ++rank) {
    run.barrier(rank, 2 + 3 * rank, 7 - 3 * rank);
    run.finalize(rank, 1);
  }
  const auto all = run.measure();
  EXPECT_THAT(us(all.he_sun.ht), about(9));  // 8 of rank 2, then 1
  EXPECT_THAT(us(all.he_sun.wt), about(18));
  EXPECT_EQ(all.raynal.height, 3);  // gap, barrier, gap
  EXPECT_EQ(all.raynal.weight, 9);
  EXPECT_EQ(all.unmatched.total(), 0u);
  EXPECT_THAT(us(all.critical_path.by_rank[2]), testing::Gt(7.9));
}

TEST(Collectives, NobodyHasLeftABarrierBeforeAllCame) {
  // Gap, barrier, gap: a rank's second event needs the first one of the other: 16 cuts without 2 + 2.
  TracedRun run(2);
  for (int rank = 0; rank < 2; ++rank) {
    run.barrier(rank, 1, 1);
    run.finalize(rank, 1);
  }
  EXPECT_THAT(run.measure({.cuts = true}).charron_bost.m, Optional(about((12 - 7.0) / (16 - 7))));
}

TEST(Collectives, CutsOfLongRunsAreNotCounted) {
  TracedRun run(2);
  for (int rank = 0; rank < 2; ++rank) {
    for (int turn = 0; turn < 1100; ++turn) run.barrier(rank, 1, 1);
    run.finalize(rank, 1);
  }
  const auto cuts = run.measure({.cuts = true}).charron_bost;
  EXPECT_FALSE(cuts.m);
  EXPECT_EQ(cuts.reason, "more than 4096 events");
}

TEST(Collectives, BroadcastWaitsForTheRootOnly) {
  // Root 0 has computed 1, rank 2 has computed 50 before the broadcast: rank 1's chain is max(10, 1) + 45.
  TracedRun run(3);
  run.bcast(0, 0, 1, 0);
  run.bcast(1, 0, 10, 0);
  run.bcast(2, 0, 50, 0);
  run.finalize(0, 1);
  run.finalize(1, 45);
  run.finalize(2, 1);
  EXPECT_THAT(us(run.measure().he_sun.ht), about(55));
}

TEST(Collectives, OfARootMayWaitForRanksThatHandDataOn) {
  // The root comes at 10, rank 1 at 20, rank 2 at 1000, rank 3 at 2000. Rank 1 leaves right after rank 2 came, or so much
  // later that something else took the time.
  for (const int left : {1010, 1990}) {
    TracedRun run(4);
    run.bcast(0, 0, 10, 2);
    run.bcast(1, 0, 20, left - 20);
    run.bcast(2, 0, 1000, 5);
    run.bcast(3, 0, 2000, 5);
    for (int rank = 0; rank < 4; ++rank) run.finalize(rank, 0);
    const auto waits = run.measure({.slack = true}).waits;
    EXPECT_THAT(us(waits.per_rank[1].total()), about(left == 1010 ? 980 : 0));
    EXPECT_THAT(us(waits.per_rank[2].caused.total()), about(left == 1010 ? 980 : 0));
    EXPECT_THAT(us(waits.per_rank[3].caused.total()), about(0));
  }
}

TEST(Collectives, OfARootGiveSlackToRanksThatHandDataOn) {
  // Rank 1 hands on what rank 2 gives for the root, which comes at 900.
  TracedRun run(3);
  const auto reduce = [&](int rank, int gap, int inside) {
    run.call(rank, "MPI_Reduce", {0x1000, 0x2000, 1, kInt, kSum, 0, kWorld}, gap, inside);
  };
  reduce(0, 900, 5);
  reduce(1, 20, 505);
  reduce(2, 500, 1);
  run.finalize(0, 0);
  run.finalize(1, 300);
  run.finalize(2, 0);
  const auto all = run.measure({.slack = true, .halve = true});
  EXPECT_THAT(us(all.waits.per_rank[1].total()), about(480));
  EXPECT_THAT(us(all.critical_path.slack_by_rank[1].least_s.value()), about(80));  // up to 905, when the run ends
  EXPECT_THAT(us(all.critical_path.slack_by_rank[2].least_s.value()), about(80));
}

TEST(Collectives, ReduceMakesTheRootWaitOnly) {
  const auto reduce = [](TracedRun& run, int rank, int gap) {
    run.call(rank, "MPI_Reduce", {0x1000, 0x2000, 1, kInt, kSum, 0, kWorld}, gap, 0);
  };
  TracedRun run(3);
  reduce(run, 0, 1);
  reduce(run, 1, 2);
  reduce(run, 2, 10);
  run.finalize(0, 30);  // 10 + 30
  run.finalize(1, 35);  // 2 + 35: does not wait for rank 2
  run.finalize(2, 0);
  EXPECT_THAT(us(run.measure().he_sun.ht), about(40));
}

TEST(Collectives, ScanWaitsForLowerRanks) {
  const auto scan = [](TracedRun& run, int rank, int gap) {
    run.call(rank, "MPI_Scan", {0x1000, 0x2000, 1, kInt, kSum, kWorld}, gap, 0);
  };
  TracedRun run(3);
  scan(run, 0, 1);
  scan(run, 1, 20);
  scan(run, 2, 5);
  run.finalize(0, 30);  // 1 + 30
  run.finalize(1, 0);
  run.finalize(2, 15);  // 20 + 15
  EXPECT_THAT(us(run.measure().he_sun.ht), about(35));
}

TEST(Collectives, OneRankAloneNeedsNobody) {
  TracedRun run(1);
  run.barrier(0, 3, 4);
  run.barrier(0, 0, 2, kSelf);
  run.finalize(0, 1);
  const auto all = run.measure();
  EXPECT_THAT(us(all.he_sun.wt), about(4));
  EXPECT_THAT(us(all.he_sun.vol), about(10));
  EXPECT_THAT(all.he_sun.alpha, Optional(about(0)));
  EXPECT_THAT(us(all.waits.all.total()), about(0));
  EXPECT_FALSE(all.raynal.alpha);
}

/// Opens a file on all ranks.
void open_file(TracedRun& run, int ranks) {
  for (int rank = 0; rank < ranks; ++rank)
    run.call(rank, "MPI_File_open", {kWorld, std::vector<std::int64_t>{'a'}, 0, 0, 0x99}, 0, 0);
}

TEST(Collectives, OfAFileThatEndBeforeAllCameWaitForNobody) {
  // Rank 0 writes for 1 and computes 9, rank 1 comes at 5 and ends at 8: of 10 in all nobody has waited.
  TracedRun run(2);
  open_file(run, 2);
  const auto write = [&](int rank, int gap, int inside) {
    run.call(rank, "MPI_File_write_all", {0x99, 0x1000, 1, kInt}, gap, inside);
  };
  write(0, 0, 1);
  write(1, 5, 1);
  run.finalize(0, 9);
  run.finalize(1, 2);
  const auto all = run.measure({.slack = true});
  EXPECT_EQ(all.unmatched.total(), 0u);
  EXPECT_THAT(us(all.he_sun.ht), about(9));
  EXPECT_THAT(all.pop.serialization, Optional(about(1)));
  EXPECT_THAT(us(all.waits.all.total()), about(0));
  EXPECT_THAT(us(all.critical_path.slack_by_rank[1].least_s.value()), about(2));
}

TEST(Collectives, OfAFileThatEndWhenAllCameWaitForThem) {
  TracedRun run(2);
  open_file(run, 2);
  const auto sync = [&](int rank, int gap, int inside) { run.call(rank, "MPI_File_sync", {0x99}, gap, inside); };
  sync(0, 1, 5);
  sync(1, 5, 1);
  run.finalize(0, 9);
  run.finalize(1, 0);
  const auto all = run.measure();
  EXPECT_THAT(us(all.he_sun.ht), about(5 + 9));
  EXPECT_THAT(us(all.waits.per_rank[0].imbalance_s), about(4));
}

TEST(Collectives, InTwoHalvesWaitForThoseThatBegan) {
  // Rank 0 begins at once, rank 1 at 5; rank 0 ends at 7 when rank 1 has not ended: from 3 to 5 it waited for it.
  TracedRun run(2);
  open_file(run, 2);
  const auto begin = [&](int rank, int gap) {
    run.call(rank, "MPI_File_write_all_begin", {0x99, 0x1000, 1, kInt}, gap, 0);
  };
  const auto end = [&](int rank, int gap, int inside) {
    run.call(rank, "MPI_File_write_all_end", {0x99, 0x1000}, gap, inside);
  };
  begin(0, 0);
  end(0, 3, 4);
  begin(1, 5);
  end(1, 10, 0);
  run.finalize(0, 1);
  run.finalize(1, 0);
  const auto all = run.measure();
  EXPECT_EQ(all.unmatched.total(), 0u);
  EXPECT_THAT(us(all.he_sun.ht), about(15));
  EXPECT_THAT(us(all.waits.per_rank[0].total()), about(2));
  EXPECT_THAT(us(all.waits.all.total()), about(2));
}

TEST(Collectives, AFenceThatNothingPrecedesWaitsForNobodyWhereItEndsBeforeAllCame) {
  for (const int assertions : {0, 8}) {
    TracedRun run(2);
    for (int rank = 0; rank < 2; ++rank) {
      run.call(rank, "MPI_Win_create", {0x1000, 8, 1, 0, kWorld, 0x88}, 0, 0);
      run.call(rank, "MPI_Win_fence", {assertions, 0x88}, 5 * rank, 1);
    }
    run.finalize(0, 9);
    run.finalize(1, 0);
    EXPECT_THAT(us(run.measure().he_sun.ht), about(assertions ? 9 : 14));  // hosts' clocks may differ
  }
}

TEST(Findings, TimeWithoutACoreIsNotThatOfTheNextCall) {
  Directory directory;
  const trace::Run own{.id = 7, .ranks = 2};
  trace::write_meta(directory.path(), own);
  for (int rank = 0; rank < 2; ++rank) {
    trace::Writer writer(directory.path(), own, rank, {.columns = {"cpu_ns"}});
    writer.call("MPI_Init", {}, 0, 0, {0});
    writer.comm({static_cast<std::uint64_t>(kWorld), 2, rank, 0, false});
    // Rank 1 computes 20 us and has no core for 70 us before its barrier; rank 0 comes early.
    writer.call("MPI_Barrier", {kWorld}, rank ? 90'000 : 20'000, rank ? 1'000 : 71'000, {20'000});
    writer.call("MPI_Finalize", {}, 0, 5'000, {0});
    writer.finish();
  }
  const auto all = metrics::measure(trace::open(directory.path()));
  const auto& path = all.critical_path.by_function;
  const auto waiting =
      std::ranges::find(path, metrics::CriticalPath::kWithoutCore, &std::pair<std::string, double>::first);
  ASSERT_NE(waiting, path.end());
  EXPECT_THAT(us(waiting->second), about(70));
  const auto finding = std::ranges::find(all.findings, metrics::Finding::Cause::without_core, &metrics::Finding::cause);
  ASSERT_NE(finding, all.findings.end());
  EXPECT_EQ(finding->text, "Ranks wait for a core between their calls: 70 us of the critical path");
  for (const auto& other : all.findings)
    if (other.function == "MPI_Barrier") EXPECT_LT(us(other.cost_s), 70) << other.text;
}

TEST(Findings, WhatTheKernelCountedComesFirst) {
  for (const bool cpu_time : {false, true}) {
    Directory directory;
    const trace::Run own{.id = 7, .ranks = 2};
    trace::write_meta(directory.path(), own);
    for (int rank = 0; rank < 2; ++rank) {
      trace::Writer writer(directory.path(), own, rank,
                           {.columns = cpu_time ? std::vector<std::string>{"cpu_ns"} : std::vector<std::string>{}});
      const auto cpu = [&](std::uint64_t ns) {
        return cpu_time ? std::vector<std::uint64_t>{ns} : std::vector<std::uint64_t>{};
      };
      writer.call("MPI_Init", {}, 0, 0, cpu(0));
      writer.comm({static_cast<std::uint64_t>(kWorld), 2, rank, 0, false});
      writer.call("MPI_Barrier", {kWorld}, rank ? 90'000 : 20'000, rank ? 1'000 : 71'000, cpu(20'000));
      writer.call("MPI_Finalize", {}, 0, 9'000, cpu(0));
      writer.finish(
          {.finalize_exit_ticks = 1'000'100'000, .core_wait_ns = 10'000u + 20'000u * static_cast<unsigned>(rank)});
    }
    const auto all = metrics::measure(trace::open(directory.path()));
    ASSERT_GT(all.findings.size(), 1u);
    EXPECT_EQ(all.findings[0].cause, metrics::Finding::Cause::without_core);
    EXPECT_EQ(all.findings[0].text,
              "Ranks wait for a core, between calls and inside them: 20 us of the run on average");
    if (!cpu_time) EXPECT_GT(all.findings[1].cost_s, all.findings[0].cost_s);
    for (std::size_t i = 1; i < all.findings.size(); ++i) {
      EXPECT_NE(all.findings[i].cause, metrics::Finding::Cause::without_core);
      if (all.findings[i].cause != metrics::Finding::Cause::uneven_work &&
          (!all.findings[i].more_in_all || !all.findings[i].longer_in.empty()))
        EXPECT_TRUE(metrics::doubtful(all.findings[i], all.notes)) << all.findings[i].text;
    }
  }
}

TEST(Findings, AreCertainWhereTheyCostMuchMoreThanRanksWaitedForACore) {
  metrics::Finding finding{.cost_s = 4, .cause = metrics::Finding::Cause::imbalance};
  metrics::Note note{metrics::Note::Kind::shared_cores, "text"};
  EXPECT_TRUE(metrics::doubtful(finding, {note})) << "how long is not known";
  note.without_core_s = 1;
  EXPECT_FALSE(metrics::doubtful(finding, {note}));
  finding.cost_s = 2;
  EXPECT_TRUE(metrics::doubtful(finding, {note}));
  finding.more_in_all = true;  // and computation is time on a core
  EXPECT_FALSE(metrics::doubtful(finding, {note}));
  finding.longer_in = "MPI_Send";  // which waits for a core, too
  EXPECT_TRUE(metrics::doubtful(finding, {note}));
  finding.longer_in.clear();
  note.computing = true;
  EXPECT_TRUE(metrics::doubtful(finding, {note}));
}

TEST(Findings, NameWhatCostsMost) {
  TracedRun run(2);
  run.barrier(0, 30, 60);
  run.barrier(1, 90, 0);
  run.finalize(0, 0);
  run.finalize(1, 0);
  const auto findings = run.measure().findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(us(findings[0].cost_s), about(30));
  EXPECT_EQ(findings[0].text,
            "Rank 1 has more to compute: rank 0 loses 60 us waiting for it, in MPI_Barrier; it computes 3.0 times as "
            "long as rank 0");
  EXPECT_EQ(findings[0].function, "MPI_Barrier");
}

TEST(Findings, AreSortedByWhatTheirChangesGain) {
  // Of the path the barrier has 100, more than the 70 that even work gains, but half of it is less.
  TracedRun run(2);
  run.barrier(0, 60, 240);
  run.barrier(1, 200, 100);
  run.finalize(0, 0);
  run.finalize(1, 0);
  const auto findings = run.measure({.halve = true}).findings;
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_THAT(us(findings[0].cost_s), about(70));
  EXPECT_EQ(findings[0].text,
            "Rank 1 has more to compute: rank 0 loses 140 us waiting for it, in MPI_Barrier; it computes 3.3 times as "
            "long as rank 0; if it computed 35 % less, about the mean of all ranks, the run would be 70 us shorter");
  EXPECT_THAT(us(findings[1].cost_s), about(50));
  EXPECT_EQ(
      findings[1].text,
      "MPI_Barrier takes 100 us of the critical path (waiting for late ranks not included); if its calls took half as "
      "long, the run would be 50 us shorter");
}

TEST(Findings, SayInWhichCallARankIsLongerThatIsLateWithoutComputingMore) {
  // All come to the barrier at once; rank 2 leaves it 40 later, and so it sends 40 late.
  TracedRun run(3);
  for (int rank = 0; rank < 3; ++rank) run.barrier(rank, 10, rank == 2 ? 41 : 1);
  run.send(2, 0, 5, 0);
  run.recv(0, 2, 5, 40);
  for (int rank = 0; rank < 3; ++rank) run.finalize(rank, 0);
  const auto findings = run.measure().findings;
  const auto late = std::ranges::find(findings, metrics::Finding::Cause::late_sender, &metrics::Finding::cause);
  ASSERT_NE(late, findings.end());
  EXPECT_EQ(late->longer_in, "MPI_Barrier");
  EXPECT_EQ(late->text,
            "Rank 2 sends late: others together lose 40 us waiting for it, in MPI_Recv; the cause is calls, not "
            "computation: apart from waiting, it is 40 us longer in MPI_Barrier than the others on average");
}

TEST(Findings, DoNotBlameCallsForComputationBetweenMeetingsOfAPart) {
  // Both meet in the world, then in another communicator, for which rank 1 comes 100 later, then in the world, for which
  // rank 0 comes 100 later: there it has not computed more since they met in the world.
  TracedRun run(2);
  for (int rank = 0; rank < 2; ++rank) run.rank(rank).comm({0x55, 2, rank, 0, false});
  for (int rank = 0; rank < 2; ++rank) run.barrier(rank, 1, 0);
  run.barrier(0, 0, 100, 0x55);
  run.barrier(1, 100, 0, 0x55);
  run.barrier(0, 100, 0);
  run.barrier(1, 0, 100);
  for (int rank = 0; rank < 2; ++rank) run.finalize(rank, 0);
  const auto findings = run.measure().findings;
  const auto late = std::ranges::find(findings, metrics::Finding::Cause::late_to_collective, &metrics::Finding::cause);
  ASSERT_NE(late, findings.end());
  EXPECT_EQ(late->longer_in, "");
  EXPECT_THAT(late->text, testing::Not(testing::HasSubstr("the cause is calls")));
}

TEST(Findings, SayThanWhichRankALateOneIsLongerWhereOthersAreAsLong) {
  // Rank 1 leaves the barrier 20 later than rank 0, which waits for its message, and 20 before rank 2.
  TracedRun run(3);
  for (int rank = 0; rank < 3; ++rank) run.barrier(rank, 10, 1 + 20 * rank);
  run.send(1, 0, 5, 0);
  run.recv(0, 1, 5, 20);
  for (int rank = 0; rank < 3; ++rank) run.finalize(rank, 0);
  const auto findings = run.measure().findings;
  const auto late = std::ranges::find(findings, metrics::Finding::Cause::late_sender, &metrics::Finding::cause);
  ASSERT_NE(late, findings.end());
  EXPECT_THAT(late->text, testing::EndsWith("apart from waiting, it is 20 us longer in MPI_Barrier than rank 0"));
}

TEST(Findings, NameTheProbeInWhichAReceiveWaited) {
  TracedRun run(2);
  const std::vector<std::int64_t> status{0, 0};
  run.send(0, 1, 90, 1);
  run.call(1, "MPI_Mprobe", {0, 0, kWorld, 99, status}, 10, 82);
  run.call(1, "MPI_Mrecv", {0x1000, 1, kInt, 99, status}, 0, 1);
  for (int rank = 0; rank < 2; ++rank) run.finalize(rank, 0);
  const auto findings = run.measure().findings;
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].function, "MPI_Mrecv");
  EXPECT_THAT(findings[0].text, testing::HasSubstr("rank 1 loses 80 us waiting for it, in MPI_Mprobe + MPI_Mrecv"));
}

TEST(Findings, NameARankThatHasMoreToComputeThoughNobodyWaitsForIt) {
  TracedRun run(2);
  run.finalize(0, 10);
  run.finalize(1, 90);
  const auto findings = run.measure().findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].cause, metrics::Finding::Cause::uneven_work);
  EXPECT_THAT(us(findings[0].cost_s), about(40));
  EXPECT_EQ(findings[0].text,
            "Rank 1 has more to compute: rank 0 is done 80 us before it; it computes 9.0 times as long as rank 0");
}

TEST(Findings, SayInWhichPhaseRanksWaitMost) {
  TracedRun run(2);
  for (int turn = 0; turn < 4; ++turn) {
    const int computes = turn < 2 ? 30 : 90;
    run.barrier(0, 10, computes - 10);
    run.barrier(1, computes, 0);
  }
  for (int rank = 0; rank < 2; ++rank) run.finalize(rank, 0);
  const auto findings = run.measure({.phases = {{"loop 1", {0, 0}}, {"loop 2", {3, 3}}}}).findings;
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].phase, "loop 2");
  EXPECT_THAT(findings[0].text,
              testing::HasSubstr("rank 0 loses 200 us waiting for it, 160 us of it in MPI_Barrier of loop 2"));
  const auto others = run.measure({.phases = {{"loop 1", {0, 0}}, {"around the loops", {3, 3}}}}).findings;
  EXPECT_THAT(others.at(0).text,
              testing::HasSubstr("in MPI_Barrier (phase 'around the loops': in no loop that build cuts)"));
}

TEST(Findings, AreOneOfRanksThatAreAlike) {
  // Each is late every second time.
  TracedRun run(2);
  for (int turn = 0; turn < 4; ++turn)
    for (int rank = 0; rank < 2; ++rank) {
      const bool late = rank == turn % 2;
      run.barrier(rank, late ? 90 : 30, late ? 0 : 60);
    }
  for (int rank = 0; rank < 2; ++rank) run.finalize(rank, 0);
  const auto findings = run.measure().findings;
  const auto both = std::ranges::find(findings, metrics::Finding::Cause::imbalance, &metrics::Finding::cause);
  ASSERT_NE(both, findings.end());
  EXPECT_EQ(both->ranks, (std::vector<int>{0, 1}));
  EXPECT_THAT(us(both->cost_s), about(120));
  EXPECT_EQ(both->text,
            "Ranks 0, 1 have more to compute: ranks together lose 240 us waiting for each other, in MPI_Barrier");
}

TEST(Findings, DoNotSayOfARankThatItHasNotMoreToComputeWhereItHas) {
  // Rank 1 computes four times as long as the others, all of it before they met last; then it is late since a message, which
  // was sent in time, takes long.
  TracedRun run(3);
  for (int rank = 0; rank < 3; ++rank) run.barrier(rank, rank == 1 ? 90 : 10, rank == 1 ? 0 : 80);
  run.send(2, 1, 0, 0);
  run.recv(1, 2, 0, 61);
  run.barrier(0, 0, 61);
  run.barrier(1, 0, 0);
  run.barrier(2, 0, 61);
  for (int rank = 0; rank < 3; ++rank) run.finalize(rank, 0);
  bool late = false;
  for (const auto& finding : run.measure().findings) {
    if (finding.cause != metrics::Finding::Cause::late_to_collective) continue;
    late = true;
    EXPECT_THAT(finding.text, testing::HasSubstr("arrives late at collectives: others together lose"));
    EXPECT_THAT(finding.text, testing::Not(testing::HasSubstr("times as long")));
  }
  EXPECT_TRUE(late);
}

TEST(Waits, ForARootThatHasMoreToCompute) {
  // The root computes 9 before each broadcast, rank 1 3. Then the root comes late for a message: that is no imbalance.
  TracedRun run(3);
  for (int turn = 0; turn < 2; ++turn) {
    run.bcast(0, 0, 9, 0);
    run.bcast(1, 0, 3, 6);
    run.bcast(2, 0, 9, 0);
  }
  run.send(2, 0, 5, 0);
  run.recv(0, 2, 0, 5);
  run.bcast(0, 0, 0, 0);
  run.bcast(1, 0, 0, 5);
  run.bcast(2, 0, 0, 0);
  for (int rank = 0; rank < 3; ++rank) run.finalize(rank, 0);
  const auto waits = run.measure().waits;
  EXPECT_THAT(us(waits.per_rank[1].imbalance_s), about(12));
  EXPECT_THAT(us(waits.per_rank[1].collective_s), about(5));
}

TEST(Waits, ForARankThatHasMoreToComputeThanTheRootOfAReduction) {
  TracedRun run(2);
  const auto reduce = [&](int rank, int gap, int inside) {
    run.call(rank, "MPI_Reduce", {0x1000, 0x2000, 1, kInt, kSum, 0, kWorld}, gap, inside);
  };
  reduce(0, 2, 5);
  reduce(1, 7, 0);
  for (int rank = 0; rank < 2; ++rank) run.finalize(rank, 0);
  EXPECT_THAT(us(run.measure().waits.per_rank[0].imbalance_s), about(5));
}

TEST(Calls, ThatMayWaitForOthersAreNoComputation) {
  TracedRun run(2);
  run.call(0, "MPI_Buffer_detach", {}, 1, 50);
  run.call(0, "MPI_Comm_disconnect", {0x55}, 1, 20);
  run.finalize(0, 1);
  run.finalize(1, 1);
  const auto all = run.measure();
  EXPECT_THAT(us(all.he_sun.per_rank[0].computing_s), about(3));
  EXPECT_THAT(us(all.he_sun.per_rank[0].blocked_s), about(70));
  for (const auto& finding : all.findings)
    if (finding.function == "MPI_Buffer_detach")
      EXPECT_THAT(finding.text, testing::HasSubstr("(waiting included: such calls are not followed)"));
}

TEST(Findings, SayWhereItIsNotKnownWhatACallWaitsFor) {
  TracedRun run(2);
  for (int rank = 0; rank < 2; ++rank) run.call(rank, "MPI_Win_create", {0x1000, 8, 1, 0, kWorld, 0x88}, 0, 0);
  run.call(0, "MPI_Win_start", {0, 0, 0x88}, 0, 50);
  run.call(1, "MPI_Win_post", {0, 0, 0x88}, 50, 0);
  run.finalize(0, 50);
  run.finalize(1, 0);
  const auto findings = run.measure().findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(
      findings[0].text,
      "MPI_Win_start takes 50 us of the critical path (waiting included: one-sided communication is not followed)");
}

TEST(Incomplete, AKilledRankIsMeasuredAsFarAsItCame) {
  TracedRun run(2);
  run.send(0, 1, 4, 0);
  run.barrier(0, 1, 0);
  run.kill(0);
  run.recv(1, 0, 3, 2);
  run.kill(1);
  const auto all = run.measure();
  EXPECT_THAT(us(all.he_sun.wt), about(8));
  EXPECT_EQ(all.unmatched.collectives, 1u);
}

TEST(Incomplete, AMissingRankLeavesMessagesOver) {
  TracedRun run(2);
  one_message(run);
  std::filesystem::remove(run.directory().rank(0));
  const auto all = metrics::measure(run.open({.allow_missing = true}));
  EXPECT_EQ(all.unmatched.receives, 1u);
  EXPECT_THAT(us(all.he_sun.wt), about(8));
  EXPECT_EQ(all.he_sun.per_rank.size(), 1u);
}

TEST(Incomplete, NoCallsAtAll) {
  Directory directory;
  trace::write_meta(directory.path(), {});
  trace::Writer(directory.path(), {}, 0).finish();
  const auto all = metrics::measure(trace::open(directory.path()));
  EXPECT_EQ(all.he_sun.wt, 0);
  EXPECT_FALSE(all.he_sun.phi1);
  EXPECT_FALSE(all.pop.parallel);
  EXPECT_EQ(all.critical_path.seconds, 0);
}

}  // namespace
}  // namespace skelgen::test
