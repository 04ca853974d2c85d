// What findings say, against the numbers that they are about, in random runs.
#include <gmock/gmock.h>

#include <numeric>
#include <regex>

#include "property/metrics/program.h"

namespace skelgen::test {
namespace {

using Cause = metrics::Finding::Cause;
using testing::HasSubstr;
using testing::Not;

/// Seconds as a finding says them.
double said(const std::string& text, const std::string& before) {
  std::smatch found;
  if (!std::regex_search(text, found, std::regex(before + "([0-9.e+]+) (us|ms|s)\\b"))) return -1;
  const std::string unit = found[2];
  return std::stod(found[1]) * (unit == "us" ? 1e-6 : unit == "ms" ? 1e-3 : 1);
}

/// Kinds of waits that findings are about.
double metrics::Waits::*kind_of(Cause cause) {
  switch (cause) {
    case Cause::late_sender:
      return &metrics::Waits::late_sender_s;
    case Cause::late_receiver:
      return &metrics::Waits::late_receiver_s;
    case Cause::imbalance:
      return &metrics::Waits::imbalance_s;
    case Cause::late_to_collective:
      return &metrics::Waits::collective_s;
    default:
      return nullptr;
  }
}

/// by_calls: counts those that say so.
void expect_true(const metrics::Metrics& all, double length_s, std::size_t& by_calls) {
  const auto& ranks = all.waits.per_rank;
  std::vector<double> computing;
  for (const auto& rank : all.he_sun.per_rank) computing.push_back(rank.computing_s);
  const double mean = std::accumulate(computing.begin(), computing.end(), 0.0) / static_cast<double>(computing.size());
  std::map<Cause, std::vector<int>> seen;
  double before = length_s;
  for (const auto& finding : all.findings) {
    SCOPED_TRACE(finding.text);
    EXPECT_GT(finding.cost_s, 0.01 * length_s);
    EXPECT_LE(finding.cost_s, before * (1 + 1e-9)) << "the highest cost first, and no more than the run";
    before = finding.cost_s;
    for (const int rank : finding.ranks) {
      EXPECT_EQ(std::ranges::count(seen[finding.cause], rank), 0) << "a rank is one finding of a kind";
      seen[finding.cause].push_back(rank);
    }
    std::smatch found;
    const bool loaded = std::regex_search(finding.text, found,
                                          std::regex("computes ([0-9.]+) times as long as (the others|rank [0-9]+)"));
    if (loaded) {
      ASSERT_EQ(finding.ranks.size(), 1u);
      const double own = computing[static_cast<std::size_t>(finding.ranks[0])];
      const auto all_ranks = static_cast<double>(computing.size());
      EXPECT_NEAR(std::stod(found[1]), own * (all_ranks - 1) / (all_ranks * mean - own), 0.051);
      EXPECT_GE(own / mean, 1.1);
      EXPECT_THAT(finding.text, Not(HasSubstr("without having computed more")));
      EXPECT_THAT(finding.text, Not(HasSubstr("not in total")));
    }
    if (const auto kind = kind_of(finding.cause)) {
      double waited = 0, through = 0;
      for (const int rank : finding.ranks) {
        waited += ranks[static_cast<std::size_t>(rank)].root.*kind;
        through += ranks[static_cast<std::size_t>(rank)].root_through.*kind;
      }
      EXPECT_NEAR(said(finding.text, "(?:(?:others|ranks) together lose|rank [0-9]+ loses) "), waited, 0.006 * waited);
      EXPECT_LE(through, waited * (1 + 1e-9));
      EXPECT_EQ(finding.text.find("of that indirectly") != std::string::npos, through > 0.01 * waited);
      EXPECT_NEAR(finding.cost_s, waited / static_cast<double>(ranks.size()), 1e-12);
      EXPECT_FALSE(finding.function.empty());
      const auto there = said(finding.text, "waiting for (?:it|them|each other)(?: \\([^)]*\\))?, ");
      if (there >= 0) EXPECT_LE(there, waited * 1.006);
    }
    const auto has = [&](const char* words) { return finding.text.find(words) != std::string::npos; };
    EXPECT_EQ(has("apart from waiting, it is ") || has("apart from waiting, they are "), !finding.longer_in.empty());
    if (has("the cause is calls")) {
      EXPECT_NE(finding.cause, Cause::imbalance);
      EXPECT_TRUE(finding.less.empty()) << "computation is not the cause";
      EXPECT_FALSE(loaded);
      EXPECT_TRUE(finding.cause != Cause::late_to_collective || !finding.longer_in.empty());
      by_calls += 1;
    }
    if (!finding.longer_in.empty()) {
      EXPECT_TRUE(has("the cause is calls")) << "which is said before the call";
      EXPECT_GE(said(finding.text, "apart from waiting, (?:it is|they are) "), 0.49 * finding.cost_s);
    }
    if (finding.cause == Cause::imbalance && finding.ranks.size() == 1)
      EXPECT_EQ(finding.text.find("not in total") != std::string::npos,
                computing[static_cast<std::size_t>(finding.ranks[0])] < mean);
    if (finding.cause == Cause::uneven_work) {
      EXPECT_TRUE(loaded || finding.text.find("nearly all that is computed") != std::string::npos);
      EXPECT_LT(all.pop.load_balance.value(), 1 / 1.1 + 1e-9);
    }
    if (finding.cause == Cause::in_turns || finding.cause == Cause::changing_work)
      EXPECT_LT(all.pop.serialization.value(), 1);
  }
  // What is lost is named.
  if (all.pop.parallel.value_or(1) < 0.7) EXPECT_FALSE(all.findings.empty());
  double root = 0;
  for (const auto& rank : ranks) root += rank.root.total();
  EXPECT_NEAR(root, all.waits.all.total(), 1e-9 * length_s);
}

TEST(Sentences, AreTrue) {
  std::size_t findings = 0, by_calls = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    const Program program(seed, 4 + static_cast<int>(seed % 20));
    TracedRun run(static_cast<int>(program.ranks));
    const int length = program.simulate(&run);
    const auto all = run.measure();
    expect_true(all, 1e-6 * length, by_calls);
    findings += all.findings.size();
    if (HasFailure()) return;
  }
  EXPECT_GT(findings, 2000u);
  EXPECT_GT(by_calls, 8u);
}

TEST(Sentences, AboutGainsAreTrue) {
  std::size_t gains = 0, moves = 0, littles = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const Program program(seed, 4 + static_cast<int>(seed % 20));
    TracedRun run(static_cast<int>(program.ranks));
    const double least = 0.01e-6 * program.simulate(&run);
    const auto all = run.measure({.halve = true});
    for (const auto& finding : all.findings) {
      SCOPED_TRACE(finding.text);
      const auto has = [&](const char* words) { return finding.text.find(words) != std::string::npos; };
      const double gain = finding.gain_s.value_or(0), moved = finding.moved_gain_s.value_or(0);
      if (finding.cause == metrics::Finding::Cause::function) {
        const auto half =
            std::ranges::find(all.critical_path.halved, finding.function, &metrics::CriticalPath::Halved::function);
        EXPECT_EQ(has("half as long"), half != all.critical_path.halved.end());
        if (half != all.critical_path.halved.end() && half->gain_s > least)
          EXPECT_NEAR(said(finding.text, "the run would be "), half->gain_s, 0.006 * half->gain_s);
        continue;
      }
      EXPECT_EQ(has(", the run would be "), gain > least);
      const bool little = moved < 0.5 * gain;
      EXPECT_EQ(has("; moving that work to the other ranks would gain only "), gain > least && moved > least && little);
      EXPECT_EQ(finding.worth_moving, moved > least);
      EXPECT_TRUE(!finding.worth_moving || finding.more_in_all);
      if (gain <= least) continue;
      ++gains;
      EXPECT_NEAR(said(finding.text, "the run would be "), gain, 0.006 * gain);
      const double less =
          std::accumulate(finding.less.begin(), finding.less.end(), 0.0) / static_cast<double>(finding.less.size());
      EXPECT_EQ(has(" computed nothing"), less >= 0.995);
      const auto& spent = all.he_sun.per_rank;
      double computing = 0, off = 0;  // the mean of all; how far from it the ranks are then, at most
      for (const auto& rank : spent) computing += rank.computing_s / static_cast<double>(spent.size());
      for (std::size_t i = 0; i < finding.ranks.size(); ++i)
        off = std::max(off, std::abs((1 - finding.less[i]) *
                                         spent[static_cast<std::size_t>(finding.ranks[i])].computing_s / computing -
                                     1));
      if (std::abs(off - 0.05) > 1e-9) EXPECT_EQ(has(", about the mean of all ranks, "), off < 0.05);
      if (moved <= least) continue;
      ++moves;
      littles += little;
      if (little) EXPECT_NEAR(said(finding.text, "would gain only "), moved, 0.006 * moved);
      EXPECT_LE(moved, gain + least);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(gains, 200u);
  EXPECT_GT(moves, 10u);
  EXPECT_GT(littles, 0u);
}

}  // namespace
}  // namespace skelgen::test
