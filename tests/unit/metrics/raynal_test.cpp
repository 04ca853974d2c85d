// The worked example of Raynal, Mizuno & Neilsen, and the two ends of the scale.
#include "papers/raynal.h"

#include <gmock/gmock.h>

#include "support/error.h"
#include "unit/metrics/abstract_events.h"

namespace skelgen::metrics {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Optional;

/// Messages by the event that sends them: 12 goes from e12 to e32, and so on.
const Computation kC1 = {{{internal(), send(12), receive(36), send(14), receive(37)},
                          {internal(), internal(), send(23), internal(), receive(14)},
                          {internal(), receive(12), internal(), internal(), receive(23), send(36), send(37)}}};

auto about(double value) { return DoubleNear(value, 0.005); }

TEST(PaperExample, WholeComputation) {
  const Raynal c1 = raynal(kC1).whole;
  EXPECT_EQ(c1.height, 10);
  EXPECT_EQ(c1.weight, 17);
  EXPECT_EQ(c1.volume, 30);
  EXPECT_THAT(c1.alpha, Optional(DoubleNear(0.35, 1e-12)));
  EXPECT_THAT(c1.theta4, ElementsAre(5, 5, 3));
  EXPECT_THAT(c1.theta4_relative, ElementsAre(Optional(0.5), Optional(0.5), Optional(0.3)));
  EXPECT_THAT(c1.theta5, ElementsAre(Optional(0.5), Optional(0.5), Optional(0.7)));
  EXPECT_THAT(c1.theta6, ElementsAre(Optional(about(0.29)), Optional(about(0.29)), Optional(about(0.41))));
  EXPECT_THAT(c1.beta, Optional(DoubleNear(7.0 / 16, 1e-12)));
}

TEST(PaperExample, ConeOfE25) {
  const auto measures = raynal(kC1);
  const Cone& e25 = measures.events[1][4];
  EXPECT_THAT(e25.v, ElementsAre(4, 5, 6));
  EXPECT_THAT(e25.w, ElementsAre(9, 10, 7));
  EXPECT_EQ(e25.weight, 14);
  EXPECT_EQ(e25.volume, 25);
  EXPECT_EQ(e25.height, 9);
  EXPECT_THAT(e25.alpha, Optional(DoubleNear(0.3125, 1e-12)));
  EXPECT_THAT(e25.theta1, ElementsAre(5, 5, 1));
  EXPECT_THAT(e25.theta2, ElementsAre(DoubleNear(0.4, 1e-12), DoubleNear(0.5, 1e-12), DoubleNear(0.6, 1e-12)));
  EXPECT_THAT(e25.theta3, ElementsAre(about(0.27), about(0.33), about(0.40)));
  EXPECT_THAT(e25.theta1_relative,
              ElementsAre(Optional(DoubleNear(5.0 / 9, 1e-12)), Optional(0.5), Optional(DoubleNear(1.0 / 7, 1e-12))));
  EXPECT_THAT(e25.beta, Optional(DoubleNear(5.0 / 13, 1e-12)));
}

TEST(PaperExample, UndefinedWhereNothingOfOthersIsInTheCone) {
  const auto measures = raynal(kC1);
  std::vector<std::string> undefined;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < measures.events[i].size(); ++k)
      if (!measures.events[i][k].alpha) undefined.push_back("e" + std::to_string(i + 1) + std::to_string(k + 1));
  EXPECT_THAT(undefined, ElementsAre("e11", "e12", "e21", "e22", "e23", "e24", "e31"));
}

TEST(PaperExample, ConesThatBetaCannotTellApart) {
  EXPECT_THAT(cone_alpha(10, 17, 7), Optional(DoubleNear(0.30, 1e-12)));
  EXPECT_THAT(cone_alpha(10, 10, 7), Optional(1.0));
  EXPECT_THAT(fidge_beta(10, 7), Optional(about(0.33)));
}

Cone last_cone(const Computation& computation) { return raynal(computation).events[0].back(); }

TEST(PaperExample, ConesThatBetaCannotTellApartAsComputations) {
  // P1 knows three events of P2 that waited for nobody: W = V = (8, 3).
  const Cone wide =
      last_cone({{{internal(), internal(), internal(), internal(), internal(), internal(), internal(), receive(1)},
                  {internal(), internal(), send(1)}}});
  EXPECT_EQ(wide.weight, 10);
  EXPECT_EQ(wide.height, 7);
  EXPECT_EQ(wide.volume, 10);
  EXPECT_THAT(wide.alpha, Optional(1.0));
  EXPECT_THAT(wide.beta, Optional(about(0.33)));
  // P3 and P2 wait for each other, then P1 for both: V = (5, 2, 4), W = (8, 4, 6).
  const Cone narrow = last_cone({{{internal(), internal(), internal(), receive(3), internal()},
                                  {receive(1), send(2)},
                                  {internal(), send(1), receive(2), send(3)}}});
  EXPECT_EQ(narrow.weight, 10);
  EXPECT_EQ(narrow.height, 7);
  EXPECT_EQ(narrow.volume, 17);
  EXPECT_THAT(narrow.alpha, Optional(DoubleNear(0.30, 1e-12)));
  EXPECT_THAT(narrow.beta, Optional(about(0.33)));
}

TEST(Raynal, SequentialIsZero) {
  // A token goes round: nobody works beside anybody.
  const Computation ring = {{{internal(), internal(), send(1), receive(3), internal()},
                             {receive(1), internal(), send(2)},
                             {receive(2), internal(), internal(), send(3)}}};
  EXPECT_THAT(raynal(ring).whole.alpha, Optional(0.0));
}

TEST(Raynal, FullyConcurrentIsOne) {
  EXPECT_THAT(raynal({{{internal(), internal()}, {internal(), internal()}, {internal(), internal()}}}).whole.alpha,
              Optional(1.0));
}

TEST(Raynal, UndefinedForOneProcessAndForNothing) {
  EXPECT_FALSE(raynal({{{internal(), internal()}}}).whole.alpha);
  EXPECT_FALSE(raynal({{{}, {}}}).whole.alpha);
  EXPECT_FALSE(raynal({{{internal()}, {}}}).whole.beta) << "weight 1";
  EXPECT_FALSE(raynal({{{}, {}}}).whole.theta5[0]);
  EXPECT_FALSE(raynal({{{}, {}}}).whole.theta6[0]);
  EXPECT_FALSE(raynal({}).whole.alpha);
}

TEST(CausalOrder, RefusesWhatCannotHappen) {
  EXPECT_THROW(causal_order({{{receive(1)}}}), Error) << "never sent";
  EXPECT_THROW(causal_order({{{send(1), send(1)}}}), Error) << "sent twice";
  EXPECT_THROW(causal_order({{{send(1)}, {receive(1), receive(1)}}}), Error) << "received twice";
  EXPECT_THROW(causal_order({{{receive(1), send(2)}, {receive(2), send(1)}}}), Error) << "a circle";
  EXPECT_EQ(causal_order({{{send(1)}}}).size(), 1u) << "a message may be under way at the end";
}

}  // namespace
}  // namespace skelgen::metrics
