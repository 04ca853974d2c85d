#include "network/replay.h"

#include <gmock/gmock.h>

#include <cmath>

#include "support/error.h"
#include "unit/emit/programs.h"

namespace skelgen::network {
namespace {

using namespace emit::programs;

constexpr double kLatency = 50e-6, kPerByte = 8e-9;

/// A network of one line, which takes long messages on while the receiver is late, up to `waits_from` bytes.
Points planted(std::int64_t waits_from = 1 << 30) {
  Points points;
  points.ranks = 16;
  for (std::int64_t bytes = 1; bytes <= 1 << 20; bytes *= 2) {
    const double seconds = kLatency + kPerByte * static_cast<double>(bytes);
    const auto add = [&](const char* pattern, int ranks, double time) {
      points.points.push_back({pattern, ranks, bytes, time, time, 0, 5});
    };
    add("pingpong", 2, seconds);
    add("send overhead", 2, 1e-9);
    add("late receive", 2, 1e-9);
    add("late send", 2, bytes < waits_from ? 1e-6 : 200e-6 + 3 * seconds);
    for (const int ranks : {2, 4, 8, 16}) add("allreduce", ranks, std::log2(ranks) * seconds);
  }
  return points;
}

Arguments message(Builder& b, const char* peer_name, std::int64_t peer, std::int64_t count, std::int64_t tag = 5) {
  return {{"count", constant(count)},
          {"datatype", constant(b.name("MPI_DOUBLE"))},
          {peer_name, constant(peer)},
          {"tag", constant(tag)}};
}

double run(const skeleton::Skeleton& skeleton, const Points& points = planted(), const std::vector<double>& rho = {}) {
  return replay(skeleton, MessageTimes(points), rho).run_s;
}

/// What MPI_Init (1 us) and the computation before MPI_Finalize (100 us) take.
constexpr double kEnds = 1e-6 + 1e-4;

TEST(Replay, AMessageTakesItsTime) {
  Builder b(2);
  Block m;
  m.push_back(b.call("MPI_Send", message(b, "dest", 1, 1024), Where{0}));
  m.push_back(b.call("MPI_Recv", message(b, "source", 0, 1024), Where{1}));
  const auto all = replay(b.finish(std::move(m)), MessageTimes(planted()), {});
  EXPECT_NEAR(all.run_s, kEnds + kLatency + 8192 * kPerByte, 1e-8);
  EXPECT_NEAR(all.locations[0].end_s, kEnds, 1e-8);
  for (const auto& location : all.locations) {
    EXPECT_EQ(location.communication.messages_p, 1);
    EXPECT_EQ(location.communication.bytes_p, 8192);
    EXPECT_EQ(location.communication.messages_b, 0);
  }
}

TEST(Replay, MessagesFollowALeapBetweenMeasuredLengths) {
  const auto takes = [](std::int64_t elements, const Points& points) {
    Builder b(2);
    Block m;
    m.push_back(b.call("MPI_Send", message(b, "dest", 1, elements), Where{0}));
    m.push_back(b.call("MPI_Recv", message(b, "source", 0, elements), Where{1}));
    return run(b.finish(std::move(m)), points) - kEnds;
  };
  // From 5,000 bytes on a message takes 300 us more, as at all measured lengths above.
  Points points = planted();
  for (Point& point : points.points)
    if (point.pattern == "pingpong" && point.bytes > 5000) point.seconds += 300e-6, point.least_s += 300e-6;
  const double before = kLatency + 4800 * kPerByte;
  EXPECT_GT(takes(600, points), before + 20e-6) << "on the line from 4,096 to 8,192 bytes";
  for (const std::int64_t bytes : {4992, 5000}) {
    const double seconds = kLatency + kPerByte * static_cast<double>(bytes) + (bytes == 5000 ? 300e-6 : 0);
    points.points.push_back({"leap", 2, bytes, seconds, seconds, 0, 5});
  }
  EXPECT_NEAR(takes(600, points), before, 1e-8);
  EXPECT_NEAR(takes(640, points), kLatency + 5120 * kPerByte + 300e-6, 1e-8);
}

TEST(Replay, BarriersTakeWhatWasMeasuredOfThem) {
  Builder b(2);
  Block m;
  m.push_back(b.call("MPI_Barrier", {}));
  const auto skeleton = b.finish(std::move(m));
  EXPECT_NEAR(run(skeleton), kEnds + kLatency + 8 * kPerByte, 1e-7) << "as a sum of 8 bytes";
  Points points = planted();
  points.points.push_back({"barrier", 2, 1, 30e-6, 30e-6, 0, 5});
  EXPECT_NEAR(run(skeleton, points), kEnds + 30e-6, 1e-7);
}

TEST(Replay, AMessageToOneselfNeedsNoNetwork) {
  Builder b(2);
  Block m;
  m.push_back(b.call("MPI_Send", message(b, "dest", 0, 1024), Where{0}));
  m.push_back(b.call("MPI_Recv", message(b, "source", 0, 1024), Where{0}));
  const auto all = replay(b.finish(std::move(m)), MessageTimes(planted()), {});
  EXPECT_NEAR(all.run_s, kEnds, 1e-8);
  EXPECT_EQ(all.locations[0].communication.messages_p, 0);
  EXPECT_TRUE(all.sent.empty());
}

/// Rank 1 computes for 1 ms before it receives, rank 0 computes after it has sent.
double late(const Points& points) {
  Builder b(2);
  Block m;
  m.push_back(b.call("MPI_Send", message(b, "dest", 1, 8192), Where{0}));
  m.push_back(b.call("MPI_Recv", message(b, "source", 0, 8192), Where{1}, 1e-3));
  m.push_back(b.call("MPI_Send", message(b, "dest", 1, 1, 6), Where{0}, 2e-3));
  m.push_back(b.call("MPI_Recv", message(b, "source", 0, 1, 6), Where{1}));
  return run(b.finish(std::move(m)), points);
}

TEST(Replay, AnotherNetworkHasAnotherLatencyAndBandwidth) {
  Builder b(2);
  Block m;
  m.push_back(b.call("MPI_Send", message(b, "dest", 1, 1024), Where{0}));
  m.push_back(b.call("MPI_Recv", message(b, "source", 0, 1024), Where{1}));
  const auto skeleton = b.finish(std::move(m));
  const MessageTimes times(planted());
  const auto run_with = [&](double latency, double bandwidth) {
    return replay(skeleton, times.changed(latency, bandwidth), {}).run_s - kEnds;
  };
  EXPECT_NEAR(run_with(1, 1), kLatency + 8192 * kPerByte, 1e-8);
  EXPECT_NEAR(run_with(0.5, 1), kLatency / 2 + 8192 * kPerByte, 2e-8);
  EXPECT_NEAR(run_with(1, 2), kLatency + 8192 * kPerByte / 2, 2e-8);
  EXPECT_NEAR(run_with(0, HUGE_VAL), 0, 1e-8);
  EXPECT_NEAR(times.changed(1, 2).occupies(8192), times.occupies(8192) / 2, 1e-12);
}

TEST(Replay, ALongSendWaitsForItsReceive) {
  const double one = kLatency + 8 * kPerByte, large = kLatency + 65536 * kPerByte;
  EXPECT_NEAR(late(planted()), kEnds + 2e-3 + one, 1e-7);
  EXPECT_NEAR(late(planted(65536)), kEnds + 1e-3 + large + 2e-3 + one, 1e-7);
}

TEST(Replay, MessagesOfOneRankShareItsPort) {
  Builder b(4);
  Block m;
  const auto request = [](Arguments a, std::int64_t slot) {
    a["request"] = constant(slot);
    return a;
  };
  for (std::int64_t to = 1; to < 4; ++to)
    m.push_back(b.call("MPI_Isend", request(message(b, "dest", to, 1 << 16), to), Where{0}));
  m.push_back(
      b.call("MPI_Waitall", {{"count", constant(3)}, {"array_of_requests", constant(b.array({1, 2, 3}))}}, Where{0}));
  m.push_back(b.call("MPI_Recv", message(b, "source", 0, 1 << 16), Where{1, 2, 3}));
  EXPECT_NEAR(run(b.finish(std::move(m))), kEnds + kLatency + 3 * kPerByte * (1 << 19), 1e-6);
}

/// A sum of four ranks that have computed 1 to 4 ms before.
skeleton::Skeleton sum() {
  Builder b(4);
  Block m;
  m.push_back(b.call(
      "MPI_Allreduce",
      {{"count", constant(1)}, {"datatype", constant(b.name("MPI_DOUBLE"))}, {"op", constant(b.name("MPI_SUM"))}}));
  m.back().before.mean_s = {1e-3, 4e-3, 2e-3, 3e-3};
  return b.finish(std::move(m));
}

TEST(Replay, CollectivesTakeWhatTheyTookFromTheLastOneOn) {
  const auto all = replay(sum(), MessageTimes(planted()), {});
  EXPECT_NEAR(all.run_s, kEnds + 4e-3 + 2 * (kLatency + 8 * kPerByte), 1e-8);
  EXPECT_EQ(all.locations[2].communication.messages_b, 1);
  EXPECT_EQ(all.locations[2].communication.bytes_b, 8);
}

TEST(Replay, SlowProcessorsComputeLonger) {
  const auto all = replay(sum(), MessageTimes(planted()), {1, 1, 0.25, 1});
  EXPECT_NEAR(all.locations[0].end_s, kEnds + 8e-3 + 2 * (kLatency + 8 * kPerByte), 1e-8);
  EXPECT_NEAR(all.run_s - all.locations[0].end_s, 3e-4, 1e-8) << "before MPI_Finalize";
}

/// Whatever number of iterations, as many are executed, and the result is that of executing all of them.
TEST(Replay, SteadyLoopsAreMultiplied) {
  const MessageTimes times(planted());
  for (const auto make : {&ring, &halo}) {
    const auto few = replay(make(6, 1000, 2e-4), times, {}), many = replay(make(6, 100'000, 2e-4), times, {});
    EXPECT_EQ(few.calls, many.calls);
    EXPECT_GT(many.skipped, 99'000u);
    const auto all = replay(make(6, 7, 2e-4), times, {});
    EXPECT_EQ(all.skipped, 0u);
    EXPECT_NEAR((many.run_s - few.run_s) / 99'000, (few.run_s - all.run_s) / 993, 1e-8);
    EXPECT_DOUBLE_EQ(many.locations[2].communication.messages_p, (make == &ring ? 2 : 4) * 100'000);
  }
}

/// Rank 0 sends so many numbers in each iteration.
Replay of_lengths(const skeleton::Sequence& counts, std::int64_t trips) {
  Builder b(2);
  Block body;
  for (const auto& [function, peer, where] :
       {std::tuple{"MPI_Send", "dest", 0U}, std::tuple{"MPI_Recv", "source", 1U}}) {
    auto arguments = message(b, peer, 1 - where, 1);
    arguments["count"] = {{counts}, {}, {}};
    body.push_back(b.call(function, arguments, Where{where}));
  }
  Block m;
  m.push_back(b.loop(constant(trips), std::move(body), 1e-4));
  return replay(b.finish(std::move(m)), MessageTimes(planted()), {});
}

TEST(Replay, IterationsThatMoveOtherBytesStandForNoOthers) {
  using Kind = skeleton::Sequence::Kind;
  const auto bytes = [](const Replay& all) { return all.locations[0].communication.bytes_p; };
  const auto longer = of_lengths({Kind::arithmetic, {0, 1}}, 1000);
  EXPECT_EQ(longer.skipped, 0u);
  EXPECT_DOUBLE_EQ(bytes(longer), 8 * 999 * 1000 / 2.0);
  const auto alternating = of_lengths({Kind::periodic, {10, 20, 60}}, 30'000);
  EXPECT_GT(alternating.skipped, 29'000u);
  EXPECT_NEAR(bytes(alternating), 8 * 30.0 * 30'000, 1e-6);
}

TEST(Replay, RefusesWhatItsClocksDoNotKnow) {
  const auto refused = [](const skeleton::Skeleton& skeleton) { EXPECT_THROW(run(skeleton), Error); };
  auto threads = ring(2, 4);
  threads.locations[1].where = {0, 1};
  refused(threads);
  Builder b(2);
  Block m;
  m.push_back(b.call("MPI_Barrier_init", {{"request", constant(1)}}));
  refused(b.finish(std::move(m)));
}

TEST(Replay, WhatWaitsForEverIsAnError) {
  Builder b(2);
  Block m;
  m.push_back(b.call("MPI_Recv", message(b, "source", 1, 1), Where{0}));
  EXPECT_THROW(run(b.finish(std::move(m))), Error);
}

TEST(MessageTimes, AreInterpolated) {
  const MessageTimes times(planted(4096));
  EXPECT_NEAR(times.message(3000), kLatency + 3000 * kPerByte, 1e-9);
  EXPECT_NEAR(times.message(1 << 22), 4 * (kLatency + kPerByte * (1 << 20)), 1e-6);
  EXPECT_NEAR(times.occupies(1 << 16), kPerByte * (1 << 16), 1e-9);
  EXPECT_NEAR(times.collective("allreduce", 32, 8), 5 * (kLatency + 8 * kPerByte), 1e-9);
  EXPECT_NEAR(times.collective("allreduce", 6, 8), std::log2(6) * (kLatency + 8 * kPerByte), 1e-9);
  EXPECT_EQ(times.collective("alltoall", 1, 8), 0);
  EXPECT_THROW(times.collective("alltoall", 4, 8), Error);
  EXPECT_FALSE(times.waits(4095));
  EXPECT_TRUE(times.waits(4096));
}

TEST(MessageTimes, ADisturbedTimeMakesNoShorterMessageWait) {
  auto points = planted(4096);
  for (auto& point : points.points)
    if (point.pattern == "late send" && point.bytes == 64) point.seconds = 1;
  EXPECT_EQ(MessageTimes(points).waits_from(), 4096);
}

}  // namespace
}  // namespace skelgen::network
