// The folded program beside the time of its statements.
#include "report/structure.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "mpi/mpi.h"
#include "report/sentences.h"

namespace skelgen::report {
namespace {

using skeleton::Block;
using skeleton::Call;
using skeleton::Loop;
using skeleton::Node;
using skeleton::Sequence;
using skeleton::Skeleton;

using Where = std::vector<std::uint32_t>;

Node call(const char* name, const Where& where, double seconds, double before = 0) {
  Call made;
  made.function = mpi::find(name);
  made.arguments.resize(made.function->parameters.size());
  made.duration_s.assign(where.size(), seconds);
  Node node{where, {}, made};
  node.before.mean_s.assign(where.size(), before);
  return node;
}

Node loop(const Where& where, std::int64_t trips, Block body, double between = 0) {
  Loop made;
  made.trips.choices = {{Sequence::Kind::constant, {trips}}};
  made.body = std::move(body);
  made.between.mean_s.assign(where.size(), between);
  return {where, {}, made};
}

Skeleton skeleton_of(Block program, Rank ranks) {
  Skeleton made;
  made.program = std::move(program);
  made.names = {"MPI_INT"};
  made.name_bytes = {4};
  for (Rank rank = 0; rank < ranks; ++rank) made.locations.emplace_back().where = {rank, 0};
  return made;
}

std::vector<std::string> lines(const Structure& structure) {
  std::vector<std::string> all;
  for (const Statement& s : structure.statements)
    all.push_back(fmt::format("{}{} x {}: {:.3g} s{}", std::string(static_cast<std::size_t>(2 * s.level), ' '), s.text,
                              s.times, s.seconds, s.who.empty() ? "" : " by " + s.who));
  return all;
}

TEST(Structure, ListsLoopsCallsAndComputationWithTheirTime) {
  Node send = call("MPI_Send", {0, 1, 2}, 0.01);
  const int to = send.call().function->find(mpi::Role::peer), count = send.call().function->find(mpi::Role::count);
  send.call().arguments[static_cast<std::size_t>(to)].rule = {skeleton::RankRule::Kind::plus, 1};
  send.call().arguments[static_cast<std::size_t>(count)].choices = {{Sequence::Kind::constant, {100}}};
  const auto made = skeleton_of({loop({0, 1, 2, 3}, 10, {send, call("MPI_Barrier", {0, 1, 2, 3}, 0.02)}, 0.1),
                                 call("MPI_Finalize", {0, 1, 2, 3}, 0.5, 1)},
                                4);
  EXPECT_THAT(lines(structure(made)),
              testing::ElementsAre("loop, 10 times x 10: 4.7 s", "  computation x 10: 3.6 s",
                                   "  MPI_Send, 400 B to rank+1 x 10: 0.3 s by ranks 0-2", "  MPI_Barrier x 10: 0.8 s",
                                   "computation x 1: 4 s", "MPI_Finalize x 1: 2 s"));
}

TEST(Structure, SaysHowLongMessagesOfMadeDatatypesAre) {
  const auto with = [](Node node, mpi::Role role, std::int64_t value) {
    node.call().arguments[static_cast<std::size_t>(node.call().function->find(role))].choices = {
        {Sequence::Kind::constant, {value}}};
    return node;
  };
  const auto row = [&](std::int64_t elements, std::int64_t slot) {
    return with(with(call("MPI_Type_contiguous", {0}, 0), mpi::Role::count, elements), mpi::Role::newtype, slot);
  };
  const auto sent = [&](std::int64_t slot) {
    return with(with(call("MPI_Send", {0}, 1), mpi::Role::datatype, mpi::kMade + slot), mpi::Role::count, 2);
  };
  const auto of = [&](Node node, std::int64_t slot) {
    return with(std::move(node), mpi::Role::datatype, mpi::kMade + slot);
  };
  // Slot 1 is two of slot 0, whose second iteration makes another one.
  const auto twice = structure(skeleton_of({row(10, 0), of(row(2, 0), 0), sent(0)}, 1));
  EXPECT_THAT(lines(twice).back(), "MPI_Send to 0 x 1: 1 s") << "slot 0 has two sizes";
  const auto nested = structure(skeleton_of({row(10, 0), of(row(2, 1), 0), sent(1)}, 1));
  EXPECT_THAT(lines(nested).back(), "MPI_Send, 160 B to 0 x 1: 1 s");
  const auto reused = structure(skeleton_of({row(10, 0), loop({0}, 2, {of(row(2, 1), 0), sent(1), row(11, 0)})}, 1));
  EXPECT_THAT(lines(reused), testing::Contains(testing::HasSubstr("MPI_Send to 0 x 2")));
  // Slot 0 is made twice alike, slot 1 of two lengths, slot 2 never.
  const auto all =
      structure(skeleton_of({row(10, 0), row(10, 0), row(10, 1), row(11, 1), sent(0), sent(1), sent(2)}, 1));
  EXPECT_THAT(lines(all),
              testing::ElementsAre(testing::_, testing::_, testing::_, testing::_, "MPI_Send, 80 B to 0 x 1: 1 s",
                                   "MPI_Send to 0 x 1: 1 s", "MPI_Send to 0 x 1: 1 s"));
}

TEST(Structure, WhatIsComputedBetweenTwoCallsAlikeStandsApart) {
  Node twice = loop({0}, 2, {call("MPI_Wtime", {0}, 0)}, 3);
  twice.before.mean_s = {1};
  const auto all = lines(structure(skeleton_of({loop({0}, 10, {call("MPI_Barrier", {0}, 0), twice})}, 1)));
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[2], "  loop, 2 times x 20: 40 s");
  EXPECT_EQ(all[3], "    computation before the first iteration x 10: 10 s");
  EXPECT_EQ(all[4], "    computation before later iterations x 10: 30 s");
}

TEST(Structure, LoopsThatArePhasesHaveTheirNames) {
  const Node inner = loop({0}, 4, {call("MPI_Barrier", {0}, 0.01)});
  const auto made = skeleton_of({loop({0}, 10, {inner})}, 1);
  emit::Plan plan;
  plan.phases.push_back({.name = "loop 1", .loop = &made.program[0]});
  const auto all = structure(made, plan);
  ASSERT_EQ(all.statements.size(), 3u);
  EXPECT_EQ(all.statements[0].text, "loop 1: 10 times");
  EXPECT_EQ(all.statements[1].text, "loop, 4 times");
}

TEST(Structure, OfALongProgramCountsWhatTakesLittleTime) {
  Block program;
  for (int i = 0; i < 5000; ++i) program.push_back(call("MPI_Barrier", {0}, i % 100 == 50 ? 1 : 1e-7));
  const auto all = structure(skeleton_of(std::move(program), 1), {}, {}, 300);
  EXPECT_EQ(all.length, 5000u);
  ASSERT_EQ(all.statements.size(), 101u);
  EXPECT_EQ(all.statements[0].kind, Statement::Kind::rest);
  EXPECT_EQ(all.statements[0].text, "50 statements");
  EXPECT_EQ(all.statements[2].text, "99 statements");
}

TEST(Structure, SaysHowOftenWhatIsNotAlwaysDone) {
  Node now_and_then = loop({0, 1}, 1, {call("MPI_Allreduce", {0, 1}, 0.01)});
  now_and_then.loop().trips.choices = {{Sequence::Kind::periodic, {0, 0, 0, 1}}};
  Node of_one = loop({0, 1}, 0, {call("MPI_Barrier", {0, 1}, 0.01)});
  of_one.loop().trips.choices = {{Sequence::Kind::constant, {0}}, {Sequence::Kind::constant, {2}}};
  of_one.loop().trips.choice = {0, 1};
  const auto all = lines(structure(skeleton_of({loop({0, 1}, 40, {now_and_then, of_one})}, 2)));
  ASSERT_EQ(all.size(), 5u);
  EXPECT_THAT(all[1], testing::StartsWith("  in 10 of 40 cases x 10: "));
  EXPECT_THAT(all[3], testing::EndsWith(" by rank 1")) << all[3];
  EXPECT_THAT(all[4], testing::EndsWith(" by rank 1")) << "what rank 0 never does is not done by all";
}

TEST(Structure, SaysWhereCallsStandInTheProgram) {
  const auto made = skeleton_of({call("MPI_Barrier", {0}, 1), call("MPI_Barrier", {0}, 1)}, 1);
  const auto all = structure(made, {}, {{&made.program[1].call(), "main.c:7, main.c:9"}});
  EXPECT_EQ(all.statements[0].text, "MPI_Barrier");
  EXPECT_EQ(all.statements[1].text, "MPI_Barrier (main.c:7, main.c:9)");
}

TEST(Structure, SaysBetweenWhichCallsComputationStands) {
  const auto made = skeleton_of(
      {call("MPI_Barrier", {0}, 1), loop({0}, 10, {call("MPI_Bcast", {0}, 1, 1), call("MPI_Barrier", {0}, 1)}, 2),
       call("MPI_Finalize", {0}, 1, 1)},
      1);
  const auto& body = made.program[1].loop().body;
  const auto all = structure(made, {},
                             {{&made.program[0].call(), "a.c:1"},
                              {&body[0].call(), "a.c:2"},
                              {&body[1].call(), "a.c:3"},
                              {&made.program[2].call(), "a.c:4"}});
  std::vector<std::string> texts;
  for (const Statement& s : all.statements)
    if (s.kind == Statement::Kind::computation) texts.push_back(s.text);
  EXPECT_THAT(texts, testing::ElementsAre("computation (a.c:3 to a.c:2)", "computation (a.c:1 to a.c:2)",
                                          "computation (a.c:3 to a.c:4)"));
}

TEST(Structure, SaysNothingOfCallsThatOthersMake) {
  // if (rank == 0) MPI_Barrier(); else { work(); MPI_Bcast(); }
  const auto made =
      skeleton_of({call("MPI_Barrier", {0, 1}, 1), call("MPI_Barrier", {0}, 1), call("MPI_Bcast", {1}, 1, 1),
                   loop({0, 1}, 10, {call("MPI_Barrier", {0}, 1), call("MPI_Bcast", {1}, 1)}, 2),
                   call("MPI_Finalize", {0, 1}, 1, 1)},
                  2);
  const auto& body = made.program[3].loop().body;
  const auto all = structure(made, {},
                             {{&made.program[0].call(), "a.c:1"},
                              {&made.program[1].call(), "a.c:2"},
                              {&made.program[2].call(), "a.c:3"},
                              {&body[0].call(), "a.c:4"},
                              {&body[1].call(), "a.c:5"},
                              {&made.program[4].call(), "a.c:6"}});
  std::vector<std::string> texts;
  for (const Statement& s : all.statements)
    if (s.kind == Statement::Kind::computation) texts.push_back(s.text);
  EXPECT_THAT(texts, testing::ElementsAre("computation (a.c:1 to a.c:3)", "computation", "computation"));
}

TEST(Structure, NamesTheRankThatTakesClearlyLongest) {
  Node uneven = call("MPI_Barrier", {0, 1, 2, 3}, 1, 1), even = call("MPI_Barrier", {0, 1, 2, 3}, 1, 1);
  uneven.before.mean_s = {1, 1, 2.5, 1};
  even.before.mean_s = {1, 1.05, 1, 1};
  const auto all = structure(skeleton_of({uneven, even}, 4)).statements;
  ASSERT_EQ(all.size(), 4u);
  ASSERT_TRUE(all[0].longest);
  EXPECT_EQ(all[0].longest->rank, 2);
  EXPECT_EQ(all[0].longest->seconds, 2.5);
  EXPECT_NEAR(all[0].longest->more_s, 2.5 - all[0].seconds / 4, 1e-12);
  EXPECT_FALSE(all[1].longest);
  EXPECT_FALSE(all[2].longest);
  Node of_one = call("MPI_Barrier", {0, 1, 2, 3}, 1, 1);
  of_one.before.mean_s = {4, 0, 0, 0};
  const auto alone = structure(skeleton_of({of_one}, 4)).statements[0].longest;
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->seconds, 4.0);
  EXPECT_FALSE(structure(skeleton_of({call("MPI_Barrier", {0}, 1, 1)}, 4)).statements[0].longest);
}

