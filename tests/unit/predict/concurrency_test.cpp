#include "predict/concurrency.h"

#include <gtest/gtest.h>

namespace skelgen::predict {
namespace {

/// Two ranks that compute 3 s and 1 s of 4 s each.
constexpr SkeletonRun::Computing kUneven{
    .mean_s = 2, .most_s = 3, .deviation_s = 1, .mean_of_all_s = 4, .longest_s = 4};

TEST(Concurrency, IsThatOfWhatWasCounted) {
  const auto all = concurrency_of(kUneven, 2, 1.0);
  EXPECT_DOUBLE_EQ(all.phi1.value(), 0.5);
  EXPECT_DOUBLE_EQ(all.phi2.value(), 0.5);
  EXPECT_DOUBLE_EQ(all.phi7.value(), 0.5);
  EXPECT_DOUBLE_EQ(all.load_balance.value(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(all.communication.value(), 0.75);
  EXPECT_DOUBLE_EQ(all.transfer.value(), 0.75);
  EXPECT_DOUBLE_EQ(all.he_sun_alpha.value(), (4.0 - 3) / (8 - 3));
}

TEST(Concurrency, TakesTheChainToBeAsLongAgainstTheBusiestRankAsItWas) {
  const auto in_turns = concurrency_of(kUneven, 2, 0.75);
  EXPECT_DOUBLE_EQ(in_turns.he_sun_alpha.value(), 0);
  EXPECT_DOUBLE_EQ(in_turns.transfer.value(), 1);
  const auto longer = concurrency_of(kUneven, 2, 0.5);  // no chain is longer than the run
  EXPECT_DOUBLE_EQ(longer.serialization.value(), 0.75);
  EXPECT_DOUBLE_EQ(longer.serialization.value() * longer.transfer.value(), longer.communication.value());
}

TEST(Concurrency, LeavesOutWhatIsNotKnown) {
  const auto all = concurrency_of(kUneven, 2, std::nullopt);
  EXPECT_TRUE(all.phi1);
  EXPECT_FALSE(all.he_sun_alpha);
  EXPECT_FALSE(all.serialization);
  const auto idle = concurrency_of({}, 2, 1.0);
  EXPECT_FALSE(idle.phi1);
  EXPECT_FALSE(idle.parallel);
}

TEST(Concurrency, IsOfTheLaunchInTheMiddle) {
  std::vector<SkeletonRun> runs(4);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].predicted_s = std::vector<double>{5, 1, 3, 2}[i];
    runs[i].computing = SkeletonRun::Computing{.mean_s = runs[i].predicted_s};
  }
  EXPECT_DOUBLE_EQ(computing_of(runs).value().mean_s, 2);
  EXPECT_FALSE(computing_of({SkeletonRun{}}));
}

}  // namespace
}  // namespace skelgen::predict
