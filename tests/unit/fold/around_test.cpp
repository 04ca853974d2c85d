// Iterations that choose among calls, and what anchors make of them.

#include "fold/around.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>

#include "fold_text.h"

namespace skelgen::fold {
namespace {

std::vector<Symbol> of_letters(const std::string& text) {
  std::vector<Symbol> result;
  for (const char c : text) result.push_back(static_cast<Symbol>(c - 'a'));
  return result;
}

std::vector<std::string> around(const std::vector<std::string>& texts) {
  std::vector<std::vector<Symbol>> all;
  for (const auto& text : texts) all.push_back(of_letters(text));
  const auto programs = Around(all).next();
  if (!programs) return {};
  std::vector<std::string> printed;
  for (std::size_t t = 0; t < texts.size(); ++t) {
    EXPECT_EQ(expand((*programs)[t]), all[t]);
    printed.push_back(print((*programs)[t]));
  }
  return printed;
}

using Programs = std::vector<std::string>;

/// Lists of trips as (..).
std::string without_lists(const std::string& program) {
  return std::regex_replace(program, std::regex("\\([0-9 ]+\\)"), "(..)");
}

TEST(FoldAround, TripsMayVary) {
  EXPECT_EQ(around({"xababcabcabababcababcy"}), Programs{"x 4 x { (2 1 3 2) x { a b } c } y"});
}

TEST(FoldAround, IterationsMayChoose) {
  std::string last, first;
  for (std::uint64_t step = 0, state = 1; step < 90; ++step) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const char choice = static_cast<char>('a' + (state >> 33) % 4);
    last += std::string{choice, 'w'};
    first += std::string{'w', 'v', choice};
  }
  EXPECT_EQ(without_lists(around({"i" + last + "e"}).at(0)),
            "i 90 x { (..) x { a } (..) x { b } (..) x { c } (..) x { d } w } e");
  EXPECT_EQ(without_lists(around({"i" + first + "e"}).at(0)),
            "i 90 x { w v (..) x { d } (..) x { c } (..) x { b } (..) x { a } } e");
}

TEST(FoldAround, OtherAnchorsComeNext) {
  // What comes 40 times and what comes 160 times may be the main loop.
  std::string text;
  for (int step = 0; step < 40; ++step) {
    text += step % 3 ? "vx" : "v";
    for (int k = 0; k < 4; ++k) text += (step + k) % 5 ? "wy" : "w";
  }
  const std::vector<std::vector<Symbol>> all{of_letters(text)};
  Around around(all);
  std::vector<std::string> programs;
  while (const auto next = around.next()) {
    EXPECT_EQ(expand((*next)[0]), all[0]);
    programs.push_back(without_lists(print((*next)[0])));
  }
  const auto has = [&](const std::string& begin) {
    return std::ranges::any_of(programs, [&](const auto& program) { return program.find(begin) != std::string::npos; });
  };
  EXPECT_TRUE(has("40 x { v")) << programs.size();
  EXPECT_TRUE(has("160 x {"));
}

TEST(FoldAround, TextsShareTheirAnchors) {
  EXPECT_EQ(around({"bwbbwwbbbwz", "wwcccwcwz"}),
            (Programs{"4 x { (1 2 0 3) x { b } w } z", "4 x { (0 0 3 1) x { c } w } z"}));
}

TEST(FoldAround, NothingInCommonGivesNothing) { EXPECT_EQ(around({"aab", "ccd"}), Programs{}); }

}  // namespace
}  // namespace skelgen::fold
