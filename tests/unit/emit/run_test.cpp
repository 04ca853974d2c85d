// Emitted programs compile without warnings, make the calls of the intermediate form, and report their times.

#include "unit/emit/run.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sched.h>

#include <nlohmann/json.hpp>

#include "skel_kernel_names.h"
#include "skel_processor.h"
#include "text/text.h"
#include "unit/emit/programs.h"

namespace skelgen::emit {
namespace {

using namespace programs;
using testing::HasSubstr;

/// Runs everything (K = 1) and compares the calls of every rank.
void expect_replay(const Skeleton& skeleton) {
  Scratch scratch;
  skeleton::check(skeleton);
  const auto ran = run(scratch.path, skeleton, plan_scale(skeleton, 1));
  ASSERT_EQ(ran.status, 0) << ran.output << read(scratch.path / "p.skel" / "skeleton.c");
  for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l)
    EXPECT_EQ(read(scratch.path / ("calls-" + std::to_string(l) + ".txt")), expected_calls(skeleton, l))
        << read(scratch.path / "p.skel" / "skeleton.c");
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

TEST(Run, RingReplaysItsCalls) { expect_replay(ring(2, 20)); }

TEST(Run, HaloWithEndsAndChangingSizesReplaysItsCalls) { expect_replay(halo(2, 20)); }

TEST(Run, GroupsOfCallsThatAreNotReplayedAreOfAllRanks) {
  Builder b(2);
  Block m;
  const auto unknown = constant(-1);
  for (int i = 0; i < 2; ++i) {
    m.push_back(b.call("MPI_Group_union", {{"group1", unknown}, {"group2", unknown}, {"newgroup", constant(0)}}));
    m.push_back(b.call(
        "MPI_Group_incl",
        {{"group", unknown}, {"n", constant(2)}, {"ranks", constant(b.array({1, 0}))}, {"newgroup", constant(1)}}));
    for (const auto& group : {constant(0), constant(1), unknown})
      m.push_back(b.call("MPI_Group_free", {{"group", group}}));
  }
  Scratch scratch;
  const auto skeleton = b.finish(std::move(m));
  const auto ran = run(scratch.path, skeleton, plan_scale(skeleton, 1));
  EXPECT_EQ(ran.status, 0) << ran.output;
}

TEST(Run, ScaledLoopKeepsFirstIterationAndOneInK) {
  Scratch scratch;
  const auto skeleton = ring(2, 2001, 1e-3);  // 2 s of computation: the kept part is long enough
  const auto plan = plan_scale(skeleton, 10);
  const auto ran = run(scratch.path, skeleton, plan, "SKEL_COMPUTE=time", "--json report.json");
  ASSERT_EQ(ran.status, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("predicted time of the original"));
  EXPECT_EQ(count(read(scratch.path / "calls-0.txt"), "MPI_Send"), 201u);
  const auto json = nlohmann::json::parse(read(scratch.path / "report.json"));
  EXPECT_EQ(json["schema"], "skelgen.skeleton/1");
  EXPECT_EQ(json["scale"], 10);
  EXPECT_EQ(json["compute"], "time");
  ASSERT_EQ(json["phases"].size(), 3u);
  EXPECT_EQ(json["phases"][1]["name"], "loop 1");
  EXPECT_DOUBLE_EQ(json["phases"][1]["weight"], 10);
  double sum = json["finalize_s"];
  for (const auto& phase : json["phases"]) sum += phase["weight"].get<double>() * phase["seconds"].get<double>();
  EXPECT_NEAR(json["predicted_s"], sum, 1e-6);
  EXPECT_GT(json["predicted_s"], 2.0);
  EXPECT_GT(json["skeleton_s"], 0.2);
  EXPECT_FALSE(fs::exists(scratch.path / "report.json.partial"));
}

TEST(Run, ScaleOneFromTheEnvironmentRunsEverything) {
  Scratch scratch;
  const auto skeleton = halo(2, 60, 1e-2);
  const auto plan = plan_scale(skeleton, 30);
  ASSERT_LT(plan.phases[1].kept, 59u);
  ASSERT_EQ(run(scratch.path, skeleton, plan, "SKEL_SCALE=1").status, 0);
  EXPECT_EQ(read(scratch.path / "calls-1.txt"), expected_calls(skeleton, 1));
}

TEST(Run, AnotherRankCountStopsWithAMessage) {
  Scratch scratch;
  const auto skeleton = ring(2, 5);
  const auto ran = run(scratch.path, skeleton, plan_scale(skeleton, 1), "", "", 1);
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.output, HasSubstr("started with 1 rank instead of 2"));
}

/// A rank that finds no memory ends the run: the others wait for it in calls that it will never make.
TEST(Run, NoMemoryOnOneRankStopsAllWithAMessage) {
  Builder b(2);
  const auto slot = b.memory(64);
  const auto type = constant(b.name("MPI_INT")), peer = each({1, 0}), buf = constant(buffer(slot, 0));
  Block m;
  m.push_back(b.call(
      "MPI_Irecv", {{"buf", buf}, {"count", constant(1)}, {"datatype", type}, {"source", peer}, {"tag", constant(0)}}));
  m.push_back(b.call("MPI_Isend", {{"buf", constant(buffer(slot, 32))},
                                   {"count", constant(1)},
                                   {"datatype", type},
                                   {"dest", peer},
                                   {"tag", constant(0)},
                                   {"request", constant(1)}}));
  m.push_back(b.call("MPI_Waitall", {{"count", constant(2)}, {"array_of_requests", constant(b.array({1, 0}))}}));
  m.push_back(b.call("MPI_Barrier"));
  const auto skeleton = b.finish(std::move(m));
  // calloc is called at the start, realloc in Waitall, whose requests are not side by side.
  for (const std::string function : {"calloc", "realloc"}) {
    Scratch scratch;
    const auto ran = run(scratch.path, skeleton, plan_scale(skeleton, 1), "STARVED=" + function, "", 0, "",
                         "-Wl,--wrap=calloc,--wrap=realloc " SKELGEN_SOURCE_DIR "/tests/unit/emit/starved.c");
    EXPECT_EQ(ran.status, 1) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("skeleton: rank 1: no memory for ")) << function;
  }
}

