#include "launch/launch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "launch/interrupted.h"
#include "launch/temporary.h"
#include "support/error.h"

namespace skelgen::launch {
namespace {

Launch shell(const std::string& script) {
  Launch what;
  what.command = {"sh", "-c", script};
  return what;
}

TEST(SaidWhenInterrupted, EndsByTheSignalAndOneLine) {
  const auto interrupted = [] {
    const SaidWhenInterrupted said("what there is");
    raise(SIGINT);
  };
  EXPECT_EXIT(interrupted(), testing::KilledBySignal(SIGINT), "^what there is\n$");
}

TEST(Launch, ReturnsTheProgramsStatus) {
  EXPECT_EQ(launch(shell("exit 0")).status, 0);
  EXPECT_EQ(launch(shell("exit 3")).status, 3);
  const auto killed = launch(shell("kill -9 $$"));
  EXPECT_EQ(killed.status, 137);
  EXPECT_EQ(killed.signal, 9);
  EXPECT_GE(killed.ended_ns, killed.spawned_ns);
}

TEST(Launch, TellsMissingFromForbidden) {
  Launch what;
  what.command = {"no-such-program-anywhere"};
  try {
    launch(what);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::launch);
    EXPECT_STREQ(error.what(),
                 "no-such-program-anywhere: command not found; check the spelling and PATH; is the MPI module loaded?");
  }
  what.command = {"/etc"};
  try {
    launch(what);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::io);
  }
}

TEST(Launch, SetsTheEnvironmentOfTheProgramOnly) {
  auto what = shell("test \"$SKELGEN_TEST_VALUE\" = 'a b'");
  what.environment = {{"SKELGEN_TEST_VALUE", "a b"}};
  EXPECT_EQ(launch(what).status, 0);
  EXPECT_EQ(getenv("SKELGEN_TEST_VALUE"), nullptr);
}

TEST(Launch, EndsTheProgramAndWhatItStartedWhenThatIsEnough) {
  const TemporaryDirectory scratch(".", "enough");
  const auto file = (scratch.path() / "child").string();
  for (const int signal : {SIGTERM, SIGKILL}) {
    std::filesystem::remove(file);
    auto what = shell("sleep 1000 & echo $! > " + file + ".new; mv " + file + ".new " + file + "; wait");
    what.end_by = signal;
    what.enough = [&] { return std::filesystem::exists(file); };
    const auto outcome = launch(what);
    EXPECT_TRUE(outcome.enough);
    EXPECT_EQ(outcome.signal, signal);
    pid_t child = 0;
    std::ifstream(file) >> child;
    ASSERT_GT(child, 0);
    EXPECT_NE(kill(child, 0), 0);
  }
  auto what = shell("exit 3");
  what.enough = [] { return false; };
  EXPECT_FALSE(launch(what).enough);
  EXPECT_EQ(launch(what).status, 3);
}

TEST(Launch, ForwardsSignalsAndSurvivesThem) {
  // The program signals its parent, us, and waits for the signal to come back.
  const auto ended = launch(shell("trap 'exit 42' TERM; kill -TERM $PPID; while :; do sleep 0.01; done"));
  EXPECT_EQ(ended.status, 42);
  EXPECT_EQ(ended.asked, SIGTERM);
  EXPECT_EQ(launch(shell("exit 1")).asked, 0);
  EXPECT_EQ(launch(shell("trap 'exit 43' INT; kill -INT $PPID; while :; do sleep 0.01; done")).status, 43);
}

