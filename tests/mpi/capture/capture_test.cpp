// The capture library under a real MPI, seen through the reader.

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>

#include "run.h"
#include "skel_kernel_names.h"

namespace skelgen::trace {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;

TEST_F(Capture, RecordsWhatWasCalledInC) {
  ASSERT_EQ(run(2, "calls"), 0) << said_;
  const auto all = lines(read(), {0, 0});
  const std::vector<std::string> expected = {
      "MPI_Init",
      "MPI_Comm_rank WORLD",
      "MPI_Comm_size WORLD",
      "MPI_Send buf 3 MPI_DOUBLE 1 7 WORLD",
      "MPI_Ssend buf 0 MPI_INT 1 8 WORLD",
      "MPI_Send NULL 0 MPI_BYTE -1 0 WORLD",
      "MPI_Sendrecv buf 2 MPI_DOUBLE 1 1 buf 2 MPI_DOUBLE 1 1 WORLD []",
      "MPI_Irecv buf 1 MPI_INT -2 5 WORLD req",
      "MPI_Isend buf 1 MPI_INT 1 5 WORLD req",
  };
  ASSERT_GE(all.size(), 47u);
  EXPECT_EQ(std::vector(all.begin(), all.begin() + 9), expected);
  EXPECT_THAT(all[9], testing::StartsWith("MPI_Waitall 2 [req req] [1 5 "));  // the match of the wildcard
  EXPECT_EQ(all[10], "MPI_Irecv buf 1 MPI_INT 1 6 WORLD req");
  EXPECT_EQ(all[12], "MPI_Wait req [1 6]");
  EXPECT_THAT(all[13], testing::StartsWith("MPI_Waitany 2 [null req] 1 "));
  EXPECT_EQ(all[14], "MPI_Waitsome 2 [null null] [] []");
  EXPECT_THAT(all[15], testing::StartsWith("MPI_Test null 1 "));
  EXPECT_EQ(all[18], "MPI_Probe 1 -1 WORLD [1 9]");
  EXPECT_EQ(std::vector(all.begin() + 22, all.end()),
            (std::vector<std::string>{"MPI_Bcast buf 4 MPI_FLOAT 1 WORLD",
                                      "MPI_Reduce buf buf 2 MPI_DOUBLE MPI_MAX 0 WORLD",
                                      "MPI_Allreduce IN_PLACE buf 1 MPI_DOUBLE MPI_SUM WORLD",
                                      "MPI_Gather buf 2 MPI_INT buf 2 MPI_INT 0 WORLD",
                                      "MPI_Gatherv buf 1 MPI_INT buf [1 2] [0 1] MPI_INT 0 WORLD",
                                      "MPI_Alltoall IN_PLACE 0 null buf 1 MPI_INT WORLD",
                                      "MPI_Alltoallv buf [1 1] [0 1] MPI_INT buf [1 1] [0 1] MPI_INT WORLD",
                                      "MPI_Barrier WORLD",
                                      "MPI_Comm_split WORLD 3 0 new",
                                      "MPI_Comm_free comm(1)",
                                      "MPI_Cart_create WORLD 2 [2 1] [1 0] 0 new",
                                      "MPI_Cart_sub comm(2) [1 0] new",
                                      "MPI_Comm_group WORLD new",
                                      "MPI_Group_incl {0,1} 1 [0] new",
                                      "MPI_Comm_create WORLD {0} new",
                                      "MPI_Barrier comm(1)",
                                      "MPI_Comm_free comm(1)",
                                      "MPI_Group_free {0}",
                                      "MPI_Group_incl {0,1} 1 [1] new",
                                      "MPI_Comm_create WORLD {1} null",
                                      "MPI_Group_free {1}",
                                      "MPI_Group_free {0,1}",
                                      "MPI_Comm_free comm(2)",
                                      "MPI_Comm_free comm(2)",
                                      "MPI_Pcontrol 1",
                                      "MPI_Finalize"}));
}

TEST_F(Capture, DoesNotLookAtWhatMeansNothingAwayFromTheRoot) {
  ASSERT_EQ(run(2, "calls"), 0) << said_;
  EXPECT_THAT(
      lines(read(), {1, 0}),
      IsSupersetOf({"MPI_Recv buf 16 MPI_INT -2 -1 WORLD [0 8]", "MPI_Reduce buf NULL 2 MPI_DOUBLE MPI_MAX 0 WORLD",
                    "MPI_Gather buf 2 MPI_INT NULL 0 null 0 WORLD", "MPI_Gatherv buf 2 MPI_INT NULL [] [] null 0 WORLD",
                    "MPI_Comm_split WORLD -32766 0 null"}));
}

/// Calls arrive once, although the Fortran library calls the C one, and special addresses are recognized.
void expect_fortran_calls(const Trace& trace) {
  EXPECT_THAT(lines(trace, {1, 0}),
              ElementsAre("MPI_Init", "MPI_Comm_rank WORLD", "MPI_Allreduce IN_PLACE buf 4 MPI_INTEGER MPI_SUM WORLD",
                          "MPI_Irecv buf 4 MPI_INTEGER 0 3 WORLD req", "MPI_Isend buf 4 MPI_INTEGER 0 3 WORLD req",
                          "MPI_Waitall 2 [req req] []",
                          "MPI_Sendrecv buf 1 MPI_DOUBLE_PRECISION -1 0 buf 1 MPI_DOUBLE_PRECISION -1 0 WORLD []",
                          "MPI_Bcast NULL 0 MPI_INTEGER 0 WORLD", "MPI_Finalize"));
}

TEST_F(Capture, RecordsFortranWithMpifH) {
  if (!fs::exists(PROGRAMS "/calls_mpif")) GTEST_SKIP() << "no Fortran compiler";
  ASSERT_EQ(run(2, "calls_mpif"), 0) << said_;
  expect_fortran_calls(read());
}

TEST_F(Capture, RecordsFortranWithUseMpi) {
  if (!fs::exists(PROGRAMS "/calls_usempi")) GTEST_SKIP() << "no Fortran compiler";
  ASSERT_EQ(run(2, "calls_usempi"), 0) << said_;
  expect_fortran_calls(read());
}

TEST_F(Capture, MakesEveryThreadALocation) {
  ASSERT_EQ(run(1, "threads"), 0) << said_;
  const auto trace = read();
  ASSERT_EQ(trace.locations().size(), 4u);
  EXPECT_EQ(trace.rank_info()[0].ending.calls, 4u + 300000u);
  EXPECT_THAT(lines(trace, {0, 0}),
              ElementsAre("MPI_Init_thread 3", "MPI_Comm_dup WORLD new", "MPI_Comm_free comm(1)", "MPI_Finalize"));
  for (int thread = 1; thread < 4; ++thread) {
    const auto calls = lines(trace, {0, thread});
    EXPECT_EQ(calls.size(), 100000u);
    EXPECT_THAT(calls, testing::Each("MPI_Comm_rank comm(1)"));
  }
}

/// The time before the first call of a location.
struct FirstGap : Visitor {
  void event(const Event& event) override {
    if (calls++ == 0) gap = event.gap.value, cpu = event.cpu.value;
  }
  int calls = 0;
  double gap = 0, cpu = 0;
};

/// Not since MPI began: the program waits half a second before its threads begin, which compute for 20 ms of their own.
TEST_F(Capture, CountsAThreadsComputationFromItsBeginning) {
  for (const std::string variables : {"", "SKELGEN_CPU_TIME=1"}) {
    ASSERT_EQ(run(1, "threads", variables), 0) << said_;
    const auto trace = read();
    for (int thread = 1; thread < 4; ++thread) {
      FirstGap first;
      trace.visit({0, thread}, first);
      EXPECT_GT(first.cpu, 0.015) << variables;
      EXPECT_LE(first.cpu, first.gap);
      EXPECT_LE(first.gap, std::stod(said_)) << variables;
    }
  }
}

/// A thread's room in file and memory is small until it makes many calls, and memory is given back when it ends.
TEST_F(Capture, TakesLittleForThreadsThatMakeFewCalls) {
  long bytes[2], memory[2];
  for (const int many : {0, 1}) {
    ASSERT_EQ(run(1, many ? "tasks 400" : "tasks 1"), 0) << said_;
    std::istringstream(said_) >> bytes[many] >> memory[many];
    EXPECT_EQ(read().locations().size(), many ? 401u : 2u);
  }
  EXPECT_LT(bytes[1] - bytes[0], 400 * 8);  // kB
  EXPECT_LT(memory[1] - memory[0], 400 * 50);
}

struct TraceEnd {
  int status;
  bool complete;
  std::size_t calls;
  std::string last;
  bool operator==(const TraceEnd&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const TraceEnd& e) {
    return out << "status " << e.status << (e.complete ? ", complete, " : ", cut off, ") << e.calls << " calls, last "
               << e.last;
  }
};

class Ends : public Capture {
 protected:
  TraceEnd ended(const std::string& how) {
    const int status = run(1, "ends " + how);
    const auto trace = read();
    const auto all = lines(trace, {0, 0});
    EXPECT_EQ(trace.rank_info()[0].ending.dropped, 0u);
    return {status, trace.rank_info()[0].ending.complete, all.size(), all.empty() ? "" : all.back()};
  }
};

TEST_F(Ends, WithFinalize) { EXPECT_EQ(ended("well"), (TraceEnd{0, true, 1002, "MPI_Finalize"})); }
TEST_F(Ends, WithManyChunks) { EXPECT_EQ(ended("many"), (TraceEnd{0, true, 401002, "MPI_Finalize"})); }
TEST_F(Ends, WithExit) { EXPECT_EQ(ended("exit").calls, 1001u); }
TEST_F(Ends, WithAbort) { EXPECT_EQ(ended("abort"), (TraceEnd{3, true, 1002, "MPI_Abort WORLD 3"})); }
TEST_F(Ends, KilledWithEveryCallThatWasMade) {
  EXPECT_EQ(ended("kill"), (TraceEnd{9, false, 1001, "MPI_Comm_rank WORLD"}));
}
TEST_F(Ends, ByASignalWithEveryCallThatWasMade) {
  EXPECT_EQ(ended("terminate"), (TraceEnd{15, false, 1001, "MPI_Comm_rank WORLD"}));
}
TEST_F(Ends, WithCallsBeforeAndAfter) { EXPECT_EQ(ended("around"), (TraceEnd{0, true, 1003, "MPI_Finalize"})); }
TEST_F(Ends, WithoutWhatWasCalledBetweenControls) {
  EXPECT_EQ(ended("control"), (TraceEnd{0, true, 1004, "MPI_Finalize"}));
}
TEST_F(Ends, WithoutWhatAForkedChildCalled) { EXPECT_EQ(ended("fork"), (TraceEnd{0, true, 1002, "MPI_Finalize"})); }

TEST_F(Capture, TimesWithoutRecording) {
  ASSERT_EQ(run(2, "ends", "SKELGEN_MODE=time"), 0) << said_;
  for (const char* name : {"time-000000.json", "time-000001.json"}) {
    std::ostringstream text;
    text << std::ifstream(work_ / "t.trace" / name).rdbuf();
    EXPECT_THAT(text.str(), HasSubstr("\"ranks\":2")) << name;
    EXPECT_THAT(text.str(), HasSubstr("\"finalize_exit_ns\":")) << name;
  }
  EXPECT_FALSE(fs::exists(work_ / "t.trace" / "rank-000000.skt"));
}

TEST_F(Capture, DoesNothingWhenOff) {
  ASSERT_EQ(run(2, "ends", "SKELGEN_MODE=off"), 0) << said_;
  EXPECT_FALSE(fs::exists(work_ / "t.trace"));
  EXPECT_EQ(said_, "");
}

TEST_F(Capture, NamesTheTraceItself) {
  ASSERT_EQ(run(2, "ends", "SKELGEN_OUT="), 0) << said_;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(work_))
    if (entry.path().filename().string().starts_with("skelgen-ends-")) found.push_back(entry.path());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(open(found[0]).ranks(), 2);
}

