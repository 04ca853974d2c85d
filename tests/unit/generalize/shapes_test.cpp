#include "generalize/shapes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace skelgen::generalize {
namespace {

using Lists = std::vector<std::vector<std::int64_t>>;

std::vector<List> lists(const Lists& of) { return {of.begin(), of.end()}; }

/// "HEAD + BLOCK", or "none".
std::string shape(const Lists& of) {
  const auto found = repeated(lists(of));
  return found ? fmt::format("{} + {}", found->head, found->block) : "none";
}

/// The first list as "FIRST..LAST by TIMES x RUNS", for each part.
std::string parts(const Lists& of) {
  const auto found = progressions(lists(of));
  if (!found) return "none";
  std::string text;
  for (const auto& part : *found) {
    const char* const step = part.step == Progression::Step::twice  ? "*2"
                             : part.step == Progression::Step::half ? "/2"
                             : part.step == Progression::Step::add  ? "+"
                                                                    : "";
    text += fmt::format("{}{}..{} {}{} {} x {}", text.empty() ? "" : " | ", part.first[0], part.last[0], step,
                        part.step == Progression::Step::add ? std::to_string(part.difference) : "", part.times[0],
                        part.runs[0]);
  }
  return text;
}

TEST(Shapes, RepeatedIsTheShortestHeadAndBlock) {
  EXPECT_EQ(shape({{1, 2, 1, 2}, {1, 2}}), "0 + 2");
  EXPECT_EQ(shape({{9, 8, 1, 2, 1, 2}, {7, 7, 3, 4}}), "2 + 2");
  EXPECT_EQ(shape({{5, 5, 5}}), "0 + 1");
  EXPECT_EQ(shape({{5, 6, 6, 6}}), "1 + 1");
  EXPECT_EQ(shape({{1, 2, 3, 4, 5}}), "none");
  EXPECT_EQ(shape({{1, 2, 1, 2}, {}}), "none");
  EXPECT_EQ(shape({{1, 2}, {3, 4}}), "none") << "nothing comes again";
}

TEST(Shapes, LevelsOfACycleAreProgressions) {
  EXPECT_EQ(parts({{8, 8, 4, 4, 2, 2, 1, 1, 1, 1, 1, 2, 2, 4, 4}, {4, 4, 2, 2, 1, 1, 1, 1, 1, 2, 2, 4, 4}}),
            "8..2 /2 2 x 3 | 1..1  5 x 1 | 2..4 *2 2 x 2");
  EXPECT_EQ(parts({{3, 11, 19}, {3, 11}}), "3..19 +8 1 x 3");
}

TEST(Shapes, WhatOneListLeavesOpenAnotherDecides) {
  EXPECT_EQ(parts({{1, 2}, {1, 2, 4}}), "1..2 *2 1 x 2");
  EXPECT_EQ(parts({{1, 2}, {1, 2, 3}}), "1..2 +1 1 x 2");
}

TEST(Shapes, RunsThatAreNoProgressionStandByThemselves) {
  EXPECT_EQ(parts({{90, 10}, {40, 40, 5, 5}}), "90..90  1 x 1 | 10..10  1 x 1");
  EXPECT_EQ(parts({{1, 2, 3}, {1, 2, 4}}), "1..1  1 x 1 | 2..2  1 x 1 | 3..3  1 x 1");
}

TEST(Shapes, OtherPartsAreNotTheSameProgressions) {
  EXPECT_EQ(parts({{1, 2, 3}, {1, 2, 3, 3, 3, 1}}), "none");
  EXPECT_EQ(parts({{0, 7, 1, 9, 2, 8, 3, 7, 4, 6, 5, 5, 1, 1, 1, 0, 0, 9}}), "none") << "as many parts as elements";
}

TEST(Shapes, FirstAndRestMayHaveNoRest) {
  const auto found = [](const Lists& of) { return first_and_rest(lists(of)).has_value(); };
  EXPECT_TRUE(found({{1}, {7, 2}, {8, 3}}));
  EXPECT_TRUE(found({{1}, {7, 2, 2}}));
  EXPECT_FALSE(found({{1}, {7, 2, 3}}));
  EXPECT_FALSE(found({{1}, {2}})) << "no rest at all";
  EXPECT_FALSE(found({{1, 2}, {3, 4}})) << "nothing differs";
}

}  // namespace
}  // namespace skelgen::generalize