TEST(Run, WrongSettingsStopWithAMessage) {
  Scratch scratch;
  const auto skeleton = ring(2, 5);
  const auto ran = run(scratch.path, skeleton, plan_scale(skeleton, 1), "SKEL_SCALE=0.5");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.output, HasSubstr("SKEL_SCALE must be a number >= 1"));
}

TEST(Run, AFileThatCannotBeOpenedStopsWithAMessage) {
  const auto open = [](const std::string& amode, const std::string& environment) {
    const auto skeleton = text::parse(
        "skeleton 1\nranks 2\nfile f0 of [0..1]\nscratch 0\nprogram {\nMPI_Init()\nMPI_File_open(filename=(0), amode=" +
            amode + ", fh=f0)\nMPI_File_close(fh=f0)\nMPI_Finalize()\n}\n",
        "f");
    Scratch scratch;
    return run(scratch.path, skeleton, plan_scale(skeleton, 1), environment);
  };
  EXPECT_EQ(open("9", "").status, 0);
  for (const auto& ran : {open("9", "SKEL_SCRATCH=/nonexistent"), open("488", "")}) {
    EXPECT_NE(ran.status, 0);
    EXPECT_THAT(ran.output, testing::ContainsRegex("skeleton: rank 0: .*-file0: cannot be opened: .*SKEL_SCRATCH"));
    EXPECT_THAT(ran.output, testing::Not(HasSubstr("skeleton: rank 1:")));
  }
}

TEST(Run, SynchronousSendsFinishWhereTheProgramIsSafe) {
  Scratch scratch;
  const auto skeleton = halo(2, 10);
  const auto ran = run(scratch.path, skeleton, plan_scale(skeleton, 1), "", "", 0, "-DSKEL_SYNC_SEND");
  EXPECT_EQ(ran.status, 0) << ran.output;
}

TEST(Run, FixedWorkNeedsTracedSpeeds) {
  Scratch scratch;
  auto skeleton = ring(2, 5);
  auto ran = run(scratch.path, skeleton, plan_scale(skeleton, 1), "SKEL_COMPUTE=work");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.output, HasSubstr("no speeds"));
  for (auto& location : skeleton.locations) location.speed_register = 1e8, location.speed_memory = 1e9;
  ran = run(scratch.path, skeleton, plan_scale(skeleton, 1), "SKEL_COMPUTE=work");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("compute: work"));
}

