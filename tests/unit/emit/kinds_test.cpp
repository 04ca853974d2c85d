// Iterations of several kinds run in proportion: how often what some of them do counts, and how long all take.

#include "emit/kinds.h"

#include <gmock/gmock.h>

#include <numeric>
#include <random>

#include "skel_sampling.h"
#include "unit/emit/programs.h"
#include "unit/emit/run.h"

namespace skelgen::emit {
namespace {

using namespace programs;

/// Of two ranks, 0.1 s of computation in each iteration and, in some, another 0.2 s and a barrier.
Skeleton now_and_then(const std::vector<std::int64_t>& when) {
  Builder b(2);
  Block sometimes, body, middle;
  sometimes.push_back(b.call("MPI_Barrier"));
  body.push_back(b.call("MPI_Comm_rank", {{"comm", constant(0)}}));
  body.push_back(b.loop(sequence(when), std::move(sometimes)));
  body.back().before.mean_s = {0.1, 0.1};
  body.back().loop().body[0].call().duration_s = {0.2, 0.2};
  middle.push_back(b.loop(constant(static_cast<std::int64_t>(when.size())), std::move(body)));
  return b.finish(std::move(middle));
}

/// 100 iterations that compute what `seconds` says, all of it sampled, before a barrier.
Skeleton computing(const std::vector<std::vector<float>>& seconds_of) {
  Builder b(static_cast<int>(seconds_of.size()));
  Block body, middle;
  body.push_back(b.call("MPI_Barrier"));
  body.push_back(b.call("MPI_Barrier"));
  for (const auto& seconds : seconds_of) {
    skeleton::Samples::OfLocation own{seconds, {}};
    for (std::uint32_t i = 1; i <= seconds.size(); ++i) own.ends.push_back(i);
    body.back().before.samples.of.push_back(own);
    body.back().before.mean_s.push_back(std::accumulate(seconds.begin(), seconds.end(), 0.0) /
                                        static_cast<double>(seconds.size()));
  }
  middle.push_back(b.loop(constant(static_cast<std::int64_t>(seconds_of[0].size())), std::move(body)));
  return b.finish(std::move(middle));
}

/// In one of 7 to 13 iterations, or one of 20 to 30.
std::vector<std::int64_t> irregularly(unsigned seed, unsigned least, unsigned most) {
  std::mt19937 random(seed);
  std::vector<std::int64_t> when(100, 0);
  for (std::size_t i = least; i < when.size(); i += least + random() % (most + 1 - least)) when[i] = 1;
  return when;
}

TEST(Kinds, WhatSomeIterationsDoCountsAsOftenAsItWasDone) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const auto when = seed % 2 ? irregularly(seed, 7, 13) : irregularly(seed, 20, 30);
    const auto plan = plan_scale(now_and_then(when), 10);
    ASSERT_EQ(plan.phases.size(), 3u);
    const Phase& phase = plan.phases[1];
    ASSERT_EQ(phase.chosen.size(), phase.kept);
    double all = 0, rare = 0;
    for (const auto& [iteration, weight] : phase.chosen) {
      all += phase.typical * weight;
      rare += phase.typical * weight * static_cast<double>(when.at(iteration));
    }
    EXPECT_NEAR(all, 99, 1e-9) << seed;
    EXPECT_NEAR(rare, static_cast<double>(std::accumulate(when.begin() + 1, when.end(), std::int64_t{0})), 1e-9)
        << seed;
    EXPECT_LT(phase.error, 1e-9) << seed;
    EXPECT_LE(plan.expected_run_s, 1.5 * 12.0 / 10 + 0.4) << seed;
  }
}

TEST(Kinds, NoIterationRunsTwice) {
  for (unsigned seed = 0; seed < 50; ++seed)
    for (const double k : {1.1, 1.3, 1.7, 2.0, 3.0, 5.0}) {
      const auto plan = plan_scale(now_and_then(irregularly(seed, 7, 13)), k);
      const auto& chosen = plan.phases.at(1).chosen;
      EXPECT_FALSE(chosen.empty());
      EXPECT_EQ(std::ranges::adjacent_find(chosen, {}, &Chosen::iteration), chosen.end()) << seed << ", K = " << k;
    }
}

TEST(Kinds, TheProgramKeepsAsManyAsItsTableHas) {
  // One more or less is kept than with K rounded to nine digits.
  for (const double k : {99 / 31.5 * (1 + 1e-12), 99 / 32.5}) {
    const auto skeleton = now_and_then(irregularly(1, 7, 13));
    const auto plan = plan_scale(skeleton, k);
    Scratch scratch;
    write(scratch.path / "p.skel", skeleton, plan, {});
    const auto text = read(scratch.path / "p.skel" / "skeleton.c");
    const double written = std::stod(text.substr(text.find(".scale = ") + 9));
    EXPECT_EQ(skel_iterations_kept(99, written, 1), plan.phases.at(1).chosen.size()) << text;
  }
}

