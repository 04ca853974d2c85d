// However a program ends, whatever it does beside MPI: with the library it does the same and ends the same, and the trace has its calls.

#include <gmock/gmock.h>

#include <algorithm>
#include <regex>

#include "mpi_run.h"

namespace skelgen::trace {
namespace {

using testing::HasSubstr;

/// Numbers of processes differ from run to run, and which rank's lines come first.
std::string lines_in_order(const std::string& text) {
  static const std::regex number("PID [0-9]+");
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(std::regex_replace(line, number, "PID"));
  std::ranges::sort(all);
  std::string joined;
  for (const auto& line : all) joined += line + "\n";
  return joined;
}

class Harmless : public EachMpi {
 protected:
  /// Runs with and without the library; both must end alike. Returns the run with it.
  Ended same(const std::string& how, int ranks = 1, const std::string& variables = {}) {
    const auto without = plain(ranks, "harm " + how);
    const auto with = traced(ranks, "harm " + how, variables);
    EXPECT_EQ(with.status, without.status) << with.errors;
    EXPECT_EQ(lines_in_order(with.output), lines_in_order(without.output));
    EXPECT_NE(with.output, "");
    return with;
  }

  struct Calls {
    std::uint64_t read, seen, dropped;
    bool complete;
  };
  Calls calls(int rank = 0) {
    const auto trace = read(true);
    Calls found{0, trace.rank_info()[rank].ending.calls, trace.rank_info()[rank].ending.dropped,
                trace.rank_info()[rank].ending.complete};
    for (const auto where : trace.locations())
      if (where.rank == rank) found.read += lines(trace, where).size();
    return found;
  }
  /// A complete trace of exactly these calls.
  void expect_calls(std::uint64_t number, int rank = 0) {
    const auto found = calls(rank);
    EXPECT_EQ(found.read, number);
    EXPECT_EQ(found.seen, number);
    EXPECT_EQ(found.dropped, 0u);
    EXPECT_TRUE(found.complete);
  }
};

constexpr std::uint64_t kBefore = 1002;  ///< calls until the program does it
constexpr std::uint64_t kAll = kBefore + 1001;

TEST_P(Harmless, EndsWithFinalize) {
  same("well", 2);
  expect_calls(kAll, 0);
  expect_calls(kAll, 1);
}
TEST_P(Harmless, EndsWithExit) {
  same("exit");
  expect_calls(kBefore);
}
TEST_P(Harmless, EndsWithExitAndStatus) {
  same("exit_status");
  expect_calls(kBefore);
}
TEST_P(Harmless, EndsWithQuickExit) {
  // MPICH's launcher reports 1 instead if it reads of the closed connection before the kernel reports the end.
  same("quick_exit", mpi() == "mpich" ? 0 : 1);
  EXPECT_EQ(calls().read, kBefore);
  EXPECT_FALSE(calls().complete);
}
TEST_P(Harmless, EndsWithAbort) {
  same("abort");
  expect_calls(kBefore + 1);
}
TEST_P(Harmless, EndsWithAbortOfOneOfTwo) {
  same("abort_one", 2);
  expect_calls(kBefore + 1, 1);
  EXPECT_GE(calls(0).read, kBefore);
}
TEST_P(Harmless, EndsBySigterm) {
  same("terminate");
  EXPECT_EQ(calls().read, kBefore);
}
TEST_P(Harmless, EndsByFault) {
  same("fault");
  EXPECT_EQ(calls().read, kBefore);
}
TEST_P(Harmless, EndsWithExitInASignalHandler) {
  same("handler");
  expect_calls(kBefore);
}
TEST_P(Harmless, EndsWithExitInASignalHandlerInTheMiddleOfCalls) {
  same("busy_handler");
  EXPECT_GT(calls().read, kBefore);
}
TEST_P(Harmless, EndsWithExitWhileOtherThreadsCall) {
  same("busy_exit");
  const auto found = calls();
  EXPECT_TRUE(found.complete);
  EXPECT_GT(found.read, kBefore);
  EXPECT_LE(found.read, found.seen);
}
TEST_P(Harmless, EndsWithAbortWhileOtherThreadsCall) {
  same("busy_abort");
  const auto found = calls();
  EXPECT_TRUE(found.complete);
  EXPECT_GT(found.read, kBefore + 1);
}

/// What the child of a fork does is not the rank's: its trace has the parent's calls, each once.
TEST_P(Harmless, ForksAQuietChild) {
  same("fork_quiet", 2);
  expect_calls(kAll, 0);
  expect_calls(kAll, 1);
}
TEST_P(Harmless, ForksAChildThatExits) {
  same("fork_exit", 2);
  expect_calls(kAll, 0);
}
TEST_P(Harmless, ForksAChildThatExecutesAnotherProgram) {
  same("fork_exec", 2);
  expect_calls(kAll, 0);
}
TEST_P(Harmless, ForksAChildThatCalls) {
  same("fork_calls");
  expect_calls(kAll);
}
TEST_P(Harmless, ForksAChildWithAThreadThatCalls) {
  same("fork_thread");
  expect_calls(kAll);
}

TEST_P(Harmless, LeavesOtherFilesAloneWhenItsDescriptorIsTaken) {
  same("descriptor");
  expect_calls(kAll + 400000);
}
TEST_P(Harmless, KeepsBelowTheLimitOfFileSizes) {
  const auto ended = same("limit");
  const auto found = calls();
  EXPECT_EQ(found.seen, kAll + 1000000);
  EXPECT_EQ(found.read + found.dropped, found.seen);
  EXPECT_GT(found.read, 100000u);
  EXPECT_THAT(ended.errors, HasSubstr("calls of rank 0 are not in the trace (File too large)"));
}
TEST_P(Harmless, GoesOnWhenTimersInterrupt) {
  same("timer");
  expect_calls(kAll + 1000000);
}
TEST_P(Harmless, WritesWhereTheProgramWasStarted) {
  const auto out = work_ / "here.trace";
  same("elsewhere", 1, "SKELGEN_OUT=here.trace");
  EXPECT_EQ(open(out).rank_info()[0].ending.calls, kAll);
}
TEST_P(Harmless, RecordsThreadsThatComeAndGo) {
  same("threads");
  expect_calls(kAll + 640);
  EXPECT_EQ(read().locations().size(), 641u);
  EXPECT_LT(fs::file_size(work_ / "t.trace" / "rank-000000.skt"), 640u * 1024);
}

/// No room at all: said once, and that is all.
TEST_P(Harmless, RunsWithoutADiskToWriteTo) {
  const auto disk = work_ / "disk";
  fs::create_directory(disk);
  if (std::system(("mount -t tmpfs -o size=4k,nr_inodes=8 skelgen " + disk.string() + " 2>/dev/null").c_str()) != 0)
    GTEST_SKIP();
  std::ofstream(disk / "full") << std::string(8192, 'x');
  const auto ended = same("many", 1, "SKELGEN_OUT=" + (disk / "t.trace").string());
  std::system(("umount " + disk.string()).c_str());
  EXPECT_EQ(std::ranges::count(ended.errors, '\n'), 1) << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("(No space left on device); rank 0 goes on unrecorded"));
}
TEST_P(Harmless, RunsWhereItMayNotWrite) {
  const auto disk = work_ / "disk";
  fs::create_directory(disk);
  if (std::system(("mount -t tmpfs -o ro skelgen " + disk.string() + " 2>/dev/null").c_str()) != 0) GTEST_SKIP();
  const auto ended = same("many", 1, "SKELGEN_OUT=" + (disk / "t.trace").string());
  std::system(("umount " + disk.string()).c_str());
  EXPECT_EQ(std::ranges::count(ended.errors, '\n'), 1) << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("(Read-only file system); rank 0 goes on unrecorded"));
}

SKELGEN_EACH_MPI(Harmless);

}  // namespace
}  // namespace skelgen::trace
