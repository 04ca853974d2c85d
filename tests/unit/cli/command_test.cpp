#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/commands.h"
#include "launch/temporary.h"
#include "skt_format.h"
#include "traces/writer.h"
#include "unit/cli/launched.h"

namespace skelgen::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A skelgen in a prefix of its own, with an empty file for a capture library and a launcher that tests give.
class CommandLineTest : public ::testing::Test {
 protected:
  CommandLineTest() {
    for (const auto* folder : {"bin", "lib", "work"}) std::filesystem::create_directory(root() / folder);
    std::ofstream(root() / "lib" / "libskeltrace.so") << "";
    std::ofstream(root() / "lib" / "libskelyield.so") << "";
    launcher = [](const launch::Launch&) { return launch::Outcome{}; };
  }
  std::filesystem::path root() const { return scratch_.path(); }
  std::filesystem::path work(const std::string& name) const { return root() / "work" / name; }

  int run(const std::vector<std::string>& arguments) {
    out.str({});
    err.str({});
    return cli::run(arguments, {out, err, launcher, [] { return std::time_t{0}; }, root() / "bin" / "skelgen", {}});
  }
  /// Message and exit status of a failure.
  std::string failure(const std::vector<std::string>& arguments) {
    try {
      run(arguments);
    } catch (const Error& error) {
      return std::to_string(exit_status(error.code(), arguments)) + " " + error.what();
    }
    return "none";
  }
  Json json() const { return Json::parse(out.str()); }

  std::ostringstream out, err;
  launch::Launcher launcher;

 private:
  launch::TemporaryDirectory scratch_{launch::scratch_parent(), "test"};
};

launch::Outcome ended(int status) {
  launch::Outcome outcome;
  outcome.status = status;
  outcome.spawned_ns = 500'000'000;
  return outcome;
}

TEST_F(CommandLineTest, BuildSaysOnceWhoWaits) {
  std::ofstream(work("hangs.txt"))
      << "skeleton 1\nranks 2\nprogram {\nMPI_Init()\n[0] MPI_Recv(count=1, datatype=MPI_INT, "
         "source=1)\nMPI_Finalize()\n}\n";
  EXPECT_EQ(run({"build", work("hangs.txt"), "-o", work("hangs.skel")}), 0);
  EXPECT_THAT(err.str(), HasSubstr("rank 0 waits in MPI_Recv for rank 1 (tag 0) (line 5 of "));
  EXPECT_THAT(out.str(), HasSubstr("deadlock    certain, as the note says\n"));
}

TEST_F(CommandLineTest, BuildSaysWhereCollectivesDiffer) {
  std::ofstream(work("differ.txt"))
      << "skeleton 1\nranks 2\nprogram {\nMPI_Init()\n[0] MPI_Bcast(count=1, datatype=MPI_INT)\nMPI_Barrier()\n"
         "[1] MPI_Bcast(count=1, datatype=MPI_INT)\nMPI_Finalize()\n}\n";
  EXPECT_EQ(run({"build", work("differ.txt"), "-o", work("differ.skel")}), 0);
  EXPECT_THAT(err.str(), HasSubstr("the program is unsafe: collective calls that meet differ: rank 1 calls MPI_Barrier "
                                   "where rank 0 calls MPI_Bcast (lines 5, 6 of "));
}

