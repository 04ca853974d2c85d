// Tables of computation that varies: the kept iterations compute their share of what was traced, the runtime reads the
// tables as they were made, and ranks that are slow in turn wait for each other.

#include "emit/varying.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "emit/typical.h"
#include "skel_sampling.h"
#include "unit/emit/programs.h"
#include "unit/emit/run.h"

namespace skelgen::emit {
namespace {

using namespace programs;
using Seconds = std::vector<std::vector<double>>;  ///< [iteration][pass]

/// How a loop of the top level is cut; kept = 0: it is not.
struct Kept {
  std::uint64_t trips = 1, kept = 0;
  /// Those that run.
  Iterations iterations() const {
    Iterations all{trips, {}};
    for (std::uint64_t n = 0; n < std::min(kept, kMostKept + 1); ++n)
      all.run.push_back({skel_iteration_kept(n, kept, trips - 1, 0), skel_weight(trips - 1, kept, 1)});
    return all;
  }
};

Table tables(const skeleton::Compute& compute, const std::vector<std::uint64_t>& occurrences, const Passes& passes,
             const Kept& loop, std::size_t most, std::uint64_t period = 1) {
  if (loop.kept == 0) return tabulate(compute, occurrences, passes, {}, {}, most);
  std::vector<std::uint64_t> sampled;
  const std::uint64_t rows = compute.samples.of[0].ends.size();
  for (std::uint64_t r = 0; r < rows; ++r) sampled.push_back(skel_iteration_sampled(r, rows, loop.trips - 1));
  return tabulate(compute, occurrences, passes, {loop.iterations()}, {sampled}, most, period);
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// What a location computed at a place.
struct Course {
  Seconds seconds;
  std::uint64_t occurrences() const {
    std::uint64_t n = 0;
    for (const auto& iteration : seconds) n += iteration.size();
    return n;
  }
  double total() const {
    double all = 0;
    for (const auto& iteration : seconds) all += sum(iteration);
    return all;
  }
  /// The samples that merging takes.
  skeleton::Samples::OfLocation sampled(std::uint64_t rows) const {
    skeleton::Samples::OfLocation own;
    for (std::uint64_t r = 0; r < rows; ++r) {
      const auto& iteration = seconds[skel_iteration_sampled(r, rows, seconds.size() - 1)];
      own.seconds.insert(own.seconds.end(), iteration.begin(), iteration.end());
      own.ends.push_back(static_cast<std::uint32_t>(own.seconds.size()));
    }
    return own;
  }
};

/// Every location's course at one place.
struct Place {
  std::vector<Course> of;
  skeleton::Compute compute(std::uint64_t rows) const {
    skeleton::Compute compute;
    for (const Course& course : of) {
      const auto n = course.occurrences();
      compute.mean_s.push_back(n ? course.total() / static_cast<double>(n) : 0);
      compute.samples.of.push_back(course.sampled(std::min<std::uint64_t>(rows, course.seconds.size())));
    }
    return compute;
  }
  std::vector<std::uint64_t> occurrences() const {
    std::vector<std::uint64_t> all;
    for (const Course& course : of) all.push_back(course.occurrences());
    return all;
  }
  Table table(std::uint64_t rows, const Kept& loop, std::size_t most, std::uint64_t period = 1) const {
    return tables(
        compute(rows), occurrences(),
        [&](std::size_t at, std::uint64_t iteration) { return of[at].seconds[iteration].size(); }, loop, most, period);
  }
};

/// What a location spends in iteration i, passing the place `passes` times after `before` others in the same row.
double spent(const Table& table, std::size_t at, const Kept& loop, std::uint64_t i, std::uint64_t passes,
             std::uint64_t before = 0) {
  const auto& own = table.of[at];
  double seconds = 0;
  const std::uint64_t row =
      table.begin.empty() ? skel_row(i, table.rows, loop.trips - 1) : skel_row_from(i, table.rows, table.begin.data());
  for (std::uint64_t v = before; v < before + passes; ++v)
    seconds += own.unit_s * own.numbers.at(row * table.columns +
                                           skel_column(v, table.columns, own.passes, table.passes_per_execution));
  return seconds;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  /// Some courses are seldom busy, some have spikes, some a course over the iterations.
  double seconds(int kind, std::uint64_t i) {
    const double s = 1e-6 * static_cast<double>(1 + below(10000));
    switch (kind) {
      case 0:
        return below(37) == 0 ? 1e-2 : 0;
      case 1:
        return below(100) == 0 ? 1000 * s : s;
      case 2:
        return s + 1e-4 * static_cast<double>(i);
      default:
        return s;
    }
  }

 private:
  std::mt19937_64 random_;
};

TEST(Varying, WhatOnePassOfAnInnerLoopComputesStaysThere) {
  // Of 31 passes of an inner loop one computes, on each rank another one; the inner loop runs 16 times in an iteration, 8 in the first.
  constexpr std::uint64_t kPasses = 31;
  Place place;
  for (std::uint64_t l = 0; l < 2; ++l) {
    Course course;
    for (int i = 0; i < 75; ++i) {
      auto& iteration = course.seconds.emplace_back();
      for (int j = 0; j < (i ? 16 : 8); ++j)
        for (std::uint64_t k = 0; k < kPasses; ++k) iteration.push_back(k == 5 + l ? 3e-3 : 1e-7);
    }
    place.of.push_back(std::move(course));
  }
  const Kept loop{75, 7};
  const auto table = place.table(75, loop, 1024, kPasses);
  ASSERT_EQ(table.of.size(), 2u);
  EXPECT_EQ(table.passes_per_execution, kPasses);
  EXPECT_LE(table.rows * table.columns, 1024u);
  for (std::size_t at = 0; at < 2; ++at) {
    for (const auto& [i, weight] : loop.iterations().run)
      for (std::uint64_t j = 0; j < 16; ++j)
        EXPECT_NEAR(spent(table, at, loop, i, kPasses, kPasses * j), 3.003e-3, 1e-5) << at << " " << i << " " << j;
    EXPECT_NEAR(spent(table, at, loop, 0, kPasses, kPasses * 3), 3.003e-3, 1e-5);
  }
}

TEST(Varying, IterationsThatRunAtUnequalDistancesComputeTheirOwn) {
  // Those of a loop inside another one that run: of its 16 in executions 0 and 3 of five, the first ones among them.
  Place place;
  place.of.resize(2);
  for (int i = 0; i < 80; ++i)
    for (int l = 0; l < 2; ++l) place.of[l].seconds.push_back({i % 16 == 15 * l ? 1e-3 : 5e-2});
  Iterations loop{80, {}};
  for (const std::uint64_t i : {3, 7, 11, 15}) loop.run.push_back({i, 3.75});
  loop.run.push_back({48, 4});
  for (const std::uint64_t i : {51, 55, 59, 63}) loop.run.push_back({i, 15});
  std::vector<std::uint64_t> sampled(80);
  std::iota(sampled.begin(), sampled.end(), 0);
  const auto table = tabulate(
      place.compute(80), place.occurrences(), [](std::size_t, std::uint64_t) { return 1; }, {loop}, {sampled}, 1024);
  ASSERT_EQ(table.of.size(), 2u);
  for (std::size_t at = 0; at < 2; ++at) {
    double rest = place.of[at].total() - place.of[at].seconds[0][0];
    for (const auto& [i, weight] : loop.run) {
      const double own = spent(table, at, {80, 9}, i, 1);
      EXPECT_EQ(own < 5e-3, i % 16 == 15 * at) << i << " at " << at;
      rest -= weight * own;
    }
    EXPECT_NEAR(rest, 0, 1e-5);
    // With another K rows stand for equal parts.
    double all = 0;
    for (std::uint64_t i = 0; i < 80; ++i)
      all += table.of[at].unit_s * table.of[at].numbers.at(skel_row(i, table.rows, 79));
    EXPECT_NEAR(all, place.of[at].total(), 0.1 * place.of[at].total());
  }
}

TEST(Varying, KeptIterationsComputeTheirShareAndTheFirstOneItsOwn) {
  Random random(7);
  int tables = 0;
  for (int round = 0; round < 1000; ++round) {
    const std::uint64_t trips = 3 + random.below(300), most_passes = 1 + random.below(round % 3 == 0 ? 200 : 10);
    const bool even = round % 2 == 0, all_sampled = !even || round % 4 == 0;
    const std::uint64_t rows = all_sampled ? trips : 2 + random.below(trips - 1), most = 2 + random.below(1100);
    const Kept loop{trips, 1 + random.below(trips - 1)};
    Place place;
    for (int l = 0; l < 2; ++l) {
      Course course;
      for (std::uint64_t i = 0; i < trips; ++i) {
        auto& iteration = course.seconds.emplace_back();
        for (std::uint64_t k = even ? most_passes : random.below(most_passes + 1); k > 0; --k)
          iteration.push_back(random.seconds(round % 5, i));
      }
      place.of.push_back(std::move(course));
    }
    const Table table = place.table(rows, loop, most);
    if (table.of.empty()) continue;
    ++tables;
    for (std::size_t at = 0; at < 2; ++at) {
      const Course& course = place.of[at];
      EXPECT_LE(table.of[at].numbers.size(), most);
      ASSERT_EQ(table.of[at].numbers.size(), table.rows * table.columns);
      const double first = sum(course.seconds[0]), rest = course.total() - first;
      const double rounding =
          1e-3 * course.total() / static_cast<double>(course.occurrences()) * static_cast<double>(most_passes);
      EXPECT_NEAR(spent(table, at, loop, 0, course.seconds[0].size()), first, 2e-2 * first + rounding) << round;
      double kept = 0;
      for (std::uint64_t n = 0; n < loop.kept; ++n) {
        const auto i = skel_iteration_kept(n, loop.kept, loop.trips - 1, 0);
        kept += spent(table, at, loop, i, course.seconds[i].size());
      }
      const double share = static_cast<double>(loop.kept) / static_cast<double>(trips - 1);
      EXPECT_NEAR(kept, share * rest, 1e-6 * course.total()) << round;
    }
  }
  EXPECT_GT(tables, 800);
}

TEST(Varying, IterationsThatPassThePlaceUnequallyOftenAreWeighedAsTheyAre) {
  Random random(9);
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t trips = 3 + random.below(60);
    const Kept loop{trips, trips - 1};  // every row is used once
    Place place{{Course{}}};
    for (std::uint64_t i = 0; i < trips; ++i) {
      auto& iteration = place.of[0].seconds.emplace_back();
      for (std::uint64_t k = 1 + random.below(8); k > 0; --k) iteration.push_back(random.seconds(3, i));
    }
    const Table table = place.table(trips, loop, 1024);
    ASSERT_EQ(table.of.size(), 1u);
    double all = 0;
    for (std::uint64_t i = 0; i < trips; ++i) all += spent(table, 0, loop, i, place.of[0].seconds[i].size());
    EXPECT_NEAR(all, place.of[0].total(), 1e-3 * place.of[0].total());
  }
}

TEST(Varying, ALoopThatIsNotCutComputesAllOfIt) {
  Random random(8);
  int tables = 0;
  for (int round = 0; round < 2000; ++round) {
    Place place;
    for (int l = 0; l < 3; ++l) {
      Course course;
      course.seconds.resize(1 + random.below(l == 0 ? 20 : 400));
      for (auto& iteration : course.seconds)
        for (std::uint64_t k = random.below(5) + 1; k > 0; --k) iteration.push_back(random.seconds(round % 5, k));
      place.of.push_back(std::move(course));
    }
    const Table table = place.table(1024, {}, 2 + random.below(1100));
    if (table.of.empty()) continue;
    ++tables;
    EXPECT_EQ(table.rows, 1u);
    for (std::size_t at = 0; at < 3; ++at)
      EXPECT_NEAR(spent(table, at, {}, 0, place.of[at].occurrences()), place.of[at].total(),
                  1e-6 * place.of[at].total());
  }
  EXPECT_GT(tables, 1800);
}

TEST(Varying, ARampStaysARampOnRanksThatRunDifferentlyOften) {
  Place place;
  for (const std::size_t trips : {100, 2000}) {
    Course course;
    for (std::size_t i = 0; i < trips; ++i) course.seconds.push_back({1e-6 * static_cast<double>(i)});
    place.of.push_back(std::move(course));
  }
  const Table table = place.table(1024, {}, 1024);
  ASSERT_EQ(table.of.size(), 2u);
  for (std::size_t at = 0; at < 2; ++at) {
    const auto n = place.of[at].occurrences();
    EXPECT_NEAR(spent(table, at, {}, 0, n), place.of[at].total(), 1e-6 * place.of[at].total());
    EXPECT_NEAR(spent(table, at, {}, 0, n / 2), 0.25 * place.of[at].total(), 0.02 * place.of[at].total());
  }
}

TEST(Varying, ARankThatComputesNothingHasNothing) {
  const Place place{{Course{{{1e-3}, {0.5e-3}, {1.5e-3}}}, Course{{{}, {}, {}}}}};
  const Table table = place.table(3, {3, 1}, 100);
  ASSERT_EQ(table.of.size(), 2u);
  EXPECT_EQ(table.of[1].unit_s, 0);
  EXPECT_GT(table.of[0].unit_s, 0);
}

TEST(Varying, SamplesThatDoNotShowTheTimeMakeNoTable) {
  Place place{{Course{}}};
  for (int i = 0; i < 100; ++i) place.of[0].seconds.push_back({i == 40 ? 1.0 : 0.0});
  EXPECT_TRUE(place.table(10, {100, 9}, 100).of.empty());
  // All iterations together, as with another scale, would compute a thousand times as long.
  for (auto& iteration : place.of[0].seconds) iteration[0] = std::max(iteration[0], 1e-5);
  EXPECT_TRUE(place.table(100, {100, 9}, 100).of.empty());
}

TEST(Varying, CutLoopsThatRanksRunDifferentlyOftenHaveNoCommonRows) {
  const Place place{{Course{{{1e-3}, {2e-3}, {1e-3}}}, Course{{{1e-3}, {2e-3}}}}};
  EXPECT_TRUE(place.table(3, {3, 1}, 100).of.empty());
}

TEST(Varying, PlacesThatSomeIterationsPassSeldomAreSpentWhatTheyTook) {
  // 50 passes in each iteration; computation in one of ten iterations only.
  Place seldom{{Course{}}};
  for (int i = 0; i < 200; ++i) seldom.of[0].seconds.push_back(std::vector<double>(50, i % 10 == 3 ? 1e-3 : 0));
  const Kept loop{200, 60};
  const Table table = seldom.table(200, loop, 1024);
  ASSERT_EQ(table.of.size(), 1u);
  double kept = 0;
  for (std::uint64_t n = 0; n < loop.kept; ++n)
    kept += spent(table, 0, loop, skel_iteration_kept(n, loop.kept, loop.trips - 1, 0), 50);
  EXPECT_NEAR(kept, 60.0 / 199 * seldom.of[0].total(), 1e-6);
}

TEST(Varying, AShortIterationStandsForALongOne) {
  // The sampled iterations have 5 passes, the others 50.
  Place place{{Course{}}};
  for (int i = 0; i < 21; ++i) place.of[0].seconds.push_back(std::vector<double>(50, 1e-3));
  for (std::uint64_t r = 0; r < 11; ++r) place.of[0].seconds[skel_iteration_sampled(r, 11, 20)].resize(5);
  for (auto& iteration : place.of[0].seconds) iteration[0] = 4e-3;
  const Kept loop{21, 20};
  const Table table = place.table(11, loop, 1024);
  ASSERT_EQ(table.of.size(), 1u);
  double all = spent(table, 0, loop, 0, 5);
  for (std::uint64_t i = 1; i < 21; ++i) all += spent(table, 0, loop, i, place.of[0].seconds[i].size());
  EXPECT_NEAR(all, place.of[0].total(), 1e-3 * place.of[0].total());
  EXPECT_NEAR(spent(table, 0, loop, 2, 25, 25), spent(table, 0, loop, 2, 25), 1e-6)
      << "behind its end a row begins again, spikes included";
}

TEST(Varying, SamplesThatAreNotOneForEachPassMakeNoTable) {
  const Place place{{Course{{{1e-3, 2e-3}, {1e-3}, {2e-3}}}}};
  const auto twice = [](std::size_t, std::uint64_t) { return std::uint64_t{2}; };
  EXPECT_TRUE(tables(place.compute(3), place.occurrences(), twice, {3, 1}, 100).of.empty());
}

TEST(Varying, OfTooManyKeptIterationsTheMeanIsComputed) {
  const Place place{{Course{{{1e-3}, {2e-3}, {3e-3}}}}};
  const auto table = [&](std::uint64_t kept) {
    const auto once = [](std::size_t, std::uint64_t) { return std::uint64_t{1}; };
    return tables(place.compute(3), {2 * kept + 1}, once, {2 * kept + 1, kept}, 100);
  };
  EXPECT_FALSE(table(1000).of.empty());
  EXPECT_TRUE(table(kMostKept + 1).of.empty());
}

TEST(Counted, PassesAreWhatRunningTheLoopsGives) {
  Random random(12);
  const auto some = [&](std::uint64_t n) {
    std::vector<std::int64_t> all;
    const std::uint64_t kind = random.below(4), a = random.below(4), period = 1 + random.below(5);
    for (std::uint64_t k = 0; k < n; ++k)
      all.push_back(static_cast<std::int64_t>(kind == 0   ? a
                                              : kind == 1 ? a + k
                                              : kind == 2 ? n - 1 - k
                                              : period > 3 || k < period
                                                  ? random.below(3)
                                                  : static_cast<std::uint64_t>(all[k - period])));
    return all;
  };
  for (int round = 0; round < 500; ++round) {
    // for i < trips: for j < outer[i]: { for k < inner[...]: call }
    const std::uint64_t trips = 2 + random.below(30);
    const auto outer = some(trips);
    const auto entered = static_cast<std::uint64_t>(std::accumulate(outer.begin(), outer.end(), std::int64_t{0}));
    if (entered == 0) continue;
    const auto inner = some(entered);
    Builder b(1);
    Block innermost, body, middle;
    innermost.push_back(b.call("MPI_Barrier"));
    body.push_back(b.loop(sequence(inner), std::move(innermost)));
    middle.push_back(b.loop(sequence(outer), std::move(body)));
    const Node top = b.loop(constant(static_cast<std::int64_t>(trips)), std::move(middle));
    const Node& second = top.loop().body[0];
    const Node& third = second.loop().body[0];
    const Counted before_inner({&top, &second}, third, false), between_inner({&top, &second}, third, true),
        leaf({&top, &second, &third}, third.loop().body[0], false), between_outer({&top}, second, true),
        between_top({&top}, top, true);
    std::size_t j = 0;
    for (std::uint64_t i = 0; i < trips; ++i) {
      std::uint64_t calls = 0, between = 0;
      for (std::int64_t n = 0; n < outer[i]; ++n, ++j) {
        calls += static_cast<std::uint64_t>(inner[j]);
        between += static_cast<std::uint64_t>(std::max<std::int64_t>(inner[j] - 1, 0));
      }
      ASSERT_EQ(before_inner.passes(0, i), static_cast<std::uint64_t>(outer[i]));
      ASSERT_EQ(between_outer.passes(0, i), static_cast<std::uint64_t>(std::max<std::int64_t>(outer[i] - 1, 0)));
      ASSERT_EQ(leaf.passes(0, i), calls);
      ASSERT_EQ(between_inner.passes(0, i), between);
      ASSERT_EQ(between_top.passes(0, i), i > 0);
    }
  }
}

TEST(Tabulate, TheFirstIterationCountsAsOftenAsItRuns) {
  // Of a loop inside another one the first iteration of all may run and stand for others, or not run.
  Random random(11);
  Course course;
  for (std::uint64_t i = 0; i < 100; ++i)
    course.seconds.push_back({i == 0 ? 0.5 : 0.1 + 1e-3 * static_cast<double>(random.below(100))});
  const Place place{{course}};
  const Kept loop{100, 10};
  std::vector<std::uint64_t> sampled;
  for (std::uint64_t r = 0; r < 100; ++r) sampled.push_back(r);
  for (const double first : {0.0, 1.0, 4.25}) {
    Iterations iterations = loop.iterations();
    iterations.first = first;
    const Table table = tabulate(
        place.compute(100), place.occurrences(), [](std::size_t, std::uint64_t) { return std::uint64_t{1}; },
        {iterations}, {sampled}, 1024);
    ASSERT_EQ(table.of.size(), 1u);
    double counted = first * spent(table, 0, loop, 0, 1);
    for (const auto& [number, weight] : iterations.run) counted += weight * spent(table, 0, loop, number, 1);
    EXPECT_NEAR(counted, course.total(), 1e-4 * course.total()) << first;  // numbers are rounded
  }
}

TEST(Typical, KeptIterationsTimesTheWeightAreTheTracedTime) {
  Random random(13);
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t trips = 20 + random.below(200), period = 2 + random.below(60), offset = random.below(period);
    std::vector<std::int64_t> rare;
    for (std::uint64_t i = 0; i < trips; ++i)
      rare.push_back(round % 2 == 0 ? i % period == offset : static_cast<std::int64_t>(random.below(4)));
    Builder b(2);
    Block sometimes, body;
    sometimes.push_back(b.call("MPI_Barrier"));
    sometimes.back().call().duration_s = {5e-3, 5e-3};
    body.push_back(b.call("MPI_Comm_rank", {{"comm", constant(0)}}));
    body.back().call().duration_s = {1e-3, 1e-3};
    body.push_back(b.loop(sequence(rare), std::move(sometimes)));
    body.back().before.mean_s = {2e-4, 0};
    body.back().loop().between.mean_s = {3e-4, 1e-4};
    const Node loop = b.loop(constant(static_cast<std::int64_t>(trips)), std::move(body));
    const auto seconds = [&](std::uint64_t i) {
      const auto times = static_cast<double>(rare[i]);
      return 2 * (1e-3 + 5e-3 * times) + 2e-4 + 4e-4 * std::max(0.0, times - 1);
    };
    const std::uint64_t kept_trips = 1 + random.below(trips - 2);
    const Cut cut{1e9, kept_trips, 1};
    ASSERT_EQ(cut.kept(trips), kept_trips);
    double all = 0, kept = 0;
    for (std::uint64_t i = 1; i < trips; ++i) all += seconds(i);
    for (std::uint64_t n = 0; n < kept_trips; ++n) kept += seconds(skel_iteration_kept(n, kept_trips, trips - 1, 0));
    const double weight =
        typical(loop, {{0, trips, 1, 0}}, cut) * static_cast<double>(trips - 1) / static_cast<double>(kept_trips);
    EXPECT_NEAR(weight * kept, all, 1e-9 * all);
  }
}

TEST(Typical, OfManyIterationsSomeAreLookedAt) {
  Builder b(2);
  Block sometimes, body;
  sometimes.push_back(b.call("MPI_Barrier"));
  body.push_back(b.call("MPI_Comm_rank", {{"comm", constant(0)}}));
  body.push_back(b.loop(sequence({0, 3, 1, 0, 1, 1, 0, 3, 1, 0, 1, 1}), std::move(sometimes)));
  ASSERT_EQ(body.back().loop().trips.choices[0].kind, Sequence::Kind::periodic);
  const Node loop = b.loop(constant(1'000'000'000'000), std::move(body));
  EXPECT_NEAR(typical(loop, {{0, 1'000'000'000'000, 1, 0}}, {10, 1, 1}), 1, 1e-3);
}

/// Two ranks that meet at a barrier, then at others before which they compute what `place` says; rank 0 says how often.
Skeleton meeting(const Place& place, std::uint64_t rows) {
  Builder b(2);
  Block body, inner;
  body.push_back(b.call("MPI_Barrier"));
  std::vector<std::int64_t> passes;
  for (const auto& iteration : place.of[0].seconds) passes.push_back(static_cast<std::int64_t>(iteration.size()));
  inner.push_back(b.call("MPI_Comm_rank", {{"comm", constant(0)}}));
  inner.push_back(b.call("MPI_Barrier"));
  inner.back().before = place.compute(rows);
  body.push_back(b.loop(sequence(passes), std::move(inner)));
  Block middle;
  middle.push_back(b.loop(constant(static_cast<std::int64_t>(place.of[0].seconds.size())), std::move(body)));
  return b.finish(std::move(middle));
}

/// The emitted program asks its runtime for the computation that the tables hold: sums by rank, nothing is spent.
TEST(Run, TheProgramSpendsWhatTheTablesSay) {
  Random random(11);
  const std::vector<std::vector<int>> courses{{7}, {0, 9, 1}, {6, 5, 4, 3, 2, 1, 0}};  // passes of the iterations
  for (const auto& passes : courses)
    for (const auto& [scale, rows] : {std::pair<double, std::uint64_t>{1, 40}, {3, 17}}) {
      Place place{{Course{}, Course{}}};
      for (std::uint64_t i = 0; i < 40; ++i)
        for (Course& course : place.of) {
          course.seconds.emplace_back();
          for (int k = 0; k < passes[i % passes.size()]; ++k)
            course.seconds.back().push_back(1e-3 + random.seconds(2, i));
        }
      const auto skeleton = meeting(place, rows);
      skeleton::check(skeleton);
      auto plan = plan_scale(skeleton, scale);
      ASSERT_EQ(plan.phases.size(), 3u) << "one loop is cut";
      plan.phases[1].chosen.clear();  // all count alike
      Scratch scratch;
      const auto ran = run(scratch.path, skeleton, plan, "", "", 0, "", computed_flags());
      ASSERT_EQ(ran.status, 0) << ran.output;
      for (std::size_t l = 0; l < 2; ++l) {
        const double first = sum(place.of[l].seconds[0]), rest = place.of[l].total() - first;
        const double spent = std::stod(read(scratch.path / ("computed-" + std::to_string(l) + ".txt")));
        EXPECT_NEAR(spent, first + rest / plan.phases[1].weight + 1e-4, 1e-3 * spent) << "1e-4 s before MPI_Finalize";
      }
    }
}

TEST(Run, WhatComesEverySoManyIterationsIsKeptAsOftenAsItShouldBe) {
  for (const std::int64_t period : {7, 10, 20}) {
    for (const std::int64_t offset : {std::int64_t{0}, period / 2, period - 1}) {
      Builder b(2);
      std::vector<std::int64_t> rare;
      for (std::int64_t i = 0; i < 1000; ++i) rare.push_back(i % period == offset);
      Block sometimes, body, middle;
      sometimes.push_back(b.call("MPI_Barrier"));
      body.push_back(b.call("MPI_Comm_rank", {{"comm", constant(0)}}));
      body.push_back(b.loop(sequence(rare), std::move(sometimes)));
      Node loop = b.loop(constant(1000), std::move(body));
      loop.loop().between.mean_s = {3e-3, 3e-3};
      middle.push_back(std::move(loop));
      const auto skeleton = b.finish(std::move(middle));
      skeleton::check(skeleton);
      const auto plan = plan_scale(skeleton, 10);
      ASSERT_EQ(plan.phases.size(), 3u) << "one loop is cut";
      ASSERT_EQ(plan.phases[1].kept, 100u);
      std::int64_t kept = 0;
      for (std::uint64_t n = 0; n < 100; ++n)
        kept += rare[static_cast<std::size_t>(skel_iteration_kept(n, 100, 999, 0))];
      EXPECT_NEAR(static_cast<double>(kept), 100.0 / static_cast<double>(period), 2.01) << period << ", " << offset;
      if (period != 10 || offset == 5) continue;
      Scratch scratch;
      ASSERT_EQ(run(scratch.path, skeleton, plan).status, 0);
      const auto calls = read(scratch.path / "calls-1.txt");
      std::int64_t barriers = 0;
      for (auto at = calls.find("MPI_Barrier"); at != std::string::npos; at = calls.find("MPI_Barrier", at + 1))
        ++barriers;
      EXPECT_EQ(barriers, kept + (offset == 0)) << "the first iteration and the kept ones";
    }
  }
}

TEST(Run, RanksThatAreSlowInTurnWaitForEachOther) {
  Place place{{Course{}, Course{}}};
  for (int i = 0; i < 400; ++i)
    for (int l = 0; l < 2; ++l) place.of[static_cast<std::size_t>(l)].seconds.push_back({i % 2 == l ? 2e-3 : 0.0});
  const auto skeleton = meeting(place, 400);
  for (const double scale : {1.0, 3.0}) {
    Scratch scratch;
    const auto ran =
        run(scratch.path, skeleton, plan_scale(skeleton, scale), "SKEL_COMPUTE=time", "--json report.json");
    ASSERT_EQ(ran.status, 0) << ran.output;
    EXPECT_GT(nlohmann::json::parse(read(scratch.path / "report.json"))["predicted_s"], 0.76)
        << "every iteration takes as long as its slower rank, 2 ms";
  }
}

}  // namespace
}  // namespace skelgen::emit
