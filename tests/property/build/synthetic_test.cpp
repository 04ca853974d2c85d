// Programs that were never run, from trace files to the intermediate form.
#include "synthetic/synthetic.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "build/build.h"
#include "build/phases.h"
#include "unit/trace/small_trace.h"

namespace skelgen {
namespace {

using synthetic::Kind;

struct Made {
  test::Directory directory;
  std::uint64_t calls;
  explicit Made(Kind kind, int ranks, std::uint64_t records) {
    synthetic::Options options;
    options.kind = kind;
    options.ranks = ranks;
    options.records = records;
    calls = synthetic::write(directory.path(), options);
  }
};

TEST(Synthetic, EveryKindIsBuiltWithoutLoss) {
  for (const Kind kind : {Kind::nests, Kind::noise, Kind::wavefront, Kind::halo})
    for (const int ranks : {1, 2, 9, 12}) {
      SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << ", " << ranks << " ranks");
      const Made made(kind, ranks, 3000);
      const auto built = build::build(made.directory.path(), {});
      EXPECT_EQ(built.provenance.records_in, made.calls);
      EXPECT_FALSE(built.diagnostics.difference);
      EXPECT_TRUE(built.result.deadlock.safe) << built.result.deadlock.explanation;
    }
}

TEST(Synthetic, AWavefrontHasNineKindsOfRankWhateverTheirNumber) {
  for (const int ranks : {9, 16, 36}) {
    const Made made(Kind::wavefront, ranks, 6000);
    EXPECT_EQ(normalize::classes(trace::open(made.directory.path())).classes.size(), 9u);
  }
}

TEST(Synthetic, LuInClassCHasTheCallsThatThePaperGives) {
  const Made made(Kind::wavefront, 16, 324355);
  std::uint64_t least = ~std::uint64_t{0}, most = 0;
  for (const auto& rank : trace::open(made.directory.path()).rank_info()) {
    least = std::min(least, rank.ending.calls);
    most = std::max(most, rank.ending.calls);
  }
  EXPECT_NEAR(static_cast<double>(least), 162189, 25);
  EXPECT_NEAR(static_cast<double>(most), 324355, 25);
}

TEST(Synthetic, TimesThatAreReadAgainAreThoseThatAreKept) {
  for (const Kind kind : {Kind::nests, Kind::noise, Kind::wavefront, Kind::halo}) {
    const Made made(kind, 9, 3000);
    std::string text[2];
    for (const bool kept : {true, false}) {
      build::Options options;
      options.most_times = kept ? ~std::uint64_t{0} : 0;
      const auto built = build::build(made.directory.path(), options);
      EXPECT_FALSE(built.diagnostics.difference);
      text[kept] = emit::program(built.result.skeleton, built.result.plan);
    }
    EXPECT_EQ(text[0], text[1]);
  }
}

/// Of one location, by counter.
class Counted : public trace::Visitor {
 public:
  void event(const trace::Event& event) override {
    for (std::size_t c = 0; c < 2; ++c) sum[c] += static_cast<double>(event.columns[c]);
  }
  double sum[2] = {0, 0};
};

/// Every place has three instructions for each nanosecond that is computed there.
void expect_three_for_each_ns(const skeleton::Compute& compute) {
  ASSERT_EQ(compute.counters.size(), 2u);
  for (std::size_t p = 0; p < compute.mean_s.size(); ++p)
    EXPECT_NEAR(compute.counters[0].at(p), 3e9 * compute.mean_s[p], 1e-6 * (1 + compute.counters[0][p]));
  if (compute.mean_s.empty()) EXPECT_TRUE(compute.counters[0].empty());
}
void expect_three_for_each_ns(const skeleton::Block& block) {
  for (const auto& node : block) {
    expect_three_for_each_ns(node.before);
    if (!node.is_loop()) continue;
    expect_three_for_each_ns(node.loop().between);
    expect_three_for_each_ns(node.loop().body);
  }
}

/// What the location counted in a block that it executes so often.
double counted_in(const skeleton::Block& block, std::uint32_t l, std::uint64_t occurrences, std::size_t counter) {
  double total = 0;
  for (const auto& node : block) {
    if (node.position(l) < 0) continue;
    const auto position = static_cast<std::size_t>(node.position(l));
    const auto add = [&](const skeleton::Compute& compute, std::uint64_t times) {
      if (!compute.mean_s.empty()) total += compute.counters[counter][position] * static_cast<double>(times);
    };
    add(node.before, occurrences);
    if (!node.is_loop()) continue;
    const auto& trips = node.loop().trips.of(position);
    const auto iterations = static_cast<std::uint64_t>(trips.sum(occurrences));
    add(node.loop().between, iterations - trips.positive(occurrences));
    total += counted_in(node.loop().body, l, iterations, counter);
  }
  return total;
}

TEST(Synthetic, WhatWasCountedStandsWhereItsComputationDoes) {
  for (const Kind kind : {Kind::nests, Kind::noise, Kind::wavefront, Kind::halo}) {
    test::Directory directory;
    synthetic::write(directory.path(), {.kind = kind, .ranks = 6, .records = 1500, .counters = true});
    const auto trace = trace::open(directory.path());
    build::Options seed, exchange, read_again;
    seed.merge = build::Merge::seed;
    exchange.normalize = build::Order::exchange;
    read_again.most_times = 0;
    for (const auto& options : {build::Options(), seed, exchange, read_again}) {
      const auto built = build::build(directory.path(), options);
      const auto& skeleton = built.result.skeleton;
      skeleton::check(skeleton);
      ASSERT_EQ(skeleton.counters, (std::vector<std::string>{"PAPI_TOT_INS", "PAPI_L3_TCM"}));
      expect_three_for_each_ns(skeleton.program);
      for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l) {
        Counted counted;
        trace.visit(skeleton.locations[l].where, counted);
        for (std::size_t c = 0; c < 2; ++c)
          EXPECT_NEAR(counted_in(skeleton.program, l, 1, c), counted.sum[c], 1e-9 * counted.sum[c]);
      }
    }
  }
}

