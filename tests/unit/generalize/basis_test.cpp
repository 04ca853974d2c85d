#include "generalize/basis.h"

#include <gtest/gtest.h>

namespace skelgen::generalize {
namespace {

/// All ranks of these numbers, and some of twice and four times the largest.
Rows rows(const std::vector<std::uint32_t>& ranks, const std::vector<std::uint32_t>& probes) {
  Rows rows{{"p", "r", "k"}, {}, {}};
  const auto add = [&](std::uint32_t p, std::uint32_t run) {
    for (std::uint32_t r = 0; r < p; ++r) {
      rows.variables.push_back({p, r, kUndefined});
      rows.run.push_back(run);
    }
  };
  for (std::uint32_t i = 0; i < ranks.size(); ++i) add(ranks[i], i);
  for (const std::uint32_t p : probes) add(p, Rows::kNotTraced);
  return rows;
}

class Search {
 public:
  explicit Search(const std::vector<std::uint32_t>& ranks = {4, 8, 16}, const std::vector<std::uint32_t>& probes = {32})
      : basis_(rows(ranks, probes)) {}

  std::vector<Sample> samples(const std::string& truth) const {
    const auto rule = parse(truth, basis_.rows().names, "t:1");
    std::vector<Sample> all;
    for (std::uint32_t i = 0; i < basis_.rows().run.size(); ++i)
      if (basis_.rows().run[i] != Rows::kNotTraced) all.push_back({i, rule.at(basis_.rows().variables[i])});
    return all;
  }
  std::string text_of(const std::optional<Rule>& rule) const {
    return !rule ? "none"
                 : text(rule->expression, basis_.rows().names) +
                       (rule->rival ? " or " + text(*rule->rival, basis_.rows().names) : "");
  }
  std::string found(const std::string& truth) const { return text_of(basis_.find(samples(truth))); }
  std::string condition(const std::string& truth) const { return text_of(basis_.condition(samples(truth))); }
  const Basis& basis() const { return basis_; }

 private:
  Basis basis_;
};

TEST(Basis, FindsTheSimplestRule) {
  const Search search;
  for (const char* const rule : {"7", "p", "log2(p)", "p - 1", "512 / p", "2 * p + 3", "r + 1", "(r + 1) % p", "r ^ 1",
                                 "4096 / p + 2", "125 * r + 5", "100 - p"})
    EXPECT_EQ(search.found(rule), rule);
}

TEST(Basis, FindsBlocksOfWhatDoesNotDivide) {
  const Search search;
  EXPECT_EQ(search.found("ceil((1001 - r) / p)"), "ceil((1001 - r) / p)");
  EXPECT_EQ(search.found("8 * ceil((101 - r) / p)"), "8 * ceil((101 - r) / p)");
  EXPECT_EQ(search.found("floor((77 + r) / p)"), "floor((77 + r) / p)");
}

TEST(Basis, FindsWhatSomeRanksAreGiven) {
  const Search search;
  EXPECT_EQ(search.found("r == 0 ? 100 : 5"), "r == 0 ? 100 : 5");
  EXPECT_EQ(search.found("r > 0 ? r - 1 : -1"), "r - 1");  // it is -1 on rank 0
  EXPECT_EQ(search.found("r < p - 1 ? r + 1 : -1"), "r < p - 1 ? r + 1 : -1");
}

TEST(Basis, FindsConditions) {
  const Search search;
  EXPECT_EQ(search.condition("r > 0"), "r > 0");
  EXPECT_EQ(search.condition("r == p - 1"), "r == p - 1");
  EXPECT_EQ(search.condition("r % 2 == 0"), "r % 2 == 0");
  EXPECT_NE(search.condition("r > 0 && r < p - 1 && r != 2"), "none");
}

TEST(Basis, SaysNothingWhereThereIsNoRule) {
  const Search search;
  auto samples = search.samples("r");
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i].value = static_cast<std::int64_t>(i * i * 7919 % 1009);
  EXPECT_FALSE(search.basis().find(samples));
}

TEST(Basis, NamesTheRivalOfARule) {
  // 4 and 16 are both squares and powers of two.
  const Search search({4, 16}, {8, 64});
  const auto rule = search.basis().find(search.samples("sqrt(p)"));
  ASSERT_TRUE(rule);
  EXPECT_TRUE(rule->rival) << search.text_of(rule);
}

TEST(Basis, SaysWithoutWhichTraceARuleIsFoundToo) {
  const Search search;
  const auto rule = search.basis().find(search.samples("(r + 1) % p"));
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->confirmed, 3u);
  EXPECT_EQ(rule->contradicted, 0u);
  // Two numbers lie on many lines: each of the three is needed.
  const auto line = search.basis().find(search.samples("1000 - 17 * p"));
  ASSERT_TRUE(line);
  EXPECT_GT(line->confirmed + line->contradicted, 0u);
}

TEST(Basis, FindsWhatTellsGroupsApart) {
  const Search search;
  auto labels = search.samples("r % 2");
  for (Sample& sample : labels) sample.value = 17 - sample.value;
  EXPECT_EQ(search.text_of(search.basis().partition(labels)), "r % 2");
}

}  // namespace
}  // namespace skelgen::generalize
