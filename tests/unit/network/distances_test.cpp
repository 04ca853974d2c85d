#include "network/distances.h"

#include <gmock/gmock.h>

#include "network/message_times.h"
#include "network/replay.h"
#include "unit/emit/programs.h"

namespace skelgen::network {
namespace {

using namespace emit::programs;

/// Inside a group 50 us and 8 ns a byte, between groups 100 us and 80 ns.
double near_s(std::int64_t bytes) { return 50e-6 + 8e-9 * static_cast<double>(bytes); }
double far_s(std::int64_t bytes) { return 100e-6 + 80e-9 * static_cast<double>(bytes); }

/// Ranks 0 and 1, 2 and 3 are near each other. All pairs at once take `together` times as long as one between groups.
Points two_groups(double together, bool pairs = true) {
  Points points;
  points.ranks = 4;
  for (std::int64_t bytes = 1; bytes <= 1 << 20; bytes *= 2) {
    const auto add = [&](const char* pattern, int ranks, double time) {
      points.points.push_back({pattern, ranks, bytes, time, time, 0, 5});
    };
    add("pingpong", 2, far_s(bytes));
    add("pairs", 4, together * far_s(bytes));
    add("send overhead", 2, 1e-9);
    add("late receive", 2, 1e-9);
    add("late send", 2, 1e-6);
  }
  for (int from = 0; from < 4 && pairs; ++from)
    for (int to = from + 1; to < 4; ++to)
      for (const std::int64_t bytes : {1, 65536}) {
        const double time = from / 2 == to / 2 ? near_s(bytes) : far_s(bytes);
        points.points.push_back({"pair", 2, bytes, time, time, 0, 5, from, to});
      }
  return points;
}

TEST(Distances, RanksNearEachOtherAreAGroup) {
  const Distances is(two_groups(1));
  ASSERT_EQ(is.groups(), 2u);
  EXPECT_EQ(is.group(0), is.group(1));
  EXPECT_EQ(is.group(2), is.group(3));
  EXPECT_NE(is.group(0), is.group(2));
  EXPECT_NEAR(is.ways()[is.way(0, 3)].latency, 1, 1e-9);
  EXPECT_NEAR(is.ways()[is.way(0, 1)].latency, 0.5, 1e-3);
  EXPECT_NEAR(is.ways()[is.way(0, 1)].per_byte, 0.1, 1e-9);
  EXPECT_NEAR(is.own_per_byte(0), 0.1, 1e-9);
  EXPECT_FALSE(is.shared());
  EXPECT_TRUE(Distances(two_groups(2)).shared());
  auto ring = two_groups(1);
  for (auto& point : ring.points)
    if (point.pattern == "pairs") point.pattern = "ring", point.seconds *= 2;
  EXPECT_TRUE(Distances(ring).shared());
  EXPECT_EQ(Distances(two_groups(1, false)).ranks(), 0u);
}

Arguments bytes_of(Builder& b, const char* peer_name, std::uint32_t peer, std::int64_t bytes) {
  return {{"count", constant(bytes)},
          {"datatype", constant(b.name("MPI_BYTE"))},
          {peer_name, constant(peer)},
          {"tag", constant(5)}};
}

/// Rank r of 0 and 1 sends `bytes` to the rank that is `further` up.
double send_s(const Points& points, std::uint32_t further, std::int64_t bytes) {
  Builder b(4);
  Block m;
  for (std::uint32_t r = 0; r < 4; ++r) {
    if (r % 2 && further == 1) continue;
    if (r > 1 && further == 2) continue;
    m.push_back(b.call("MPI_Send", bytes_of(b, "dest", r + further, bytes), Where{r}));
    m.push_back(b.call("MPI_Recv", bytes_of(b, "source", r, bytes), Where{r + further}));
  }
  return replay(b.finish(std::move(m)), MessageTimes(points), {}).run_s - 101e-6;  // without what programs.h adds
}

TEST(Distances, MessagesTakeTheirWay) {
  constexpr std::int64_t kBytes = 1 << 16;
  EXPECT_NEAR(send_s(two_groups(1), 1, kBytes), near_s(kBytes), 2e-6);
  EXPECT_NEAR(send_s(two_groups(1), 2, kBytes), far_s(kBytes), 2e-6);
  EXPECT_NEAR(send_s(two_groups(1, false), 1, kBytes), far_s(kBytes), 2e-6) << "all pairs are alike";
  // Two messages share the link of their group: each adds what `pairs` took longer than one of them.
  EXPECT_NEAR(send_s(two_groups(1.8), 2, kBytes), 1.8 * far_s(kBytes), 2e-6);
  EXPECT_NEAR(send_s(two_groups(2), 1, kBytes), near_s(kBytes), 2e-6);
}

TEST(Distances, AMessageThatSetsOutWithItsReceiveSharesTheLinkThen) {
  auto points = two_groups(2);
  for (auto& point : points.points)
    if (point.pattern == "late receive") point.seconds = far_s(point.bytes);
  constexpr std::int64_t kBytes = 1 << 16;
  Builder b(4);
  Block m;
  for (std::uint32_t r = 0; r < 2; ++r) m.push_back(b.call("MPI_Send", bytes_of(b, "dest", r + 2, kBytes), Where{r}));
  for (std::uint32_t r = 0; r < 2; ++r)
    m.push_back(b.call("MPI_Recv", bytes_of(b, "source", r, kBytes), Where{r + 2}, /*before_s=*/20e-3));
  EXPECT_NEAR(replay(b.finish(std::move(m)), MessageTimes(points), {}).run_s - 101e-6, 20e-3 + 2 * far_s(kBytes), 2e-6);
}

TEST(Distances, AMessageThatWasThereBeforeItsReceiveIsOnNoLinkThen) {
  constexpr std::int64_t kBytes = 1 << 16;
  Builder b(4);
  Block m;
  m.push_back(b.call("MPI_Send", bytes_of(b, "dest", 2, kBytes), Where{0}));
  m.push_back(b.call("MPI_Send", bytes_of(b, "dest", 3, kBytes), Where{1}, /*before_s=*/20e-3 - 1.1 * far_s(kBytes)));
  m.push_back(b.call("MPI_Recv", bytes_of(b, "source", 1, kBytes), Where{3}));
  m.push_back(b.call("MPI_Recv", bytes_of(b, "source", 0, kBytes), Where{2}, /*before_s=*/20e-3));
  EXPECT_NEAR(replay(b.finish(std::move(m)), MessageTimes(two_groups(2)), {}).run_s - 101e-6, 20e-3, 2e-6);
}

TEST(Distances, TheLinkIsMeasured) {
  auto points = two_groups(1.8);
  const double one = far_s(1 << 20), link = 0.8 * one;
  points.points.push_back({"ring", 2, 1 << 20, one + 0.25 * link, one, 0, 5});
  const MessageTimes times(points);
  EXPECT_EQ(times.distances().together().messages, 2);
  EXPECT_NEAR(times.occupies(1 << 20, times.distances().way(0, 3)), link, 1e-9);
  const auto way = times.distances().way(0, 3);
  EXPECT_NEAR(times.changed(1, 2).occupies(1 << 20, way), link / 2, 1e-3 * link);
  EXPECT_LT(times.changed(0.5, 1).occupies(1 << 20, way), 1.001 * link);
  EXPECT_NEAR(times.reverse(), 0.25, 1e-9);
  EXPECT_EQ(MessageTimes(two_groups(2)).reverse(), 0);
}

TEST(Distances, TheLinkIsMeasuredByTheRingWhereNoPairHasIt) {
  // Even and odd ranks are groups: of ranks i and i + 2 both are in one, and in a ring each message has the links.
  Points points;
  points.ranks = 4;
  constexpr double kReverse = 0.5;
  const auto link = [](std::int64_t bytes) { return 80e-9 * static_cast<double>(bytes); };
  for (std::int64_t bytes = 1; bytes <= 1 << 20; bytes *= 2) {
    const auto add = [&](const char* pattern, int ranks, double time) {
      points.points.push_back({pattern, ranks, bytes, time, time, 0, 5});
    };
    add("pingpong", 2, far_s(bytes));
    add("pairs", 4, near_s(bytes));
    add("ring", 2, far_s(bytes) + kReverse * link(bytes));
    add("ring", 4, far_s(bytes) + (1 + 2 * kReverse) * link(bytes));
    add("late send", 2, 1e-6);
  }
  for (int from = 0; from < 4; ++from)
    for (int to = from + 1; to < 4; ++to)
      for (const std::int64_t bytes : {1, 65536}) {
        const double time = (to - from) % 2 == 0 ? near_s(bytes) : far_s(bytes);
        points.points.push_back({"pair", 2, bytes, time, time, 0, 5, from, to});
      }
  const MessageTimes times(points);
  ASSERT_TRUE(times.distances().shared());
  EXPECT_STREQ(times.distances().together().pattern, "ring");
  EXPECT_EQ(times.distances().together().messages, 2);
  EXPECT_EQ(times.distances().together().back, 2);
  EXPECT_NEAR(times.occupies(1 << 16, times.distances().way(0, 1)), link(1 << 16), 1e-9);
  EXPECT_NEAR(times.reverse(), kReverse, 1e-9);
}

}  // namespace
}  // namespace skelgen::network
