#include "work/attribute.h"

#include <gmock/gmock.h>

#include "support/error.h"
#include "text/text.h"

namespace skelgen::work {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Three ranks that compute before a barrier, in a loop, and before the last call.
skeleton::Skeleton three_ranks(const std::string& last = "compute 1 ms") {
  return text::parse(
      "skeleton 1\nranks 3\nprogram {\nMPI_Init()\ncompute 1 ms\nloop 10 {\nbetween 1 "
      "ms\nMPI_Barrier(comm=MPI_COMM_WORLD)\n}\n" +
          last + "\nMPI_Finalize()\n}\n",
      "program");
}
constexpr Place kFirst = before(1), kOthers = between(1), kLast = before(3);

/// Nothing visited yet; features: instructions, fp64x1_mul, then reuse.
Attributed nothing() {
  Attributed all;
  all.features = {"instructions", "fp64x1_mul"};
  for (const char* kind : {"load", "store"})
    for (std::uint32_t b = 0; b < kReuseBuckets; ++b)
      all.features.push_back(std::string(kind) + "_reuse_" + std::to_string(b));
  all.visits.assign(3, std::vector<Visits>(8));
  return all;
}

void visit(Attributed& all, std::uint32_t l, Place place, std::uint64_t times, std::vector<double> counts) {
  counts.resize(all.features.size());
  all.visits[l][place] = {times, std::move(counts)};
}

std::vector<std::string> works(const skeleton::Skeleton& skeleton) {
  std::vector<std::string> texts;
  for (const auto& work : skeleton.works) {
    std::string text;
    for (const auto& [feature, times] : work.counts)
      text += skeleton.features[feature] + " " + std::to_string(static_cast<int>(times)) + " ";
    texts.push_back(text);
  }
  return texts;
}

TEST(GiveWork, AveragesOverVisitsAndGroupsLocationsThatAreAlike) {
  auto skeleton = three_ranks();
  auto all = nothing();
  visit(all, 0, kOthers, 10, {1000000, 50000});
  visit(all, 1, kOthers, 5, {1505000, 25100});   // three times as many instructions a visit
  visit(all, 2, kOthers, 10, {1004000, 50010});  // as the first one, but for chance
  give_work(skeleton, all);
  EXPECT_THAT(skeleton.features, ElementsAre("instructions", "fp64x1_mul"));
  EXPECT_THAT(works(skeleton),
              ElementsAre("instructions 100200 fp64x1_mul 5000 ", "instructions 301000 fp64x1_mul 5020 "));
  EXPECT_THAT(skeleton.program[1].loop().between.work, ElementsAre(1, 2, 1));
  EXPECT_THAT(skeleton.program[1].before.work, IsEmpty());
  skeleton::check(skeleton);
}

TEST(GiveWork, WhereNobodyComputesOrWasThereIsNone) {
  auto skeleton = three_ranks("[0,2] compute 1 ms");
  auto all = nothing();
  visit(all, 0, kLast, 1, {1000, 7});
  visit(all, 1, kLast, 1, {1000, 7});
  give_work(skeleton, all);
  EXPECT_THAT(skeleton.program[2].before.work, ElementsAre(1, 0, 0));
}

TEST(GiveWork, WhatMissesCachesOtherwiseIsOtherWork) {
  auto skeleton = three_ranks();
  auto all = nothing();
  std::vector<double> near{1000, 0, 500}, far{1000, 0, 480}, farther{1000, 0, 400};
  for (auto* counts : {&near, &far, &farther}) counts->resize(all.features.size());
  far[2 + 20] = 9;  // 2 % of the accesses
  far[2] = 491;
  farther[2 + 20] = 100;
  visit(all, 0, kFirst, 1, near);
  visit(all, 1, kFirst, 1, far);
  visit(all, 2, kFirst, 1, farther);
  give_work(skeleton, all);
  EXPECT_THAT(skeleton.program[1].before.work, ElementsAre(1, 1, 2));
}

TEST(GiveWork, WhatIsTooLittleIsLeftOut) {
  auto skeleton = three_ranks("compute 1 us");  // of 30 ms in all
  auto all = nothing();
  std::vector<double> counts{1000000, 99, 100000, 100, 150};
  for (std::uint32_t l = 0; l < 3; ++l) {
    visit(all, l, kLast, 1, {1000, 7});
    visit(all, l, kFirst, 1, counts);
  }
  give_work(skeleton, all);
  EXPECT_THAT(skeleton.program[2].before.work, IsEmpty());
  EXPECT_THAT(works(skeleton), ElementsAre("instructions 1000000 load_reuse_0 100000 load_reuse_2 150 "));
}

TEST(Attribute, RefusesThreadsBeforeItComparesNumbersOfRanks) {
  auto skeleton = three_ranks();
  skeleton.locations[1].where = {.rank = 0, .thread = 1};
  try {
    attribute(skeleton, {}, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::unsupported);
  }
}

TEST(Coverage, IsTheShareOfTheComputationThatWasVisited) {
  const auto skeleton = three_ranks("compute 5 ms");
  auto all = nothing();
  EXPECT_EQ(coverage(skeleton, all).places, 9u);
  EXPECT_EQ(coverage(skeleton, all).share, 0);
  for (std::uint32_t l = 0; l < 3; ++l) visit(all, l, kOthers, 9, {1});
  EXPECT_EQ(coverage(skeleton, all).visited, 3u);
  EXPECT_NEAR(coverage(skeleton, all).share, 9.0 / 15, 1e-12);
}

}  // namespace
}  // namespace skelgen::work
