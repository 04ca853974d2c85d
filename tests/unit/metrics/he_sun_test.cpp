// Small computations worked out by hand with the protocol of He & Sun (1997).
#include "metrics/he_sun.h"

#include <gmock/gmock.h>

#include "support/error.h"

namespace skelgen::metrics {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Optional;

TimedEvent send(int message, double ct, double bt = 0) { return {EventKind::send, message, ct, bt}; }
TimedEvent deliver(int message, double ct, double bt) { return {EventKind::receive, message, ct, bt}; }
TimedEvent end(double ct, double bt = 0) { return {EventKind::internal, -1, ct, bt}; }
auto exactly(double value) { return Optional(DoubleNear(value, 1e-12)); }

// P1 computes 4, sends, computes 6. P2 computes 3, is blocked for 2, gets the message, computes 5.
//
//   P1 at the send     W = (4,0)  U = (0,0)  HT = 4
//   P2 at the delivery own part: W = (0,3), U = (0,2), HT = 3; with the message W = (4,3), U = (0,2), HT = max(3,4) = 4
//   P1 at the end      W = (10,0)            HT = 4 + 6 = 10
//   P2 at the end      W = (4,8)  U = (0,2)  HT = 4 + 5 = 9
const TimedComputation kOneMessage = {{{send(1, 4), end(10)}, {deliver(1, 3, 2), end(8, 2)}}, {}};

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
  const HeSun whole =
      he_sun({{{send(1, 5), end(5)}, {deliver(1, 0, 5), send(2, 3, 5), end(3, 5)}, {deliver(2, 0, 8), end(2, 8)}}, {}})
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
      he_sun({{{send(1, 2), deliver(2, 3, 3), end(4, 3)}, {send(2, 6), deliver(1, 6, 0), end(8)}}, {}});
  EXPECT_EQ(measures.regions[0][1].height, 6);
  EXPECT_THAT(measures.regions[0][1].alpha, exactly(3.0 / 6));  // wt 9, vol 12, HT 6
  EXPECT_THAT(measures.regions[1][1].alpha, exactly(1));        // wt 8, vol 8, HT 6
  EXPECT_EQ(measures.regions[0][2].height, 7);
  EXPECT_EQ(measures.whole.ht, 8);
  EXPECT_THAT(measures.whole.alpha, exactly(4.0 / 7));  // wt 12, vol 15
}

TEST(HeSun, RefusesWhatIsNoComputation) {
  EXPECT_THROW(he_sun({{{send(1, 5)}}, {}}), Error) << "no end";
  EXPECT_THROW(he_sun({{{}}, {}}), Error) << "no end";
  EXPECT_THROW(he_sun({{{send(1, 5), end(4)}}, {}}), Error) << "time runs backwards";
  EXPECT_THROW(he_sun({{{end(1)}}, {0}}), Error);
  EXPECT_THROW(he_sun({{{end(1)}}, {1.5}}), Error);
  EXPECT_THROW(he_sun({{{end(1)}}, {1, 1}}), Error);
}

}  // namespace
}  // namespace skelgen::metrics
