#include "network/advice.h"

#include <gmock/gmock.h>

#include <cmath>

#include "support/error.h"
#include "unit/emit/programs.h"

namespace skelgen::network {
namespace {

using namespace emit::programs;

constexpr double kStart = 50e-6, kByte = 8e-9;

/// Half of the best bandwidth from 8 KiB on; from 1 MiB on messages take 1.6 times as long.
Points with_states() {
  Points points;
  points.ranks = 4;
  for (std::int64_t bytes = 1; bytes <= 1 << 22; bytes *= 2) {
    const double seconds = (kStart + kByte * static_cast<double>(bytes)) * (bytes >= 1 << 20 ? 1.6 : 1);
    const auto add = [&](const char* pattern, int ranks, double time) {
      points.points.push_back({pattern, ranks, bytes, time, time, 0, 5});
    };
    add("pingpong", 2, seconds);
    add("send overhead", 2, 1e-9);
    add("late receive", 2, 1e-9);
    add("late send", 2, 1e-6);
    for (const int ranks : {2, 4}) add("allreduce", ranks, std::log2(ranks) * seconds);
  }
  return points;
}

std::vector<Advice> advice_for(const skeleton::Skeleton& skeleton) {
  const auto points = with_states();
  const MessageTimes times(points);
  return advise(skeleton, replay(skeleton, times, {}), times, model_of(points));
}

Arguments of_length(Builder& b, const char* peer_name, std::int64_t peer, std::int64_t count, std::int64_t tag) {
  return {{"count", constant(count)},
          {"datatype", constant(b.name("MPI_DOUBLE"))},
          {peer_name, constant(peer)},
          {"tag", constant(tag)}};
}

/// Rank 0 sends messages of so many numbers to rank 1, `at_once` in each of 100 iterations; it gets an answer where `answers`.
skeleton::Skeleton stream(std::int64_t count, int at_once, bool answers) {
  Builder b(2);
  Block body;
  for (int i = 0; i < at_once; ++i) {
    body.push_back(b.call("MPI_Send", of_length(b, "dest", 1, count, i), Where{0}));
    body.push_back(b.call("MPI_Recv", of_length(b, "source", 0, count, i), Where{1}));
  }
  if (answers) {
    body.push_back(b.call("MPI_Send", of_length(b, "dest", 0, 100'000, 9), Where{1}));
    body.push_back(b.call("MPI_Recv", of_length(b, "source", 1, 100'000, 9), Where{0}));
  }
  Block m;
  m.push_back(b.loop(constant(100), std::move(body), 1e-4));
  return b.finish(std::move(m));
}

double seconds(double bytes) { return kStart + kByte * bytes; }

TEST(Advice, ShortMessagesOfAnIterationCouldBeOne) {
  const auto all = advice_for(stream(8, 4, true));
  ASSERT_EQ(all.size(), 1u) << "the answers are in the ideal state";
  EXPECT_EQ(all[0].function->name, "MPI_Send");
  EXPECT_EQ(all[0].loop, "loop 1");
  EXPECT_FALSE(all[0].congested);
  EXPECT_EQ(all[0].bytes, 64);
  EXPECT_EQ(all[0].calls, 400);
  EXPECT_EQ(all[0].parts, 4);
  EXPECT_NEAR(all[0].now_s, 400 * seconds(64), 1e-9);
  EXPECT_NEAR(all[0].then_s, 100 * seconds(256), 1e-9);
}

TEST(Advice, WhatDependsOnNobodyCouldBeOneForAllIterations) {
  const auto all = advice_for(stream(8, 1, false));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].parts, 100);
  EXPECT_NEAR(all[0].then_s, seconds(6400), 1e-9);
  const auto answered = advice_for(stream(8, 1, true));
  ASSERT_EQ(answered.size(), 1u);
  EXPECT_EQ(answered[0].parts, 1);
  EXPECT_EQ(answered[0].then_s, answered[0].now_s);
}

TEST(Advice, LongMessagesThatAreCongestedCouldBeCut) {
  const auto all = advice_for(stream(1 << 18, 1, true));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(all[0].congested);
  EXPECT_EQ(all[0].bytes, 1 << 21);
  EXPECT_EQ(all[0].parts, 8);  // of 256 KiB, the shortest with the best bandwidth
  EXPECT_NEAR(all[0].now_s, 100 * 1.6 * seconds(1 << 21), 1e-6);
  EXPECT_NEAR(all[0].then_s, 800 * seconds(1 << 18), 1e-6);
}

TEST(Advice, MessagesToNobodyAreNotCounted) {
  Builder b(2);
  Block body;
  auto send = b.call("MPI_Send", of_length(b, "dest", 0, 8, 0), Where{0, 1});
  auto& peer = send.call().arguments[static_cast<std::size_t>(send.call().function->find(mpi::Role::peer))];
  peer.choices.push_back(constant(-1).choices[0]);  // MPI_PROC_NULL
  peer.choice = {1, 0};
  body.push_back(std::move(send));
  body.push_back(b.call("MPI_Recv", of_length(b, "source", 1, 8, 0), Where{0}));
  Block m;
  m.push_back(b.loop(constant(100), std::move(body), 1e-4));
  const auto all = advice_for(b.finish(std::move(m)));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].rank, 1);
}

TEST(Advice, SumsOfAnIterationCouldBeOne) {
  Builder b(4);
  Block body;
  for (int i = 0; i < 3; ++i)
    body.push_back(b.call(
        "MPI_Allreduce",
        {{"count", constant(1)}, {"datatype", constant(b.name("MPI_DOUBLE"))}, {"op", constant(b.name("MPI_SUM"))}}));
  Block m;
  m.push_back(b.loop(constant(50), std::move(body), 1e-4));
  const auto all = advice_for(b.finish(std::move(m)));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].calls, 150);
  EXPECT_EQ(all[0].parts, 3);
  EXPECT_NEAR(all[0].then_s, 50 * 2 * seconds(24), 1e-9);
}

}  // namespace
}  // namespace skelgen::network