/// Of a machine whose kernels make so many passes a second; each takes the same share of the time.
Skeleton with_work(double passes) {
  std::string kernels;
  for (const char* name : skel_kernel_name)
    kernels += fmt::format("{}{} {} 0.01", kernels.empty() ? "" : ", ", name, passes);
  auto skeleton = text::parse("skeleton 1\nranks 2\nmachine register 1e9 memory 1e9 kernels (" + kernels +
                                  ")\nfeatures instructions\nwork 1 (instructions 1)\nwork 2 (instructions 2)\nprogram "
                                  "{\nMPI_Init()\n[0] compute 1 ms work 1\n[1] compute 2 ms work 2\nMPI_Barrier(comm="
                                  "MPI_COMM_WORLD)\ncompute 3 ms work 2\nMPI_Finalize()\n}\n",
                              "work");
  const std::vector<double> shares(SKEL_KERNELS, 1.0 / int{SKEL_KERNELS});
  for (auto& work : skeleton.works) work.shares = shares;
  skeleton.fitted = skeleton::FittedWork{shares, 0.25, "loads"};
  return skeleton;
}

TEST(Run, WorkIsSpentByItsKernels) {
  const auto skeleton = with_work(1e6);
  const auto plan = plan_scale(skeleton, 1);
  const auto c = program(skeleton, plan);
  EXPECT_THAT(c, HasSubstr("compute_as(gap[0], work_of_1[rank]);"));
  EXPECT_THAT(c, HasSubstr("compute_as(gap[1], 2);"));
  EXPECT_THAT(c, HasSubstr(".works = 3, .work = works, .unexplained = 0.25"));
  EXPECT_THAT(c, HasSubstr(fmt::format("[SKEL_DEPENDENT_32M] = {:.4g}", 1.0 / int{SKEL_KERNELS})));
  EXPECT_THAT(c, HasSubstr("{{1e+06, 0.01}, {1e+06, 0.01}"));
  for (const std::string mode : {"work", "time"}) {
    Scratch scratch;
    const auto ran = run(scratch.path, skeleton, plan, "SKEL_COMPUTE=" + mode);
    EXPECT_EQ(ran.status, 0) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("compute: " + mode));
  }
}

// However busy the machine is: the same processor is never another one, but a slower or faster one. The traced kernels are
// slower here than any machine's.
TEST(Run, TheProcessorSaysWhetherComputationIsWork) {
  char here[SKEL_PROCESSOR_BYTES];
  skel_processor(here);
  struct Case {
    std::string processor, compute;
    nlohmann::json same;
    bool follows;
  };
  for (const Case& expected : {Case{here, "time", true, true}, Case{"none", "work", false, false}}) {
    Scratch scratch;
    auto skeleton = with_work(1);
    for (auto& location : skeleton.locations) location.processor = expected.processor;
    const auto ran = run(scratch.path, skeleton, plan_scale(skeleton, 1), "SKEL_COMPUTE=auto", "--json report.json");
    ASSERT_EQ(ran.status, 0) << ran.output;
    const auto report = nlohmann::json::parse(read(scratch.path / "report.json"));
    EXPECT_EQ(report["compute"], expected.compute);
    EXPECT_EQ(report["processor"]["same"], expected.same);
    EXPECT_EQ(report["processor"]["here"], here);
    EXPECT_EQ(report["drift"] < 0.1, expected.follows) << report["drift"];
  }
}

// Each rank is compared with the processor that it was traced on.
TEST(Run, TheProcessorsOfAllRanksSayItWithoutAProfileToo) {
  char here[SKEL_PROCESSOR_BYTES];
  skel_processor(here);
  const std::string mine = here;
  struct Case {
    std::vector<std::string> processors;  // of the ranks
    std::string compute;
    nlohmann::json same;
  };
  for (const Case& expected : {Case{{mine, mine}, "time", true}, Case{{"none", "none"}, "work", false},
                               Case{{mine, "none"}, "work", false}, Case{{mine, ""}, "work", nullptr}}) {
    Scratch scratch;
    auto skeleton = text::parse(  // traced on something much slower
        "skeleton 1\nranks 2\nmachine register 1 memory 1\nprogram {\nMPI_Init()\nMPI_Finalize()\n}\n", "text");
    for (std::size_t l = 0; l < 2; ++l) skeleton.locations[l].processor = expected.processors[l];
    const auto ran = run(scratch.path, skeleton, plan_scale(skeleton, 1), "SKEL_COMPUTE=auto", "--json report.json");
    ASSERT_EQ(ran.status, 0) << ran.output;
    const auto report = nlohmann::json::parse(read(scratch.path / "report.json"));
    EXPECT_EQ(report["compute"], expected.compute);
    EXPECT_EQ(report["processor"]["same"], expected.same);
    EXPECT_EQ(report["drift"], 1);
  }
}