TEST_F(CommandLineTest, WrongLinesAreUsageErrors) {
  EXPECT_THAT(failure({}), StartsWith("2 "));
  EXPECT_EQ(failure({"bogus"}), "2 bogus: no such command; see skelgen --help");
  EXPECT_THAT(failure({"trace"}), StartsWith("2 the program to run is missing"));
  EXPECT_THAT(failure({"calibrate"}), StartsWith("2 the launcher is missing"));
  EXPECT_THAT(failure({"trace", "--"}), StartsWith("2 nothing stands behind --"));
  EXPECT_THAT(failure({"trace", "--runs", "0", "--", "true"}), StartsWith("2 --runs"));
  EXPECT_THAT(failure({"time", "--bogus", "--", "true"}), StartsWith("2 "));
  EXPECT_THAT(failure({"info"}), StartsWith("2 "));
  EXPECT_THAT(failure({"info", "x", "--", "true"}), StartsWith("2 skelgen info starts nothing"));
  EXPECT_THAT(failure({"build", "x", "--scale", "0.5"}), StartsWith("2 --scale"));
  EXPECT_THAT(failure({"build", "x", "--scale", "5", "--budget", "1"}), StartsWith("2 --scale and --budget"));
  EXPECT_THAT(failure({"build", "x", "--budget", "-1"}), StartsWith("2 --budget"));
  EXPECT_THAT(failure({"build", "x", "--tolerance", "1"}),
              StartsWith("2 --tolerance: must be a number >= 0 and < 1, not 1"));
  EXPECT_THAT(failure({"build", "x", "--tolerance", "2%"}),
              StartsWith("2 --tolerance: must be a number >= 0 and < 1, not 2%"));
  EXPECT_THAT(failure({"build", "x", "--emit", "text", "--json"}), StartsWith("2 --emit excludes --json"));
  EXPECT_THAT(failure({"build", "x", "--normalize", "loose"}),
              StartsWith("2 --normalize: loose not in {strict,exchange}"));
  EXPECT_THAT(failure({"build", "x", "--merge", "none"}), StartsWith("2 --merge: none not in {folded,seed}"));
  EXPECT_THAT(failure({"build", "x", "--look-ahead", "5"}), StartsWith("2 --look-ahead is for --merge seed"));
  EXPECT_THAT(failure({"build", "x", "--merge", "seed", "--look-ahead", "0"}), StartsWith("2 --look-ahead"));
  EXPECT_THAT(failure({"build", "x", "--fold", "magic"}), StartsWith("2 --fold"));
  EXPECT_THAT(failure({"predict", "x", "--confidence", "95"}), StartsWith("2 --confidence"));
  EXPECT_THAT(failure({"predict", "x", "--compute", "guess"}), StartsWith("2 --compute"));
  EXPECT_THAT(failure({"verify", "x"}), StartsWith("2 "));
}

TEST_F(CommandLineTest, HelpAndVersionSucceed) {
  EXPECT_EQ(run({"--version"}), 0);
  EXPECT_EQ(out.str(), "skelgen 0.1.0\n");
  EXPECT_EQ(run({"--help"}), 0);
  const auto general = out.str();
  for (const std::string name :
       {"trace", "time", "info", "dump", "build", "predict", "verify", "metrics", "compare", "doctor"}) {
    EXPECT_THAT(general, HasSubstr("\n  " + name + " "));
    EXPECT_EQ(run({name, "--help"}), 0);
    EXPECT_THAT(out.str(), HasSubstr("Usage: skelgen " + name + " "));
  }
}

TEST_F(CommandLineTest, ExitStatusesAreThoseOfTheContract) {
  EXPECT_EQ(exit_status(Code::usage, {"trace"}), 2);
  EXPECT_EQ(exit_status(Code::launch, {"trace", "--", "x"}), 127);
  EXPECT_EQ(exit_status(Code::launch, {"time", "--", "x"}), 127);
  EXPECT_EQ(exit_status(Code::io, {"build"}), 1);
  EXPECT_EQ(exit_status(Code::io, {"trace"}), 125);
  EXPECT_EQ(exit_status(Code::corrupt, {"time"}), 1);
  EXPECT_EQ(exit_status(Code::launch, {"predict"}), 1);
  EXPECT_EQ(exit_status(Code::corrupt, {"build", "trace"}), 1);
}

TEST_F(CommandLineTest, TraceReturnsTheLaunchersStatusUnchanged) {
  launcher = [](const launch::Launch&) { return ended(3); };
  EXPECT_EQ(run({"trace", "-o", work("t").string(), "--", "mpiexec", "-n", "1", "./app"}), 3);
  EXPECT_EQ(err.str(), "skelgen: mpiexec: ended with status 3 before any rank called MPI_Init; no trace was written\n");
  EXPECT_TRUE(std::filesystem::is_empty(root() / "work"));
}

TEST_F(CommandLineTest, TraceSaysWhyNoRankMayHaveBeenSeen) {
  const auto said = failure({"trace", "-o", work("t").string(), "--", "mpiexec", "./app"});
  EXPECT_THAT(said, StartsWith("125 ./app: no rank called MPI_Init under the capture library; likely causes: "));
  EXPECT_TRUE(std::filesystem::is_empty(root() / "work"));
}