TEST(Kinds, IterationsInWhichOneRankIsSlowRunInProportion) {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::vector<float>> seconds(4, std::vector<float>(100, 0.1F));
    for (std::size_t i = 0; i < 100; ++i)
      if (i % 10 == random() % 10) seconds[random() % 4][i] = 0.4F;
    const auto longest = [&](std::uint64_t i) {
      double most = 0;
      for (const auto& of : seconds) most = std::max<double>(most, of[i]);
      return most;
    };
    const auto plan = plan_scale(computing(seconds), 10);
    const Phase& phase = plan.phases.at(1);
    double all = 0, counted = 0;
    for (std::uint64_t i = 1; i < 100; ++i) all += longest(i);
    for (const auto& [iteration, weight] : phase.chosen) counted += phase.typical * weight * longest(iteration);
    EXPECT_NEAR(counted, all, 1e-6 * all) << round;
  }
}

TEST(Kinds, BytesCountAsOftenAsTheyWereSent) {
  // One statement that sends much now and then, and computes the same always.
  for (unsigned seed = 0; seed < 50; ++seed) {
    auto counts = irregularly(seed, 7, 13);
    for (auto& count : counts) count = 1000 + 100'000 * count;
    Builder b(2);
    Block body, middle;
    body.push_back(b.call("MPI_Bcast", {{"count", sequence(counts)}}));
    body.back().call().duration_s = {0.1, 0.1};
    middle.push_back(b.loop(constant(100), std::move(body), 0.1));
    const auto plan = plan_scale(b.finish(std::move(middle)), 10);
    double all = 0, counted = 0;
    for (std::size_t i = 1; i < 100; ++i) all += static_cast<double>(counts[i]);
    for (const auto& [iteration, weight] : plan.phases.at(1).chosen)
      counted += weight * static_cast<double>(counts.at(iteration));
    EXPECT_NEAR(counted, all, 1e-9 * all) << seed;
  }
}

TEST(Kinds, IterationsOfALoopInsideAnotherCountAsOftenAsTheyWereSent) {
  // As a multigrid: in each of 12 steps lengths go down and up, a few of 52 are long.
  for (const double k : {10.0, 40.0}) {
    Builder b(2);
    Block body, outer, middle;
    std::vector<std::int64_t> counts;
    for (int step = 0; step < 12; ++step)
      for (int i = 0; i < 52; ++i) counts.push_back(i % 13 < 3 ? 60'000 : i % 13 < 6 ? 15'000 : 100);
    body.push_back(b.call("MPI_Bcast", {{"count", sequence(counts)}}));
    body.back().call().duration_s = {1e-3, 1e-3};
    outer.push_back(b.loop(constant(52), std::move(body), 1e-3));
    outer.push_back(b.call("MPI_Barrier"));
    middle.push_back(b.loop(constant(12), std::move(outer)));
    const auto skeleton = b.finish(std::move(middle));
    const auto plan = plan_scale(skeleton, k);
    const auto runs = loop_runs(plan);
    double all = 0, counted = 0, iterations = 0;
    bool chosen = false;
    for (std::size_t p = 0; p < plan.phases.size(); ++p) {
      const Phase& phase = plan.phases[p];
      if (phase.around.empty()) continue;
      chosen = !phase.chosen.empty();
      for (const LoopRun& run : runs[p]) {
        const Cut cut = cut_of(plan, phase);
        for (std::uint64_t n = 0; n < cut.kept(run.trips); ++n) {
          EXPECT_GE(run.iteration(cut, n), run.first + 1);
          EXPECT_LT(run.iteration(cut, n), run.first + run.trips);
          counted += run.weight_of(cut, n) * static_cast<double>(counts.at(run.iteration(cut, n)));
          iterations += run.weight_of(cut, n);
        }
      }
    }
    for (std::size_t i = 0; i < counts.size(); ++i) all += i % 52 > 0 ? static_cast<double>(counts[i]) : 0;
    EXPECT_TRUE(chosen) << k;
    EXPECT_NEAR(iterations, 12 * 51, 1e-9) << k;
    EXPECT_NEAR(counted, all, 1e-9 * all) << k;
  }
}