TEST(Run, TracedTimeIsNotChangedWhereItIsAskedFor) {
  Scratch scratch;
  const auto skeleton = with_work(1);
  const auto ran = run(scratch.path, skeleton, plan_scale(skeleton, 1), "SKEL_COMPUTE=time", "--json report.json");
  ASSERT_EQ(ran.status, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("    measured s    counts as s\n")) << "nothing is left out";
  const auto report = nlohmann::json::parse(read(scratch.path / "report.json"));
  EXPECT_EQ(report["drift"], 1);
  EXPECT_TRUE(report["processor"]["same"].is_null());
}

TEST(Run, SaysHowLongRanksHadNoCore) {
  if (!fs::exists("/proc/self/schedstat")) GTEST_SKIP() << "the kernel does not count it";
  Scratch scratch;
  const auto skeleton = text::parse(
      "skeleton 1\nranks 2\nprogram {\nMPI_Init()\ncompute 0.3 "
      "s\nMPI_Barrier(comm=MPI_COMM_WORLD)\nMPI_Finalize()\n}\n",
      "text");
  for (const bool one_core : {true, false}) {
    const auto ran = run(scratch.path, skeleton, plan_scale(skeleton, 1),
                         one_core ? fmt::format("taskset -c {} env", sched_getcpu()) : "", "--json report.json");
    ASSERT_EQ(ran.status, 0) << ran.output;
    const double share = nlohmann::json::parse(read(scratch.path / "report.json"))["core_wait"];
    if (one_core) EXPECT_GT(share, 0.1);
    EXPECT_EQ(ran.output.find("time without a core ") != std::string::npos, share >= 0.005) << share << ran.output;
    if (share >= 0.005) EXPECT_THAT(ran.output, HasSubstr(fmt::format("{:12.0f} % of the ranks' time", 100 * share)));
  }
}

