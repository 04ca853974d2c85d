#include "fold/fold.h"

#include <gtest/gtest.h>

#include "fold/find_runs.h"
#include "fold_text.h"
#include "property/strings/texts.h"

namespace skelgen::fold {
namespace {

std::vector<Symbol> symbols(const std::string& text) {
  std::vector<Symbol> result;
  for (const char c : text) result.push_back(static_cast<Symbol>(c - 'a'));
  return result;
}

std::string folded(const std::string& text, Mode mode = Mode::best) { return print(fold(symbols(text), mode)); }

TEST(Fold, NothingAndOneSymbol) {
  EXPECT_EQ(fold({}), Program{});
  EXPECT_EQ(folded(""), "");
  EXPECT_EQ(folded("a"), "a");
  EXPECT_EQ(expand({}), std::vector<Symbol>{});
  EXPECT_EQ(length({}), 0u);
}

TEST(FindRuns, GivesTheSameRunsInEveryWayAndCountsThem) {
  const auto text = symbols("abababccabababcc"), other = symbols("abcde");
  const auto expected = strings::runs(text);
  ASSERT_GT(expected.size(), 0u);
  for (const RunsBy by : {RunsBy::lyndon, RunsBy::sa_is, RunsBy::dc3}) {
    RunSearch search{.by = by};
    EXPECT_EQ(find_runs(text, search), expected);
    EXPECT_EQ(search.found, expected.size());
    EXPECT_TRUE(find_runs(other, search).empty());
    EXPECT_EQ(search.found, expected.size());
  }
}

TEST(Fold, TakesTheLeftmostWholePeriods) {
  EXPECT_EQ(folded("ababab"), "3 x { a b }");
  EXPECT_EQ(folded("abcabcabca"), "3 x { a b c } a");
}

TEST(Fold, LengthCountsThePartialPeriod) {
  EXPECT_EQ(folded("abcabcabxbxbx", Mode::seed), "2 x { a b c } a 3 x { b x }") << "abcabcab is longer than bxbxbx";
}

TEST(Fold, TiesGoToTheLeft) { EXPECT_EQ(folded("aabb"), "2 x { a } 2 x { b }"); }

TEST(Fold, PartsAreSolvedSeparately) {
  EXPECT_EQ(folded("ababb"), "2 x { a b } b") << "b is behind the loop: collapsing in place would give 2 symbols";
}

TEST(Fold, LoopsInLoops) {
  EXPECT_EQ(folded("aabaab"), "2 x { 2 x { a } b }");
  EXPECT_EQ(folded("xabbabbxabbabby"), "2 x { x 2 x { a 2 x { b } } } y");
}

TEST(Fold, BestTurnsALoopWhereThatMakesItsBodyOrTheRestShorter) {
  EXPECT_EQ(folded("abaabaa", Mode::seed), "2 x { a b a } a");
  EXPECT_EQ(folded("abaabaa"), "a 2 x { b 2 x { a } }");
  EXPECT_EQ(folded("aababa", Mode::seed), "a 2 x { a b } a");
  EXPECT_EQ(folded("aababa"), "2 x { a } 2 x { b a }");
  EXPECT_EQ(folded("abcabcabca"), "3 x { a b c } a") << "turned, it would be as long";
}

TEST(Fold, ExpandsLoopsOfVaryingTrips) {
  const Program program{{0, 2, {{0, 3, {{1, 1, {}}}, {3, 1}}, {2, 1, {}}}}};
  EXPECT_EQ(print(program), "2 x { (3 1) x { b } c }");
  EXPECT_EQ(expand(program), symbols("bbbcbc"));
}

TEST(Fold, LengthCountsSymbolsOnly) {
  EXPECT_EQ(length(fold(symbols("abcabcabca"))), 4u);
  EXPECT_EQ(length(fold(symbols("aabaab"))), 2u);
}

TEST(Fold, PrintsSymbolsByName) {
  const Program program = fold(std::vector<Symbol>{30, 25, 30, 25});
  EXPECT_EQ(print(program), "2 x { #30 z }");
  EXPECT_EQ(print(program, [](Symbol s) { return s == 30 ? "send" : "wait"; }), "2 x { send wait }");
}

TEST(Fold, ExpandsNestedLoops) {
  const Program program{{0, 2, {{1, 1, {}}, {0, 3, {{2, 1, {}}}}}}, {3, 1, {}}};
  EXPECT_EQ(expand(program), symbols("bcccbcccd"));
}

TEST(Fold, AnySymbolsWillDo) {
  EXPECT_EQ(print(fold(std::vector<Symbol>{0xffff'ffff, 7, 0xffff'ffff, 7})), "2 x { #4294967295 h }");
}

TEST(Fold, AMillionEqualSymbolsAreOneLoop) {
  EXPECT_EQ(print(fold(std::vector<Symbol>(1'000'000, 0))), "1000000 x { a }");
}

TEST(Fold, TimeStepsOfAWavefront) {
  const auto text = texts::wavefront(200'000, 160);
  const Program program = fold(text);
  EXPECT_EQ(expand(program), text);
  EXPECT_LE(length(program), 100u);
}

}  // namespace
}  // namespace skelgen::fold