TEST(Kinds, AnIterationOfALoopInsideThatComputesLittleCountsAsOftenAsItWas) {
  // As a sweep: rank 0 computes nothing in the last of 16 steps: these count 20 times in all.
  Builder b(2);
  Block body, outer, middle;
  body.push_back(b.call("MPI_Barrier"));
  for (int rank = 0; rank < 2; ++rank) {
    skeleton::Samples::OfLocation own;
    for (std::uint32_t sweep = 1; sweep <= 20; ++sweep) {
      for (int step = 0; step < 16; ++step) own.seconds.push_back(rank == 0 && step == 15 ? 0 : 4e-2F);
      own.ends.push_back(16 * sweep);
    }
    body.back().before.mean_s.push_back(std::accumulate(own.seconds.begin(), own.seconds.end(), 0.0) / 320);
    body.back().before.samples.of.push_back(std::move(own));
  }
  outer.push_back(b.loop(constant(16), std::move(body)));
  outer.push_back(b.call("MPI_Barrier"));
  middle.push_back(b.loop(constant(20), std::move(outer)));
  const auto skeleton = b.finish(std::move(middle));
  const auto plan = plan_scale(skeleton, 40);
  const auto runs = loop_runs(plan);
  double last = 0, all = 0;
  for (std::size_t p = 0; p < plan.phases.size(); ++p) {
    const Phase& phase = plan.phases[p];
    if (phase.around.empty()) continue;
    const Cut cut = cut_of(plan, phase);
    for (const LoopRun& run : runs[p])
      for (std::uint64_t n = 0; n < cut.kept(run.trips); ++n) {
        all += run.weight_of(cut, n);
        last += run.iteration(cut, n) % 16 == 15 ? run.weight_of(cut, n) : 0;
      }
  }
  EXPECT_NEAR(all, 20 * 15, 1e-9);
  EXPECT_NEAR(last, 20, 1e-9);
}

TEST(Kinds, IterationsOfRanksThatNumberThemOtherwiseAreThoseOfOneMoment) {
  // Rank 1 runs one more iteration before the others. In some iterations both send much.
  const auto chosen = [](const std::vector<std::int64_t>& of_0, const std::vector<std::int64_t>& of_1) {
    Builder b(2);
    Block body;
    auto counts = sequence(of_0);
    counts.choices.push_back(Sequence::of(of_1));
    counts.choice = {0, 1};
    body.push_back(b.call("MPI_Bcast", {{"count", counts}}));
    body.back().call().duration_s = {0.1, 0.1};
    const auto loop = b.loop(each({std::ssize(of_0), std::ssize(of_1)}), std::move(body));
    const std::vector<skeleton::Ends> ends{{1, 0}, {1 + of_1.size() - of_0.size(), 0}};
    std::vector<std::pair<std::uint64_t, double>> all;
    for (const auto& [iteration, weight] :
         kinds(loop, true, of_0.size(), {{0, of_0.size()}}, {.k = 10, .ends = ends[0]}, ends).chosen)
      all.emplace_back(iteration, weight);
    return all;
  };
  auto counts = irregularly(3, 7, 13);
  for (auto& count : counts) count = 1000 + 100'000 * count;
  auto later = counts;
  later.insert(later.begin(), 1000);
  EXPECT_FALSE(chosen(counts, counts).empty());
  EXPECT_EQ(chosen(counts, later), chosen(counts, counts));
}

TEST(Kinds, ComputationOfARankThatRunsOneMoreIterationIsThatOfTheSameMoment) {
  // Only rank 1 computes longer now and then; it runs as many iterations as rank 0, or one more before.
  const auto chosen = [](std::vector<std::int64_t> when, std::size_t more) {
    Builder b(2);
    Block body;
    body.push_back(b.call("MPI_Barrier"));
    const std::size_t of_0 = when.size();
    when.insert(when.begin(), more, 0);
    for (const std::size_t trips : {of_0, of_0 + more}) {
      skeleton::Samples::OfLocation own;
      for (std::uint32_t i = 0; i < trips; own.ends.push_back(++i))
        own.seconds.push_back(body.back().before.mean_s.size() == 1 && when[i] ? 0.4F : 0.1F);
      body.back().before.mean_s.push_back(std::accumulate(own.seconds.begin(), own.seconds.end(), 0.0) /
                                          static_cast<double>(trips));
      body.back().before.samples.of.push_back(std::move(own));
    }
    const auto loop =
        b.loop(each({std::ssize(when) - static_cast<std::int64_t>(more), std::ssize(when)}), std::move(body));
    const std::vector<skeleton::Ends> ends{{1, 0}, {1 + more, 0}};
    std::vector<std::pair<std::uint64_t, double>> all;
    for (const auto& [iteration, weight] :
         kinds(loop, true, of_0, {{0, of_0}}, {.k = 10, .ends = ends[0]}, ends).chosen)
      all.emplace_back(iteration, weight);
    return all;
  };
  const auto when = irregularly(3, 7, 13);
  EXPECT_FALSE(chosen(when, 0).empty());
  EXPECT_EQ(chosen(when, 1), chosen(when, 0));
}

