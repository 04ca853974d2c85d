// What the run would gain, against the run that was made again with shorter computation.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace skelgen::test
