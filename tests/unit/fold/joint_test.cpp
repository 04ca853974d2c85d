// Texts that repeat themselves everywhere, but seldom twice in a row: one nest of loops, and lists of what is entered
// when.

#include "fold/joint.h"

#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <string>

#include "fold_text.h"

namespace skelgen::fold {
namespace {

using Texts = std::vector<std::vector<Symbol>>;

Texts texts(const std::vector<std::string>& all) {
  Texts result;
  for (const auto& text : all) {
    result.emplace_back();
    for (const char c : text)
      if (c != ' ') result.back().push_back(static_cast<Symbol>(c - 'a'));
  }
  return result;
}

std::vector<std::string> jointly(const Texts& all) {
  const auto programs = fold_jointly(all).programs;
  if (!programs) return {"nothing"};
  std::vector<std::string> printed;
  for (std::size_t t = 0; t < all.size(); ++t) {
    EXPECT_EQ(expand((*programs)[t]), all[t]);
    printed.push_back(print((*programs)[t]));
  }
  return printed;
}

using Printed = std::vector<std::string>;

TEST(FoldJointly, WhatMayBeMissingIsALoopOfOneTripOrNone) {
  EXPECT_EQ(jointly(texts({"i xay xby xaby xy xaby f"})),
            Printed{"i 5 x { x (1 0 1 0 1) x { a } (0 1 1 0 1) x { b } y } f"});
}

TEST(FoldJointly, NumbersThatVaryAreListsOfTrips) {
  EXPECT_EQ(jointly(texts({"i xaay xaaaay xy xay f"})), Printed{"i 4 x { x (2 4 0 1) x { a } y } f"});
}

TEST(FoldJointly, TextsHaveTheSameLoopsWithListsOfTheirOwn) {
  EXPECT_EQ(jointly(texts({"i xay xby xay f", "i xby xby xay xay xay f"})),
            (Printed{"i 3 x { x (1 0 1) x { a } (0 1 0) x { b } y } f",
                     "i 5 x { x (0 0 1 1 1) x { a } (1 1 0 0 0) x { b } y } f"}));
}

TEST(FoldJointly, ALoopThatATextNeverEntersIsNotInIt) {
  EXPECT_EQ(jointly(texts({"i xay xy xay f", "i xy xy xy xy f"})),
            (Printed{"i 3 x { x (1 0 1) x { a } y } f", "i 4 x { x y } f"}));
}

TEST(FoldJointly, TheEndsStayOutside) {
  EXPECT_EQ(jointly(texts({"i j xay xy xay k f"})), Printed{"i j 3 x { x (1 0 1) x { a } y } k f"});
  EXPECT_EQ(jointly(texts({"i", "if", "ifg"})), (Printed{"i", "i f", "i f g"}));
}

TEST(FoldJointly, LeavesAloneWhatHasTooManySymbols) {
  Texts many(1);
  for (Symbol s = 0; s < 700; ++s) many[0].insert(many[0].end(), {s, s + 1});
  EXPECT_EQ(jointly(many), Printed{"nothing"});
}

/// Solvers that are called for problems of many sizes: panels, updates that some ranks have no part in, pivots.
std::vector<Symbol> problems(unsigned seed, unsigned rank) {
  std::mt19937 random(seed);
  std::vector<Symbol> text{0};
  const auto add = [&](std::initializer_list<Symbol> more) { text.insert(text.end(), more); };
  for (int problem = 0; problem < 60; ++problem) {
    const unsigned panels = 1 + random() % 9, sides = 1 + random() % 4;
    add({1, 2, 3});
    for (unsigned p = 0; p < panels; ++p) {
      for (unsigned column = 0; column < 1 + random() % 4; ++column) {
        if ((p + rank) % 2) add({10, 11, 12});
        if (random() % 3 == 0) add({20, 21});
        add({10, 13, 12});
      }
      if ((p + rank) % 3) add({30, 31, 32, 33});
    }
    for (unsigned s = 0; s < sides; ++s) add({10, 40, 12, 41});
    if (random() % 2) add({50});
    add({2, 4});
  }
  add({5});
  return text;
}

/// Texts in no order at all: with many statements for what often stands together, or with few and longer lists.
TEST(FoldJointly, ManyStatementsBecomeFewWithLongerLists) {
  Texts all(2);
  std::mt19937 random(4);
  for (auto& text : all)
    for (int i = 0; i < 12000; ++i) text.push_back(random() % 3);
  const auto many = fold_jointly(all), few = fold_jointly(all, kMostJointWork, 1);
  ASSERT_TRUE(many.programs && few.programs);
  for (std::size_t t = 0; t < all.size(); ++t) {
    EXPECT_EQ(expand((*many.programs)[t]), all[t]);
    EXPECT_EQ(expand((*few.programs)[t]), all[t]);
    EXPECT_LE(length((*few.programs)[t]), 12u);
    EXPECT_GT(length((*many.programs)[t]), length((*few.programs)[t]));
  }
}

TEST(FoldJointly, ManyProblemsOfManySizesAreOneNestOfLoops) {
  Texts all;
  for (unsigned rank = 0; rank < 3; ++rank) all.push_back(problems(7, rank));
  const auto [programs, stopped] = fold_jointly(all);
  ASSERT_TRUE(programs);
  EXPECT_FALSE(stopped);
  // With less work it is the same, longer.
  const auto short_of_work = fold_jointly(all, 20'000);
  ASSERT_TRUE(short_of_work.programs);
  EXPECT_TRUE(short_of_work.stopped);
  EXPECT_EQ(expand((*short_of_work.programs)[0]), all[0]);
  EXPECT_GT(length((*short_of_work.programs)[0]), 2 * length((*programs)[0]));
  const auto shape = [](const Program& program) {
    return std::regex_replace(print(program), std::regex(R"(\([0-9 ]*\) x|[0-9]+ x)"), "loop");
  };
  for (std::size_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(expand((*programs)[rank]), all[rank]);
    EXPECT_GE(length(fold(all[rank], Mode::seed)), 400u);
    EXPECT_LE(length((*programs)[rank]), 60u);
    EXPECT_EQ(shape((*programs)[rank]), shape((*programs)[0]));
  }
}

}  // namespace
}  // namespace skelgen::fold