TEST(Run, CollectivesWithArraysAndSubCommunicators) {
  Builder b(2);
  for (std::uint32_t l = 0; l < 2; ++l) {
    b.skeleton.locations[l].communicators.push_back({2, 2, static_cast<int>(l), 7});
    b.skeleton.locations[l].communicators.push_back({3, 1, 0, 8 + l});
    b.skeleton.locations[l].communicators.push_back({4, 2, static_cast<int>(l), 20});
  }
  const auto out = b.memory(1024), in = b.memory(1024);
  const auto type = constant(b.name("MPI_INT")), sum = constant(b.name("MPI_SUM"));
  const auto to = constant(buffer(out, 0)), from = constant(buffer(in, 0));
  const auto a = b.array({1, 2}), c = b.array({3, 4}), d = b.array({1, 3}), e = b.array({2, 4}),
             displs = b.array({0, 8});
  Block m;
  m.push_back(b.call("MPI_Comm_dup", {{"newcomm", constant(2)}}));
  m.push_back(b.call("MPI_Comm_split", {{"color", each({0, 1})}, {"key", constant(0)}, {"newcomm", constant(3)}}));
  m.push_back(b.call("MPI_Cart_create", {{"ndims", constant(1)},
                                         {"dims", constant(b.array({2}))},
                                         {"periods", constant(b.array({1}))},
                                         {"newcomm", constant(4)},
                                         {"comm_cart", constant(4)}}));
  m.push_back(b.call("MPI_Cart_shift", {{"comm", constant(4)}, {"disp", constant(1)}}));
  m.push_back(b.call("MPI_Cart_coords", {{"comm", constant(4)}, {"rank", each({0, 1})}, {"maxdims", constant(1)}}));
  m.push_back(b.call("MPI_Cart_get", {{"comm", constant(4)}, {"maxdims", constant(1)}}));
  m.push_back(b.call("MPI_Comm_rank", {{"comm", constant(2)}}));
  m.push_back(b.call("MPI_Dims_create",
                     {{"nnodes", constant(2)}, {"ndims", constant(2)}, {"dims", constant(b.array({0, 0}))}}));
  m.push_back(b.call("MPI_Wtime"));
  m.push_back(b.call("MPI_Get_processor_name"));
  m.push_back(b.call("MPI_Barrier", {{"comm", constant(2)}}));
  m.push_back(b.call("MPI_Bcast", {{"buffer", each({buffer(out, 0), buffer(in, 16)})},
                                   {"count", constant(4)},
                                   {"datatype", type},
                                   {"root", constant(1)},
                                   {"comm", constant(4)}}));
  m.push_back(b.call("MPI_Allreduce", {{"sendbuf", constant(mpi::kInPlace)},
                                       {"recvbuf", from},
                                       {"count", constant(3)},
                                       {"datatype", type},
                                       {"op", sum},
                                       {"comm", constant(3)}}));
  m.push_back(b.call("MPI_Alltoallv", {{"sendbuf", to},
                                       {"sendcounts", each({a, c})},
                                       {"sdispls", constant(displs)},
                                       {"sendtype", type},
                                       {"recvbuf", from},
                                       {"recvcounts", each({d, e})},
                                       {"rdispls", constant(displs)},
                                       {"recvtype", type},
                                       {"comm", constant(2)}}));
  m.push_back(b.call("MPI_Gatherv", {{"sendbuf", to},
                                     {"sendcount", each({1, 2})},
                                     {"sendtype", type},
                                     {"recvbuf", each({buffer(in, 0), 0})},
                                     {"recvcounts", each({a, 0})},
                                     {"displs", each({displs, 0})},
                                     {"recvtype", type}}));
  m.push_back(b.call("MPI_Comm_group", {{"group", constant(0)}}));
  m.push_back(
      b.call("MPI_Group_incl", {{"n", constant(1)}, {"ranks", constant(b.array({1}))}, {"newgroup", constant(1)}}));
  b.skeleton.locations[1].communicators.push_back({5, 1, 0, 30});
  m.push_back(b.call("MPI_Comm_create", {{"group", constant(b.array({1}))}, {"newcomm", each({-1, 5})}}));
  m.push_back(b.call("MPI_Barrier", {{"comm", constant(5)}}, Where{1}));
  m.push_back(b.call("MPI_Group_free", {{"group", constant(1)}}));
  m.push_back(b.call("MPI_Group_size", {{"group", constant(-1)}}));
  m.push_back(b.call("MPI_Group_free", {{"group", constant(-1)}}));
  m.push_back(b.call("MPI_Comm_free", {{"comm", constant(2)}}));
  expect_replay(b.finish(std::move(m)));
}

TEST(Run, OutcomesOfTestsAndWaitsAreReplayed) {
  Builder b(2);
  const auto in = b.memory(64), out = b.memory(64);
  const auto type = constant(b.name("MPI_INT"));
  const auto peer = each({1, 0});
  Block body;
  for (int i = 0; i < 2; ++i)
    body.push_back(b.call("MPI_Irecv", {{"buf", constant(buffer(in, 8 * i))},
                                        {"count", constant(1)},
                                        {"datatype", type},
                                        {"source", peer},
                                        {"tag", constant(i)},
                                        {"request", constant(i)}}));
  body.push_back(b.call("MPI_Test", {{"request", constant(0)}, {"flag", constant(0)}}));
  body.push_back(b.call("MPI_Barrier"));
  for (int i = 0; i < 2; ++i)
    body.push_back(b.call("MPI_Isend", {{"buf", constant(buffer(out, 8 * i))},
                                        {"count", constant(1)},
                                        {"datatype", type},
                                        {"dest", peer},
                                        {"tag", constant(i)},
                                        {"request", constant(2 + i)}}));
  body.push_back(b.call("MPI_Waitany", {{"count", constant(2)},
                                        {"array_of_requests", constant(b.array({0, 1}))},
                                        {"index", sequence({1, 0, 1, 1, 0, 0})}}));
  body.push_back(b.call("MPI_Waitsome", {{"incount", constant(4)},
                                         {"array_of_requests", constant(b.array({3, 2, 1, 0}))},
                                         {"array_of_indices", constant(b.array({0, 1, 2, 3}))}}));
  Block m;
  m.push_back(b.loop(constant(6), std::move(body)));
  m.push_back(b.call("MPI_Send",
                     {{"buf", constant(buffer(out, 0))},
                      {"count", constant(1)},
                      {"datatype", type},
                      {"dest", constant(1)},
                      {"tag", constant(9)}},
                     Where{0}));
  m.push_back(b.call("MPI_Iprobe", {{"source", constant(mpi::kAnySource)}, {"tag", constant(9)}, {"flag", constant(1)}},
                     Where{1}));
  m.push_back(b.call("MPI_Recv",
                     {{"buf", constant(buffer(in, 0))},
                      {"count", constant(1)},
                      {"datatype", type},
                      {"source", constant(mpi::kAnySource)},
                      {"tag", constant(9)}},
                     Where{1}));
  expect_replay(b.finish(std::move(m)));
}

