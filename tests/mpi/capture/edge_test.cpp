// What programs may do beside MPI, and what a machine may lack: the program runs as without the library, the trace has its calls.

#include <gmock/gmock.h>

#include "mpi_run.h"

namespace skelgen::trace {
namespace {

using testing::HasSubstr;

class Edge : public EachMpi {
 protected:
  std::vector<std::string> calls(int thread = 0) const { return lines(read(), {0, thread}); }
  std::uint64_t dropped() const { return read().rank_info()[0].ending.dropped; }
};

TEST_P(Edge, AnyNumberOfCallsBeforeInit) {
  for (const std::uint64_t number : {40000, 400000}) {  // less and more than the usual chunk
    ASSERT_EQ(traced(1, "edge early " + std::to_string(number)).status, 0);
    EXPECT_EQ(std::ranges::count(calls(), "MPI_Initialized 1"), 0);
    EXPECT_EQ(calls().size(), number + 2002);
    EXPECT_EQ(dropped(), 0u);
  }
}

TEST_P(Edge, WhatIsKeptOfCallsBeforeInitHasABound) {
  const auto ended = traced(1, "edge early 40000000");
  ASSERT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("or after too many calls, or has no memory; it goes on unrecorded"));
  EXPECT_FALSE(fs::exists(work_ / "t.trace" / "rank-000000.skt"));
}

TEST_P(Edge, TheChildOfAForkMayBecomeTheRank) {
  const auto ended = traced(1, "edge fork");
  ASSERT_EQ(ended.status, 0) << ended.errors;
  EXPECT_EQ(calls().size(), 3u);
}

TEST_P(Edge, AThreadKeepsItsDataWhereNoKeyIsLeft) {
  if (mpi() == "openmpi") return;  // which needs some itself
  const auto ended = traced(1, "edge keys");
  ASSERT_EQ(ended.status, 0) << ended.errors;
  EXPECT_EQ(ended.output, "0 keys lost\n");
  EXPECT_EQ(calls(1).size(), 1u);
}

TEST_P(Edge, CountersEndWithTheirThread) {
  if (!fs::exists(PAPI_INCLUDE "/papi.h")) GTEST_SKIP() << "PAPI is not here";
  const auto ended = traced(1, "edge counters", "SKELGEN_COUNTERS=ANY LD_LIBRARY_PATH=" PROGRAMS "/papi");
  ASSERT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(read().rank_info()[0].columns, testing::ElementsAre("ANY"));
  EXPECT_EQ(ended.output, "0 more files\n");
  EXPECT_EQ(read().rank_info()[0].threads, 65);
}

TEST_P(Edge, TheProgramsPeakOfMemoryStays) {
  const auto ended = traced(1, "edge peak");
  ASSERT_EQ(ended.status, 0) << ended.errors;
  EXPECT_EQ(ended.output, "peak kept: 1\n");
}

TEST_P(Edge, ALibraryMayCallMpiWhileItIsLoaded) {
  const auto ended =
      shell("SKELGEN_OUT=" + (work_ / "t.trace").string() + " LD_PRELOAD=" LIBRARY,
            "timeout 900 " + std::string(launcher()) + " -n 1 " + program("edge loading ") + program("loading"));
  ASSERT_EQ(ended.status, 0) << ended.errors;
  EXPECT_EQ(ended.output, "loaded 1\n");
  EXPECT_THAT(calls(), testing::Contains("MPI_Finalize"));
}

TEST_P(Edge, WhatIsNotRecordedIsCountedAlsoWhenRecordingResumes) {
  const auto ended = traced(1, "edge full");
  ASSERT_EQ(ended.status, 0) << ended.errors;
  const auto ending = read().rank_info()[0].ending;
  EXPECT_EQ(ending.calls, 1u + 1 + 120000 + 1 + 1000 + 1);
  EXPECT_EQ(ending.calls - ending.dropped, calls().size());
  EXPECT_GT(ending.dropped, 1001u);
}

/// How long the program computed before each MPI_Barrier, and which calls were recorded at all.
class Gaps : public Visitor {
 public:
  std::vector<double> seconds;
  void event(const Event& event) override {
    if (event.function->name == "MPI_Barrier") seconds.push_back(event.gap.value);
  }
};

TEST_P(Edge, CallsThatAJumpHasLeftDoNotHoldTheNextOnes) {
  for (const std::string how : {"jump", "jump_far"}) {
    const auto ended = traced(1, "edge " + how);
    ASSERT_EQ(ended.status, 0) << ended.errors;
    Gaps gaps;
    read().visit({0, 0}, gaps);
    ASSERT_EQ(gaps.seconds.size(), 3u) << how;
    for (const double gap : gaps.seconds) EXPECT_GT(gap, 0.019) << how;
    EXPECT_EQ(dropped(), 1u) << how;
  }
}

TEST_P(Edge, CountersOfProcessorsThatTheKernelDistrustsAreNoClock) {
  const auto library = program("clocksource");
  const auto ended = traced(1, "edge none", {}, {}, library);
  ASSERT_EQ(ended.status, 0) << ended.errors;
  EXPECT_EQ(read().rank_info()[0].clock, "monotonic");
}

SKELGEN_EACH_MPI(Edge);

/// Programs without an MPI of ours.
class Stub : public testing::Test {
 protected:
  /// Output, errors behind it.
  static std::string run(const std::string& program, bool captured) {
    const std::string preload = captured ? "LD_PRELOAD=" LIBRARY " " : "";
    FILE* pipe = popen(("env " + preload + PROGRAMS "/" + program + " 2>&1").c_str(), "r");
    std::string said;
    char piece[4096];
    while (const auto n = fread(piece, 1, sizeof piece, pipe)) said.append(piece, n);
    EXPECT_EQ(pclose(pipe), 0) << said;
    return said;
  }
};

TEST_F(Stub, AnMpiWithoutPmpiIsUsedAsItIs) {
  EXPECT_EQ(run("stub", false), "0 of 1, 0\n");
  EXPECT_EQ(run("stub", true),
            "skelgen: this MPI: there is no support for it; the program goes on unrecorded\n0 of 1, 0\n");
}

TEST_F(Stub, AWeakReferenceIsNoMpi) {
  EXPECT_EQ(run("weak", false), "running 0, 1\n");
  EXPECT_EQ(run("weak", true),
            "skelgen: MPI_Wtime: is called, but no MPI library is loaded\n"
            "skelgen: MPI_Initialized: is called, but no MPI library is loaded\n"
            "skelgen: MPI_Comm_size: is called, but no MPI library is loaded\nrunning 0, 1\n");
}

}  // namespace
}  // namespace skelgen::trace