TEST(Kinds, IterationsThatAreAlikeAreSpreadEvenly) {
  std::mt19937 random(7);
  std::vector<std::vector<float>> seconds(2, std::vector<float>(100));
  for (auto& of : seconds)
    for (auto& s : of) s = std::uniform_real_distribution<float>(0.097F, 0.103F)(random);
  EXPECT_TRUE(plan_scale(computing(seconds), 10).phases.at(1).chosen.empty());
  EXPECT_TRUE(plan_scale(ring(2, 1001, 1e-2), 10).phases.at(1).chosen.empty());
}

TEST(Kinds, OneOfManyKeptIterationsIsNoKindOfItsOwnIfThatMakesTheSkeletonLong) {
  std::vector<std::vector<float>> seconds(2, std::vector<float>(30, 0.1F));
  seconds[0][17] = 20;
  const auto plan = plan_scale(computing(seconds), 10);
  EXPECT_TRUE(plan.phases.at(1).chosen.empty());
}

TEST(Kinds, WhatALoopInsideTakesMakesNoKeptIterationLong) {
  // About one iteration in 25 runs a long loop, which is cut itself.
  for (unsigned seed = 0; seed < 50; ++seed) {
    auto when = irregularly(seed, 20, 30);
    for (auto& trips : when) trips *= 1000;
    Builder b(2);
    Block inner, body, middle;
    inner.push_back(b.call("MPI_Barrier"));
    inner.back().before.mean_s = {1e-3, 1e-3};
    body.push_back(b.call("MPI_Barrier"));
    body.back().before.mean_s = {1e-2, 1e-2};
    body.push_back(b.loop(sequence(when), std::move(inner)));
    middle.push_back(b.loop(constant(100), std::move(body)));
    const auto plan = plan_scale(b.finish(std::move(middle)), 20);
    const auto outer = std::ranges::find_if(plan.phases, [](const Phase& p) { return p.loop && p.around.empty(); });
    ASSERT_NE(outer, plan.phases.end());
    ASSERT_FALSE(outer->chosen.empty()) << seed;
    double rare = 0;
    for (const auto& [iteration, weight] : outer->chosen) rare += weight * (when.at(iteration) > 0);
    EXPECT_NEAR(rare, static_cast<double>(std::ranges::count(when, 1000)), 1e-9) << seed;
    double left = 0;
    for (const Phase& phase : plan.phases)
      if (phase.loop && !phase.around.empty()) left += phase.trips > phase.run();
    EXPECT_EQ(left, 1) << "the loop inside is cut, too";
    EXPECT_LE(plan.expected_run_s, 1.5 * plan.cut_s / 20 + 0.1) << seed;
  }
}

TEST(Run, ChosenIterationsRunAndCompute) {
  std::vector<std::vector<float>> seconds(2, std::vector<float>(100, 0.04F));
  for (const std::size_t i : {5u, 17u, 23u, 36u, 44u, 58u, 71u, 80u, 93u}) seconds[i % 2][i] = 0.16F;
  const auto skeleton = computing(seconds);
  for (const double scale : {10.0, 30.0}) {
    const auto plan = plan_scale(skeleton, scale);
    const Phase& phase = plan.phases.at(1);
    ASSERT_FALSE(phase.chosen.empty());
    Scratch scratch;
    const auto ran = run(scratch.path, skeleton, plan, "", "--json report.json", 0, "", computed_flags());
    ASSERT_EQ(ran.status, 0) << ran.output;
    for (std::size_t l = 0; l < 2; ++l) {
      // Kept iterations spend what theirs took, but for the factor that makes their sum what was traced.
      double counted = 0, kept = 0, all = 0;
      for (std::size_t i = 1; i < 100; ++i) all += seconds[l][i];
      for (const auto& [iteration, weight] : phase.chosen) {
        counted += weight * phase.typical * seconds[l][iteration];
        kept += seconds[l][iteration];
      }
      const double spent = std::stod(read(scratch.path / ("computed-" + std::to_string(l) + ".txt")));
      EXPECT_NEAR(spent, seconds[l][0] + kept * all / counted + 1e-4, 1e-3 * spent) << scale;
    }
  }
}

}  // namespace
}  // namespace skelgen::emit
