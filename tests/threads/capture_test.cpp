// Programs of several threads under libskelthreads.so: they say what they say without it, and what they did is there.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "threads/analysis.h"
#include "threads/run.h"

namespace skelgen::threads {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Capture : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    work_ =
        fs::temp_directory_path() / ("skelgen-threads-" + std::string(info->name()) + "-" + std::to_string(getpid()));
    fs::remove_all(work_);
    fs::create_directories(work_);
  }
  void TearDown() override { fs::remove_all(work_); }

  int shell(const std::string& command) {
    const auto output = work_ / "output", errors = work_ / "errors";
    const int status = std::system(
        ("cd " + work_.string() + " && { " + command + "; } >" + output.string() + " 2>" + errors.string()).c_str());
    said_ = text(output);
    errors_ = text(errors);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  static std::string text(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  int captured(const std::string& program, const std::string& variables = "SKELGEN_OUT=t.trace") {
    return shell("env " + variables + " LD_PRELOAD=" LIBRARY " " PROGRAMS "/" + program);
  }
  /// Runs the program without capture and with it: output and status must be the same.
  void same(const std::string& program) {
    const int plain = shell(PROGRAMS "/" + program);
    const auto said = said_;
    EXPECT_EQ(captured(program), plain);
    EXPECT_EQ(said_, said);
    EXPECT_THAT(errors_, IsEmpty());
  }
  threads::Run read() const { return read_run(work_ / "t.trace"); }

  fs::path work_;
  std::string said_, errors_;
};

/// "mutex acquire" -> how often, by all threads.
std::map<std::string, int> counted(const Run& run) {
  std::map<std::string, int> counts;
  for (const auto& thread : run.threads)
    for (const auto& event : thread.events)
      ++counts[std::string(name_of(run.objects[event.object].primitive)) + " " + name_of(event.action)];
  return counts;
}

void expect_order(const Run& run) {
  for (const auto& thread : run.threads) {
    std::uint64_t now = 0, work = 0;
    for (const auto& event : thread.events) {
      EXPECT_GE(event.enter, now) << thread.name;
      EXPECT_GE(event.leave, event.enter);
      EXPECT_GE(event.work_enter, work);
      EXPECT_GE(event.work_leave, event.work_enter);
      now = event.leave;
      work = event.work_leave;
    }
  }
}

TEST_F(Capture, SeesEveryPrimitive) {
  same("primitives");
  const auto run = read();
  expect_order(run);
  auto counts = counted(run);
  EXPECT_EQ(run.threads.size(), 3u);
  EXPECT_EQ(run.threads[1].parent, 0u);
  EXPECT_EQ(counts["thread create"], 2);
  EXPECT_EQ(counts["thread start"], 3);
  EXPECT_EQ(counts["thread exit"], 3);
  EXPECT_EQ(counts["thread join"], 2);
  EXPECT_EQ(counts["mutex release"], counts["mutex acquire"] + 1) << "main takes one before there are threads";
  EXPECT_GE(counts["mutex acquire"], 4 * 5 + 2);
  EXPECT_EQ(counts["read-write lock acquire shared"], 10);
  EXPECT_EQ(counts["read-write lock acquire"], 10);
  EXPECT_EQ(counts["read-write lock release"], 20);
  EXPECT_EQ(counts["spin lock acquire"], 10);
  EXPECT_EQ(counts["spin lock release"], 10);
  EXPECT_EQ(counts["barrier arrive"], 10);
  EXPECT_EQ(counts["semaphore acquire"], 11);
  EXPECT_EQ(counts["semaphore release"], 11);
  EXPECT_EQ(std::ranges::count(run.objects, Primitive::semaphore, &Object::primitive), 3) << "one is opened twice";
  EXPECT_EQ(counts["condition signal"], 1);
  EXPECT_EQ(counts["condition broadcast"], 1);
  EXPECT_EQ(counts["once release"], 1);
  EXPECT_EQ(counts["once acquire"], 1);
  EXPECT_EQ(counts["channel send"], 15);
  EXPECT_EQ(counts["channel receive"], 15);
  EXPECT_EQ(counts["mark signal"], 5);
  EXPECT_EQ(counts["mark wait"], 5);
  std::map<Action, std::set<std::uint32_t>> marks;
  for (const auto& thread : run.threads)
    for (const auto& event : thread.events)
      if (run.objects[event.object].primitive == Primitive::mark) marks[event.action].insert(event.site);
  EXPECT_NE(marks[Action::signal], marks[Action::wait]) << "marks are told apart by their places";
  for (const auto& thread : run.threads)
    for (const auto& event : thread.events) {
      const auto primitive = run.objects[event.object].primitive;
      if (primitive == Primitive::barrier) EXPECT_GT(event.sequence, 0u);
      if (event.action == Action::join) EXPECT_LT(event.partner, 3u);
    }
}

TEST_F(Capture, SeesWaitsOfCppThatReachTheSystem) {
  same("modern");
  const auto run = read();
  auto counts = counted(run);
  EXPECT_EQ(counts["futex wait"], 1);
  EXPECT_GE(counts["futex broadcast"], 1);
  EXPECT_THAT(run.notes, testing::Contains(HasSubstr("futexes")));
}

class OpenMp : public Capture, public testing::WithParamInterface<const char*> {};

TEST_P(OpenMp, IsSeen) {
  if (!fs::exists(std::string(PROGRAMS "/") + GetParam())) GTEST_SKIP() << "this compiler is not here";
  same(GetParam());
  const auto run = read();
  expect_order(run);
  auto counts = counted(run);
  EXPECT_EQ(run.threads.size(), 3u);
  EXPECT_EQ(counts["parallel broadcast"], 8);
  EXPECT_EQ(counts["parallel wait"], 16) << "all members but the one that forks";
  EXPECT_EQ(counts["parallel arrive"], 24);
  EXPECT_EQ(counts["barrier arrive"], 24) << "explicit ones, and those of loops";
  // The runtime has mutexes of its own. LLVM gives its own place for a lock of the program now and then: a member that
  // leaves a critical section clears the place that the first member has stored (__kmpc_end_critical).
  std::map<std::uint64_t, int> rounds;
  std::map<std::size_t, int> acquired;
  std::set<std::size_t> of_program;
  for (const auto& thread : run.threads)
    for (const auto& event : thread.events) {
      const auto primitive = run.objects[event.object].primitive;
      if (primitive == Primitive::barrier) ++rounds[event.sequence];
      if (primitive != Primitive::mutex) continue;
      acquired[event.object] += event.action == Action::acquire;
      if (run.sites[event.site].module.find("omp.so") == std::string::npos) of_program.insert(event.object);
    }
  int locks = 0;
  for (const auto object : of_program) locks += acquired[object];
  EXPECT_THAT(rounds, testing::SizeIs(8));
  EXPECT_THAT(rounds, testing::Each(testing::Pair(testing::Gt(0u), 3)));
  EXPECT_EQ(locks, 36) << "critical and lock";
  if (GetParam() == std::string("openmp")) EXPECT_EQ(counts["mutex release"], counts["mutex acquire"]);
}

INSTANTIATE_TEST_SUITE_P(Compilers, OpenMp, testing::Values("openmp", "openmp_clang"),
                         [](const auto& info) { return std::string(info.param); });

/// One runtime after the other in one process: each is told apart, and recorded as if it were alone.
TEST_F(Capture, KnowsTwoRuntimesOfOpenMp) {
  for (const char* name : {"libopenmp.so", "libopenmp_clang.so"})
    if (!fs::exists(std::string(PROGRAMS "/") + name)) GTEST_SKIP() << "a compiler is not here";
  const std::string gnu = " " PROGRAMS "/libopenmp.so", llvm = " " PROGRAMS "/libopenmp_clang.so";
  for (const auto& program : {"openmp" + llvm, "openmp_clang" + gnu, "without_openmp" + llvm + gnu}) {
    fs::remove_all(work_ / "t.trace");
    same(program);
    EXPECT_EQ(said_, "156 36\n156 36\n") << program;
    const auto run = read();
    expect_order(run);
    auto counts = counted(run);
    EXPECT_EQ(counts["parallel broadcast"], 2 * 8) << program;
    EXPECT_EQ(counts["parallel wait"], 2 * 16) << program;
    EXPECT_EQ(counts["parallel arrive"], 2 * 24) << program;
    EXPECT_EQ(counts["barrier arrive"], 2 * 24) << program;
  }
}

/// Each of two libraries has a libgomp of its own, as neither is loaded for all.
TEST_F(Capture, KnowsTwoRuntimesOfGcc) {
  if (!fs::exists(PROGRAMS "/libopenmp_own.so")) GTEST_SKIP() << "this compiler is not here";
  for (const std::string& program : {"openmp_clang", "without_openmp"}) {
    if (!fs::exists(PROGRAMS "/" + program)) continue;
    fs::remove_all(work_ / "t.trace");
    same(program + " " PROGRAMS "/libopenmp.so " PROGRAMS "/libopenmp_own.so");
    const int runtimes = program == "without_openmp" ? 2 : 3;
    const auto run = read();
    expect_order(run);
    EXPECT_EQ(counted(run)["parallel broadcast"], runtimes * 8) << program;
    EXPECT_EQ(counted(run)["barrier arrive"], runtimes * 24) << program;
    EXPECT_EQ(counted(run)["mutex release"], counted(run)["mutex acquire"]) << program;
  }
}

class Hard : public Capture, public testing::WithParamInterface<const char*> {};

TEST_P(Hard, SaysWhatItSaysWithoutCapture) { same(std::string("hard ") + GetParam()); }

INSTANTIATE_TEST_SUITE_P(Cases, Hard,
                         testing::Values("detached", "cancelled", "cancelled_late", "forks", "held", "many",
                                         "destroyed", "never_joined", "destructors", "signals", "early", "main_leaves",
                                         "nothing"),
                         [](const auto& info) { return std::string(info.param); });

TEST_F(Capture, GoesWithAnAllocatorThatLocksAndThreadsBeforeItsConstructor) {
  same("allocator");
  const auto run = read();
  expect_order(run);
  EXPECT_EQ(run.threads.size(), 5u);
  EXPECT_GE(counted(run)["mutex acquire"], 3 * 2000);
}

TEST_F(Capture, KeepsAThousandThreads) {
  captured("hard many");
  const auto run = read();
  expect_order(run);
  EXPECT_EQ(run.threads.size(), 1001u);
  auto counts = counted(run);
  EXPECT_EQ(counts["thread start"], 1001);
  EXPECT_EQ(counts["thread exit"], 1001);
  EXPECT_EQ(counts["mutex acquire"], 1000);
}

TEST_F(Capture, GivesTheChildOfAForkAFileOfItsOwn) {
  captured("hard forks");
  const auto files = thread_files(work_ / "t.trace");
  ASSERT_EQ(files.size(), 2u) << "the child without threads has none";
  std::vector<std::size_t> threads;
  int locks = 0;
  for (const auto& file : files) {
    const auto run = read_file(file);
    expect_order(run);
    threads.push_back(run.threads.size());
    EXPECT_TRUE(summarize(file).complete);
    locks = std::max(locks, counted(run)["mutex acquire"]);
  }
  EXPECT_THAT(threads, testing::Each(2u));
  EXPECT_EQ(locks, 20000 + 2);
}

class Forks : public Capture {
 protected:
  /// All files are whole; the parent's is the one of the most locks.
  void expect_whole_files(const std::string& name, int locks, std::size_t least_files, std::size_t most_files) {
    fs::remove_all(work_ / "t.trace");
    same("hard " + name);
    const auto files = thread_files(work_ / "t.trace");
    EXPECT_GE(files.size(), least_files) << name;
    EXPECT_LE(files.size(), most_files) << name;
    int most = 0;
    for (const auto& file : files) {
      const auto run = read_file(file);
      expect_order(run);
      EXPECT_TRUE(summarize(file).complete) << name;
      most = std::max(most, counted(run)["mutex acquire"]);
    }
    if (locks) EXPECT_EQ(most, locks) << name;
  }
};

TEST_F(Forks, LeaveTheRecordToTheParentWhateverMadeTheChild) {
  expect_whole_files("fork_handler", 20001, 1, 1);
  expect_whole_files("handler_forks", 0, 1, 1);
  expect_whole_files("raw_fork", 20001, 2, 2);
  expect_whole_files("vfork_locks", 40001, 1, 1);
}

TEST_F(Forks, MayComeWhereverCaptureIsInterrupted) { expect_whole_files("forks_anywhere", 26000, 2, 100); }

TEST_F(Forks, NeedNoPageThatTheKernelWipes) {
  setenv("NO_WIPE", "1", 1);
  expect_whole_files("forks", 20002, 2, 2);
  expect_whole_files("handler_forks", 0, 1, 1);
  expect_whole_files("forks_anywhere", 26000, 2, 100);
  unsetenv("NO_WIPE");
}

TEST_F(Forks, MayHaveThreadsOfLibcInTheChild) { expect_whole_files("timer_forks", 20000, 21, 21); }

TEST_F(Forks, KnowWhatASemaphoreOfTheChildHoldsAtFirst) {
  expect_whole_files("child_semaphores", 20000, 3, 3);
  for (const auto& file : thread_files(work_ / "t.trace")) {
    const auto run = read_file(file);
    if (counted(run)["mutex acquire"]) continue;  // the parent's
    std::vector<std::uint64_t> posts;
    for (const auto& event : run.threads.at(1).events)
      if (event.action == Action::acquire) posts.push_back(event.sequence);
    EXPECT_THAT(posts, testing::ElementsAre(0, 0)) << "no post is known that it takes";
  }
}

TEST_F(Capture, KeepsWhatAKilledProcessDid) {
  EXPECT_NE(captured("hard killed"), 0);
  const auto run = read();
  EXPECT_EQ(counted(run)["mutex acquire"], 20000);
  EXPECT_THAT(run.notes, testing::Contains(HasSubstr("did not end by exit")));
  EXPECT_FALSE(run.sites[run.threads[1].events[1].site].module.empty());
}

TEST_F(Capture, CompletesAProgramThatEndsEarly) {
  EXPECT_EQ(captured("hard early"), 3);
  EXPECT_TRUE(summarize(thread_files(work_ / "t.trace").at(0)).complete);
}

TEST_F(Capture, TakesSignalsBeforeThereIsAFile) {
  same("hard early_signals");
  const auto run = read();
  expect_order(run);
  EXPECT_GE(counted(run)["semaphore release"], 2);
}

TEST_F(Capture, GoesOnWhereItCannotWrite) {
  shell("touch file");
  EXPECT_EQ(captured("hard many", "SKELGEN_OUT=file/t.trace"), 0);
  EXPECT_EQ(said_, "many 1000\n");
  EXPECT_THAT(errors_, testing::MatchesRegex("skelgen: [^\n]*cannot be written[^\n]*\n"));
}

TEST_F(Capture, GoesOnWhereTheDiskIsFull) {
  EXPECT_EQ(shell("ulimit -f 64; SKELGEN_OUT=t.trace LD_PRELOAD=" LIBRARY " " PROGRAMS "/hard many"), 0);
  EXPECT_EQ(said_, "many 1000\n");
  EXPECT_THAT(errors_, testing::MatchesRegex("skelgen: [^\n]*\\(File too large\\)[^\n]*\n"));
}

TEST_F(Capture, SaysWhereARecordEndsWhenTheDiskIsFull) {
  EXPECT_EQ(shell("ulimit -f 64; " SKELGEN " trace --threads -o t.trace -- " PROGRAMS "/hard many"), 1);
  EXPECT_EQ(said_, "many 1000\n");
  EXPECT_THAT(errors_, ContainsRegex("t.trace: [^\n]*; the records of [0-9]+ threads end early or are missing"));
  EXPECT_THAT(errors_, HasSubstr("t.trace: not all that threads did could be recorded; free space there"));
  EXPECT_THAT(read().notes, testing::Contains(ContainsRegex("of [0-9]+ threads there is no record")));
  // One thread fills the disk; what it says holds for a process that is killed then, too.
  for (const char* name : {"fills", "fills_killed"}) {
    shell("ulimit -f 2048; " SKELGEN " trace --threads -o t.trace -- " PROGRAMS "/hard " + std::string(name));
    EXPECT_THAT(read().notes, testing::Contains(testing::MatchesRegex(
                                  "the record of main ends at [^ ]+ [mu]?s, as there was no room for more")))
        << name << errors_;
  }
}

TEST_F(Capture, CommandTracesAProgramWithoutMpi) {
  EXPECT_EQ(shell(SKELGEN " trace --threads -o t.trace -- " PROGRAMS "/hard early"), 3);
  EXPECT_EQ(said_, "early 0\n");
  EXPECT_THAT(errors_, testing::MatchesRegex("skelgen: t.trace: 3 threads in 1 process, [^\n]*\n"));
  EXPECT_EQ(read().threads.size(), 3u);
  EXPECT_EQ(shell(SKELGEN " info t.trace"), 1);
  EXPECT_EQ(errors_, "skelgen: t.trace: has what threads did, and no MPI program; read it with skelgen threads\n");
  EXPECT_EQ(shell(SKELGEN " trace --threads -o t.trace -- " PROGRAMS "/hard nothing"), 125);
  EXPECT_THAT(errors_, HasSubstr("no thread was created under the capture library"));
}

TEST_F(Capture, KnowsWhoCalledTheFunctionThatWaitsForALock) {
  EXPECT_EQ(shell(SKELGEN " trace --threads --sites -o t.trace -- " PROGRAMS "/hard wrapper"), 0);
  const auto run = read();
  const auto event_of = [&](const auto& one) { return run.threads[one.first.first].events[one.first.second]; };
  const auto found = std::ranges::find_if(run.callers, [&](const auto& one) {
    return run.objects[event_of(one).object].primitive == Primitive::mutex;  // not a semaphore
  });
  ASSERT_NE(found, run.callers.end());
  const auto event = event_of(*found);
  EXPECT_TRUE(event.blocked);
  // takes() stands behind take(), with little between them.
  const auto &inner = run.sites[event.site], &outer = run.sites[found->second];
  EXPECT_EQ(outer.module, inner.module);
  EXPECT_GT(outer.offset, inner.offset);
  EXPECT_LT(outer.offset, inner.offset + 400);
  EXPECT_EQ(shell(SKELGEN " threads t.trace"), 0);
  EXPECT_THAT(said_, ContainsRegex("mutex 1 [^\n]*, called at "));
}

TEST_F(Capture, SaysHowManyCallsBeforeThreadsAreMissing) {
  EXPECT_EQ(shell(SKELGEN " trace --threads -o t.trace -- " PROGRAMS "/hard before_threads"), 0);
  const auto* const said =
      " calls of semaphores, barriers and channels before the first thread was created are not recorded";
  EXPECT_THAT(errors_, testing::MatchesRegex("skelgen: t.trace: [^\n]*; [0-9]+" + std::string(said) + "[^\n]*\n"));
  EXPECT_THAT(read().notes, testing::Contains(HasSubstr(said)));
}

TEST_F(Capture, SaysThatThreadsHadNoCore) {
  EXPECT_EQ(shell(SKELGEN " trace --threads -o t.trace -- " PROGRAMS "/hard one_core"), 0);
  const auto* const said = "they waited for a core for";
  EXPECT_THAT(errors_,
              testing::MatchesRegex("skelgen: t.trace: 3 threads [^\n]*or the threads are more than its cores: " +
                                    std::string(said) + " [^\n]*\n"));
  const auto run = read();
  for (const int thread : {1, 2}) EXPECT_GT(run.threads[thread].core_wait_s.value_or(0), 0.01) << thread;
  EXPECT_THAT(run.notes, testing::Contains(HasSubstr(said)));
}

TEST_F(Capture, ReadsWorkWhereLayersBeginAndEnd) {
  captured("hard signals");
  // A signal may come before the first lock: its handler posts a semaphore.
  const auto first_lock = [](const threads::Run& of) {
    return std::ranges::find(of.threads[1].events, Action::acquire, &Event::action);
  };
  const auto every = read();
  ASSERT_NE(first_lock(every), every.threads[1].events.end());
  const auto& event = *first_lock(every);
  std::ofstream(work_ / "layers") << std::hex << every.sites[event.site].offset << " 1 "
                                  << every.sites[event.site].module << "\n";
  captured("hard signals", "SKELGEN_OUT=u.trace SKELGEN_THREAD_LAYERS=layers");
  const auto run = read_run(work_ / "u.trace");
  EXPECT_TRUE(run.at_layers);
  // Each lock enters the layer, each unlock leaves it; the thread's begin and end are outside. What was read there was
  // done before.
  const auto& events = run.threads[1].events;
  ASSERT_NE(first_lock(run), events.end());
  EXPECT_GT(run.threads[1].last_work, run.threads[1].first_work);
  const auto account = threads::analyse(run).threads[1];
  EXPECT_GT(account.work, 0);
  EXPECT_GT(account.compute_s, 0);
  // Without a place in the program all of it is read where the thread ends.
  std::ofstream(work_ / "none") << "0 1 /nowhere\n0 300 /nowhere\n";
  captured("hard signals", "SKELGEN_OUT=v.trace SKELGEN_THREAD_LAYERS=none");
  EXPECT_THAT(errors_, testing::MatchesRegex("skelgen: none:2: is no line OFFSET LAYER MODULE [^\n]*\n"));
  const auto whole = read_run(work_ / "v.trace");
  const auto all = threads::analyse(whole).threads[1];
  EXPECT_GT(all.compute_s, 0);
  for (const auto& event : whole.threads[1].events) EXPECT_LE(event.work_leave, whole.threads[1].last_work);
}

using Pair = std::pair<std::uint64_t, std::uint64_t>;
/// Numbers and values of all calls with this action, of one thread after the other.
std::vector<Pair> moves(const Run& run, Action action) {
  std::vector<Pair> found;
  for (const auto& thread : run.threads)
    for (const auto& event : thread.events)
      if (event.action == action) found.emplace_back(event.sequence, event.bytes);
  return found;
}

TEST_F(Capture, LeavesToTheNextReceiveWhatIsLookedAt) {
  same("hard looks");
  const auto run = read();
  EXPECT_THAT(moves(run, Action::send), testing::ElementsAre(Pair(1, 3), Pair(2, 5)));
  EXPECT_THAT(moves(run, Action::receive), testing::ElementsAre(Pair(1, 3), Pair(2, 0), Pair(2, 5)));
  const auto first = std::ranges::find(run.threads[1].events, Action::receive, &Event::action);
  EXPECT_TRUE(first->blocked);
  EXPECT_FALSE(std::next(first)->blocked);
}

TEST_F(Capture, WaitsWhereTheThreadAsksWhatIsReady) {
  same("hard ready");
  const auto run = read();
  EXPECT_THAT(moves(run, Action::send), testing::ElementsAre(Pair(1, 1), Pair(2, 1), Pair(3, 1)));
  EXPECT_THAT(moves(run, Action::receive),
              testing::ElementsAre(Pair(1, 0), Pair(1, 1), Pair(2, 0), Pair(2, 1), Pair(3, 0), Pair(3, 1)));
  for (const auto& event : run.threads[1].events)
    if (event.action == Action::receive) EXPECT_EQ(event.blocked, event.bytes == 0);
}

TEST_F(Capture, CountsMessagesWhole) {
  same("hard messages");
  const auto run = read();
  const auto four = testing::ElementsAre(Pair(1, 1), Pair(2, 1), Pair(3, 1), Pair(4, 1));
  EXPECT_THAT(moves(run, Action::send), four);
  EXPECT_THAT(moves(run, Action::receive), four);
}

TEST_F(Capture, TellsEmptyMessagesFromNone) {
  same("hard empty_messages");
  const auto run = read();
  EXPECT_THAT(moves(run, Action::send), testing::ElementsAre(Pair(1, 1), Pair(1, 1), Pair(2, 1)));
  EXPECT_THAT(moves(run, Action::receive), testing::ElementsAre(Pair(1, 1), Pair(2, 0), Pair(2, 1), Pair(1, 1)));
}

TEST_F(Capture, KnowsWhatADescriptorStandsFor) {
  same("hard numbers");
  const auto run = read();
  EXPECT_THAT(moves(run, Action::send), testing::ElementsAre(Pair(1, 3)));
  EXPECT_THAT(moves(run, Action::receive), testing::ElementsAre(Pair(1, 3)));
  fs::remove_all(work_ / "t.trace");
  same("hard cancelled_close");
  EXPECT_THAT(moves(read(), Action::send), testing::ElementsAre(Pair(1, 1)));
}

TEST_F(Capture, MatchesWhatAnEventCounts) {
  same("hard events");
  const auto run = read();
  // Three writes of 2 and one of 1 are read at once; 3 were there when the eventfd was made.
  const auto sent = moves(run, Action::send), received = moves(run, Action::receive);
  EXPECT_THAT(sent, testing::ElementsAre(Pair(1, 2), Pair(2, 2), Pair(3, 2), Pair(4, 1), Pair(5, 5)));
  EXPECT_THAT(received, testing::ElementsAre(Pair(4, 10), Pair(5, 5)));
}

TEST_F(Capture, CommandNamesWhatIsWaitedFor) {
  EXPECT_EQ(shell(SKELGEN " trace --threads -o t.trace -- " PROGRAMS "/relay 5"), 0) << errors_;
  EXPECT_EQ(shell(SKELGEN " threads t.trace --dot - --json"), 2);
  EXPECT_THAT(errors_, HasSubstr("--dot: goes to stdout, and so does --json"));
  for (const char* factor : {"1e300", "-1", "nan", "0", "1e-300", ""}) {
    EXPECT_EQ(shell(SKELGEN " threads t.trace --change 1=" + std::string(factor)), 2);
    EXPECT_EQ(errors_, "skelgen: --change: '1=" + std::string(factor) +
                           "' is no change; give a thread and a factor from 0.0001 to 10000, as in 2=0.5\n");
  }
  EXPECT_EQ(shell(SKELGEN " threads t.trace --change 1=2 --change 2=2"), 0) << errors_;
  EXPECT_EQ(shell(SKELGEN " threads t.trace --change 1=2 --change 1=3"), 2);
  EXPECT_THAT(errors_, ContainsRegex("--change: thread 1 [a-z 1]+ is changed twice; give one factor for it"));
  EXPECT_EQ(shell(SKELGEN " threads t.trace --json"), 0);
  const auto objects = nlohmann::json::parse(said_)["objects"];
  ASSERT_FALSE(objects.empty()) << said_;
  EXPECT_GT(objects[0]["waiting_s"], 0);
  // Conditions are waited for where pthread_cond_wait is called, not where its mutex was taken.
  std::ifstream source(RELAY);
  std::vector<std::string> lines{""};
  for (std::string line; std::getline(source, line);) lines.push_back(line);
  for (const auto& object : objects) {
    if (!object["name"].get<std::string>().starts_with("condition")) continue;
    const auto place = object["places"][0]["place"].get<std::string>();
    ASSERT_THAT(place, testing::StartsWith("relay.c:"));
    EXPECT_THAT(lines.at(std::stoul(place.substr(8))), HasSubstr("pthread_cond_wait")) << place;
  }
  EXPECT_EQ(shell(SKELGEN " trace --threads --at-layers t.trace -o t.trace -- " PROGRAMS "/relay 5"), 2);
  EXPECT_THAT(errors_, HasSubstr("names the trace of --at-layers, which would be replaced"));
  // The second trace replaces itself.
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(shell(SKELGEN " trace --threads --at-layers t.trace -o u.trace -- " PROGRAMS "/relay 5"), 0) << errors_;
}

TEST_F(Capture, RefusesLayersOfAnotherProgram) {
  fs::copy(PROGRAMS "/relay", work_ / "app");
  EXPECT_EQ(shell(SKELGEN " trace --threads -o t.trace -- ./app 5"), 0) << errors_;
  const std::string again = SKELGEN " trace --threads --at-layers t.trace -o u.trace -- ";
  EXPECT_EQ(shell(again + "env A=1 ./app 5"), 0) << errors_;
  EXPECT_EQ(shell(again + PROGRAMS "/hard early"), 1);
  const std::string remedy = "; trace it without --at-layers, and give that trace\n";
  EXPECT_EQ(errors_, "skelgen: t.trace: is a trace of app, not of " PROGRAMS "/hard" + remedy);
  fs::create_directory(work_ / "other");
  fs::copy(PROGRAMS "/hard", work_ / "other" / "app");
  EXPECT_EQ(shell(again + "other/app early"), 1);
  const auto here = fs::canonical(work_).string();
  EXPECT_EQ(errors_, "skelgen: t.trace: is a trace of " + here + "/app, not of " + here + "/other/app" + remedy);
  // What a script starts is known when it has run.
  std::ofstream(work_ / "script") << "exec " PROGRAMS "/relay 5\n";
  EXPECT_EQ(shell(again + "sh script"), 1);
  EXPECT_THAT(errors_, HasSubstr("skelgen: t.trace: no call was made in its layers: it is of another program"));
  fs::copy(PROGRAMS "/hard", work_ / "app", fs::copy_options::overwrite_existing);
  EXPECT_EQ(shell(again + "./app early"), 1);
  EXPECT_EQ(errors_, "skelgen: t.trace: " + here + "/app is not what was traced any more" + remedy);
}

TEST_F(Capture, CommandTracesThreadsBesideRanks) {
  if (!fs::exists(PROGRAMS "/hybrid")) GTEST_SKIP() << "MPICH is not here";
  EXPECT_EQ(shell("SKELGEN_SPEEDS=0 OMP_WAIT_POLICY=passive " SKELGEN
                  " trace --threads --yield on -o t.trace -- " MPIEXEC " -n 2 " PROGRAMS "/hybrid"),
            0)
      << errors_;
  EXPECT_EQ(said_, "300\n");
  EXPECT_THAT(errors_, HasSubstr("skelgen: t.trace: 4 threads in 2 processes"));
  EXPECT_THAT(errors_, HasSubstr("skelgen: t.trace: 2 ranks, "));
  EXPECT_TRUE(fs::exists(work_ / "t.trace" / "rank-000001.skt"));
  const auto files = thread_files(work_ / "t.trace");
  ASSERT_EQ(files.size(), 2u) << "the launcher's processes have none";
  for (const auto& file : files) {
    auto counts = counted(read_file(file));
    EXPECT_EQ(counts["parallel broadcast"], 3);
    EXPECT_EQ(counts["parallel arrive"], 6);
    EXPECT_LE(counts["mutex acquire"], 20) << "those of MPI are left out";
  }
  // The ranks wait at the end of each region, while their second thread sleeps.
  EXPECT_EQ(shell(SKELGEN " metrics t.trace --json"), 0) << errors_;
  const auto without = nlohmann::json::parse(said_);
  EXPECT_FALSE(without.contains("thread_waits"));
  EXPECT_EQ(shell(SKELGEN " metrics t.trace --thread-waits --json"), 0) << errors_;
  const auto with = nlohmann::json::parse(said_);
  ASSERT_EQ(with["thread_waits"].size(), 2u);
  for (const auto& rank : with["thread_waits"]) EXPECT_GT(rank["waiting_s"], 3 * 0.9 * 20e-3) << rank;
  EXPECT_GT(with["he_sun"]["vol"], with["he_sun"]["wt"].get<double>() + 2 * 3 * 0.9 * 20e-3);
  EXPECT_NEAR(with["he_sun"]["vol"], without["he_sun"]["vol"], 1e-6);
  // Where only processor time counts as computation, a rank's own threads still compute for it.
  EXPECT_EQ(shell(SKELGEN " build t.trace -o t.skel"), 0) << errors_;
  EXPECT_THAT(text(work_ / "t.skel" / "skeleton.c"), ContainsRegex("if .i > 0. compute[^/]*/. [1-9][0-9]+[.0-9]* ms"));
  EXPECT_EQ(shell(SKELGEN " report t.trace"), 0) << errors_;
  EXPECT_THAT(text(work_ / "report.html"), HasSubstr("broadcast parallel 1</text>"));
  // The places of both processes are counted at.
  EXPECT_EQ(shell(SKELGEN " threads t.trace/rank-000000.skt"), 1);
  EXPECT_THAT(errors_, HasSubstr("has what a rank did, not what threads did"));
  EXPECT_EQ(shell("SKELGEN_SPEEDS=0 OMP_WAIT_POLICY=passive " SKELGEN
                  " trace --threads --at-layers t.trace --yield on -o l.trace -- " MPIEXEC " -n 2 " PROGRAMS "/hybrid"),
            0)
      << errors_;
  std::istringstream lines(text(work_ / "l.trace" / "layers.txt"));
  std::multiset<std::string> layers;
  for (std::string line; std::getline(lines, line);) layers.insert(line);
  EXPECT_THAT(layers, Not(IsEmpty()));
  for (const auto& line : layers) EXPECT_EQ(layers.count(line), 1u) << line;
  fs::remove(files[0]), fs::remove(files[1]);
  EXPECT_EQ(shell(SKELGEN " metrics t.trace --thread-waits"), 1);
  EXPECT_EQ(errors_,
            "skelgen: t.trace: no threads were recorded here; trace with --threads, or leave --thread-waits out\n");
}

/// PAPI's own file of events defines PAPI_TOT_CYC where the processor counts nothing for us: for processors by their
/// names, of which some are here.
TEST_F(Capture, CountsByPapi) {
  if (!fs::exists(PAPI_INCLUDE "/papi.h")) GTEST_SKIP() << "PAPI is not here";
  {
    std::ofstream events(work_ / "events.csv");
    for (const char* processor :
         {"icl", "spr", "skx", "clx", "bdw_ep", "hsw_ep", "amd64_fam17h_zen1", "amd64_fam17h_zen2", "amd64_fam19h_zen3",
          "amd64_fam19h_zen4", "amd64_fam1ah_zen5", "perf"})
      events << "CPU," << processor << "\n";
    events << "PRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::TASK-CLOCK\n";
  }
  captured("hard signals", "SKELGEN_OUT=t.trace PAPI_CSV_EVENT_FILE=" + (work_ / "events.csv").string());
  EXPECT_EQ(said_, "signals 20\n");
  const auto run = read();
  expect_order(run);
  if (run.clock != "PAPI_TOT_CYC") GTEST_SKIP() << testing::PrintToString(run.notes);
  // The task clock counts nanoseconds on a processor.
  EXPECT_GT(run.units_per_second, 0.5e9);
  EXPECT_LT(run.units_per_second, 2e9);
  EXPECT_GT(run.threads[1].last_work, run.threads[1].first_work);
}

}  // namespace
}  // namespace skelgen::threads
