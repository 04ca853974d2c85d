#include "fold/shared_loops.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fold_text.h"

namespace skelgen::fold {
namespace {

Program program_of(const std::string& text) {
  std::vector<Symbol> symbols;
  for (const char c : text) symbols.push_back(static_cast<Symbol>(c - 'a'));
  return fold(symbols);
}

/// The folded texts of runs 0, 1, ..., one program each, with loops shared.
std::vector<std::string> sharing(const std::vector<std::string>& texts, Owners kind = Owners::runs) {
  std::vector<Program> programs;
  std::vector<std::set<std::uint32_t>> runs;
  for (const auto& text : texts) {
    runs.push_back({static_cast<std::uint32_t>(programs.size())});
    programs.push_back(program_of(text));
  }
  share_loops(programs, runs, kind);
  std::vector<std::string> printed;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    printed.push_back(print(programs[i]));
    EXPECT_EQ(expand(programs[i]), expand(program_of(texts[i])));
  }
  return printed;
}

using Printed = std::vector<std::string>;

TEST(SharedLoops, ALoopOfOneTripIsOne) {
  EXPECT_EQ(sharing({"xabyabz", "xababyababz"}),
            (Printed{"x 1 x { a b } y 1 x { a b } z", "x 2 x { a b } y 2 x { a b } z"}));
}

TEST(SharedLoops, InnerOnesAreSharedFirst) {
  EXPECT_EQ(sharing({"xabcabcx", "xababcababcababcx"}),
            (Printed{"x 2 x { 1 x { a b } c } x", "x 3 x { 2 x { a b } c } x"}));
  EXPECT_EQ(sharing({"xabcx", "xababcababcx"}), (Printed{"x 1 x { 1 x { a b } c } x", "x 2 x { 2 x { a b } c } x"}));
}

TEST(SharedLoops, WhatIsALoopInTheSameRunSharesNothing) {
  // A rank at a corner repeats what is a part of others' bodies.
  std::vector<Program> programs{program_of("ababab"), program_of("xabyxabyxaby")};
  share_loops(programs, std::vector<std::set<std::uint32_t>>{{0}, {0}});
  EXPECT_EQ(print(programs[1]), "3 x { x a b y }");
}

TEST(SharedLoops, WhatIsInTheOuterLoopOnlyBecomesNoInnerOneOfAnotherLocation) {
  // A leaf of a tree repeats "a", others "a" and some "b": that is no loop around "a" within theirs.
  EXPECT_EQ(sharing({"aaaa", "abbabb", "ababab"}, Owners::locations),
            (Printed{"4 x { a }", "2 x { a 2 x { b } }", "3 x { a 1 x { b } }"}));
}

TEST(SharedLoops, OuterLoopsOfOneTripAreSharedBetweenRunsToo) {
  EXPECT_EQ(sharing({"ababc", "abcabc"}), (Printed{"1 x { 2 x { a b } c }", "2 x { 1 x { a b } c }"}));
}

}  // namespace
}  // namespace skelgen::fold