TEST(Run, AllRequestsThatWereCompletedTogetherAreCompleted) {
  Builder b(2);
  const auto slot = b.memory(64);
  const auto peer = with_rule(each({1, 0}), RankRule::Kind::exclusive_or, 1);
  const auto requests = constant(b.array({0, 1, 2, 3})), two = constant(b.array({0, 2})),
             rest = constant(b.array({1, 3}));
  Block body, m;
  for (int i = 0; i < 4; ++i)
    body.push_back(b.call(i < 2 ? "MPI_Irecv" : "MPI_Isend", {{"buf", constant(buffer(slot, 8 * i))},
                                                              {"count", constant(1)},
                                                              {"datatype", constant(b.name("MPI_INT"))},
                                                              {i < 2 ? "source" : "dest", peer},
                                                              {"tag", constant(i % 2)},
                                                              {"request", constant(i)}}));
  for (const auto& [call, indices] : {std::pair{"MPI_Testsome", two}, std::pair{"MPI_Waitsome", rest}})
    body.push_back(
        b.call(call, {{"incount", constant(4)}, {"array_of_requests", requests}, {"array_of_indices", indices}}));
  m.push_back(b.loop(constant(6), std::move(body)));
  const auto skeleton = b.finish(std::move(m));
  Scratch scratch;
  const auto ran = run(scratch.path, skeleton, plan_scale(skeleton, 1), "", "", 0, "",
                       std::string(SKELGEN_SOURCE_DIR) + "/tests/unit/emit/hesitant.c");
  ASSERT_EQ(ran.status, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("completed 24"));
}

// Of five iterations, in which rank 0 takes two messages each, the first, third and fourth run; in those the recorded
// messages are four of rank 1, which sends three.
TEST(Run, SourcesThatWereRecordedAreUsedWhereAllIterationsRun) {
  Builder b(3);
  const auto slot = b.memory(64);
  const auto message = [&](const char* call, const char* peer, const Argument& rank, const Where& where) {
    return b.call(call,
                  {{"buf", constant(buffer(slot, 0))},
                   {"count", constant(1)},
                   {"datatype", constant(b.name("MPI_INT"))},
                   {peer, rank}},
                  where);
  };
  Block body, m;
  for (const auto& from : {sequence({1, 2, 1, 1, 1}), sequence({2, 2, 1, 2, 2})}) {
    body.push_back(message("MPI_Recv", "source", constant(mpi::kAnySource), {0}));
    body.back().call().matched = from;
    body.back().call().any_order = true;
  }
  body.push_back(message("MPI_Send", "dest", constant(0), {1, 2}));
  m.push_back(b.loop(constant(5), std::move(body)));
  m.back().loop().between.mean_s = {0.15, 0, 0};
  const auto skeleton = b.finish(std::move(m));
  Scratch scratch;
  const auto plan = plan_scale(skeleton, 2);
  ASSERT_EQ(plan.phases.size(), 3u);
  ASSERT_EQ(plan.phases[1].kept, 2u);
  const auto received = [&](const std::string& environment, std::size_t messages, const std::string& source,
                            std::size_t of_it) {
    const auto ran = run(scratch.path, skeleton, plan, "SKEL_COMPUTE=time SKEL_WILDCARDS=recorded " + environment);
    EXPECT_EQ(ran.status, 0) << ran.output;
    const auto calls = read(scratch.path / "calls-0.txt");
    EXPECT_EQ(count(calls, "MPI_Recv"), messages);
    EXPECT_EQ(count(calls, "MPI_Recv 1 " + source + " 0"), of_it) << calls;
  };
  received("", 6, "-2", 6);
  received("SKEL_SCALE=1", 10, "2", 5);
}