TEST_F(CommandLineTest, TraceLeavesWhatIsNoTraceAlone) {
  std::filesystem::create_directory(work("mine"));
  std::ofstream(work("mine") / "thesis.tex") << "x";
  bool launched = false;
  launcher = [&](const launch::Launch&) {
    launched = true;
    return ended(0);
  };
  EXPECT_THAT(failure({"trace", "-o", work("mine").string(), "--", "true"}),
              HasSubstr("mine: holds thesis.tex, which trace did not write; choose another name with -o or move that"));
  EXPECT_THAT(failure({"trace", "-o", work("no/such/place").string(), "--", "true"}), HasSubstr("no such directory"));
  EXPECT_FALSE(launched);
  EXPECT_TRUE(std::filesystem::exists(work("mine") / "thesis.tex"));
}

/// A directory that holds a trace's files.
void put_trace(const std::filesystem::path& directory, const std::string& text = "old") {
  std::filesystem::create_directories(directory);
  for (const auto* name : {"meta.json", "rank-000000.skt", "rank-000001.skt"}) std::ofstream(directory / name) << text;
}

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(CommandLineTest, TraceReplacesATraceWhenTheNewOneIsThere) {
  put_trace(work("t"));
  put_trace(work("t.partial/run-7"));  // what a killed one left
  launcher = [&](const launch::Launch& what) {
    EXPECT_EQ(read(work("t") / "meta.json"), "old");
    EXPECT_FALSE(std::filesystem::exists(work("t.partial/run-7")));
    put_trace(value_of(what, "SKELGEN_OUT"), "new");
    return ended(0);
  };
  EXPECT_EQ(run({"trace", "-o", work("t").string(), "--runs", "2", "--", "mpiexec", "./app"}), 0);
  EXPECT_EQ(read(work("t") / "meta.json"), "new");
  launcher = [](const launch::Launch&) { return ended(1); };
  EXPECT_EQ(run({"trace", "-o", work("t").string(), "--", "mpiexec", "./app"}), 1);
  EXPECT_EQ(read(work("t") / "meta.json"), "new");
  EXPECT_FALSE(std::filesystem::exists(work("t.partial")));
}

TEST_F(CommandLineTest, TraceRemovesNothingThatItDidNotWrite) {
  const std::vector<std::string> line{"trace", "-o", work("t").string(), "--", "mpiexec", "./app"};
  launcher = [](const launch::Launch&) -> launch::Outcome { throw std::logic_error("was started"); };
  for (const std::string mine : {"t/notes.txt", "t/rank-mine.skt", "t/more/rank-000000.skt", "t.partial/notes.txt",
                                 "t.partial/run-1/notes.txt"}) {
    put_trace(work("t"));
    std::filesystem::create_directories(work(mine).parent_path());
    std::ofstream(work(mine)) << "mine";
    EXPECT_THAT(failure(line), AllOf(StartsWith("125 " + work("").string()), HasSubstr("which trace did not write")));
    EXPECT_EQ(read(work(mine)), "mine");
    EXPECT_EQ(read(work("t") / "rank-000000.skt"), "old");
    std::filesystem::remove_all(work("t"));
    std::filesystem::remove_all(work("t.partial"));
  }
  put_trace(work("elsewhere"));
  std::filesystem::create_symlink(work("elsewhere"), work("t"));
  EXPECT_THAT(failure(line), HasSubstr("t: exists and is no trace; choose another name with -o or remove it"));
}

TEST_F(CommandLineTest, TraceKeepsTheNewTraceWhereTheOldOneMustStay) {
  put_trace(work("t"));
  launcher = [&](const launch::Launch& what) {
    std::ofstream(work("t") / "notes.txt") << "mine";
    put_trace(value_of(what, "SKELGEN_OUT"), "new");
    return ended(0);
  };
  EXPECT_THAT(
      failure({"trace", "-o", work("t").string(), "--", "mpiexec", "./app"}),
      AllOf(HasSubstr("t: holds notes.txt"), HasSubstr("the new trace is " + work("t.partial/run-1").string())));
  EXPECT_EQ(read(work("t") / "notes.txt"), "mine");
  EXPECT_EQ(read(work("t") / "meta.json"), "old");
  EXPECT_EQ(read(work("t.partial/run-1") / "meta.json"), "new");
}

TEST_F(CommandLineTest, TwoTracesDoNotShareAPlace) {
  const std::vector<std::string> line{"trace", "-o", work("t").string(), "--", "mpiexec", "./app"};
  std::string second;
  launcher = [&](const launch::Launch& what) {
    put_trace(value_of(what, "SKELGEN_OUT"), "new");
    if (second.empty()) second = failure(line);
    return ended(0);
  };
  EXPECT_EQ(run(line), 0);
  EXPECT_THAT(second, HasSubstr("t: another skelgen trace is writing it; wait for that or choose another name"));
  EXPECT_EQ(read(work("t") / "meta.json"), "new");
  EXPECT_EQ(run(line), 0);
}

