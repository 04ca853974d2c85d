#include "threads/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <numeric>
#include <utility>

namespace skelgen::threads {
namespace {

using Pairs = std::initializer_list<std::pair<std::size_t, std::size_t>>;

Relations relations(std::size_t n, Pairs tied, Pairs nests, Pairs not_concurrent = {}) {
  Relations all(n);
  for (auto& row : all.concurrent) row.assign(n, true);
  for (const auto& [i, j] : tied) all.tied[i][j] = all.tied[j][i] = true;
  for (const auto& [i, j] : nests) all.nests[i][j] = true;
  for (const auto& [i, j] : not_concurrent) all.concurrent[i][j] = all.concurrent[j][i] = false;
  return all;
}

std::vector<Layer> identified(const Relations& all) {
  Layer loops(all.size());
  std::iota(loops.begin(), loops.end(), std::size_t{0});
  return identify_layers(all, loops);
}

using Levels = std::vector<std::vector<Layer>>;

TEST(Layers, OfThePapersExampleAreTwo) {
  // l1 nests l2 in thread 1; l3 in thread 2; l4 in thread 3 starts thread 1.
  const auto all = relations(4, {{1, 2}, {1, 3}, {2, 3}, {0, 3}}, {{0, 1}});
  EXPECT_EQ(locate_layers(all), (Levels{{{1, 2, 3}}, {{0}}}));
}

TEST(Layers, SetsThatArePartOfOthersAreDropped) {
  // {a, b, c} tied, neither ab nor bc concurrent: the paper's recursion yields {c} beside {a, c} and {b}.
  const auto all = relations(3, {{0, 1}, {0, 2}, {1, 2}}, {}, {{0, 1}, {1, 2}});
  EXPECT_EQ(identified(all), (std::vector<Layer>{{0, 2}, {1}}));
}

TEST(Layers, LoopWithoutPartnerIsOneAlone) {
  EXPECT_EQ(identified(relations(3, {{0, 1}}, {})), (std::vector<Layer>{{0, 1}, {2}}));
  EXPECT_TRUE(identified(relations(0, {}, {})).empty());
  EXPECT_TRUE(locate_layers(relations(0, {}, {})).empty());
}

TEST(Layers, LevelIsMadeOfInnermostLoopsWhereEachLayerNestsALoopOfAnother) {
  // 0 nests 1, 2 nests 3; 1 is tied to 2 and 3 to 0: no layer without a loop that nests another.
  const auto all = relations(4, {{1, 2}, {3, 0}}, {{0, 1}, {2, 3}});
  EXPECT_EQ(locate_layers(all), (Levels{{{1}, {3}}, {{0}, {2}}}));
}

}  // namespace
}  // namespace skelgen::threads
