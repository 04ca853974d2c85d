// Ranks with several threads.

#include <gmock/gmock.h>

#include "unit/emit/programs.h"
#include "unit/emit/run.h"

namespace skelgen::emit {
namespace {

using namespace programs;
using testing::HasSubstr;
using testing::Not;

/// Two ranks of two threads each: locations 0 and 2 are the main threads.
class Threads : public testing::Test {
 protected:
  Threads() {
    for (std::uint32_t l = 0; l < 4; ++l) {
      const int rank = static_cast<int>(l / 2);
      auto& location = b_.skeleton.locations[l];
      location.where = {rank, static_cast<std::int32_t>(l % 2)};
      location.communicators = {{0, 2, rank, 1}, {1, 1, 0, 100 + static_cast<std::uint64_t>(rank)}};
    }
    slot_ = b_.memory(64);
  }
  Node message(const char* call, const char* peer_name, const Argument& peer, const Where& where, double before_s = 0) {
    return b_.call(call,
                   {{"buf", constant(buffer(slot_, 0))},
                    {"count", constant(1)},
                    {"datatype", constant(b_.name("MPI_INT"))},
                    {peer_name, peer},
                    {"tag", constant(5)}},
                   where, before_s);
  }
  /// The main threads call Init and Finalize.
  Skeleton finish(Block middle) {
    b_.skeleton.program.push_back(b_.call("MPI_Init_thread", {{"required", constant(3)}}, {0, 2}));
    for (auto& node : middle) b_.skeleton.program.push_back(std::move(node));
    b_.skeleton.program.push_back(b_.call("MPI_Finalize", {}, {0, 2}, 1e-4));
    return std::move(b_.skeleton);
  }
  /// Every thread but the main ones begins when MPI is there, and the main thread goes on when it has ended.
  void fork_and_join(std::uint64_t last_of_main, std::uint64_t calls) {
    for (std::uint32_t l = 0; l < 4; ++l)
      b_.skeleton.locations[l].turns = {l % 2 ? mpi::Turn{0, 0, 1} : mpi::Turn{last_of_main, 1, calls}};
  }