TEST(Run, InnerTripsThatChangeKeepTheSequencesOfWhatIsInside) {
  Builder b(2);
  const auto slot = b.memory(4096);
  const auto type = constant(b.name("MPI_INT"));
  std::vector<std::int64_t> counts;
  for (int k = 0; k < 3 + 1 + 4 + 1 + 5; ++k) counts.push_back(k * k + 1);
  Block inner, outer, m;
  inner.push_back(b.call("MPI_Bcast", {{"buffer", constant(buffer(slot, 0))},
                                       {"count", sequence(counts)},
                                       {"datatype", type},
                                       {"root", sequence({0, 1, 0, 1, 1})}}));
  inner.back().call().arguments[3] = constant(1);
  outer.push_back(b.loop(sequence({3, 1, 4, 1, 5}), std::move(inner), 1e-4));
  outer.push_back(b.call("MPI_Barrier", {}, 1e-3));
  m.push_back(b.loop(constant(5), std::move(outer)));
  expect_replay(b.finish(std::move(m)));
}

TEST(Run, SequencesThatDifferBetweenRanks) {
  Builder b(2);
  const auto slot = b.memory(4096);
  const auto type = constant(b.name("MPI_INT"));
  Argument counts;
  counts.choices = {Sequence::of(std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}),
                    Sequence::of(std::vector<std::int64_t>{9, 1, 9, 1, 4, 4})};
  counts.choice = {0, 1};
  Argument crossed = counts;
  crossed.choice = {1, 0};
  const auto peer = each({1, 0});
  Block body, m;
  body.push_back(b.call("MPI_Irecv", {{"buf", constant(buffer(slot, 0))},
                                      {"count", crossed},
                                      {"datatype", type},
                                      {"source", peer},
                                      {"request", constant(0)}}));
  body.push_back(b.call("MPI_Send", {{"buf", each({buffer(slot, 2048), buffer(slot, 3072)})},
                                     {"count", counts},
                                     {"datatype", type},
                                     {"dest", peer}}));
  body.push_back(b.call("MPI_Wait", {{"request", constant(0)}}));
  m.push_back(b.loop(constant(6), std::move(body)));
  expect_replay(b.finish(std::move(m)));
}

/// Messages whose counts follow no rule.
skeleton::Skeleton of_wandering_counts(int trips) {
  Builder b(2);
  const auto slot = b.memory(1 << 20);
  std::vector<std::int64_t> counts;
  for (std::int64_t k = 0, state = 1; k < trips; ++k) counts.push_back((state = state * 48271 % 2147483647) % 1000);
  Block body, m;
  body.push_back(b.call("MPI_Bcast", {{"buffer", constant(buffer(slot, 0))},
                                      {"count", sequence(counts)},
                                      {"datatype", constant(b.name("MPI_INT"))},
                                      {"root", constant(0)}}));
  m.push_back(b.loop(constant(trips), std::move(body)));
  return b.finish(std::move(m));
}

TEST(Run, LongListsStandInAHeaderOfTheirOwn) {
  Scratch scratch;
  for (const int trips : {50, 5000}) {
    const auto skeleton = of_wandering_counts(trips);
    const auto directory = scratch.path / std::to_string(trips);
    write(directory, skeleton, plan_scale(skeleton, 1), {});
    EXPECT_EQ(fs::exists(directory / "tables.h"), trips == 5000);
    EXPECT_EQ(read(directory / "skeleton.c").find("static const int count_") == std::string::npos, trips == 5000);
    EXPECT_EQ(edited_file(directory), "");
    expect_replay(skeleton);
  }
  std::ofstream(scratch.path / "5000" / "tables.h", std::ios::app) << "/* mine */\n";
  EXPECT_EQ(edited_file(scratch.path / "5000"), "skeleton.c");
}

}  // namespace
}  // namespace skelgen::emit
