// What the run would gain, against the run that was made again with shorter computation.
#include <gtest/gtest.h>

#include <cmath>

#include "property/metrics/program.h"

namespace skelgen::test {
namespace {

TEST(Halved, TheGainIsThatOfTheAlteredRun) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const Program program(seed);
    TracedRun run(static_cast<int>(program.ranks));
    const int whole = program.simulate(&run);
    const auto path = run.measure({.halve = true}).critical_path;
    EXPECT_NEAR(1e6 * path.seconds, whole, 1e-3);
    std::size_t ranks = 0;
    for (const auto& half : path.halved) {
      if (!half.rank) continue;
      ++ranks;
      const int altered = program.simulate([&](std::size_t rank, std::size_t, int compute) {
        return rank == static_cast<std::size_t>(*half.rank) ? compute / 2 : compute;
      });
      EXPECT_NEAR(1e6 * half.gain_s, whole - altered, 1e-3) << "rank " << *half.rank;
    }
    EXPECT_GE(ranks, 1u);
    EXPECT_TRUE(std::ranges::is_sorted(path.halved, std::greater<>(), &metrics::CriticalPath::Halved::gain_s));
  }
}

TEST(Findings, SayWhatTheAlteredRunGains) {
  std::size_t gains = 0, moves = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const Program program(seed);
    TracedRun run(static_cast<int>(program.ranks));
    const int whole = program.simulate(&run);
    const auto all = run.measure({.halve = true});
    for (const auto& finding : all.findings) {
      if (!finding.gain_s) continue;
      SCOPED_TRACE(finding.text);
      ++gains;
      const auto share = [&](std::size_t rank) {
        const auto own = std::ranges::find(finding.ranks, static_cast<int>(rank));
        return own == finding.ranks.end() ? 0 : finding.less[static_cast<std::size_t>(own - finding.ranks.begin())];
      };
      const int altered = program.simulate([&](std::size_t rank, std::size_t, int compute) {
        return static_cast<int>(std::lround((1 - share(rank)) * compute));
      });
      EXPECT_NEAR(1e6 * *finding.gain_s, whole - altered, 0.5 * static_cast<double>(program.calls.size()));
      EXPECT_LE(finding.cost_s, *finding.gain_s + (1 - finding.by_computing) * whole * 1e-6 + 1e-9);
      EXPECT_GT(finding.cost_s, 1e-8 * whole);
      if (!finding.moved_gain_s) continue;
      ++moves;
      // The others compute it, each as much of it as it has of what they are blocked.
      double moved = 0, blocked = 0;
      const auto& ranks = all.he_sun.per_rank;
      for (std::size_t r = 0; r < program.ranks; ++r) {
        moved += share(r) * ranks[r].computing_s;
        blocked += share(r) > 0 ? 0 : ranks[r].blocked_s;
      }
      const int other = program.simulate([&](std::size_t r, std::size_t, int compute) {
        const double times =
            share(r) > 0 ? 1 - share(r) : 1 + moved * ranks[r].blocked_s / blocked / ranks[r].computing_s;
        return static_cast<int>(std::lround(times * compute));
      });
      EXPECT_NEAR(1e6 * *finding.moved_gain_s, whole - other, static_cast<double>(program.calls.size()));
    }
  }
  EXPECT_GT(gains, 100u);
  EXPECT_GT(moves, 30u);
}

}  // namespace
}  // namespace skelgen::test