/// A rank alone that computes as long between MPI_Init and MPI_Finalize.
void write_trace(const std::filesystem::path& directory, std::uint64_t ticks) {
  std::filesystem::create_directories(directory);
  trace::write_meta(directory, {.id = 7});
  trace::Writer writer(directory, {.id = 7}, 0);
  writer.call("MPI_Init", {}, 0, 10);
  writer.call("MPI_Finalize", {}, ticks, 10);
  writer.finish({.finalize_exit_ticks = 1'000'000'000 + ticks});
}

TEST_F(CommandLineTest, TraceSaysWhereRunsDiffer) {
  std::vector<std::uint64_t> takes;
  launcher = [&](const launch::Launch& what) {
    write_trace(value_of(what, "SKELGEN_OUT"), takes.back());
    takes.pop_back();
    return ended(0);
  };
  const std::vector<std::string> line{"trace", "-o", work("t").string(), "--runs", "3", "--", "mpiexec", "./app"};
  takes = {2'000'000'000, 5'000'000'000, 2'200'000'000};
  EXPECT_EQ(run(line), 0);
  EXPECT_THAT(err.str(), HasSubstr("the runs took 2.000 s to 5.000 s: other work uses this machine"));
  takes = {2'000'000'000, 2'200'000'000, 2'100'000'000};
  EXPECT_EQ(run(line), 0);
  EXPECT_THAT(err.str(), Not(HasSubstr("the runs took")));
}

TEST_F(CommandLineTest, InfoSaysThatTimesAreSumsOverThreads) {
  write_trace(work("t"), 1000);
  EXPECT_EQ(run({"info", work("t").string()}), 0);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("time (all ranks)"), Not(HasSubstr("threads"))));
  {
    trace::Writer writer(work("t"), {.id = 7}, 0);
    writer.call("MPI_Init", {}, 0, 10);
    for (const int thread : {1, 2}) writer.call("MPI_Barrier", {0x44000000}, 5, 5, {}, thread);
    writer.finish();
  }
  EXPECT_EQ(run({"info", work("t").string()}), 0);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("threads     3 call MPI; times in the table are sums over them\n"),
                               HasSubstr("time (all threads)")));
  EXPECT_EQ(run({"info", "--json", work("t").string()}), 0);
  EXPECT_EQ(json()["threads"], 3);
}

TEST_F(CommandLineTest, TraceNeedsItsLibrary) {
  std::filesystem::remove(root() / "lib" / "libskeltrace.so");
  EXPECT_THAT(failure({"trace", "-o", work("t").string(), "--", "true"}), StartsWith("125 "));
}

TEST_F(CommandLineTest, TimeReportsTheMedianAsJson) {
  int number = 0;
  launcher = [&](const launch::Launch& what) {
    EXPECT_THAT(value_of(what, "SKELGEN_MODE"), StartsWith("time:"));
    EXPECT_THAT(value_of(what, "LD_PRELOAD"), HasSubstr("libskeltrace.so"));
    EXPECT_TRUE(what.output_to_stderr);
    const std::string last = std::to_string(3 + ++number % 3);  // 4, 5, 3 s
    std::ofstream(std::filesystem::path(value_of(what, "SKELGEN_OUT")) / "time-000000.json")
        << R"({"rank":0,"ranks":1,"host":"elsewhere","init_entry_ns":1000000000,"init_exit_ns":1500000000,"finalize_entry_ns":2000000000,"finalize_exit_ns":)"
        << last << "000000000}";
    return ended(0);
  };
  EXPECT_EQ(run({"time", "--json", "--runs", "3", "--", "mpiexec", "-n", "1", "./app"}), 0);
  const auto object = json();
  EXPECT_EQ(object.begin().key(), "schema");
  EXPECT_EQ(object["schema"], "skelgen.time/1");
  EXPECT_DOUBLE_EQ(object["wall_s"].get<double>(), 3);
  ASSERT_EQ(object["runs"].size(), 3u);
  EXPECT_DOUBLE_EQ(object["runs"][1]["wall_s"].get<double>(), 4);
  EXPECT_TRUE(object["runs"][0]["launch_s"].is_null());
  EXPECT_DOUBLE_EQ(object["runs"][0]["init_s"].get<double>(), 0.5);
}

