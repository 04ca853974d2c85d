// Tables of computation that varies: the kept iterations compute their share of what was traced, and ranks that are
// slow in turn wait for each other.

#include "emit/varying.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "unit/emit/programs.h"
#include "unit/emit/run.h"

namespace skelgen::emit {
namespace {

using namespace programs;
using Seconds = std::vector<std::vector<double>>;  ///< [iteration][occurrence]

/// The samples that merging takes of a location that computed this.
skeleton::Samples::OfLocation sampled(const Seconds& all, std::uint64_t rows) {
  skeleton::Samples::OfLocation own;
  for (std::uint64_t r = 0; r < rows; ++r) {
    const auto& iteration = all[skeleton::sampled_iteration(r, rows, all.size())];
    own.seconds.insert(own.seconds.end(), iteration.begin(), iteration.end());
    own.ends.push_back(static_cast<std::uint32_t>(own.seconds.size()));
  }
  return own;
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

struct Traced {
  double total = 0;
  std::uint64_t occurrences = 0;
};
Traced traced(const Seconds& all) {
  Traced t;
  for (const auto& iteration : all) {
    t.total += sum(iteration);
    t.occurrences += iteration.size();
  }
  return t;
}

/// What the runtime spends in iteration i, passing the place n times.
double spent(const Table& table, const Table::OfLocation& own, const Cut& loop, std::uint64_t i, std::uint64_t n) {
  const auto row = i > 0 && table.rows > 1 ? 1 + (i - 1) * (table.rows - 1) / (loop.trips - 1) : 0;
  double seconds = 0;
  for (std::uint64_t at = 0; at < n; ++at) {
    const auto column = std::min(at * table.columns / table.count, table.columns - 1);
    seconds += own.unit_s * own.numbers.at(row * table.columns + column);
  }
  return seconds;
}

TEST(Varying, KeptIterationsComputeTheirShareAndTheFirstOneItsOwn) {
  std::mt19937_64 random(7);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  for (int round = 0; round < 2000; ++round) {
    const std::uint64_t trips = 3 + below(300), each = 1 + below(round % 3 == 0 ? 200 : 10);
    const std::uint64_t rows = 2 + below(trips - 1), most = 2 + below(1100);
    Cut loop{trips, 1 + below(trips - 1)};
    Seconds all(trips);
    for (auto& iteration : all)
      for (std::uint64_t k = 0; k < each; ++k) iteration.push_back(1e-6 * static_cast<double>(1 + below(10000)));
    const auto [total, occurrences] = traced(all);
    skeleton::Compute compute;
    compute.mean_s = {total / static_cast<double>(occurrences)};
    compute.samples.of = {sampled(all, rows)};
    const Table table = tabulate(compute, {occurrences}, loop, most);
    ASSERT_EQ(table.of.size(), 1u);
    ASSERT_EQ(table.of[0].numbers.size(), table.rows * table.columns);
    EXPECT_LE(table.of[0].numbers.size(), most + 1);
    const double first = sum(all[0]);
    if (table.columns == table.count) {
      EXPECT_NEAR(spent(table, table.of[0], loop, 0, each), first, 1e-2 * first);
    }
    double kept = 0;
    for (std::uint64_t n = 0; n < loop.kept; ++n) {
      const auto i = 1 + static_cast<std::uint64_t>((static_cast<double>(n) + 0.5) * static_cast<double>(trips - 1) /
                                                    static_cast<double>(loop.kept));
      kept += spent(table, table.of[0], loop, i, each);
    }
    const double weight = static_cast<double>(trips - 1) / static_cast<double>(loop.kept);
    EXPECT_NEAR(kept * weight, total - first, 1e-6 * total) << trips << " trips, " << loop.kept << " kept";
  }
}

TEST(Varying, ALoopThatIsNotCutComputesAllOfIt) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 500; ++round) {
    Seconds all(1 + random() % 50);
    for (auto& iteration : all)
      for (std::uint64_t k = random() % 5 + 1; k > 0; --k)
        iteration.push_back(1e-3 * static_cast<double>(random() % 9 + 1));
    const auto [total, occurrences] = traced(all);
    skeleton::Compute compute;
    compute.mean_s = {total / static_cast<double>(occurrences)};
    compute.samples.of = {sampled(all, all.size())};
    const Table table = tabulate(compute, {occurrences}, {}, 1024);
    ASSERT_EQ(table.of.size(), 1u);
    EXPECT_EQ(table.rows, 1u);
    EXPECT_NEAR(spent(table, table.of[0], {}, 0, occurrences), total, 1e-6 * total);
  }
}

TEST(Varying, ARankThatComputesNothingHasNothing) {
  skeleton::Compute compute;
  compute.mean_s = {1e-3, 0};
  compute.samples.of = {sampled({{1e-3}, {0.5e-3}, {1.5e-3}}, 3), sampled({{}, {}, {}}, 3)};
  const Table table = tabulate(compute, {3, 0}, {3, 1}, 100);
  ASSERT_EQ(table.of.size(), 2u);
  EXPECT_EQ(table.of[1].unit_s, 0);
  EXPECT_GT(table.of[0].unit_s, 0);
}

TEST(Varying, LoopsThatRanksRunDifferentlyOftenHaveNoCommonRows) {
  skeleton::Compute compute;
  compute.mean_s = {1e-3, 1e-3};
  compute.samples.of = {sampled({{1e-3}, {1e-3}, {1e-3}}, 3), sampled({{1e-3}, {1e-3}}, 2)};
  EXPECT_TRUE(tabulate(compute, {3, 2}, {3, 1}, 100).of.empty());
}

/// Two ranks that meet in every iteration and are slow in turn: the mean of both is `gap_s`.
Skeleton in_turn(std::int64_t trips, double gap_s) {
  Builder b(2);
  Block body;
  body.push_back(b.call("MPI_Barrier"));
  body.push_back(b.call("MPI_Barrier", {}, gap_s));
  auto& samples = body.back().before.samples.of;
  samples.resize(2);
  for (std::int64_t k = 0; k < trips; ++k) {
    for (std::size_t l = 0; l < 2; ++l) {
      samples[l].seconds.push_back(static_cast<float>(static_cast<std::int64_t>(l) == k % 2 ? 2 * gap_s : 0));
      samples[l].ends.push_back(static_cast<std::uint32_t>(k + 1));
    }
  }
  Block middle;
  middle.push_back(b.loop(constant(trips), std::move(body)));
  return b.finish(std::move(middle));
}

TEST(Varying, RanksThatAreSlowInTurnWaitForEachOther) {
  const auto skeleton = in_turn(1000, 1e-3);
  skeleton::check(skeleton);
  for (const double scale : {1.0, 3.0}) {
    Scratch scratch;
    const auto ran =
        run(scratch.path, skeleton, plan_scale(skeleton, scale), "SKEL_COMPUTE=time", "--json report.json");
    ASSERT_EQ(ran.status, 0) << ran.output;
    EXPECT_GT(nlohmann::json::parse(read(scratch.path / "report.json"))["predicted_s"], 1.9)
        << "every iteration takes as long as its slower rank, 2 ms";
  }
}

}  // namespace
}  // namespace skelgen::emit
