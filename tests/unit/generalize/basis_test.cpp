#include "generalize/basis.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

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
                       (rule->rivals.empty() ? "" : " or " + text(rule->rivals[0], basis_.rows().names));
  }
  std::string found(const std::string& truth) const { return text_of(basis_.find(samples(truth))); }
  /// The condition that is found, if it holds at all traced places where it should, and at no other.
  std::string condition(const std::string& truth) const {
    const auto all = samples(truth);
    const auto rule = basis_.condition(all);
    for (const Sample& s : all)
      if (rule && (rule->expression.at(basis_.rows().variables[s.row]) != 0) != (s.value != 0))
        return "wrong: " + text_of(rule);
    return text_of(rule);
  }
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

TEST(Basis, FindsConditionsOfWhichOneOrTheOtherHolds) {
  const Search search;
  EXPECT_EQ(search.condition("r == 1 || r == p - 1"), "r == 1 || r >= p - 1");
  EXPECT_EQ(search.condition("r == 0 || r == p - 1"), "r == 0 || r == p - 1");
  EXPECT_EQ(search.condition("r == 2 || r < p - 1"), "r < p - 1");
}

TEST(Basis, TheLastPlaceOfADimensionIsSimplerThanItsNumber) {
  // q is 4 at all traced numbers, and 8 elsewhere.
  Rows rows{{"p", "r", "k", "q", "x"}, {}, {}};
  const std::vector<std::uint32_t> ranks = {16, 32, 64, 128};
  for (std::uint32_t i = 0; i < ranks.size(); ++i)
    for (std::uint32_t r = 0; r < ranks[i]; ++r) {
      const std::uint32_t q = i < 3 ? 4 : 8;
      rows.variables.push_back({ranks[i], r, kUndefined, q, r / (ranks[i] / q)});
      rows.run.push_back(i < 3 ? i : Rows::kNotTraced);
    }
  const Basis basis(rows);
  std::vector<Sample> samples;
  for (std::uint32_t i = 0; i < 16 + 32 + 64; ++i) samples.push_back({i, rows.variables[i][4] < 3});
  const auto rule = basis.condition(samples);
  ASSERT_TRUE(rule);
  EXPECT_EQ(text(rule->expression, rows.names), "x < q - 1");
  ASSERT_FALSE(rule->rivals.empty());
  EXPECT_EQ(text(rule->rivals[0], rows.names), "x < 3");
}

TEST(Basis, AnswersTheSameQuestionAlikeAndOthersByThemselves) {
  const Search search;
  const auto samples = search.samples("p - 1 - r");
  const auto first = search.text_of(search.basis().find(samples, Basis::Known::ranks));
  EXPECT_EQ(search.text_of(search.basis().find(samples, Basis::Known::ranks)), first);
  EXPECT_NE(search.text_of(search.basis().find(search.samples("2 * p"), Basis::Known::sizes)),
            search.text_of(search.basis().find(search.samples("2 * p"), Basis::Known::ranks)));
}

