// What several texts have in common is folded alike in all of them, whatever stands between.

#include "fold/between.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>

#include "fold_text.h"

namespace skelgen::fold {
namespace {

std::vector<Symbol> letters(const std::string& text) {
  std::vector<Symbol> result;
  for (const char c : text)
    if (c != ' ') result.push_back(static_cast<Symbol>(c - 'a'));
  return result;
}

std::string between(const std::string& text, const std::string& steady) {
  const auto all = letters(steady);
  const auto folded = fold_between(letters(text), {all.begin(), all.end()});
  if (!folded) return "nothing";
  EXPECT_EQ(expand(*folded), letters(text));
  return print(*folded);
}

TEST(FoldBetween, NumbersThatVaryBecomeListsOfTrips) {
  EXPECT_EQ(between("iiisssw iisw isssw iiisw z", "wz"), "4 x { (3 2 1 3) x { i } (3 1 3 1) x { s } w } z");
}

TEST(FoldBetween, NoneIsANumberToo) {
  EXPECT_EQ(between("isw w iisw w w sw z", "wz"), "6 x { (1 0 2 0 0 0) x { i } (1 0 1 0 0 1) x { s } w } z");
}

TEST(FoldBetween, TextsWithTheSameSteadySymbolsGetTheSameLoops) {
  EXPECT_EQ(between("iw w iiw w z", "wz"), "4 x { (1 0 2 0) x { i } w } z");
  EXPECT_EQ(between("w iiiw w w z", "wz"), "4 x { (0 3 0 0) x { i } w } z");
}

TEST(FoldBetween, BodiesOfSeveralSymbolsStayTogether) {
  EXPECT_EQ(between("isisw isw isisisw z", "wz"), "3 x { (2 1 3) x { i s } w } z");
}

TEST(FoldBetween, WhatDoesNotVaryIsSaidOnce) { EXPECT_EQ(between("iiw iiw iiw z", "wz"), "3 x { 2 x { i } w } z"); }

TEST(FoldBetween, SeveralSteadySymbolsHaveTheirOwnLoops) {
  EXPECT_EQ(between("a iw sr iiw ssr z", "awrz"), "a 2 x { (1 2) x { i } w (1 2) x { s } r } z");
}

TEST(FoldBetween, OrdersThatDifferShareOneList) {
  EXPECT_EQ(between("isw siw isw siw z", "wz"), "4 x { (1 0 1 0) x { i } s (0 1 0 1) x { i } w } z");
}

TEST(FoldBetween, GivesUpWhereTheEndIsNotShared) {
  EXPECT_EQ(between("iwiwi", "w"), "nothing");
  EXPECT_EQ(between("", "w"), "nothing");
  std::string word;
  for (std::uint64_t i = 0, state = 1; i < 240; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    word += static_cast<char>('a' + (state >> 33) % 20);
  }
  EXPECT_EQ(between(word + "wz", "wz"), "nothing") << "more loops than anybody reads";
}

/// Processor time of a text with so many different bodies, each of which repeats between two steady symbols.
double many_bodies_s(Symbol bodies) {
  std::vector<Symbol> text;
  for (Symbol b = 1; b <= bodies; ++b) text.insert(text.end(), {b, b, 0});
  const std::clock_t begin = std::clock();
  EXPECT_FALSE(fold_between(text, {0})) << "more loops than anybody reads";
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST(FoldBetween, LooksOnlyForBodiesThatMayBeginAtAPlace) {
  many_bodies_s(200);
  EXPECT_LT(many_bodies_s(40'000), 40 * many_bodies_s(4'000) + 0.01);
}

TEST(FoldBetween, LosesNothing) {
  std::uint64_t state = 1;
  const auto below = [&](std::uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  };
  std::size_t folded = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<Symbol> text;
    const std::uint64_t letters = 2 + below(4), steady = 1 + below(3);
    for (std::uint64_t n = below(60); n > 0; --n) {
      const auto symbol = static_cast<Symbol>(below(letters + steady));
      for (std::uint64_t times = symbol < letters ? below(4) : 1; times > 0; --times) text.push_back(symbol);
    }
    std::set<Symbol> all;
    for (std::uint64_t s = 0; s <= steady; ++s) all.insert(static_cast<Symbol>(letters + s));
    text.push_back(static_cast<Symbol>(letters + steady));
    const auto program = fold_between(text, all);
    if (!program) continue;
    ++folded;
    ASSERT_EQ(expand(*program), text) << print(*program);
  }
  EXPECT_GT(folded, 2900u);
}

}  // namespace
}  // namespace skelgen::fold
