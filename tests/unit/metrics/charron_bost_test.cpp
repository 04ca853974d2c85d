// Consistent cuts counted by hand.
#include <gmock/gmock.h>

#include "papers/cuts.h"
#include "support/error.h"
#include "unit/metrics/abstract_events.h"
#include "unit/metrics/processor_time.h"

namespace skelgen::metrics {
namespace {

using testing::DoubleNear;
using testing::Optional;

TEST(CharronBost, OneMessage) {
  // P1: send, P2: receive: {}, {send}, {send, receive}; concurrent would have 4 cuts, sequential has 3.
  const Computation one = {{{send(1)}, {receive(1)}}};
  EXPECT_EQ(consistent_cuts(event_clocks(one)), 3u);
  EXPECT_THAT(charron_bost(event_clocks(one)).m, Optional(0.0));
}

TEST(CharronBost, AMessageBetweenTwoEvents) {
  // P1: a, send, b. P2: c, receive. Of 4 x 3 cuts, those with the receive and without the send are none: (0,2), (1,2).
  const Computation two = {{{internal(), send(1), internal()}, {internal(), receive(1)}}};
  EXPECT_EQ(consistent_cuts(event_clocks(two)), 10u);
  EXPECT_THAT(charron_bost(event_clocks(two)).m, Optional(DoubleNear((10 - 6.0) / (12 - 6.0), 1e-12)));
}

TEST(CharronBost, EndsOfTheScale) {
  const Computation concurrent = {{{internal(), internal()}, {internal()}, {internal(), internal(), internal()}}};
  EXPECT_EQ(consistent_cuts(event_clocks(concurrent)), 3u * 2 * 4);
  EXPECT_THAT(charron_bost(event_clocks(concurrent)).m, Optional(1.0));
  const Computation relay = {{{internal(), send(1)}, {receive(1), send(2)}, {receive(2), internal()}}};
  EXPECT_EQ(consistent_cuts(event_clocks(relay)), 7u);
  EXPECT_THAT(charron_bost(event_clocks(relay)).m, Optional(0.0));
}

TEST(CharronBost, UndefinedWhereNothingCanBeConcurrent) {
  const auto alone = charron_bost(event_clocks({{{internal(), internal()}, {}}}));
  EXPECT_FALSE(alone.m);
  EXPECT_EQ(alone.reason, "fewer than two ranks have events");
  EXPECT_FALSE(charron_bost({}).m);
}

TEST(CharronBost, RefusesWhatIsTooLarge) {
  const Computation wide = {std::vector<std::vector<AbstractEvent>>(20, {internal(), internal()})};
  const auto refused = charron_bost(event_clocks(wide));
  EXPECT_FALSE(refused.m);
  EXPECT_EQ(refused.reason, "more than 100000 consistent cuts");
  const auto alone = event_clocks({{{internal(), internal()}}});
  EXPECT_EQ(consistent_cuts(alone, 3), 3u);
  EXPECT_THROW(consistent_cuts(alone, 2), Error);
}

TEST(CharronBost, GivesUpWhereManyCanGoOn) {
  // All of them at the start. A relay through as many is counted: one can go on at a time.
  constexpr int kProcesses = 500;
  const Computation wide = {std::vector<std::vector<AbstractEvent>>(kProcesses, {internal()})};
  const auto clocks = event_clocks(wide);
  EXPECT_EQ(charron_bost(clocks).reason, "more than 100000 consistent cuts");
  // It takes less than to write down the cuts that it may count.
  std::vector<std::vector<int>> cuts;
  const double once = test::processor_seconds([&] { cuts.assign(100'000, std::vector<int>(kProcesses)); });
  EXPECT_LT(test::processor_seconds([&] { charron_bost(clocks); }), once);
  Computation relay;
  for (int i = 0; i < kProcesses / 2; ++i) relay.processes.push_back({receive(i), send(i + 1)});
  relay.processes.front().front() = internal();
  relay.processes.back().back() = internal();
  EXPECT_EQ(consistent_cuts(event_clocks(relay)), kProcesses + 1u);
}

TEST(CharronBost, GivesUpWhereCutsAreLong) {
  // Four work side by side, and many wait for the end of the first one.
  Computation computation = {std::vector<std::vector<AbstractEvent>>(4, std::vector<AbstractEvent>(17))};
  int message = 0;
  for (int i = 0; i < 2000; ++i) {
    computation.processes[0].push_back(send(message));
    computation.processes.push_back({receive(message++)});
  }
  EXPECT_EQ(charron_bost(event_clocks(computation)).reason, "consistent cuts of more than 64 MiB");
}

}  // namespace
}  // namespace skelgen::metrics
