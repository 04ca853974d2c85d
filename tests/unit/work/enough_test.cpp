#include "work/enough.h"

#include <gtest/gtest.h>

#include <string>

#include "text/text.h"

namespace skelgen::work {
namespace {

skeleton::Skeleton one_rank(const std::string& body) {
  return text::parse("skeleton 1\nranks 1\nprogram {\nMPI_Init()\n" + body + "\nMPI_Finalize()\n}\n", "program");
}
const std::string kBarriers = "MPI_Barrier()\ncompute 5 ms\nMPI_Barrier()\n";

/// Visits after which it is enough, each place once in every round; -1: never.
int rounds(Enough& enough, const std::vector<Place>& places) {
  for (int round = 0; round < 100; ++round) {
    if (enough.enough()) return round;
    for (const Place place : places) enough.visit(place);
  }
  return -1;
}

TEST(Enough, IsWhenEachPlaceWasVisitedThreeTimes) {
  // 1: loop, 2: MPI_Barrier, 3: MPI_Barrier
  const auto skeleton = one_rank("compute 1 ms\nloop 100 {\nbetween 1 ms\n" + kBarriers + "}");
  Enough enough(skeleton, 0);
  enough.visit(kNoPlace);
  EXPECT_EQ(rounds(enough, {between(1), before(3)}), 3);
  Enough half(skeleton, 0);
  EXPECT_EQ(rounds(half, {before(3)}), -1);
}

TEST(Enough, WhatComesOnceIsWantedOnceUnlessItIsLittle) {
  const auto large = one_rank("compute 50 ms\nloop 100 {\n" + kBarriers + "}");
  Enough without(large, 0), with(large, 0);
  EXPECT_EQ(rounds(without, {before(3)}), -1);
  with.visit(before(1));
  EXPECT_EQ(rounds(with, {before(3)}), 3);
  Enough little(one_rank("compute 4 ms\nloop 100 {\n" + kBarriers + "}"), 0);
  EXPECT_EQ(rounds(little, {before(3)}), 3);
}

TEST(Enough, WhatVariesIsWantedInThreeLaterIterationsOfTheLoopAround) {
  // 1: loop, 2: loop, 3: MPI_Barrier, 4: MPI_Barrier
  const std::string inner = "loop 10 {\n" + kBarriers + "}\n",
                    varying = "loop 10 {\nMPI_Barrier()\ncompute 5 ms samples 0\nMPI_Barrier()\n}\n";
  const auto samples = "samples 0 {\n[0] (1) ms (9) ms\n}\n";
  const auto with = text::parse(
      "skeleton 1\nranks 1\nprogram {\nMPI_Init()\nloop 20 {\n" + varying + "}\nMPI_Finalize()\n}\n" + samples,
      "program");
  Enough same(one_rank("loop 20 {\n" + inner + "}"), 0), varies(with, 0);
  EXPECT_EQ(rounds(same, {before(4)}), 3);
  EXPECT_EQ(rounds(varies, {before(4)}), -1);
  varies.visit(between(1));
  varies.visit(between(1));
  EXPECT_FALSE(varies.enough());
  varies.visit(between(1));
  EXPECT_TRUE(varies.enough());
}

TEST(Enough, AProgramWithoutComputationHasShownItAtOnce) { EXPECT_TRUE(Enough(one_rank("MPI_Barrier()"), 0).enough()); }

}  // namespace
}  // namespace skelgen::work