TEST_F(Capture, LeavesAProgramAloneThatItCannotRecord) {
  ASSERT_EQ(run(1, "ends", "SKELGEN_OUT=/proc/nowhere"), 0) << said_;
  EXPECT_THAT(said_, HasSubstr("skelgen: /proc/nowhere/rank-000000.skt: cannot be written"));
}

/// Mounting takes root; elsewhere there is nothing to test.
TEST_F(Capture, RecordsWhatFitsOnAFullDiskAndSaysSoOnce) {
  const std::string disk = (work_ / "disk").string();
  fs::create_directory(disk);
  if (std::system(("mount -t tmpfs -o size=1m skelgen " + disk + " 2>/dev/null").c_str()) != 0) GTEST_SKIP();
  const int status = run(1, "ends many", "SKELGEN_OUT=" + disk + "/t.trace");
  std::uint64_t recorded = 0, seen = 0, dropped = 0;
  try {
    const auto trace = open(disk + "/t.trace");
    recorded = lines(trace, {0, 0}).size();
    seen = trace.rank_info()[0].ending.calls;
    dropped = trace.rank_info()[0].ending.dropped;
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
  }
  std::system(("umount " + disk).c_str());
  EXPECT_EQ(status, 0);
  EXPECT_EQ(seen, 401002u);
  EXPECT_EQ(recorded + dropped, seen);
  EXPECT_GT(recorded, 50000u);
  EXPECT_EQ(std::ranges::count(said_, '\n'), 1) << said_;
  EXPECT_THAT(said_, HasSubstr("of 401002 calls of rank 0 are not in the trace (No space left on device)"));
}