TEST_F(CommandLineTest, TimeOfAFailedRunIsNoTime) {
  launcher = [](const launch::Launch&) { return ended(137); };
  EXPECT_EQ(run({"time", "--json", "--", "./app"}), 137);
  EXPECT_EQ(out.str(), "");
  EXPECT_THAT(err.str(), HasSubstr("status 137 in run 1 of 1; no time is reported"));
}

TEST_F(CommandLineTest, ManyRanksYieldAndSaySo) {
  std::vector<std::string> preloads;
  launcher = [&](const launch::Launch& what) {
    preloads.push_back(value_of(what, "LD_PRELOAD"));
    return ended(1);
  };
  run({"time", "--", "mpiexec", "-n", "100000", "./app"});
  EXPECT_THAT(err.str(), HasSubstr("100000 ranks on "));
  run({"time", "--yield", "off", "--", "mpiexec", "-n", "100000", "./app"});
  EXPECT_THAT(err.str(), ::testing::Not(HasSubstr("100000 ranks on ")));
  run({"time", "--yield", "on", "--", "mpiexec", "-n", "1", "./app"});
  EXPECT_THAT(preloads[0], HasSubstr("libskelyield.so"));
  EXPECT_THAT(preloads[1], ::testing::Not(HasSubstr("libskelyield.so")));
  EXPECT_THAT(preloads[2], HasSubstr("libskelyield.so"));
}

/// A skeleton directory whose program a fake launcher runs.
class PredictTest : public CommandLineTest {
 protected:
  PredictTest() {
    std::filesystem::create_directory(work("s.skel"));
    for (const auto* name : {"skeleton.c", "skel.h", "skel.c", "Makefile"}) std::ofstream(work("s.skel") / name) << "";
    std::ofstream(work("s.skel") / "skeleton.json")
        << R"({"schema":"skelgen.skeleton-info/1","ranks":2,"scale":10,"mpi":"","checksum":"0a1b","concurrency":{"\u001b]0;x":7,"he_sun_alpha":0.5,"phi1":0.4,"phi7":0.3,"raynal_alpha":0.9}})";
    launcher = [this](const launch::Launch& what) {
      if (what.command[0] == "make") return ended(make_status);
      if (run_status == 0)
        std::ofstream(what.command.back())
            << R"({"schema":"skelgen.skeleton/1","predicted_s":)" << ++launches
            << R"(,"skeleton_s":0.5,"scale":10,"compute":"time","phases":[{"name":"loop 1","weight":9,"seconds":0.1}]})";
      return ended(run_status);
    };
  }
  std::vector<std::string> line(std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"predict", work("s.skel").string(), "--cc", "sh", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--", "sh"});
    return words;
  }
  int launches = 0, run_status = 0, make_status = 0;
};

TEST_F(PredictTest, PrintsEveryPromisedKey) {
  EXPECT_EQ(run(line()), 0);
  const auto object = json();
  EXPECT_EQ(object.begin().key(), "schema");
  EXPECT_EQ(object["schema"], "skelgen.predict/1");
  EXPECT_EQ(object["predicted_s"], 3.0);
  EXPECT_LT(object["low_s"], 3.0);
  EXPECT_GT(object["high_s"], 3.0);
  EXPECT_EQ(object["confidence"], 0.95);
  EXPECT_EQ(object["skeleton_s"], 0.5);
  EXPECT_EQ(object["scale"], 10.0);
  EXPECT_EQ(object["compute"], "time");
  EXPECT_EQ(object["runs"], Json({1.0, 2.0, 3.0, 4.0, 5.0}));
  EXPECT_EQ(object["phases"][0]["name"], "loop 1");
  EXPECT_EQ(object["concurrency"]["phi7"], 0.3);
  EXPECT_EQ(object["ranks"], 2);
  EXPECT_EQ(object["checksum"], "0a1b");
  EXPECT_EQ(err.str(), "");
}

TEST_F(PredictTest, FewLaunchesGiveNoInterval) {
  EXPECT_EQ(run(line({"--runs", "4"})), 0);
  EXPECT_TRUE(json()["low_s"].is_null());
  EXPECT_TRUE(json()["high_s"].is_null());
  EXPECT_EQ(err.str(), "skelgen: no interval: it needs at least 5 launches, 4 made\n");
}

TEST_F(PredictTest, AnInterruptedCompilationIsNoFailureOfTheCompiler) {
  launcher = [](const launch::Launch&) {
    auto outcome = ended(2);
    outcome.asked = 15;
    return outcome;
  };
  EXPECT_THAT(failure(line()), HasSubstr("its compilation was interrupted (signal 15); start it again"));
}