TEST(Launch, ForwardsNoSignalThatTheWholeGroupGot) {
  // The program counts what it gets of a signal to its group, in which we are, too.
  const std::string counts =
      "n=0; trap 'n=$((n+1))' INT; kill -INT 0; i=0; while [ $i -lt 30 ]; do i=$((i+1)); sleep 0.02; done; exit $n";
  const pid_t group = fork();
  if (group == 0) {
    setpgid(0, 0);
    _exit(launch(shell(counts)).status);
  }
  int status = 0;
  waitpid(group, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

TEST(Launch, EndsWhatTheProgramLeavesBehindWhenItIsEnded) {
  const TemporaryDirectory scratch(scratch_parent(), "test");
  const auto pids = scratch.path() / "pids";
  const auto started = [&](const std::string& ignored) {
    return "sh -c \"" + ignored + "sleep 300 & sleep 300 & echo \\$\\$ \\$! >> '" + pids.string() + "'; wait\" & ";
  };
  const auto ended = launch(shell(started("") + started("trap '' TERM; ") + "while [ \"$(cat '" + pids.string() +
                                  "' | wc -l)\" != 2 ]; do sleep 0.01; done; kill -TERM $PPID; wait"));
  EXPECT_EQ(ended.signal, SIGTERM);
  std::ifstream in(pids);
  int seen = 0;
  for (pid_t one = 0; in >> one; ++seen) EXPECT_EQ(kill(one, 0), -1) << one << " goes on";
  EXPECT_EQ(seen, 4);
}

TEST(Launch, LeavesAloneWhatStaysBehindAProgramThatEndsByItself) {
  const TemporaryDirectory scratch(scratch_parent(), "test");
  const auto captured =
      capture({"sh", "-c", "sleep 300 & echo $!; trap 'exit 0' HUP; kill -HUP $PPID; while :; do sleep 0.01; done"},
              scratch.path(), launch);
  EXPECT_EQ(captured.outcome.asked, SIGHUP);
  const pid_t left = std::stoi(captured.text);
  EXPECT_EQ(kill(left, SIGKILL), 0);
  EXPECT_EQ(waitpid(left, nullptr, 0), left);
}

TEST(Launch, WorksWhereChildrenAreIgnored) {
  const auto before = signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(launch(shell("exit 5")).status, 5);
  EXPECT_EQ(signal(SIGCHLD, before), SIG_IGN);
}

TEST(Capture, KeepsBothStreams) {
  const TemporaryDirectory scratch(scratch_parent(), "test");
  const auto captured = capture({"sh", "-c", "echo one; echo two >&2; exit 4"}, scratch.path(), launch);
  EXPECT_EQ(captured.text, "one\ntwo\n");
  EXPECT_EQ(captured.outcome.status, 4);
}

TEST(Scratch, IsWhereFilesCanBeMade) {
  const auto here = std::filesystem::current_path();
  EXPECT_EQ(scratch_parent(), here);
  std::filesystem::current_path("/proc");  // where root, too, makes no files
  const auto elsewhere = scratch_parent();
  std::filesystem::current_path(here);
  EXPECT_NE(elsewhere, "/proc");
}

TEST(LastLine, SkipsBlanks) {
  EXPECT_EQ(last_line("one\n two \n\n \n"), "two");
  EXPECT_EQ(last_line("one"), "one");
  EXPECT_EQ(last_line(" \n"), "");
  EXPECT_EQ(last_line(""), "");
}

TEST(FindProgram, SearchesPathUnlessThereIsASlash) {
  EXPECT_TRUE(find_program("sh"));
  EXPECT_TRUE(find_program("/bin/sh"));
  EXPECT_FALSE(find_program("./sh"));
  EXPECT_FALSE(find_program("no-such-program-anywhere"));
  EXPECT_FALSE(find_program(""));
}

TEST(TemporaryDirectory, GoesAwayWithItsContents) {
  std::filesystem::path path;
  {
    const TemporaryDirectory scratch(scratch_parent(), "test");
    path = scratch.path();
    std::ofstream(path / "file") << "text";
    EXPECT_TRUE(std::filesystem::exists(path / "file"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(RequireWritable, NamesThePlace) {
  EXPECT_NO_THROW(require_writable(scratch_parent()));
  EXPECT_THROW(require_writable("/proc"), Error);
}

}  // namespace
}  // namespace skelgen::launch
