#include "predict/split.h"

#include <gmock/gmock.h>

#include <cmath>

#include "support/error.h"

namespace skelgen::predict {
namespace {

/// Two ranks and two phases: in the first one rank 1 computes `computed` s and rank 0 waits for it after 1 s, in the second one both
/// exchange for `exchanged` s.
SkeletonRun run(double computed, double exchanged) {
  SkeletonRun run;
  run.phases = {{.name = "work"}, {.name = "exchange"}};
  run.per_rank = {{{computed, exchanged}, {computed, exchanged}}, {{1, 0}, {computed, 0}}};
  run.finalize_s = 0.5;
  run.predicted_s = computed + exchanged + run.finalize_s;
  return run;
}

/// seconds(computation, latency, bandwidth) of the exchange, of which each is as after or as before.
template <class Seconds>
Split split_of(const Seconds& seconds, double computed = 2) {
  std::array<SkeletonRun, 8> runs;
  std::array<const SkeletonRun*, 8> all{};
  for (unsigned i = 0; i < 8; ++i) {
    runs[i] = run(i & 1 ? computed : 2, seconds((i & 1) != 0, (i & 2) != 0, (i & 4) != 0));
    all[i] = &runs[i];
  }
  return split(all);
}

TEST(Split, OneCauseHasAllOfTheDifference) {
  const auto by_latency = split_of([](bool, bool latency, bool) { return latency ? 4.0 : 1.0; });
  EXPECT_NEAR(by_latency.all.latency, 3, 1e-12);
  EXPECT_NEAR(by_latency.all.total(), 3, 1e-12);
  EXPECT_NEAR(by_latency.phases[1].parts.latency, 3, 1e-12);
  EXPECT_NEAR(by_latency.ranks[0].latency, 3, 1e-12);
  EXPECT_EQ(by_latency.before_s, 3.5);
  EXPECT_EQ(by_latency.after_s, 6.5);
  // Rank 1 computes for 6 s more: the average for 3 s more.
  const auto by_rank = split_of([](bool, bool, bool) { return 1.0; }, 8);
  EXPECT_NEAR(by_rank.all.computation, 3, 1e-12);
  EXPECT_NEAR(by_rank.all.imbalance, 3, 1e-12);
  EXPECT_NEAR(by_rank.all.waiting, 0, 1e-12);
  EXPECT_NEAR(by_rank.ranks[0].imbalance, -3, 1e-12);
  EXPECT_NEAR(by_rank.ranks[0].waiting, 6, 1e-12);
  EXPECT_NEAR(by_rank.ranks[1].imbalance, 3, 1e-12);
  EXPECT_NEAR(by_rank.ranks[1].waiting, 0, 1e-12);
}

TEST(Split, PartsAddUpWhereCausesHelpEachOther) {
  // Half of the bandwidth is felt only with the longer latency.
  const auto both = split_of([](bool, bool latency, bool bandwidth) { return latency && bandwidth ? 5.0 : 1.0; });
  EXPECT_NEAR(both.all.latency, 2, 1e-12);
  EXPECT_NEAR(both.all.bandwidth, 2, 1e-12);
  const auto odd = split_of(
      [](bool computation, bool latency, bool bandwidth) {
        return 1 + 0.3 * computation + 0.7 * latency * computation + std::sqrt(latency + 3.0 * bandwidth);
      },
      3);
  EXPECT_NEAR(odd.all.total(), odd.after_s - odd.before_s, 1e-12);
  EXPECT_NEAR(odd.all.waiting, 0.3 + 0.35, 1e-12);
}

TEST(Split, CausesAreThePartsThatMatter) {
  const auto named = [](const Parts& all) {
    std::string text;
    for (const auto& part : causes_of(all).parts) text += std::string(part.name) + " ";
    return text;
  };
  const Parts added{.computation = 0.3, .waiting = 0.001, .latency = 1};
  EXPECT_EQ(named(added), "latency computation ");
  EXPECT_FALSE(causes_of(added).cancel);
  const Parts cancelled{.computation = -10, .imbalance = 10.1, .bandwidth = 0.01};
  EXPECT_EQ(named(cancelled), "imbalance computation ");
  EXPECT_TRUE(causes_of(cancelled).cancel);
  EXPECT_EQ(named({}), "");
}

TEST(Split, PhasesThatDifferAreOne) {
  auto before = run(2, 1), after = run(2, 3);
  after.phases[1].name = "sort";
  std::array<const SkeletonRun*, 8> runs{};
  for (unsigned i = 0; i < 8; ++i) runs[i] = i & 4 ? &after : &before;
  const auto one = split(runs);
  ASSERT_EQ(one.phases.size(), 2u);
  EXPECT_EQ(one.phases[0].name, "run");
  EXPECT_EQ(one.phases[1].name, "finalize");
  EXPECT_NEAR(one.phases[0].parts.bandwidth, 2, 1e-12);
  after.per_rank->seconds.pop_back();
  EXPECT_THROW(split(runs), Error);
  after.per_rank.reset();
  EXPECT_THROW(split(runs), Error);
}

}  // namespace
}  // namespace skelgen::predict