TEST_F(PredictTest, FailuresHaveStatusOneAndSayWhich) {
  run_status = 134;
  EXPECT_THAT(failure(line()), StartsWith("1 sh: the skeleton's run ended with status 134"));
  make_status = 2;
  EXPECT_THAT(failure(line()), HasSubstr("the skeleton does not compile with sh"));
}

TEST_F(PredictTest, KeysOfASkeletonThatAreNoMeasuresAreLeftOut) {
  run(line());
  EXPECT_EQ(json()["concurrency"].size(), 5u);
}

TEST_F(CommandLineTest, WhatCannotBeDoneIsSaidBeforeTheWork) {
  const auto none = work("none.trace").string();
  EXPECT_THAT(failure({"predict", none, "--", "no-such-launcher"}), HasSubstr("no-such-launcher: no such program"));
  EXPECT_THAT(failure({"report", none, "-o", work("no/page.html").string()}),
              HasSubstr("page.html: cannot be written"));
  EXPECT_THAT(failure({"report", none, "-o", work("").string()}), HasSubstr("exists and is no file"));
}

TEST_F(CommandLineTest, DumpShowsWhatAHandleStandsForFromTheCallOnThatMadeIt) {
  const trace::Run described{.id = 7, .ranks = 1};
  trace::write_meta(work("t"), described);
  trace::Writer writer(work("t"), described, 0);
  writer.call("MPI_Init", {}, 0, 0);
  writer.comm({0x44, 1, 0, 0, false});
  for (const int size : {4, 3}) {
    writer.call("MPI_Comm_split", {0x44, 0, 0, 0x84}, 0, 0);
    writer.comm({0x84, size, 0, 0, false});
    writer.call("MPI_Barrier", {0x84}, 0, 0);
    writer.call("MPI_Comm_free", {0x84}, 0, 0);
  }
  writer.call("MPI_Comm_split", {0x44, 0, 0, 0}, 0, 0);
  writer.record({SKT_TAG_FAILED, 5});
  writer.call("MPI_Barrier", {0x84}, 0, 0);
  writer.finish();
  EXPECT_EQ(run({"dump", work("t").string()}), 0);
  std::string calls;
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);) calls += line.substr(line.find("MPI_")) + "\n";
  EXPECT_EQ(calls,
            "MPI_Init()\n"
            "MPI_Comm_split(comm=comm:0x44[0/1], color=0, key=0, newcomm=comm:0x84[0/4])\n"
            "MPI_Barrier(comm=comm:0x84[0/4])\nMPI_Comm_free(comm=comm:0x84[0/4])\n"
            "MPI_Comm_split(comm=comm:0x44[0/1], color=0, key=0, newcomm=comm:0x84[0/3])\n"
            "MPI_Barrier(comm=comm:0x84[0/3])\nMPI_Comm_free(comm=comm:0x84[0/3])\n"
            "MPI_Comm_split(comm=comm:0x44[0/1], color=0, key=0, newcomm=0x0)\n"
            "MPI_Barrier(comm=comm:0x84[0/3]) failed: error class 5\n");

  EXPECT_EQ(run({"dump", work("t").string(), "--json"}), 0);
  std::vector<nlohmann::json> objects;
  std::vector<int> sizes;
  std::istringstream json(out.str());
  for (std::string line; std::getline(json, line);) {
    objects.push_back(nlohmann::json::parse(line));
    if (objects.back().contains("comm")) sizes.push_back(objects.back()["comm"]["size"]);
  }
  EXPECT_EQ(sizes, (std::vector<int>{1, 4, 3}));
  EXPECT_EQ(objects.back()["function"], "MPI_Barrier");
  EXPECT_EQ(objects.back()["call"], 8);
  EXPECT_EQ(objects.back()["error_class"], 5);
  EXPECT_EQ(objects.back()["arguments"]["comm"], 0x84);
  EXPECT_EQ(objects.back()["cpu_s"], objects.back()["gap_s"]);
}

TEST_F(CommandLineTest, MissingTracesAreNamed) {
  for (const auto* command : {"info", "dump", "build", "predict", "metrics"})
    EXPECT_THAT(failure({command, work("none.trace").string()}), AllOf(StartsWith("1 "), HasSubstr("none.trace")))
        << command;
}

}  // namespace
}  // namespace skelgen::cli