TEST(Basis, AQuotientThatWasExactIsTakenAsOne) {
  const Search search;
  EXPECT_EQ(search.found("ceil(495 / p)"), "496 / p");
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
  EXPECT_FALSE(rule->rivals.empty()) << search.text_of(rule);
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

TEST(Basis, FindsPlacesAroundATorus) {
  // Of a plane of rows of 4, 4 and 8.
  Rows rows{{"p", "r", "k", "px", "py", "cx", "cy"}, {}, {}};
  for (const auto& [p, py, run] : {std::tuple{8, 4, 0u}, {16, 4, 1u}, {32, 8, 2u}, {64, 8, Rows::kNotTraced}})
    for (std::int64_t r = 0; r < p; ++r) {
      rows.variables.push_back({p, r, kUndefined, p / py, py, r / py, r % py});
      rows.run.push_back(run);
    }
  const Basis basis(rows);
  const auto found = [&](const std::string& truth) {
    const auto rule = parse(truth, rows.names, "t:1");
    std::vector<Sample> samples;
    for (std::uint32_t i = 0; i < rows.run.size(); ++i)
      if (rows.run[i] != Rows::kNotTraced) samples.push_back({i, rule.at(rows.variables[i])});
    const auto rules = basis.find(samples, Basis::Known::ranks);
    if (!rules) return std::string("none");
    for (std::uint32_t i = 0; i < rows.run.size(); ++i)
      if (rules->expression.at(rows.variables[i]) != rule.at(rows.variables[i]))
        return text(rules->expression, rows.names);
    return truth;
  };
  for (const char* const rule : {"py * cx + (cy + 1) % py", "(cx + 1) % px * py + cy", "py * cx + (cy - cx) % py",
                                 "py * ((cx - cy) % px) + cy", "py * cx + (cy + cx + 1) % py"})
    EXPECT_EQ(found(rule), rule);
}

TEST(Basis, FindsBlocksWithoutTheirBorders) {
  const Search search;
  EXPECT_EQ(search.found("5 * (ceil((1003 - r) / p) - (r == 0))"), "5 * (ceil((1003 - r) / p) - (r == 0))");
  EXPECT_EQ(search.found("2 * ceil((1001 - r) / p) + 4"), "2 * ceil((1001 - r) / p) + 4");
}

TEST(Basis, FindsAreas) {
  const Search search;
  EXPECT_EQ(search.found("30 * ((48 / p + 1) * (48 / p + 1))"), "30 * ((48 / p + 1) * (48 / p + 1))");
}

TEST(Basis, FindsBothEndsOfADimension) {
  const Search search;
  EXPECT_EQ(search.condition("r == 0 || r == p - 1"), "r == 0 || r == p - 1");
  EXPECT_EQ(search.condition("r > 0 && r < p - 1"), "r > 0 && r < p - 1");
}

TEST(Basis, TakesNoRankThatThereIsNot) {
  // 2 r and r + floor(r / 1) agree; those of 32 ranks that are none are left out.
  const Search search;
  const auto samples = search.samples("r < p / 2 ? 2 * r : 2 * r - p + 1");
  const auto rule = search.basis().find(samples, Basis::Known::different);
  if (!rule) return;
  std::set<std::int64_t> seen;
  for (std::uint32_t i = 0; i < search.basis().rows().run.size(); ++i) {
    const auto& variables = search.basis().rows().variables[i];
    if (search.basis().rows().run[i] != Rows::kNotTraced) continue;
    const std::int64_t value = rule->expression.at(variables);
    EXPECT_TRUE(value < variables[0] && seen.insert(value).second)
        << text(rule->expression, search.basis().rows().names);
  }
}

TEST(Basis, ALineThroughTwoValuesIsWeak) {
  Rows rows{{"p", "r", "k", "q"}, {}, {}};
  for (const auto& [p, q, run] : {std::tuple{4, 2, 0u}, {8, 4, 1u}, {16, 4, 2u}, {32, 8, Rows::kNotTraced}}) {
    rows.variables.push_back({p, 0, kUndefined, q});
    rows.run.push_back(run);
  }
  const auto rule = Basis(rows).find(std::vector<Sample>{{0, 67}, {1, 61}, {2, 61}});
  ASSERT_TRUE(rule);
  EXPECT_TRUE(rule->weak) << text(rule->expression, rows.names);
}

/// Elements 0 ... q - 2 of lists at all ranks of q x q.
Rows cells(const std::vector<std::int64_t>& sides, const std::vector<std::int64_t>& probes) {
  Rows rows{{"p", "r", "k", "px", "py", "cx", "cy"}, {}, {}};
  const auto add = [&](std::int64_t q, std::uint32_t run) {
    for (std::int64_t r = 0; r < q * q; ++r)
      for (std::int64_t k = 0; k + 1 < q; ++k) {
        rows.variables.push_back({q * q, r, k, q, q, r / q, r % q});
        rows.run.push_back(run);
      }
  };
  for (std::uint32_t i = 0; i < sides.size(); ++i) add(sides[i], i);
  for (const std::int64_t q : probes) add(q, Rows::kNotTraced);
  return rows;
}

TEST(Basis, FindsCellsOfAMultipartition) {
  // Each rank has a cell in each layer, shifted from one to the next: tags and faces of the cell in stage k of a sweep.
  const Rows rows = cells({2, 3, 4}, {6});
  const Basis basis(rows);
  for (const char* const truth : {"3000 + (cy + cx - k) % px + px * ((k - cy) % px)",
                                  "2000 + (cy + cx + k + 2) % px + px * ((0 - k - 2 - cy) % px)",
                                  "22 * (36 / px - ((k - cy) % px == 0) - ((k - cy) % px == px - 1)) * "
                                  "(36 / px - ((cx + cy - k) % px == 0) - ((cx + cy - k) % px == px - 1))"}) {
    const auto rule = parse(truth, rows.names, "t:1");
    std::vector<Sample> samples;
    for (std::uint32_t i = 0; i < rows.run.size(); ++i)
      if (rows.run[i] != Rows::kNotTraced) samples.push_back({i, rule.at(rows.variables[i])});
    const auto found = basis.find(samples, Basis::Known::sizes);
    ASSERT_TRUE(found) << truth;
    for (std::uint32_t i = 0; i < rows.run.size(); ++i)
      ASSERT_EQ(found->expression.at(rows.variables[i]), rule.at(rows.variables[i]))
          << truth << "\n"
          << text(found->expression, rows.names);
  }
}

}  // namespace
}  // namespace skelgen::generalize
