#include "merge/merge.h"

#include <gtest/gtest.h>

#include "support/error.h"
#include "unit/merge/run.h"

namespace skelgen {
namespace {

using run::after;
using run::always;
using run::call;
using run::loop;

skeleton::Skeleton merged(const run::Run& r) { return merge::into_spmd(r.normalized, r.programs); }

TEST(Merge, ComputationBeforeNestedLoopsBelongsToTheLoopThatBegins) {
  run::Statement first = call("MPI_Barrier");
  first.gap = [](int, std::uint64_t k) { return k == 0 ? 100.0 : k % 3 == 0 ? 10.0 : 1.0; };
  const skeleton::Skeleton s = merged(run::Runner(1).run({loop(2, {loop(3, {first}), after(5, call("MPI_Wtime"))})}));
  const skeleton::Node& outer = s.program[0];
  const skeleton::Node& inner = outer.loop().body[0];
  EXPECT_EQ(outer.before.mean_s, std::vector<double>{100});
  EXPECT_EQ(outer.loop().between.mean_s, std::vector<double>{10});
  EXPECT_TRUE(inner.before.mean_s.empty());
  EXPECT_EQ(inner.loop().between.mean_s, std::vector<double>{1}) << "four back edges, 1 s each";
  EXPECT_TRUE(inner.loop().body[0].before.mean_s.empty());
  EXPECT_EQ(outer.loop().body[1].before.mean_s, std::vector<double>{5});
}

TEST(Merge, ComputationThatVariesIsSampledByIterationOfTheOuterLoop) {
  run::Statement first = call("MPI_Barrier"), second = call("MPI_Wtime");
  first.gap = [](int, std::uint64_t k) { return k == 0 ? 100.0 : 1.0; };
  second.gap = [](int r, std::uint64_t k) { return static_cast<double>(10 * r) + static_cast<double>(k); };
  const skeleton::Skeleton s = merged(run::Runner(2).run({loop(3, {first, loop(2, {call("MPI_Comm_size"), second})})}));
  const skeleton::Loop& outer = s.program[0].loop();
  const auto& samples = outer.body[1].loop().body[1].before.samples.of;
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].seconds, (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(samples[1].seconds, (std::vector<float>{10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(samples[0].ends, (std::vector<std::uint32_t>{2, 4, 6}));
  EXPECT_TRUE(outer.between.samples.of.empty()) << "always the same";
  EXPECT_TRUE(s.program[0].before.samples.of.empty()) << "happens once";
}

TEST(Merge, SamplesOfLongLoopsAreSpreadEvenly) {
  run::Statement only = call("MPI_Barrier");
  only.gap = [](int, std::uint64_t k) { return static_cast<double>(k); };
  const skeleton::Skeleton s = merged(run::Runner(1).run({loop(10001, {only})}));
  const auto& samples = s.program[0].loop().between.samples.of;
  ASSERT_EQ(samples.size(), 1u);
  ASSERT_EQ(samples[0].ends.size(), 1024u);
  EXPECT_EQ(samples[0].ends[0], 0u) << "nothing lies between before the second iteration";
  ASSERT_EQ(samples[0].seconds.size(), 1023u);
  EXPECT_EQ(samples[0].seconds.front(), 5);
  EXPECT_EQ(samples[0].seconds.back(), 9996);
}

TEST(Merge, DurationsAreMeans) {
  run::Statement s = call("MPI_Barrier");
  s.duration = 0.25;
  EXPECT_EQ(merged(run::Runner(2).run({loop(4, {s})})).program[0].loop().body[0].call().duration_s,
            (std::vector<double>{0.25, 0.25}));
}

TEST(Merge, LoopsOfDifferentTripsAreOneIfTheirBodiesAre) {
  const skeleton::Skeleton s =
      merged(run::Runner(3).run({loop([](int r) { return 5 + r; }, {call("MPI_Wtime"), call("MPI_Barrier")})}));
  ASSERT_EQ(s.program.size(), 1u);
  EXPECT_EQ(s.program[0].where, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(s.program[0].loop().trips.of(2).at(0), 7);
}

TEST(Merge, NoIterationIsTakenOutAroundALoopWithAListOfTrips) {
  run::Run r = run::Runner(2).run(
      {loop([](int rank) { return 5 - rank; }, {call("MPI_Barrier"), loop(2, {call("MPI_Wtime")})})});
  for (std::size_t c = 0; c < 2; ++c) r.programs[c][0].body[1].each = std::vector<std::uint64_t>(5 - c, 2);
  const skeleton::Skeleton s = merged(r);
  ASSERT_EQ(s.program.size(), 1u);
  EXPECT_EQ(s.program[0].loop().trips.of(0).at(0), 5);
  EXPECT_EQ(s.program[0].loop().trips.of(1).at(0), 4);
}

TEST(Merge, EqualTripsDecideBetweenEqualBodies) {
  const run::Program body{call("MPI_Barrier")};
  const skeleton::Skeleton s =
      merged(run::Runner(2).run({run::only([](int r) { return r == 0; }, loop(5, body)), loop(20, body)}));
  ASSERT_EQ(s.program.size(), 2u);
  EXPECT_EQ(s.program[0].where, std::vector<std::uint32_t>{0});
  EXPECT_EQ(s.program[1].where, (std::vector<std::uint32_t>{0, 1}));
}

TEST(Merge, OnlyPeersAndRootsMayDifferWithinAStatement) {
  const auto by_rank = [](std::int64_t a, std::int64_t b) -> run::Number {
    return [=](int r, std::uint64_t) { return r == 0 ? a : b; };
  };
  const auto nodes = [&](const char* function, const char* parameter, run::Number value) {
    return merged(run::Runner(2).run({call(function, {{parameter, std::move(value)}})})).program.size();
  };
  EXPECT_EQ(nodes("MPI_Send", "dest", by_rank(0, 0)), 1u);
  EXPECT_EQ(nodes("MPI_Bcast", "root", by_rank(0, 1)), 1u);
  EXPECT_EQ(nodes("MPI_Send", "count", by_rank(3, 4)), 1u);
  EXPECT_EQ(nodes("MPI_Send", "datatype", by_rank(0, 1)), 2u);
  EXPECT_EQ(nodes("MPI_Send", "comm", by_rank(0, 1)), 2u);
  EXPECT_EQ(nodes("MPI_Allreduce", "op", by_rank(2, 3)), 2u);
}

TEST(Merge, NoRuleWhereTheCommunicatorIsNotKnown) {
  run::Runner runner(4);
  for (int r = 0; r < 4; ++r) {
    auto& communicators = runner.normalized().locations[static_cast<std::size_t>(r)].communicators;
    communicators.push_back({2, 4, r, 8});
    communicators.push_back({3, 4, r, 9});
    if (r == 2) communicators.push_back({3, 2, 0, 10});
  }
  const run::Number right = [](int r, std::uint64_t) { return (r + 1) % 4; };
  const skeleton::Skeleton s = merged(runner.run({call("MPI_Send", {{"dest", right}, {"comm", always(2)}}),
                                                  call("MPI_Send", {{"dest", right}, {"comm", always(3)}})}));
  EXPECT_TRUE(s.program[0].call().arguments[3].rule);
  EXPECT_FALSE(s.program[1].call().arguments[3].rule);
}

TEST(Merge, RulesOfOneSidedCallsAreOfRanksInTheWindow) {
  run::Runner runner(4);
  for (int r = 0; r < 4; ++r) {
    auto& windows = runner.normalized().locations[static_cast<std::size_t>(r)].windows;
    windows.push_back({0, 4, 3 - r, 70});                                      // all, backwards
    windows.push_back({1, 2, r % 2, 80 + static_cast<std::uint64_t>(r / 2)});  // two and two
    for (const int size : {4, 2}) windows.push_back({2, size, r % size, 90});  // one after the other
  }
  const auto put = [](int window, std::function<std::int64_t(int)> target) {
    return call("MPI_Put", {{"target_rank", [=](int r, std::uint64_t) { return target(r); }}, {"win", always(window)}});
  };
  const skeleton::Skeleton s =
      merged(runner.run({put(0, [](int r) { return (3 - r + 1) % 4; }), put(1, [](int r) { return r % 2 ^ 1; }),
                         put(2, [](int r) { return r % 2 ^ 1; }), put(2, [](int) { return 1; })}));
  std::string rules;
  for (const auto& node : s.program) {
    const auto& rule =
        node.call().arguments[static_cast<std::size_t>(node.call().function->find(mpi::Role::peer))].rule;
    rules += (rule ? skeleton::formula(*rule) : "none") + " ";
  }
  EXPECT_EQ(rules, "(rank+1)%size (rank+1)%size none 1 ");
}

/// Formula or value of each argument with this name, statement by statement.
std::string written(const skeleton::Block& program, std::string_view name) {
  std::string all;
  for (const auto& node : program) {
    if (node.is_loop()) return all + "loop";
    const auto& call = node.call();
    for (std::size_t a = 0; a < call.arguments.size(); ++a) {
      if (call.function->parameters[a].name != name) continue;
      const auto& argument = call.arguments[a];
      all += argument.rule                  ? skeleton::formula(*argument.rule)
             : argument.choices.size() == 1 ? std::to_string(argument.of(0).at(0))
                                            : "list";
      all += " ";
    }
  }
  return all;
}

TEST(Merge, CallsOfAShortLoopStandOneByOneWhereFormulasGiveTheirArguments) {
  run::Statement split =
      call("MPI_Comm_split", {{"color", [](int r, std::uint64_t k) { return k == 0 ? r / 3 : r % 3; }},
                              {"key", [](int r, std::uint64_t k) { return k == 0 ? r % 3 : r / 3; }},
                              {"newcomm", [](int, std::uint64_t k) { return static_cast<std::int64_t>(2 + k); }}});
  split.gap = [](int, std::uint64_t k) { return k == 0 ? 100.0 : 1.0; };
  const skeleton::Skeleton s = merged(run::Runner(9).run({loop(2, {split})}));
  ASSERT_EQ(s.program.size(), 2u);
  EXPECT_EQ(written(s.program, "color"), "rank/3 rank%3 ");
  EXPECT_EQ(written(s.program, "key"), "rank%3 rank/3 ");
  EXPECT_EQ(written(s.program, "newcomm"), "2 3 ");
  EXPECT_EQ(s.program[0].before.mean_s, std::vector<double>(9, 100));
  EXPECT_EQ(s.program[1].before.mean_s, std::vector<double>(9, 1));
  skeleton::check(s);
}

TEST(Merge, CallsOfALoopStayThereWhereNoFormulaGivesTheirArgumentsOrTheyAreMany) {
  const auto splits = [](std::uint64_t trips, const run::Number& color) {
    return written(merged(run::Runner(9).run({loop(trips, {call("MPI_Comm_split", {{"color", color}})})})).program,
                   "color");
  };
  EXPECT_EQ(splits(2, [](int r, std::uint64_t k) { return k == 0 ? r / 3 : r * r; }), "loop");
  EXPECT_EQ(splits(2, [](int, std::uint64_t k) { return static_cast<std::int64_t>(k); }), "loop") << "no lists by rank";
  EXPECT_EQ(splits(4, [](int r, std::uint64_t k) { return k % 2 == 0 ? r / 3 : r % 3; }), "loop");
}

TEST(Merge, NumbersOfRanksAreFormulasAndConstantsOfMpiAreNot) {
  const run::Number next = [](int r, std::uint64_t) { return r + 1; };
  const auto s =
      merged(run::Runner(2).run({call("MPI_Send", {{"tag", next}}), call("MPI_Init_thread", {{"required", next}})}));
  EXPECT_EQ(written(s.program, "tag"), "rank+1 ");
  EXPECT_EQ(written(s.program, "required"), "list ");
}

TEST(Merge, ACollectiveIsOneStatementThoughTheRootAloneNamesADatatype) {
  const auto at_root = [](std::int64_t given, std::int64_t nothing) {
    return [=](int r, std::uint64_t) { return r == 0 ? given : nothing; };
  };
  const auto s = merged(run::Runner(3).run({call("MPI_Gather", {{"sendcount", always(8)},
                                                                {"recvbuf", at_root(run::buffer(1), 0)},
                                                                {"recvcount", at_root(8, 0)},
                                                                {"recvtype", at_root(1, -1)}})}));
  ASSERT_EQ(s.program.size(), 1u);
  EXPECT_EQ(s.program[0].where.size(), 3u);
  EXPECT_EQ(written(s.program, "recvtype"), "list ");
}

TEST(Merge, ALocationWithoutCallsExecutesNothing) {
  const skeleton::Skeleton s =
      merged(run::Runner(2).run({run::only([](int r) { return r == 1; }, call("MPI_Barrier"))}));
  EXPECT_EQ(s.program[0].where, std::vector<std::uint32_t>{1});
  EXPECT_EQ(s.locations.size(), 2u);
}

TEST(Merge, RefusesAProgramThatIsNotItsClass) {
  const run::Run good = run::Runner(2).run({loop(4, {call("MPI_Barrier"), call("MPI_Wtime")})});
  const auto expect_error = [&](const char* text, const std::function<void(run::Run&)>& change) {
    run::Run bad = good;
    change(bad);
    try {
      merged(bad);
      ADD_FAILURE() << "no error for: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), std::string(text));
    }
  };
  expect_error("0 folded programs for 1 classes", [](auto& r) { r.programs.clear(); });
  expect_error("location 0, call 8: the folded program has one more call", [](auto& r) { r.programs[0][0].trips = 5; });
  expect_error("location 0, call 6: the folded program has nothing", [](auto& r) { r.programs[0][0].trips = 3; });
  expect_error("location 0, call 0: the folded program has another symbol",
               [](auto& r) { std::swap(r.programs[0][0].body[0], r.programs[0][0].body[1]); });
  expect_error("record 0 has 0 values for MPI_Barrier", [](auto& r) { r.normalized.records[0].values.clear(); });
}

}  // namespace
}  // namespace skelgen
