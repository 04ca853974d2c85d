// Random managers and workers: whatever order their results came in, the merged program expands to what was traced, and
// its workers are one loop that may run for any message.

#include <gtest/gtest.h>

#include <algorithm>

#include "merge/merge.h"
#include "support/error.h"
#include "unit/normalize/manager.h"

namespace skelgen::test {
namespace {

using normalize::Normalized;
using skeleton::Skeleton;

Skeleton merged(const Normalized& run) {
  std::vector<fold::Program> programs;
  for (const auto& members : run.classes) {
    std::vector<fold::Symbol> text;
    for (const auto call : run.locations[members.members[0]].calls) text.push_back(run.records[call].symbol);
    programs.push_back(fold::fold(text));
  }
  return merge::into_spmd(run, programs);
}

void expect_same_calls(const Normalized& run, const Skeleton& skeleton) {
  skeleton::check(skeleton);
  for (std::uint32_t l = 0; l < run.locations.size(); ++l) {
    const auto& calls = run.locations[l].calls;
    std::size_t next = 0;
    skeleton::expand(skeleton, l, [&](const skeleton::ExpandedCall& call) {
      EXPECT_LT(next, calls.size());
      const auto& record = run.records[calls[next++]];
      EXPECT_EQ(run.symbols[record.symbol].function, call.call->function);
      EXPECT_TRUE(std::equal(record.values.begin(), record.values.end(), call.values.begin(), call.values.end()));
      return !testing::Test::HasFailure();
    });
    EXPECT_EQ(next, calls.size());
  }
}

std::size_t loops_of_pools(const skeleton::Block& block) {
  std::size_t n = 0;
  for (const auto& node : block)
    if (node.is_loop()) n += (node.loop().pool >= 0) + loops_of_pools(node.loop().body);
  return n;
}

/// A worker got no task, so what it would have done with one is not known.
bool starves(const Normalized& run, const ManagerOptions& options) {
  return std::any_of(run.locations.begin() + 1, run.locations.end(), [&](const normalize::LocationCalls& worker) {
    const auto sends = std::count_if(worker.calls.begin(), worker.calls.end(), [&](normalize::RecordId call) {
      return run.symbols[run.records[call].symbol].function->name == "MPI_Send";
    });
    return sends / (options.payload ? 2 : 1) == (options.workers_ask ? 1 : 0);
  });
}

TEST(Pools, RandomOnes) {
  std::mt19937 random(7);
  std::size_t adapting = 0;
  for (int round = 0; round < 60; ++round) {
    const int ranks = 3 + static_cast<int>(random() % 4);
    const ManagerOptions options{.tasks = 4 * ranks + static_cast<int>(random() % 40),
                                 .seed = static_cast<unsigned>(random()),
                                 .workers_ask = random() % 2 == 0,
                                 .stop_all_at_end = random() % 2 == 0,
                                 .payload = random() % 2 == 0,
                                 .probe = random() % 2 == 0};
    SCOPED_TRACE(round);
    const Normalized run = normalized(ranks, manager(options));
    if (starves(run, options)) {
      EXPECT_TRUE(run.pools.empty());
      continue;
    }
    ASSERT_EQ(run.pools.size(), 1u);
    const Skeleton skeleton = merged(run);
    expect_same_calls(run, skeleton);
    // A worker that got one task has no loop that it could share.
    const auto few = [](const auto& worker) { return worker.receives.size() < 3; };
    if (std::any_of(run.pools[0].workers.begin(), run.pools[0].workers.end(), few)) continue;
    ++adapting;
    ASSERT_EQ(skeleton.pools.size(), 1u);
    EXPECT_EQ(loops_of_pools(skeleton.program), 1u);
    const auto& pool = skeleton.pools[0];
    EXPECT_EQ(std::count(pool.ends.begin(), pool.ends.end(), 1), ranks - 1);
    // A message's size belongs to the message, whoever gets it.
    if (options.payload) {
      const auto& data = pool.body[1].call();
      const auto& count = data.arguments[static_cast<std::size_t>(data.function->find(mpi::Role::count))];
      EXPECT_EQ(count.choices.size(), 1u);
      for (const auto& worker : run.pools[0].workers)
        for (std::size_t t = 0; t + 1 < worker.receives.size(); ++t)
          EXPECT_EQ(count.of(0).at(worker.numbers[t]), 8 + static_cast<std::int64_t>(worker.location));
    }
    // Every task's computation is there once, at its number.
    double traced_s = 0, kept_s = 0;
    for (const auto& worker : run.pools[0].workers)
      for (std::size_t t = 0; t + 1 < worker.receives.size(); ++t)
        for (std::size_t i = 1; i < run.pools[0].body; ++i)
          traced_s += run.locations[worker.location].gap_s[worker.receives[t] + i];
    for (const auto& place : pool.compute_s)
      for (const float s : place) kept_s += static_cast<double>(s);
    EXPECT_NEAR(kept_s, traced_s, 1e-6 * traced_s);
  }
  EXPECT_GT(adapting, 40u);
}

TEST(Pools, AreChecked) {
  const Skeleton good = merged(normalized(4, manager({.tasks = 20})));
  ASSERT_EQ(good.pools.size(), 1u);
  skeleton::check(good);
  const auto expect_wrong = [&](const std::function<void(Skeleton&, skeleton::Node&, skeleton::Node&)>& change) {
    Skeleton bad = good;
    const auto loop =
        std::ranges::find_if(bad.program, [](const auto& node) { return node.is_loop() && node.loop().pool >= 0; });
    const auto end =
        std::ranges::find_if(bad.program, [](const auto& node) { return !node.is_loop() && node.call().ends_pool; });
    change(bad, *loop, *end);
    EXPECT_THROW(skeleton::check(bad), Error);
  };
  expect_wrong([](auto&, auto&, auto& end) { end.call().ends_pool = false; });
  expect_wrong([](auto&, auto& loop, auto&) { loop.loop().pool = -1; });
  expect_wrong([](auto&, auto& loop, auto&) { loop.loop().pool = 1; });
  expect_wrong([](auto& s, auto&, auto&) { s.pools[0].ends[0] = 1; });
  expect_wrong([](auto& s, auto&, auto&) { s.pools.push_back(s.pools[0]); });
  expect_wrong([](auto& s, auto&, auto&) { std::swap(s.pools[0].body[0].what, s.pools[0].body[1].what); });
  expect_wrong([](auto& s, auto&, auto&) {
    for (auto& node : s.program)
      if (!node.is_loop()) node.call().ends_pool = true;
  });
}

TEST(Pools, MessagesCarryTheirNumber) {
  EXPECT_EQ(merged(normalized(4, manager({.tasks = 20, .ints = 1}))).pools.size(), 1u);
  EXPECT_EQ(merged(normalized(4, manager({.tasks = 20, .ints = -1}))).pools.size(), 1u);
}

TEST(Pools, WorkersThatChangeBuffersDoWhatWasTraced) {
  const Normalized run = normalized(4, manager({.tasks = 20, .two_buffers = true}));
  const Skeleton skeleton = merged(run);
  expect_same_calls(run, skeleton);
  EXPECT_TRUE(skeleton.pools.empty());
  EXPECT_EQ(loops_of_pools(skeleton.program), 0u);
}

}  // namespace
}  // namespace skelgen::test