TEST(Structure, AFindingNamesWhereItsRankComputesLonger) {
  Node uneven = call("MPI_Send", {0, 1, 2, 3}, 1), other = call("MPI_Barrier", {0, 1, 2, 3}, 1);
  uneven.before.mean_s = {1, 1, 2.5, 1};
  other.before.mean_s = {1, 1, 1.5, 1};
  const auto made = skeleton_of({loop({0, 1, 2, 3}, 10, {call("MPI_Bcast", {0, 1, 2, 3}, 1), uneven, other})}, 4);
  const auto& body = made.program[0].loop().body;
  const auto all = structure(made, {}, {{&body[0].call(), "a.c:2"}, {&body[1].call(), "a.c:4"}});
  metrics::Finding finding{.cause = metrics::Finding::Cause::late_sender, .ranks = {2}, .less = {0.3}};
  EXPECT_EQ(where_it_computes(finding, all),
            "Where rank 2 computes longer than all others, most of its difference to the mean is before MPI_Send in a "
            "loop that runs 10 times "
            "(a.c:2 to a.c:4)");
  emit::Plan plan;
  plan.phases.push_back({.name = "loop 1", .loop = &made.program[0]});
  EXPECT_EQ(
      where_it_computes(finding, structure(made, plan)),
      "Where rank 2 computes longer than all others, most of its difference to the mean is before MPI_Send in loop 1");
  finding.ranks = {1};
  EXPECT_EQ(where_it_computes(finding, all), "") << "it computes nothing longer";
  finding.ranks = {2};
  finding.longer_in = "MPI_Send";
  EXPECT_EQ(where_it_computes(finding, all), "") << "a call makes it late";
}

TEST(Structure, NamesFewRanksAndCountsMany) {
  Where even;
  for (std::uint32_t rank = 0; rank < 64; rank += 2) even.push_back(rank);
  const auto all = structure(skeleton_of({call("MPI_Barrier", {3}, 1), call("MPI_Barrier", even, 1)}, 64));
  EXPECT_EQ(all.statements[0].who, "rank 3");
  EXPECT_EQ(all.statements[1].who, "32 of 64 ranks");
}

}  // namespace
}  // namespace skelgen::report
