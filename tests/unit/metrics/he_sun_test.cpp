// Small computations worked out by hand with the protocol of He & Sun (1997).
#include "papers/he_sun.h"

#include <gmock/gmock.h>

#include "support/error.h"

namespace skelgen::metrics {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Optional;

TimedEvent timed_send(int message, double ct, double bt = 0) { return {EventKind::send, message, ct, bt}; }
TimedEvent deliver(int message, double ct, double bt) { return {EventKind::receive, message, ct, bt}; }
TimedEvent end(double ct, double bt = 0) { return {EventKind::internal, -1, ct, bt}; }
auto exactly(double value) { return Optional(DoubleNear(value, 1e-12)); }

// P1 computes 4, sends, computes 6. P2 computes 3, is blocked for 2, gets the message, computes 5.
//
//   P1 at the send     W = (4,0)  U = (0,0)  HT = 4
//   P2 at the delivery own part: W = (0,3), U = (0,2), HT = 3; with the message W = (4,3), U = (0,2), HT = max(3,4) = 4
//   P1 at the end      W = (10,0)            HT = 4 + 6 = 10
//   P2 at the end      W = (4,8)  U = (0,2)  HT = 4 + 5 = 9
const TimedComputation kOneMessage = {{{timed_send(1, 4), end(10)}, {deliver(1, 3, 2), end(8, 2)}}, {}};

TEST(OneMessage, Regions) {
  const auto measures = he_sun(kOneMessage);
  const RegionMeasures& delivery = measures.regions[1][0];
  EXPECT_THAT(delivery.w, ElementsAre(4, 3));
  EXPECT_THAT(delivery.u, ElementsAre(0, 2));
  EXPECT_EQ(delivery.height, 4);
  EXPECT_EQ(delivery.weight, 7);
  EXPECT_EQ(delivery.volume, 9);
  EXPECT_THAT(delivery.alpha, exactly(3.0 / 5));  // (7 - 4) / (9 - 4)
  EXPECT_THAT(delivery.phi1, exactly(3.0 / 5));   // 3 / (3 + 2)
  EXPECT_THAT(delivery.phi2, exactly(2.0 / 5));
  EXPECT_THAT(delivery.phi3, exactly(3.0 / 7));
  EXPECT_THAT(delivery.phi4, exactly(4.0 / 7));
  EXPECT_FALSE(measures.regions[0][0].alpha) << "nothing but P1's own computation: 0 / 0";
  EXPECT_EQ(measures.regions[1][1].height, 9);
  EXPECT_THAT(measures.regions[1][1].alpha, exactly(3.0 / 5));  // wt 12, vol 14, HT 9
}

TEST(OneMessage, WholeComputation) {
  // wt = 10 + 8, vol = 18 + 2, ht = max(10, 9).
  const HeSun whole = he_sun(kOneMessage).whole;
  EXPECT_EQ(whole.wt, 18);
  EXPECT_EQ(whole.vol, 20);
  EXPECT_EQ(whole.ht, 10);
  EXPECT_THAT(whole.alpha, exactly(0.8));
  EXPECT_THAT(whole.phi1, exactly(0.9));
  EXPECT_THAT(whole.phi2, exactly(0.1));
  EXPECT_THAT(whole.per_rank[0].phi3, exactly(10.0 / 18));
  EXPECT_THAT(whole.per_rank[1].phi3, exactly(8.0 / 18));
  EXPECT_THAT(whole.phi4, exactly(10.0 / 18));
  EXPECT_THAT(whole.phi5, exactly(9));
  EXPECT_THAT(whole.phi6, exactly(1));        // (|10 - 9| + |8 - 9|) / 2
  EXPECT_THAT(whole.phi7, exactly(8.0 / 9));  // (9 - 1) / 9
}

TEST(OneMessage, WithASlowerProcessor) {
  // rho = (1, 1/2) halves P2's clocks: W_2 = 4, U_2 = 1; HT_2 = max(1.5, 4) + 2.5 = 6.5, ht = 10.
  // wt = 14, vol = 15; Phi_5' = 14 / 1.5, Phi_6' = (|10 - 28/3| + |4 - 28/3|) / 1.5 = 4, Phi_7' = (28/3 - 4) / (28/3) =
  // 4/7.
  TimedComputation slower = kOneMessage;
  slower.rho = {1, 0.5};
  const auto measures = he_sun(slower);
  EXPECT_EQ(measures.regions[1][1].height, 6.5);
  EXPECT_THAT(measures.whole.alpha, exactly(4.0 / 5));
  EXPECT_THAT(measures.whole.phi5_rho, exactly(28.0 / 3));
  EXPECT_THAT(measures.whole.phi6_rho, exactly(4));
  EXPECT_THAT(measures.whole.phi7_rho, exactly(4.0 / 7));
}

TEST(Balance, ThePrimedMeasureBlamesABalancedRunOnUnequalProcessors) {
  // Both compute for 10 s, the second at half speed: W = (10, 5), Phi_5' = 10, Phi_6' = 5 / 1.5, Phi_7' = 2/3.
  const HeSun whole = he_sun({{{end(10)}, {end(10)}}, {1, 0.5}}).whole;
  EXPECT_THAT(whole.phi7_rho, exactly(2.0 / 3));
  EXPECT_THAT(whole.phi6_balanced, exactly(0));
}

// A relay over three: P1 works 5 and sends; P2 waits 5, works 3 and sends; P3 waits 8, works 2. One after the other.
//   HT: 5, then max(0,5) + 3 = 8, then max(0,8) + 2 = 10; wt = 5 + 3 + 2 = 10 = ht.
TEST(Relay, IsSequential) {
  const HeSun whole = he_sun({{{timed_send(1, 5), end(5)},
                               {deliver(1, 0, 5), timed_send(2, 3, 5), end(3, 5)},
                               {deliver(2, 0, 8), end(2, 8)}},
                              {}})
                          .whole;
  EXPECT_EQ(whole.ht, 10);
  EXPECT_EQ(whole.wt, 10);
  EXPECT_EQ(whole.vol, 23);
  EXPECT_THAT(whole.alpha, exactly(0));
}

TEST(Independent, IsFullyConcurrent) {
  // wt = vol = 12, ht = 5: (12 - 5) / (12 - 5).
  EXPECT_THAT(he_sun({{{end(5)}, {end(4)}, {end(3)}}, {}}).whole.alpha, exactly(1));
}

TEST(Undefined, WhereNothingIsMeasured) {
  EXPECT_FALSE(he_sun({{{end(5)}}, {}}).whole.alpha) << "one process that never waits";
  const HeSun nothing = he_sun({{{end(0)}, {end(0)}}, {}}).whole;
  EXPECT_FALSE(nothing.alpha);
  EXPECT_FALSE(nothing.phi1);
  EXPECT_FALSE(nothing.phi7);
}

// Exchange: both send, then wait. P1: computes 2, sends a, computes 1, waits 3, gets b, computes 1.
//           P2: computes 6, sends b, waits 0, gets a, computes 2.
//   P1 at send W = (2,0) HT 2; P2 at send W = (0,6) HT 6
//   P1 gets b: W = (3,6) U = (3,0) HT = max(3,6) = 6; end W = (4,6), HT = 7
//   P2 gets a: W = (2,6) U = (0,0) HT = max(6,2) = 6; end W = (2,8), HT = 8
TEST(Exchange, BothWays) {
  const auto measures =
      he_sun({{{timed_send(1, 2), deliver(2, 3, 3), end(4, 3)}, {timed_send(2, 6), deliver(1, 6, 0), end(8)}}, {}});
  EXPECT_EQ(measures.regions[0][1].height, 6);
  EXPECT_THAT(measures.regions[0][1].alpha, exactly(3.0 / 6));  // wt 9, vol 12, HT 6
  EXPECT_THAT(measures.regions[1][1].alpha, exactly(1));        // wt 8, vol 8, HT 6
  EXPECT_EQ(measures.regions[0][2].height, 7);
  EXPECT_EQ(measures.whole.ht, 8);
  EXPECT_THAT(measures.whole.alpha, exactly(4.0 / 7));  // wt 12, vol 15
}

/// A whole computation and what the derivation beside it gives; alpha is (wt - ht) / (vol - ht).
void expect_whole(const TimedComputation& computation, double wt, double vol, double ht) {
  const HeSun whole = he_sun(computation).whole;
  EXPECT_NEAR(whole.wt, wt, 1e-12);
  EXPECT_NEAR(whole.vol, vol, 1e-12);
  EXPECT_NEAR(whole.ht, ht, 1e-12);
  EXPECT_THAT(whole.alpha, exactly((wt - ht) / (vol - ht)));
}

// P1 computes 2 before each of two messages and 2 behind them; P2 waits 2 for the first, computes 3 on each.
//   P1: HT 2, 4, end 6. P2: max(0,2) = 2; 2 + 3 = 5, max(5,4) = 5; end 8. wt = 6 + 6, vol = 12 + 2.
TEST(ByHand, PipelineOfTwoStages) {
  expect_whole({{{timed_send(1, 2), timed_send(2, 4), end(6)}, {deliver(1, 0, 2), deliver(2, 3, 2), end(6, 2)}}, {}},
               12, 14, 8);
}

// P1 computes 1, sends a, computes 9, sends b. P2 computes 4, waits 6 for b, then takes a, computes 1.
//   P2: at b max(4,10) = 10, at a max(10,1) = 10, end 11. wt = 10 + 5, vol = 15 + 6.
TEST(ByHand, MessagesTakenInAnotherOrder) {
  expect_whole({{{timed_send(1, 1), timed_send(2, 10), end(10)}, {deliver(2, 4, 6), deliver(1, 4, 6), end(5, 6)}}, {}},
               15, 21, 11);
}

// P1 computes 1 and sends to both; P2 waits 1, works 4, answers; P3 waits 1, works 6, answers; P1 waits 4 and 2 more,
// computes 2.
//   P2: 1, answer at 5. P3: 1, answer at 7. P1: 1, max(1,5) = 5, max(5,7) = 7, end 9. wt = 3 + 4 + 6, vol = 13 + 6 + 1
//   + 1.
const TimedComputation kForkAndJoin = {
    {{timed_send(1, 1), timed_send(2, 1), deliver(3, 1, 4), deliver(4, 1, 6), end(3, 6)},
     {deliver(1, 0, 1), timed_send(3, 4, 1), end(4, 1)},
     {deliver(2, 0, 1), timed_send(4, 6, 1), end(6, 1)}},
    {}};
TEST(ByHand, ForkAndJoin) { expect_whole(kForkAndJoin, 13, 21, 9); }

// The same with workers at half speed: W = (3, 2, 3), U = (6, 1/2, 1/2).
//   P2: max(0,1) = 1, answer at 1 + 2 = 3. P3: 1, answer at 4. P1: max(1,3) = 3, max(3,4) = 4, end 6.
TEST(ByHand, ForkAndJoinWithSlowerWorkers) {
  auto computation = kForkAndJoin;
  computation.rho = {1, 0.5, 0.5};
  expect_whole(computation, 8, 15, 6);
}

// All compute 2, send on, take at once, compute 1. Everywhere HT 2, max(2,2) = 2, end 3. wt = vol = 9.
TEST(ByHand, RingInStep) {
  expect_whole({{{timed_send(1, 2), deliver(3, 2, 0), end(3)},
                 {timed_send(2, 2), deliver(1, 2, 0), end(3)},
                 {timed_send(3, 2), deliver(2, 2, 0), end(3)}},
                {}},
               9, 9, 3);
}

// The same where P2 computes 5 first: P3 waits 3.
//   P1: 2, max(2,2), end 3. P2: 5, max(5,2), end 6. P3: 2, max(2,5) = 5, end 6. wt = 3 + 6 + 3, vol = 12 + 3.
TEST(ByHand, RingWithALateRank) {
  expect_whole({{{timed_send(1, 2), deliver(3, 2, 0), end(3)},
                 {timed_send(2, 5), deliver(1, 5, 0), end(6)},
                 {timed_send(3, 2), deliver(2, 2, 3), end(3, 3)}},
                {}},
               12, 15, 6);
}

// P1 computes 3, sends; P2 waits 3, computes 2, sends; P1 waits 2, computes 4, sends; P2 waits 4, computes 1.
//   P1: 3. P2: 3, 5. P1: max(3,5) = 5, 9. P2: max(5,9) = 9, end 10. wt = 7 + 3: nothing at the same time.
TEST(ByHand, PingPong) {
  expect_whole({{{timed_send(1, 3), deliver(2, 3, 2), timed_send(3, 7, 2), end(7, 2)},
                 {deliver(1, 0, 3), timed_send(2, 2, 3), deliver(3, 2, 7), end(3, 7)}},
                {}},
               10, 19, 10);
}

// P1 computes 4, sends what nobody takes, computes 1; P2 computes 3. HT 5 and 3.
TEST(ByHand, AMessageUnderWayAtTheEnd) { expect_whole({{{timed_send(1, 4), end(5)}, {end(3)}}, {}}, 8, 8, 5); }

// P1 computes 2, sends to itself, computes 3, takes it, computes 1: HT 2, max(5,2) = 5, end 6. P2 computes 6.
TEST(ByHand, AMessageToOneself) {
  expect_whole({{{timed_send(1, 2), deliver(1, 5, 0), end(6)}, {end(6)}}, {}}, 12, 12, 6);
}

// One process computes 2, waits 1 for its own message, computes 1: wt = ht = 3, vol = 4.
TEST(ByHand, OneProcessThatWaits) { expect_whole({{{timed_send(1, 2), deliver(1, 2, 1), end(3, 1)}}, {}}, 3, 4, 3); }

// P1 computes 2, is blocked in its send for 4, computes 3; P2 computes 6, takes the message, computes 1.
//   P1: 2, end 5. P2: max(6,2) = 6, end 7. wt = 5 + 7, vol = 12 + 4.
TEST(ByHand, BlockedInASend) {
  expect_whole({{{timed_send(1, 2), end(5, 4)}, {deliver(1, 6, 0), end(7)}}, {}}, 12, 16, 7);
}

// P1 computes 4 and sends; P2 at half speed waits 4, computes 6: W = (4, 3), U = (0, 2), HT_2 = 4 + 3 = 7.
//   Phi_5' = 7 / 1.5 = 14/3; Phi_6' = (|4 - 14/3| + |3 - 14/3|) / 1.5 = (7/3) / 1.5 = 14/9; Phi_7' = 1 - 1/3.
//   Corrected: (|4 - 14/3| + |3 - 7/3|) / 1.5 = (4/3) / 1.5 = 8/9.
TEST(ByHand, RelayToASlowerProcessor) {
  const TimedComputation relay = {{{timed_send(1, 4), end(4)}, {deliver(1, 0, 4), end(6, 4)}}, {1, 0.5}};
  expect_whole(relay, 7, 9, 7);
  const HeSun whole = he_sun(relay).whole;
  EXPECT_THAT(whole.phi5_rho, exactly(14.0 / 3));
  EXPECT_THAT(whole.phi6_rho, exactly(14.0 / 9));
  EXPECT_THAT(whole.phi7_rho, exactly(2.0 / 3));
  EXPECT_THAT(whole.phi6_balanced, exactly(8.0 / 9));
}

// All compute 8 at speeds 1, 1/2, 1/4: W = (8, 4, 2). Phi_5' = 14 / 1.75 = 8; Phi_6' = (0 + 4 + 6) / 1.75 = 40/7;
// Phi_7' = (8 - 40/7) / 8 = 2/7; corrected: 8 - 8, 4 - 4, 2 - 2.
TEST(ByHand, ThreeSpeedsInBalance) {
  const TimedComputation balanced = {{{end(8)}, {end(8)}, {end(8)}}, {1, 0.5, 0.25}};
  expect_whole(balanced, 14, 14, 8);
  const HeSun whole = he_sun(balanced).whole;
  EXPECT_THAT(whole.phi5_rho, exactly(8));
  EXPECT_THAT(whole.phi6_rho, exactly(40.0 / 7));
  EXPECT_THAT(whole.phi7_rho, exactly(2.0 / 7));
  EXPECT_THAT(whole.phi6_balanced, exactly(0));
}

// P1 computes 6, P2 computes 10 at half speed: W = (6, 5), so P1 is the height.
TEST(ByHand, SpeedsDecideWhoIsTheHeight) { expect_whole({{{end(6)}, {end(10)}}, {1, 0.5}}, 11, 11, 6); }

// Loads 1, 2, 3, 6: Phi_5 = 3, Phi_6 = (2 + 1 + 0 + 3) / 4 = 3/2, Phi_7 = 1/2, Phi_4 = 6 / 12.
TEST(ByHand, FourLoads) {
  const TimedComputation loads = {{{end(1)}, {end(2)}, {end(3)}, {end(6)}}, {}};
  expect_whole(loads, 12, 12, 6);
  const HeSun whole = he_sun(loads).whole;
  EXPECT_THAT(whole.phi4, exactly(0.5));
  EXPECT_THAT(whole.phi5, exactly(3));
  EXPECT_THAT(whole.phi6, exactly(1.5));
  EXPECT_THAT(whole.phi7, exactly(0.5));
  EXPECT_THAT(whole.per_rank[3].phi3, exactly(0.5));
}

TEST(HeSun, RefusesWhatIsNoComputation) {
  EXPECT_THROW(he_sun({{{timed_send(1, 5)}}, {}}), Error) << "no end";
  EXPECT_THROW(he_sun({{{}}, {}}), Error) << "no end";
  EXPECT_THROW(he_sun({{{timed_send(1, 5), end(4)}}, {}}), Error) << "time runs backwards";
  EXPECT_THROW(he_sun({{{end(1)}}, {0}}), Error);
  EXPECT_THROW(he_sun({{{end(1)}}, {1.5}}), Error);
  EXPECT_THROW(he_sun({{{end(1)}}, {1, 1}}), Error);
}

}  // namespace
}  // namespace skelgen::metrics