TEST(Synthetic, WithoutCountersNoPlaceHasAny) {
  const Made made(Kind::halo, 4, 500);
  const auto built = build::build(made.directory.path(), {});
  EXPECT_TRUE(built.result.skeleton.counters.empty());
  for (const auto& node : built.result.skeleton.program) EXPECT_TRUE(node.before.counters.empty());
}

TEST(Synthetic, LongSequencesAreFoldedInOnePassHoweverTheRanksAreMerged) {
  for (const build::Merge merge : {build::Merge::folded, build::Merge::seed}) {
    const Made made(Kind::nests, 2, 3000);
    build::Options options;
    options.merge = merge;
    EXPECT_FALSE(build::build(made.directory.path(), options).diagnostics.streamed);
    options.most_at_once = 100;
    const auto built = build::build(made.directory.path(), options);
    EXPECT_TRUE(built.diagnostics.streamed);
    EXPECT_FALSE(built.diagnostics.difference);
    options.fold = fold::Mode::best;
    EXPECT_FALSE(build::build(made.directory.path(), options).diagnostics.streamed) << "it was asked for";
  }
}

TEST(Synthetic, PhasesOfABuildAreThoseOfTheTrace) {
  for (const Kind kind : {Kind::nests, Kind::wavefront, Kind::halo}) {
    const Made made(kind, 4, 3000);
    const auto trace = trace::open(made.directory.path());
    const auto built = build::build(trace, {.scale = 1, .phases = true, .measure = false});
    EXPECT_TRUE(built.provenance.concurrency.is_null());
    const auto phases = build::phases(trace);
    ASSERT_EQ(built.result.phases.size(), phases.size());
    for (std::size_t i = 0; i < phases.size(); ++i) {
      EXPECT_EQ(built.result.phases[i].name, phases[i].name);
      EXPECT_EQ(built.result.phases[i].begins, phases[i].begins);
    }
  }
}

TEST(Synthetic, TheSameArgumentsGiveTheSameBytes) {
  const Made one(Kind::halo, 4, 500), other(Kind::halo, 4, 500);
  for (int rank = 0; rank < 4; ++rank)
    EXPECT_EQ(test::read_bytes(one.directory.rank(rank)), test::read_bytes(other.directory.rank(rank)));
}

}  // namespace
}  // namespace skelgen
