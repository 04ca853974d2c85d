// Simulated runs whose variances are known: as many of them lie in their intervals as these say.

#include "predict/interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace skelgen::predict {
namespace {

/// Standard deviations of logarithms of times.
struct World {
  double original, launch, iteration, skeleton;
  int traced;  ///< runs of the original that were traced
};

/// Share of runs of the original that lie in the interval of a prediction that was made for them.
double covered(const World& world, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  constexpr int kTrials = 4000, kIterations = 1000, kKept = 100;
  int inside = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    Evidence evidence;
    std::vector<double> originals;
    for (int i = 0; i < world.traced; ++i) originals.push_back(10 * std::exp(world.original * normal(random)));
    if (world.traced > 1) evidence.originals = originals;
    // The skeleton repeats the traced run of median time, wrongly by what all launches share.
    double sampled = 0;
    for (int i = 0; i < kKept; ++i) sampled += world.iteration * normal(random) / kKept;
    const double center = median(originals) * (1 + sampled) * std::exp(world.skeleton * normal(random));
    for (int i = 0; i < 5; ++i) evidence.launches.push_back(center * std::exp(world.launch * normal(random)));
    evidence.phases.push_back({.weight = static_cast<double>(kIterations) / kKept,
                               .iterations = kKept,
                               .deviation_s = world.iteration * 10 / kIterations});
    const auto interval = prediction_interval(median(evidence.launches), interval_parts(evidence), 0.95);
    const double run = 10 * std::exp(world.original * normal(random));
    inside += interval.low <= run && run <= interval.high;
  }
  return static_cast<double>(inside) / kTrials;
}

TEST(PredictionInterval, CoversWhatItSays) {
  std::mt19937_64 random(2024);
  for (const World& world :
       {World{0.015, 0.005, 0, 0.0125, 1}, World{0.015, 0.01, 0.1, 0.0125, 1}, World{0.005, 0.005, 0, 0.0125, 5},
        World{0.05, 0.01, 0, 0.0125, 5}, World{0.05, 0.05, 0.2, 0.0125, 5}, World{0.1, 0.02, 0, 0.0125, 5},
        World{0.2, 0.02, 0.1, 0.0125, 9}}) {
    const double share = covered(world, random);
    EXPECT_GE(share, 0.90) << world.original << ' ' << world.launch << ' ' << world.traced;
    EXPECT_LE(share, 0.99) << world.original << ' ' << world.launch << ' ' << world.traced;
  }
}

// The original may spread as much as the launches do here: of one that does not, more runs lie in the interval.
TEST(PredictionInterval, CoversMoreWhereLaunchesSpreadMoreThanOriginals) {
  std::mt19937_64 random(11);
  EXPECT_GE(covered({0.05, 0.1, 0, 0.0125, 3}, random), 0.95);
}

TEST(PredictionInterval, CoversWhereEachPartIsKnown) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> size(0.002, 0.1);
  for (int world = 0; world < 20; ++world) {
    std::vector<double> truth{size(random), size(random), size(random)};
    constexpr int kTrials = 2000, kDegrees = 4;
    int inside = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      double run = 0;
      std::vector<Part> parts;
      for (std::size_t i = 0; i < truth.size(); ++i) {
        run += truth[i] * normal(random);
        double squares = 0;  // the first one is estimated, the others are known
        for (int k = 0; k < kDegrees; ++k) squares += std::pow(normal(random), 2);
        parts.push_back(i ? Part{"known", truth[i]}
                          : Part{"estimated", truth[i] * std::sqrt(squares / kDegrees), kDegrees});
      }
      const auto interval = prediction_interval(1, parts, 0.95);
      inside += interval.low <= std::exp(run) && std::exp(run) <= interval.high;
    }
    const double share = static_cast<double>(inside) / kTrials;
    EXPECT_GE(share, 0.90) << truth[0] << ' ' << truth[1] << ' ' << truth[2];
    EXPECT_LE(share, 0.99) << truth[0] << ' ' << truth[1] << ' ' << truth[2];
  }
}

}  // namespace
}  // namespace skelgen::predict