TEST_F(Capture, SaysWhichCountersAreMissing) {
  ASSERT_EQ(run(1, "ends", "SKELGEN_COUNTERS=no_such_counter,perf::TASK-CLOCK"), 0) << said_;
  EXPECT_THAT(said_, HasSubstr("skelgen: counter no_such_counter is not available here ("));
  EXPECT_EQ(lines(read(), {0, 0}).size(), 1002u);
}

TEST_F(Capture, AddsTheThreadsCpuTime) {
  ASSERT_EQ(run(1, "ends", "SKELGEN_CPU_TIME=1"), 0) << said_;
  const auto trace = read();
  EXPECT_THAT(trace.rank_info()[0].columns, ElementsAre("cpu_ns"));
  EXPECT_GT(trace.rank_info()[0].cpu_cost_s, 0);
  EXPECT_LT(trace.rank_info()[0].cpu_cost_s, trace.rank_info()[0].record_cost_s);
}

TEST_F(Capture, LeavesTheEnvironmentOfChildrenAlone) {
  ASSERT_EQ(run(1, "children"), 0) << said_;
  EXPECT_EQ(said_, LIBRARY ":" YIELD "|t.trace\n");
}

/// Threads that wait for MPICH's lock wait for its owner's turn on a core: the owner yields at most 50 times in 2^20 polls.
TEST_F(Capture, DoesNotYieldWhereThreadsWaitForEachOther) {
  ASSERT_EQ(run(2, "yields 0", "", false), 0) << said_;
  long alone = 0, in_turns = 0, together = 0;
  ASSERT_EQ(std::sscanf(said_.c_str(), "yields %ld of level 0", &alone), 1) << said_;
  EXPECT_GT(alone, 0);
  ASSERT_EQ(run(2, "yields 2", "", false), 0) << said_;
  ASSERT_EQ(std::sscanf(said_.c_str(), "yields %ld of level 2", &in_turns), 1) << said_;
  EXPECT_GT(in_turns, 0);
  ASSERT_EQ(run(2, "yields 3", "", false), 0) << said_;
  ASSERT_EQ(std::sscanf(said_.c_str(), "yields %ld of level 3", &together), 1) << said_;
  EXPECT_LT(together, 600);
}

TEST_F(Capture, MeasuresTheMachineAndTheRun) {
  ASSERT_EQ(run(2, "ends", "SKELGEN_SPEEDS=1"), 0) << said_;
  const auto trace = read();
  ASSERT_TRUE(trace.wall().has_value());
  EXPECT_GT(trace.wall()->value, 0);
  for (const auto& rank : trace.rank_info()) {
    EXPECT_GT(rank.speeds.at("register"), 1e6);
    EXPECT_GT(rank.speeds.at("memory"), 1e6);
    EXPECT_EQ(rank.kernel_speeds.size(), std::size_t{SKEL_KERNELS});
    EXPECT_FALSE(rank.processor.empty());
    EXPECT_GT(rank.ending.working_set_bytes, 1u << 20);
    EXPECT_GT(rank.record_cost_s, 0);
    EXPECT_LT(rank.record_cost_s * static_cast<double>(rank.ending.calls), trace.wall()->value);
  }
}

}  // namespace
}  // namespace skelgen::trace
