// Counts that differ by little become one, on both sides of a message, and only where that says them in fewer numbers.

#include "merge/tolerance.h"

#include <gtest/gtest.h>

#include <numeric>

#include "merge/merge.h"
#include "unit/merge/run.h"

namespace skelgen {
namespace {

using merge::CountChanges;
using merge::Growth;
using merge::representatives;
using run::always;
using run::buffer;
using run::call;
using run::loop;

using Sizes = std::vector<std::int64_t>;

// --- numbers

std::vector<merge::Size> each_once(const Sizes& bytes) {
  std::vector<merge::Size> sizes;
  for (const auto b : bytes) sizes.push_back({b, 1, 1});
  return sizes;
}
std::vector<merge::SizeStep> in_one_statement(const Sizes& bytes) {
  std::vector<merge::SizeStep> steps;
  for (std::size_t i = 1; i < bytes.size(); ++i) steps.push_back({bytes[i - 1], bytes[i]});
  return steps;
}
Sizes merged(const Sizes& bytes, double share, Growth growth = Growth::allowed) {
  return representatives(each_once(bytes), in_one_statement(bytes), share, growth);
}

TEST(Representatives, NearSizesBecomeTheirMean) {
  EXPECT_EQ(merged({990, 1000, 1010}, 0.02), (Sizes{1000, 1000, 1000}));
}

TEST(Representatives, DistantSizesStay) { EXPECT_EQ(merged({990, 1011, 2000}, 0.02), (Sizes{990, 1011, 2000})); }

TEST(Representatives, TheShareIsOfTheGreaterSizeAndNotReached) {
  EXPECT_EQ(merged({99, 100}, 0.01), (Sizes{99, 100}));
  EXPECT_EQ(merged({99, 100}, 0.0101), (Sizes{99, 99})) << "100 would be more than the share above 99";
}

TEST(Representatives, FrequentSizesWeighMore) {
  const std::vector<merge::Size> sizes{{1000, 9, 1}, {1010, 1, 1}};
  EXPECT_EQ(representatives(sizes, std::vector<merge::SizeStep>{{1000, 1010}}, 0.02, Growth::allowed),
            (Sizes{1001, 1001}));
}

TEST(Representatives, SizesThatNoStatementHasTogetherStay) {
  const std::vector<merge::SizeStep> steps{{1000, 1002}};
  EXPECT_EQ(representatives(each_once({1000, 1002, 1004}), steps, 0.02, Growth::allowed), (Sizes{1001, 1001, 1004}));
}

TEST(Representatives, WideGroupsAreCutAtTheirWidestGap) {
  EXPECT_EQ(merged({1000, 1004, 1008, 1016, 1020, 1024}, 0.02), (Sizes{1004, 1004, 1004, 1020, 1020, 1020}));
}

TEST(Representatives, WithoutGrowthTheLeastStands) {
  EXPECT_EQ(merged({990, 1000, 1010}, 0.02, Growth::never), (Sizes{990, 990, 990}));
}

TEST(Representatives, AreMultiplesOfAllElements) {
  const std::vector<merge::Size> sizes{{1000, 1, 8}, {1008, 1, 12}};
  const std::vector<merge::SizeStep> steps{{1000, 1008}};
  EXPECT_EQ(representatives(sizes, steps, 0.02, Growth::allowed), (Sizes{1008, 1008}));
  const std::vector<merge::Size> odd{{1000, 1, 1000}, {1001, 1, 1001}};
  EXPECT_EQ(representatives(odd, std::vector<merge::SizeStep>{{1000, 1001}}, 0.02, Growth::allowed),
            (Sizes{1000, 1001}));
}

TEST(Representatives, NeverDecreaseAndNeverLeaveTheShare) {
  std::uint64_t state = 1;
  const auto below = [&](std::uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  };
  for (int i = 0; i < 2000; ++i) {
    const double share = static_cast<double>(1 + below(99)) / 100;
    Sizes bytes;
    for (std::int64_t b = 1 + static_cast<std::int64_t>(below(3000)); bytes.size() < 1 + below(30);
         b += 1 + static_cast<std::int64_t>(below(1 + below(200))))
      bytes.push_back(b);
    const Sizes now = merged(bytes, share, i % 3 == 0 ? Growth::never : Growth::allowed);
    ASSERT_EQ(now.size(), bytes.size());
    for (std::size_t k = 0; k < now.size(); ++k) {
      ASSERT_LE(std::abs(static_cast<double>(now[k] - bytes[k])), share * static_cast<double>(bytes[k]) + 1e-9);
      ASSERT_TRUE(k == 0 || now[k] >= now[k - 1]);
      ASSERT_TRUE(i % 3 != 0 || now[k] <= bytes[k]);
    }
  }
}

// --- programs

/// 995, 996, ... 1005 in some order.
std::int64_t jitter(std::uint64_t k, std::uint64_t salt = 0) {
  return 995 + static_cast<std::int64_t>((k + 1) * (7 + salt) * 0x9e3779b97f4a7c15u >> 40) % 11;
}

struct Result {
  run::Run run;
  skeleton::Skeleton before, after;
  CountChanges changes;
};

Result tolerate(run::Runner& runner, const run::Program& program, double share, Growth growth = Growth::allowed) {
  Result result;
  result.run = runner.run(program);
  result.before = result.after = merge::into_spmd(result.run.normalized, result.run.programs);
  result.changes = merge::merge_counts(result.run.normalized, result.after, share, growth);
  check(result.after);
  return result;
}

/// The values of a parameter of the n-th call of rank r.
std::vector<std::int64_t> values(const skeleton::Skeleton& skeleton, std::uint32_t r, std::string_view function,
                                 std::size_t parameter) {
  std::vector<std::int64_t> all;
  expand(skeleton, r, [&](const skeleton::ExpandedCall& c) {
    if (c.call->function->name == function) all.push_back(c.values[parameter]);
    return true;
  });
  return all;
}

run::Number right(int ranks) {
  return [=](int r, std::uint64_t) { return (r + 1) % ranks; };
}
run::Number left(int ranks) {
  return [=](int r, std::uint64_t) { return (r + ranks - 1) % ranks; };
}

/// A ring shift of `count` elements; the receiver has room for `room`.
run::Program shift(int ranks, run::Number count, run::Number room, const char* send = "MPI_Isend") {
  return {loop(50, {call("MPI_Irecv", {{"buf", always(buffer(1))}, {"count", room}, {"source", left(ranks)}}),
                    call(send, {{"buf", always(buffer(0))}, {"count", count}, {"dest", right(ranks)}}),
                    call("MPI_Waitall", {{"count", always(2)}})})};
}
run::Number jittering() {
  return [](int, std::uint64_t k) { return jitter(k); };
}

TEST(MergeCounts, BothSidesOfAMessageGetTheSameCount) {
  run::Runner runner(3);
  const Result r = tolerate(runner, shift(3, jittering(), jittering()), 0.02);
  for (const auto& [name, parameter] : {std::pair("MPI_Isend", 1), {"MPI_Irecv", 1}}) {
    const auto all = values(r.after, 1, name, static_cast<std::size_t>(parameter));
    EXPECT_EQ(all, std::vector<std::int64_t>(50, all[0]));
    EXPECT_NEAR(static_cast<double>(all[0]), 1000, 2);
  }
  EXPECT_EQ(r.after.tolerance, 0.02);
  EXPECT_EQ(length(r.after.program), length(r.before.program));
  EXPECT_LT(argument_values(r.after) + 2 * 48, argument_values(r.before));
}

TEST(MergeCounts, SaysWhatItChanged) {
  run::Runner runner(2);
  const Result r = tolerate(runner, shift(2, jittering(), always(2000)), 0.02);
  ASSERT_EQ(r.changes.by_function.size(), 1u) << "the receive has room";
  const auto& sends = r.changes.by_function.at("MPI_Isend");
  const auto was = values(r.before, 0, "MPI_Isend", 1), is = values(r.after, 0, "MPI_Isend", 1);
  std::uint64_t changed = 0;
  double most = 0;
  for (std::size_t k = 0; k < was.size(); ++k) {
    changed += was[k] != is[k];
    most = std::max(most, std::abs(static_cast<double>(is[k] - was[k])) / static_cast<double>(was[k]));
  }
  EXPECT_EQ(sends.calls, 100u);
  EXPECT_EQ(sends.calls_changed, 2 * changed);
  EXPECT_DOUBLE_EQ(sends.largest_change, most);
  EXPECT_EQ(sends.bytes_before,
            16u * static_cast<std::uint64_t>(std::accumulate(was.begin(), was.end(), std::int64_t{0})));
  EXPECT_EQ(sends.bytes_after,
            16u * static_cast<std::uint64_t>(std::accumulate(is.begin(), is.end(), std::int64_t{0})));
  EXPECT_NEAR(static_cast<double>(sends.bytes_after), static_cast<double>(sends.bytes_before), 0.001 * 800'000);
  EXPECT_EQ(r.changes.all.calls, 300u);
  EXPECT_EQ(r.changes.all.calls_changed, sends.calls_changed);
  EXPECT_EQ(r.changes.all.bytes_before, sends.bytes_before + 2 * 50 * 2000 * 8);
}

TEST(MergeCounts, RoomThatIsJustEnoughStaysEnough) {
  run::Runner runner(2);
  const Result r = tolerate(runner, shift(2, jittering(), always(1005)), 0.02);
  EXPECT_GE(values(r.after, 0, "MPI_Irecv", 1)[0], values(r.after, 1, "MPI_Isend", 1)[0]);
}

TEST(MergeCounts, WhatIsTooDifferentStaysAndIsLossless) {
  run::Runner runner(2);
  const Result r = tolerate(runner, shift(2, jittering(), jittering()), 0.001);
  EXPECT_EQ(r.after.tolerance, 0);
  EXPECT_EQ(r.changes.all.calls_changed, 0u);
  EXPECT_TRUE(r.changes.by_function.empty());
  EXPECT_EQ(values(r.after, 0, "MPI_Isend", 1), values(r.before, 0, "MPI_Isend", 1));
}

TEST(MergeCounts, ATableThatStaysATableIsNotTouched) {
  run::Runner runner(2);
  const run::Number wide = [](int, std::uint64_t k) { return 100 + (jitter(k) - 995) * 90 + jitter(k, 5) % 3; };
  const Result r = tolerate(runner, shift(2, wide, wide), 0.02);
  EXPECT_EQ(r.changes.all.calls_changed, 0u);
}

TEST(MergeCounts, ALadderIsAFormulaAlready) {
  run::Runner runner(2);
  const run::Number ladder = [](int, std::uint64_t k) { return 1000 + 4 * static_cast<std::int64_t>(k); };
  EXPECT_EQ(tolerate(runner, shift(2, ladder, ladder), 0.02).changes.all.calls_changed, 0u) << "steps would be a table";
  run::Runner again(2);
  const Result r = tolerate(again, shift(2, ladder, ladder), 0.3);
  EXPECT_EQ(values(r.after, 0, "MPI_Isend", 1), std::vector<std::int64_t>(50, 1098)) << "one number is less than two";
}

TEST(MergeCounts, PeriodsOfLevelsLoseTheirJitterOnly) {
  run::Runner runner(2);
  const run::Number levels = [](int, std::uint64_t k) { return jitter(k) << (k % 3); };
  const Result r = tolerate(runner, shift(2, levels, levels), 0.02);
  const auto all = values(r.after, 0, "MPI_Isend", 1);
  for (std::size_t k = 3; k < all.size(); ++k) EXPECT_EQ(all[k], all[k - 3]);
  EXPECT_NEAR(static_cast<double>(all[2]), 4 * static_cast<double>(all[0]), 40);
}

TEST(MergeCounts, NothingAndSomethingStayApart) {
  run::Runner runner(2);
  const run::Number now_and_then = [](int, std::uint64_t k) { return k % 2 ? 0 : jitter(k); };
  const Result r = tolerate(runner, shift(2, now_and_then, now_and_then), 0.99);
  const auto all = values(r.after, 0, "MPI_Isend", 1);
  for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(all[k], k % 2 ? 0 : all[0]);
  EXPECT_GT(r.changes.all.calls_changed, 0u);
}

TEST(MergeCounts, RanksThatDifferByLittleBecomeOne) {
  run::Runner runner(3);
  const run::Number rows = [](int r, std::uint64_t) { return r == 2 ? 42 : 43; };
  const run::Number rows_of_left = [](int r, std::uint64_t) { return r == 0 ? 42 : 43; };
  const Result r = tolerate(runner, shift(3, rows, rows_of_left), 0.03);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(values(r.after, rank, "MPI_Isend", 1)[0], 43);
    EXPECT_EQ(values(r.after, rank, "MPI_Irecv", 1)[0], 43);
  }
  EXPECT_EQ(r.changes.all.calls_changed, 100u);
}

TEST(MergeCounts, NumbersOfRequestsAreNoCounts) {
  run::Runner runner(2);
  run::Program program = shift(2, jittering(), jittering());
  program[0].body[2].values["count"] = [](int, std::uint64_t k) { return 100 + static_cast<std::int64_t>(k % 2); };
  const Result r = tolerate(runner, program, 0.1);
  EXPECT_EQ(values(r.after, 0, "MPI_Waitall", 0), values(r.before, 0, "MPI_Waitall", 0));
  EXPECT_FALSE(r.changes.by_function.contains("MPI_Waitall"));
}

TEST(MergeCounts, BuffersGrowWithTheirCounts) {
  run::Runner runner(2);
  for (auto& location : runner.normalized().locations) location.buffer_bytes = {8040, 8040};
  const run::Number rarely_less = [](int, std::uint64_t k) { return k % 7 == 3 ? 996 : 1005; };
  const Result r = tolerate(runner, shift(2, rarely_less, rarely_less), 0.02);
  EXPECT_EQ(values(r.after, 0, "MPI_Isend", 1)[3], 1004);
  EXPECT_GE(r.after.locations[0].buffer_bytes[0], 8040u + 8 * 8);
  EXPECT_LE(r.after.locations[0].buffer_bytes[0], 8040u + 2 * 8 * 8);
}

TEST(MergeCounts, BufferedSendsNeverGrow) {
  run::Runner runner(2);
  const Result r = tolerate(runner, shift(2, jittering(), jittering(), "MPI_Bsend"), 0.02);
  EXPECT_EQ(values(r.after, 0, "MPI_Bsend", 1), std::vector<std::int64_t>(50, 995));
  EXPECT_EQ(values(r.after, 0, "MPI_Irecv", 1), std::vector<std::int64_t>(50, 995));
}

TEST(MergeCounts, NorDoesAnythingWhereThatIsAskedFor) {
  run::Runner runner(2);
  const Result r = tolerate(runner, shift(2, jittering(), jittering()), 0.02, Growth::never);
  EXPECT_EQ(values(r.after, 1, "MPI_Isend", 1), std::vector<std::int64_t>(50, 995));
}

TEST(MergeCounts, DatatypesThatChangeSizeAreLeftAlone) {
  run::Runner runner(2);
  run::Program program = shift(2, jittering(), jittering());
  for (auto& statement : program[0].body) statement.values["datatype"] = always(mpi::kMade);
  run::Runner known(2);
  for (auto& location : runner.normalized().locations) location.datatypes = {{0, 24, 24}, {0, 16, 16}};
  for (auto& location : known.normalized().locations) location.datatypes = {{0, 24, 24}, {0, 24, 24}};
  EXPECT_EQ(tolerate(runner, program, 0.02).changes.all.calls_changed, 0u);
  EXPECT_GT(tolerate(known, program, 0.02).changes.all.calls_changed, 0u);
}

TEST(MergeCounts, ReceivesOfAnySourceAndTagHaveRoomForWhateverComes) {
  run::Runner runner(3);
  const auto root = [](int r) { return r == 0; };
  const auto others = [](int r) { return r != 0; };
  const auto get = run::only(root, call("MPI_Recv", {{"buf", always(buffer(0))},
                                                     {"count", always(1003)},
                                                     {"source", always(mpi::kAnySource)},
                                                     {"tag", always(mpi::kAnyTag)}}));
  const run::Number tag = [](int r, std::uint64_t) { return r; };
  const run::Number sizes = [](int r, std::uint64_t k) {
    return (r == 1 ? 993 : 999) + static_cast<std::int64_t>((k * 5 + k / 3) % 5);
  };
  const auto put = run::only(others, call("MPI_Send", {{"buf", always(buffer(1))}, {"count", sizes}, {"tag", tag}}));
  const run::Program program{loop(40, {get, get, put})};
  for (std::size_t rank = 0; rank < 1; ++rank)
    for (std::uint64_t i = 0; i < 80; ++i)
      runner.normalized().locations[rank].matches.push_back({i, 1 + static_cast<std::int64_t>(i % 2)});
  const Result r = tolerate(runner, program, 0.009);
  ASSERT_GT(r.changes.all.calls_changed, 0u);
  const auto room = values(r.after, 0, "MPI_Recv", 1)[0];
  for (const std::uint32_t rank : {1u, 2u})
    for (const auto count : values(r.after, rank, "MPI_Send", 1)) EXPECT_LE(count, room);
}

TEST(MergeCounts, ExchangesOfAllWithAllAgreePairByPair) {
  constexpr int kRanks = 3;
  run::Runner runner(kRanks);
  const auto size = [](int from, int to, std::uint64_t k) {
    return jitter(k, static_cast<std::uint64_t>(3 * from + to)) + 300 * to;
  };
  const run::Number give = [&](int r, std::uint64_t k) {
    return runner.array({size(r, 0, k), size(r, 1, k), size(r, 2, k)});
  };
  const run::Number take = [&](int r, std::uint64_t k) {
    return runner.array({size(0, r, k), size(1, r, k), size(2, r, k)});
  };
  const Result r = tolerate(runner,
                            {loop(30, {call("MPI_Alltoallv", {{"sendbuf", always(buffer(0))},
                                                              {"sendcounts", give},
                                                              {"recvbuf", always(buffer(1))},
                                                              {"recvcounts", take}})})},
                            0.02);
  const std::size_t sent = 1, received = 5;
  for (std::uint32_t i = 0; i < kRanks; ++i) {
    const auto own = values(r.after, i, "MPI_Alltoallv", sent);
    EXPECT_EQ(own, std::vector<std::int64_t>(30, own[0]));
    for (std::uint32_t j = 0; j < kRanks; ++j)
      EXPECT_EQ(r.after.arrays[static_cast<std::size_t>(own[0])][j],
                r.after.arrays[static_cast<std::size_t>(values(r.after, j, "MPI_Alltoallv", received)[0])][i]);
  }
  EXPECT_LT(argument_values(r.after), 100u);
}

TEST(MergeCounts, GathersAgreeWithTheirRoot) {
  run::Runner runner(3);
  const auto size = [](int from, std::uint64_t k) { return jitter(k, static_cast<std::uint64_t>(from)); };
  const run::Number own = [&](int r, std::uint64_t k) { return size(r, k); };
  const run::Number all = [&](int r, std::uint64_t k) {
    return r == 0 ? runner.array({size(0, k), size(1, k), size(2, k)}) : 0;
  };
  const Result r = tolerate(runner,
                            {loop(30, {call("MPI_Gatherv", {{"sendbuf", always(buffer(0))},
                                                            {"sendcount", own},
                                                            {"recvbuf", always(buffer(1))},
                                                            {"recvcounts", all}})})},
                            0.02);
  const auto counts = r.after.arrays[static_cast<std::size_t>(values(r.after, 0, "MPI_Gatherv", 4)[0])];
  for (std::uint32_t i = 0; i < 3; ++i)
    EXPECT_EQ(values(r.after, i, "MPI_Gatherv", 1), std::vector<std::int64_t>(30, counts[i]));
}

}  // namespace
}  // namespace skelgen