  Builder b_{4};
  std::int64_t slot_ = 0;
};

TEST_F(Threads, ChooseByTheThreadAndNamePeersByTheRank) {
  Block m;
  m.push_back(message("MPI_Send", "dest", with_rule(each({1, 0}), RankRule::Kind::exclusive_or, 1), {1, 3}, 1e-3));
  m.push_back(message("MPI_Recv", "source", each({1, 0}), {1, 3}));
  m.push_back(b_.call("MPI_Barrier", {}, {0, 2}));
  fork_and_join(1, 2);
  const auto skeleton = finish(std::move(m));
  skeleton::check(skeleton);
  const auto text = program(skeleton, plan_scale(skeleton, 1));
  EXPECT_THAT(text, HasSubstr("Performance skeleton of an MPI program with 2 ranks, together 4 threads"));
  EXPECT_THAT(text, HasSubstr("if (me % 2 == 1) {\n    compute(gap[0]); /* 1 ms */\n    skel_turn();\n    "
                              "MPI_Send(buf(0, 0), 1, MPI_INT, rank ^ 1, 5, MPI_COMM_WORLD);"));
  EXPECT_THAT(text, HasSubstr("{ skel_compute(seconds[me]); }"));
  EXPECT_THAT(text, HasSubstr("static _Thread_local MPI_Status status[1];"));
  EXPECT_THAT(text, HasSubstr("static const int first_thread[] = {0, 2, 4};"));
  EXPECT_THAT(text, HasSubstr("static const struct skel_turn turns[] = {{1, 1, 2}, {0, 0, 1}, {1, 1, 2}, {0, 0, 1}};"));
  EXPECT_THAT(text, HasSubstr("  skel_begin_threads(whole_run);\n  whole_run();\n  "
                              "skel_end_threads();\n  skel_report();"));
}

TEST_F(Threads, OfOneThreadNothingIsSaid) {
  const auto skeleton = ring(2, 4);
  const auto text = program(skeleton, plan_scale(skeleton, 1));
  for (const auto* word : {"thread", "skel_turn", "[me]"}) EXPECT_THAT(text, Not(HasSubstr(word)));
  Scratch scratch;
  write(scratch.path / "p.skel", skeleton, plan_scale(skeleton, 1), {});
  EXPECT_THAT(read(scratch.path / "p.skel" / "Makefile"), Not(HasSubstr("-pthread")));
}

TEST_F(Threads, LoopsThatNotAllRunAreNotCutAndARankTakesAsLongAsItsMainThread) {
  Block body, m;
  body.push_back(b_.call("MPI_Barrier", {}, {1, 3}));
  Node loop;
  loop.where = {1, 3};
  loop.what = skeleton::Loop{constant(1000), {{1e-2, 1e-2}, {}}, std::move(body)};
  m.push_back(std::move(loop));
  m.push_back(b_.call("MPI_Barrier", {}, {0, 2}, 0.5));
  const auto skeleton = finish(std::move(m));
  const auto plan = plan_scale(skeleton, 10);
  ASSERT_EQ(plan.phases.size(), 1u);
  EXPECT_NEAR(plan.phases[0].traced_s, 0.5, 1e-3);
  EXPECT_THAT(plan.uncut, HasSubstr("is run by 2 of 4 threads"));
}

TEST_F(Threads, ShareTheMessagesOfTheirRank) {
  Block m;
  m.push_back(message("MPI_Send", "dest", constant(1), {0}));
  m.push_back(message("MPI_Recv", "source", constant(0), {3}));
  m.push_back(b_.call("MPI_Barrier", {}, {1, 2}));
  fork_and_join(2, 1);
  const auto result = check_deadlock(finish(std::move(m)));
  EXPECT_TRUE(result.safe) << result.explanation;
}

TEST_F(Threads, WaitForTheirTurns) {
  // The main threads meet, then the others, then the main threads again.
  Block m;
  m.push_back(b_.call("MPI_Allgather", {}, {1, 3}));
  m.push_back(b_.call("MPI_Barrier", {}, {0, 2}));
  m.push_back(b_.call("MPI_Barrier", {}, {0, 2}));
  fork_and_join(2, 1);
  for (const auto l : {1, 3}) b_.skeleton.locations[static_cast<std::size_t>(l)].turns = {{0, 0, 2}};
  const auto result = check_deadlock(finish(std::move(m)));
  EXPECT_TRUE(result.safe) << result.explanation;
}

TEST_F(Threads, TurnsThatNeverComeAreSaid) {
  Block m;
  m.push_back(message("MPI_Recv", "source", each({1, 0}), {0, 2}));
  m.push_back(message("MPI_Send", "dest", each({1, 0}), {1, 3}));
  for (const auto l : {1, 3}) b_.skeleton.locations[static_cast<std::size_t>(l)].turns = {{0, 0, 2}};
  const auto result = check_deadlock(finish(std::move(m)));
  EXPECT_FALSE(result.safe);
  EXPECT_THAT(result.explanation,
              HasSubstr("rank 0 waits in MPI_Recv for rank 1 (tag 5); rank 0, thread 1, waits in its turn for "
                        "its thread 0 to make 2 calls"));
}

class ThreadsRun : public Threads {};

TEST_F(ThreadsRun, Together) {
  // Each main thread receives what the other rank's second thread sends, many times.
  Block m, receives, sends;
  receives.push_back(message("MPI_Recv", "source", each({1, 0}), {0, 2}));
  sends.push_back(message("MPI_Send", "dest", each({1, 0}), {1, 3}, 1e-5));
  for (auto* body : {&receives, &sends}) {
    Node loop;
    loop.where = body->front().where;
    loop.what = skeleton::Loop{constant(200), {}, std::move(*body)};
    m.push_back(std::move(loop));
  }
  m.push_back(b_.call("MPI_Barrier", {}, {1, 3}));
  m.push_back(b_.call("MPI_Barrier", {}, {0, 2}));
  fork_and_join(201, 201);
  const auto skeleton = finish(std::move(m));
  ASSERT_TRUE(check_deadlock(skeleton).safe);
  Scratch scratch;
  const auto ran = run(scratch.path, skeleton, plan_scale(skeleton, 1), "SKEL_COMPUTE=time", "", 2, "", "");
  EXPECT_EQ(ran.status, 0) << ran.output << read(scratch.path / "p.skel" / "skeleton.c");
  EXPECT_THAT(ran.output, HasSubstr("whole run"));
  EXPECT_THAT(read(scratch.path / "p.skel" / "Makefile"), HasSubstr("-pthread"));
}

TEST_F(ThreadsRun, SkipTheTurnsOfIterationsThatAreLeftOut) {
  // Each thread of a rank waits for the last iteration of the other one.
  constexpr int kTrips = 1000;
  Node loop;
  loop.where = {0, 1, 2, 3};
  Block body;
  body.push_back(message("MPI_Send", "dest", each({1, 0}), {1, 3}));
  body.push_back(message("MPI_Recv", "source", each({1, 0}), {0, 2}));
  body.push_back(b_.call("MPI_Barrier", {}, {0, 2}));
  loop.what = skeleton::Loop{constant(kTrips), {{1e-3, 0, 1e-3, 0}, {}}, std::move(body)};
  Block m;
  m.push_back(std::move(loop));
  m.push_back(b_.call("MPI_Barrier", {}, {0, 2}));
  for (std::uint32_t l = 0; l < 4; ++l) {
    auto& turns = b_.skeleton.locations[l].turns;
    if (l % 2) turns.push_back({0, 0, 1});
    for (std::uint64_t i = 1; i < kTrips; ++i)
      turns.push_back(l % 2 ? mpi::Turn{i, 0, 1 + 2 * i} : mpi::Turn{1 + 2 * i, 1, i});
  }
  const auto skeleton = finish(std::move(m));
  skeleton::check(skeleton);
  ASSERT_TRUE(check_deadlock(skeleton).safe);
  const auto plan = plan_scale(skeleton, 4);
  ASSERT_EQ(plan.phases.size(), 3u);
  EXPECT_EQ(plan.phases[1].trips, std::uint64_t{kTrips});
  EXPECT_NEAR(plan.expected_run_s, 0.25, 0.01);
  Scratch scratch;
  const auto ran = run(scratch.path, skeleton, plan, "SKEL_COMPUTE=time", "", 2, "", "");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("loop 1"));
  EXPECT_THAT(read(scratch.path / "p.skel" / "skeleton.c"),
              HasSubstr("calls_of_iteration[] = {\n  0, 0, 0, 0,\n  2, 1, 2, 1,\n  0, 0, 0, 0,\n};"));
}

TEST_F(Threads, OfWhichIterationsDifferInTheirCallsAreNotCut) {
  Node loop, rarely;
  loop.where = rarely.where = {0, 1, 2, 3};
  Block body, now_and_then;
  now_and_then.push_back(b_.call("MPI_Comm_rank", {{"comm", constant(0)}}, {0, 1, 2, 3}));
  rarely.what = skeleton::Loop{constant(1), {}, std::move(now_and_then)};
  rarely.loop().trips.choices = {{skeleton::Sequence::Kind::periodic, {0, 0, 1}}};
  body.push_back(b_.call("MPI_Barrier", {}, {0, 2}));
  body.push_back(std::move(rarely));
  loop.what = skeleton::Loop{constant(999), {{1e-3, 1e-3, 1e-3, 1e-3}, {}}, std::move(body)};
  Block m;
  m.push_back(std::move(loop));
  const auto plan = plan_scale(finish(std::move(m)), 4);
  EXPECT_EQ(plan.phases.size(), 1u);
  EXPECT_THAT(plan.uncut, HasSubstr("is not closed: iterations differ in how many calls a thread makes"));
}

TEST_F(ThreadsRun, ThatCallAtOnceNeedAnMpiThatAllowsIt) {
  Block m;
  m.push_back(message("MPI_Recv", "source", each({1, 0}), {0, 2}));
  m.push_back(message("MPI_Send", "dest", each({1, 0}), {1, 3}));
  fork_and_join(2, 1);
  const auto skeleton = finish(std::move(m));
  const auto ran = [&](const Skeleton& threads) {
    Scratch scratch;
    return run(scratch.path, threads, plan_scale(threads, 1), "SKEL_COMPUTE=time", "", 2, "",
               "-Wl,--wrap=PMPI_Query_thread " + std::string(SKELGEN_SOURCE_DIR) + "/tests/unit/emit/serialized.c");
  };
  const auto refused = ran(skeleton);
  EXPECT_NE(refused.status, 0);
  EXPECT_THAT(refused.output, HasSubstr("take one with MPI_THREAD_MULTIPLE"));
  // A program that did not ask for it keeps its calls apart by their turns.
  Skeleton apart = skeleton;
  apart.program.front().call().arguments[0] = constant(2);
  for (const std::uint32_t main : {0u, 2u}) apart.locations[main].turns = {{1, 1, 1}, {2, 1, 1}};
  const auto serialized = ran(apart);
  EXPECT_EQ(serialized.status, 0) << serialized.output;
}

TEST_F(ThreadsRun, OfWhichOneWaitsForADeferredTestLetOthersCall) {
  // The other thread takes the message of a test when the main thread already waits: to start its request again, then
  // to complete it.
  const auto request = [&](const char* call, Arguments more = {}) {
    more["request"] = constant(0);
    return b_.call(call, more, {0, 2});
  };
  Block m;
  m.push_back(request("MPI_Ssend_init", {{"buf", constant(buffer(slot_, 0))},
                                         {"count", constant(1)},
                                         {"datatype", constant(b_.name("MPI_INT"))},
                                         {"dest", each({1, 0})},
                                         {"tag", constant(5)}}));
  for (int i = 0; i < 2; ++i) {
    m.push_back(request("MPI_Start"));
    m.push_back(request("MPI_Test", {{"flag", constant(1)}}));
    m.push_back(message("MPI_Recv", "source", each({1, 0}), {1, 3}));
  }
  m.push_back(request("MPI_Wait"));
  m.push_back(request("MPI_Request_free"));
  auto skeleton = finish(std::move(m));
  skeleton.program.front().call().arguments[0] = constant(2);
  skeleton.tests_go_on = true;
  for (const std::uint32_t other : {1u, 3u}) skeleton.locations[other].turns = {{0, 0, 4}, {1, 0, 6}};
  skeleton::check(skeleton);
  Scratch scratch;
  const auto ran =
      run(scratch.path, skeleton, plan_scale(skeleton, 1), "SKEL_COMPUTE=time", "", 2, "",
          "-Wl,--wrap=PMPI_Query_thread " + std::string(SKELGEN_SOURCE_DIR) + "/tests/unit/emit/serialized.c");
  EXPECT_EQ(ran.status, 0) << ran.output << read(scratch.path / "p.skel" / "skeleton.c");
  EXPECT_THAT(read(scratch.path / "p.skel" / "skeleton.c"), HasSubstr("MPI_Wait(skel_complete(1, &req[0]), status);"));
}

}  // namespace
}  // namespace skelgen::emit
