// Consistent cuts counted by hand.
#include "metrics/charron_bost.h"

#include <gmock/gmock.h>

#include "support/error.h"

namespace skelgen::metrics {
namespace {

using testing::DoubleNear;
using testing::Optional;

constexpr AbstractEvent internal() { return {}; }
constexpr AbstractEvent send(int message) { return {EventKind::send, message}; }
constexpr AbstractEvent receive(int message) { return {EventKind::receive, message}; }

TEST(CharronBost, OneMessage) {
  // P1: send, P2: receive: {}, {send}, {send, receive}; concurrent would have 4 cuts, sequential has 3.
  const Computation one = {{{send(1)}, {receive(1)}}};
  EXPECT_EQ(consistent_cuts(one), 3u);
  EXPECT_THAT(charron_bost(one), Optional(0.0));
}

TEST(CharronBost, AMessageBetweenTwoEvents) {
  // P1: a, send, b. P2: c, receive. Of 4 x 3 cuts, those with the receive and without the send are none: (0,2), (1,2).
  const Computation two = {{{internal(), send(1), internal()}, {internal(), receive(1)}}};
  EXPECT_EQ(consistent_cuts(two), 10u);
  EXPECT_THAT(charron_bost(two), Optional(DoubleNear((10 - 6.0) / (12 - 6.0), 1e-12)));
}

TEST(CharronBost, EndsOfTheScale) {
  const Computation concurrent = {{{internal(), internal()}, {internal()}, {internal(), internal(), internal()}}};
  EXPECT_EQ(consistent_cuts(concurrent), 3u * 2 * 4);
  EXPECT_THAT(charron_bost(concurrent), Optional(1.0));
  const Computation relay = {{{internal(), send(1)}, {receive(1), send(2)}, {receive(2), internal()}}};
  EXPECT_EQ(consistent_cuts(relay), 7u);
  EXPECT_THAT(charron_bost(relay), Optional(0.0));
}

TEST(CharronBost, UndefinedWhereNothingCanBeConcurrent) {
  EXPECT_FALSE(charron_bost({{{internal(), internal()}, {}}}));
  EXPECT_FALSE(charron_bost({}));
}

TEST(CharronBost, RefusesWhatIsTooLarge) {
  const Computation wide = {std::vector<std::vector<AbstractEvent>>(20, {internal(), internal()})};
  try {
    charron_bost(wide);
    ADD_FAILURE() << "3^20 cuts were counted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("more than 1000000 consistent cuts"));
  }
  EXPECT_EQ(consistent_cuts({{{internal(), internal()}}}, 3), 3u);
  EXPECT_THROW(consistent_cuts({{{internal(), internal()}}}, 2), Error);
}

}  // namespace
}  // namespace skelgen::metrics
