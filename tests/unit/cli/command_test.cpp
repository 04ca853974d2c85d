#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "cli/commands.h"
#include "cli/simulated.h"
#include "launch/cores.h"
#include "launch/program.h"
#include "launch/temporary.h"
#include "predict/prediction.h"
#include "skt_format.h"
#include "trace/cores.h"
#include "traces/recording.h"
#include "traces/writer.h"
#include "unit/cli/launched.h"

namespace skelgen::cli {
namespace {

using ::testing::EndsWith;
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
    return cli::run(arguments, {out,
                                err,
                                launcher,
                                [] { return std::time_t{0}; },
                                root() / "bin" / "skelgen",
                                {},
                                terminal,
                                std::chrono::milliseconds(1)});
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
  bool terminal = false;

 private:
  launch::TemporaryDirectory scratch_{launch::scratch_parent(), "test"};
  const PlaceWithApp place_{root() / "here"};
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

TEST_F(CommandLineTest, BuildSaysWhatItsSharesAreOf) {
  std::ofstream(work("loop.txt")) << "skeleton 1 wall 2 s\nranks 2\nprogram {\nMPI_Init()\nloop 1000 {\ncompute 1 ms\n"
                                     "MPI_Barrier(comm=MPI_COMM_WORLD)\n}\nMPI_Finalize()\n}\n";
  EXPECT_EQ(run({"build", work("loop.txt"), "-o", work("loop.skel"), "--plan"}), 0);
  EXPECT_THAT(out.str(), HasSubstr("1,000 trips, 100.0 % of the ranks' time\n"));
  EXPECT_THAT(out.str(), HasSubstr("cut         loops that take 50.0 % of the run time\n"));
}

TEST_F(CommandLineTest, BuildSaysWhichIterationsMakeTheSkeletonLonger) {
  std::ofstream text(work("prepares.txt"));
  text << "skeleton 1 wall 8 s\nranks 2\n";
  for (int slot = 2; slot < 82; ++slot) text << "comm c" << slot << " of [0, 1]\n";
  text << "program {\nMPI_Init()\nloop 400 {\ncompute 20 ms\nMPI_Barrier()\nloop table(1 x 80, 0 x 320) {\n"
          "MPI_Comm_dup(newcomm=2 + k)\n}\n}\nMPI_Finalize()\n}\n";
  text.close();
  EXPECT_EQ(run({"build", work("prepares.txt"), "-o", work("prepares.skel")}), 0);
  EXPECT_THAT(out.str(), HasSubstr("112 of 400 iterations of loop 1 run: 80 of each execution always run\n"));
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
  EXPECT_EQ(failure({}), "2 no command; see skelgen --help");
  EXPECT_THAT(failure({"predict", "--", "mpiexec", "-n", "2", "t.skel"}),
              EndsWith("; what skelgen reads stands before --; see skelgen predict --help"));
  EXPECT_EQ(failure({"bogus"}), "2 bogus: no such command; see skelgen --help");
  EXPECT_EQ(failure({"bogus", "--help"}), "2 bogus: no such command; see skelgen --help");
  EXPECT_EQ(failure({"biuld", "t"}), "2 biuld: no such command; did you mean build?");
  EXPECT_EQ(failure({"build", "t", "--sacle", "3"}), "2 build: has no option --sacle; did you mean --scale?");
  EXPECT_EQ(failure({"metrics", "t", "--foo"}), "2 metrics: has no option --foo; see skelgen metrics --help");
  EXPECT_EQ(failure({"build", "t", "--wrong=3"}), "2 build: has no option --wrong; see skelgen build --help");
  EXPECT_EQ(failure({"trace", "mpiexec.mpich", "-n", "2", "./app"}),
            "2 trace: unexpected argument 'mpiexec.mpich'; put the command after --");
  EXPECT_EQ(failure({"info", "one", "two"}), "2 info: unexpected argument 'two'; see skelgen info --help");
  EXPECT_THAT(failure({"trace"}), StartsWith("2 no program to run; put it after --: skelgen trace -- "));
  EXPECT_THAT(failure({"calibrate"}), StartsWith("2 no launcher; put it after --, without a program: "));
  EXPECT_THAT(failure({"trace", "--"}), StartsWith("2 no command after --"));
  EXPECT_THAT(failure({"trace", "--runs", "0", "--", "true"}), StartsWith("2 --runs"));
  EXPECT_THAT(failure({"time", "--bogus", "--", "true"}), StartsWith("2 "));
  EXPECT_THAT(failure({"info"}), StartsWith("2 "));
  EXPECT_THAT(failure({"info", "x", "--", "true"}), StartsWith("2 skelgen info starts no program"));
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
  EXPECT_THAT(failure({"predict", "x", "--hostfile", "y"}), StartsWith("2 --hostfile is for --platform; "));
  EXPECT_THAT(failure({"predict", "x", "--platform", "homo:4:1Gf:1Gb/s:50us", "--", "smpirun"}),
              StartsWith("2 --platform starts the ranks itself; leave out --"));
  EXPECT_THAT(failure({"verify", "x"}), StartsWith("2 "));
  for (const auto* option : {"--region", "--cone"})
    for (const auto* wrong : {"0", "0:", ":1", "0:x", ""})
      EXPECT_EQ(failure({"metrics", "x", option, wrong}),
                std::string("2 ") + option + ": must be RANK:CALL, two numbers that skelgen dump prints, not " + wrong +
                    "; see skelgen metrics --help");
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

/// The commands, as the program's own completion lists them.
std::vector<std::string> commands_in(const std::string& fish) {
  std::vector<std::string> all;
  const std::string mark = "__fish_use_subcommand -f -a ";
  for (auto at = fish.find(mark); at != std::string::npos; at = fish.find(mark, at + 1))
    all.push_back(fish.substr(at + mark.size(), fish.find(' ', at + mark.size()) - at - mark.size()));
  return all;
}

TEST_F(CommandLineTest, HelpHasOneNotationAndExamples) {
  run({"--fish-completion"});
  const auto commands = commands_in(out.str());
  EXPECT_THAT(commands, ::testing::Contains("trace"));
  for (const auto& name : commands) {
    run({name, "--help"});
    EXPECT_THAT(out.str(), HasSubstr("\n\nExamples:\n  skelgen " + name)) << "src/cli/command_texts.cpp has none";
    for (const char* raw : {" TEXT", " INT", " FLOAT", "REQUIRED", "SIZE [b", "Excludes:", "Needs:", " ["}) {
      auto text = out.str();
      text.erase(0, text.find('\n', text.find("Usage: ")));
      EXPECT_THAT(text, ::testing::Not(HasSubstr(raw))) << name;
    }
  }
  run({"metrics", "--help"});
  EXPECT_THAT(out.str(), AllOf(HasSubstr("  --region RANK:CALL "), HasSubstr("  --cone RANK:CALL ")));
  run({"build", "--help"});
  EXPECT_THAT(out.str(), HasSubstr("  --scale K                     Run main loops K times shorter (default: 10)\n"));
  EXPECT_THAT(out.str(), HasSubstr("  --max-memory BYTES "));
  run({"predict", "--help"});
  EXPECT_THAT(out.str(),
              HasSubstr("  --runs N                      Launches of the skeleton; 5 or more give an interval\n"
                        "                                (default: 5)\n"));
}

TEST_F(CommandLineTest, EveryCommandHasAManPage) {
  run({"--fish-completion"});
  const auto commands = commands_in(out.str());
  EXPECT_EQ(run({"--man-pages", work("man")}), 0);
  const auto page = [&](const std::string& name) {
    std::ifstream in(work("man") / name);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  for (const auto& name : commands) {
    EXPECT_THAT(page("skelgen-" + name + ".1"),
                AllOf(HasSubstr("\n.SH OPTIONS\n"), HasSubstr("\n.SH EXAMPLES\n"), HasSubstr("\n.SH EXIT STATUS\n")));
    EXPECT_THAT(page("skelgen.1"), HasSubstr("skelgen\\-" + name + " (1)"));
  }
  EXPECT_THAT(page("skelgen-trace.1"),
              AllOf(HasSubstr("\n.SH FILES\n"), HasSubstr("\n.SH ENVIRONMENT\n"), HasSubstr("\n.B SKELGEN_OUT\n"),
                    HasSubstr("\n.SH EXIT STATUS\nThe launcher's; ")));
  EXPECT_THAT(page("skelgen-verify.1"),
              HasSubstr("\n0 done, 1 the operation failed, or the calls differ, 2 wrong usage.\n"));
}

TEST_F(CommandLineTest, ShellsCompleteOptionsAndTheirWords) {
  run({"--bash-completion"});
  std::ofstream(work("completion")) << out.str();
  const auto completes = [&](const std::string& line) {
    const auto captured =
        launch::capture({"bash", "-c",
                         "source \"$1\"; read -ra COMP_WORDS <<< \"$2\"; [[ $2 == *' ' ]] && COMP_WORDS+=(''); "
                         "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _skelgen; echo \"${COMPREPLY[*]}\"",
                         "bash", work("completion").string(), line},
                        work(""), launch::launch);
    return launch::last_line(captured.text);
  };
  EXPECT_EQ(completes("skelgen tra"), "trace");
  EXPECT_EQ(completes("skelgen trace --yi"), "--yield");
  EXPECT_EQ(completes("skelgen trace --yield "), "auto on off");
  EXPECT_EQ(completes("skelgen build --fold s"), "seed stream");
  EXPECT_EQ(completes("skelgen build --scale "), "");
  EXPECT_EQ(completes("skelgen trace -- mpiexec.mpi --yi"), "");
  run({"--fish-completion"});
  EXPECT_THAT(out.str(), HasSubstr("'__fish_seen_subcommand_from trace' -l yield -x -a 'auto on off' -d '"));
  run({"--zsh-completion"});
  EXPECT_THAT(out.str(), HasSubstr("--yield[Let waiting ranks"));
  EXPECT_THAT(out.str(), HasSubstr("]:value:(auto on off)'"));
  EXPECT_THAT(out.str(), Not(HasSubstr(" commands\n"))) << "zsh looks there for the programs that stand after --";
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

TEST_F(CommandLineTest, TraceAndTimeSayThatTheMpiHasNoBackEnd) {
  const auto missing = (root() / "lib" / "libskeltrace-openmpi.so").string();
  const auto said = "125 " + missing +
                    ": is not there: this skelgen was built without Open MPI; install its compiler and headers, and "
                    "build skelgen again";
  EXPECT_EQ(failure({"trace", "-o", work("t").string(), "--", "mpiexec.openmpi", "-n", "2", "./app"}), said);
  EXPECT_EQ(failure({"time", "--", "mpiexec.openmpi", "-n", "2", "./app"}), said);
  std::ofstream(missing) << "";
  EXPECT_THAT(failure({"time", "--", "mpiexec.openmpi", "-n", "2", "./app"}), HasSubstr("no rank called MPI_Init"));
}

TEST_F(CommandLineTest, TraceSaysWhyNoRankMayHaveBeenSeen) {
  for (const auto* mpi : {"mpich", "openmpi", "smpi"})  // mpiexec may be any one's
    std::ofstream(root() / "lib" / fmt::format("libskeltrace-{}.so", mpi)) << "";
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

TEST_F(CommandLineTest, ADashIsStandardOutputAndNoDirectory) {
  EXPECT_THAT(failure({"trace", "-o", "-", "--", "mpiexec", "./app"}), StartsWith("2 -o -: a trace is a directory"));
  std::ofstream(work("p.txt")) << "skeleton 1\nranks 2\nprogram {\nMPI_Init()\nMPI_Finalize()\n}\n";
  EXPECT_THAT(failure({"build", work("p.txt"), "-o", "-"}), StartsWith("2 -o -: a skeleton is a directory"));
  EXPECT_EQ(run({"build", work("p.txt"), "--emit", "text", "-o", "-"}), 0);
  EXPECT_THAT(out.str(), HasSubstr("MPI_Finalize()"));
  EXPECT_THAT(failure({"calibrate", "-o", "-", "--json", "--", "mpiexec"}), StartsWith("2 -o - and --json both"));
  EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST_F(CommandLineTest, TracesThatBeginTogetherHaveDifferentNames) {
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(work(""));
  const auto app = (root() / "here" / "app").string();
  int started = 0;
  launcher = [&](const launch::Launch& what) {
    put_trace(value_of(what, "SKELGEN_OUT"), std::to_string(++started));
    if (started < 2) EXPECT_EQ(run({"trace", "--", "mpiexec", app}), 0);
    return ended(0);
  };
  EXPECT_EQ(run({"trace", "--", "mpiexec", app}), 0);
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(".")) names.insert(entry.path().filename().string());
  std::filesystem::current_path(here);
  EXPECT_EQ(names.size(), 2u) << ::testing::PrintToString(names);
  for (const auto& name : names) EXPECT_THAT(name, StartsWith("skelgen-app-1970"));
}

TEST_F(CommandLineTest, ARunOfTwoMpisIsNoTrace) {
  launcher = [&](const launch::Launch& what) {
    std::ofstream(std::filesystem::path(value_of(what, "SKELGEN_OUT")) / "alone.json")
        << R"({"mpi":"Open MPI","launcher":"MPICH","processes":2})";
    return ended(0);
  };
  const auto said = HasSubstr(
      "125 ./app: 2 processes each ran alone: the program is Open MPI's, the launcher MPICH's; "
      "start it with mpiexec");
  EXPECT_THAT(failure({"trace", "-o", work("t"), "--", "mpiexec.mpich", "-n", "2", "./app"}), said);
  EXPECT_THAT(failure({"time", "--", "mpiexec.mpich", "-n", "2", "./app"}), said);
  EXPECT_TRUE(std::filesystem::is_empty(root() / "work"));
}

TEST_F(CommandLineTest, ARunThatCouldNotBeRecordedHasFailed) {
  launcher = [&](const launch::Launch& what) {  // as a full disk leaves it
    std::ofstream(std::filesystem::path(value_of(what, "SKELGEN_OUT")) / "rank-000000.skt") << "";
    return ended(0);
  };
  EXPECT_THAT(failure({"trace", "-o", work("t"), "--", "mpiexec", "./app"}),
              AllOf(StartsWith("1 "), HasSubstr("the run could not be recorded; free space there or ")));
  EXPECT_TRUE(std::filesystem::is_empty(root() / "work"));
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
  EXPECT_THAT(failure(line),
              HasSubstr("t: is a symbolic link, which is not replaced; give what it links to, or another name"));
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
  EXPECT_THAT(err.str(), HasSubstr("the traced runs took 2.000 s to 5.000 s: other work used the machine"));
  takes = {2'000'000'000, 2'200'000'000, 2'100'000'000};
  EXPECT_EQ(run(line), 0);
  EXPECT_THAT(err.str(), Not(HasSubstr("the traced runs took")));
}

TEST_F(CommandLineTest, InfoSaysWhatASkeletonIs) {
  std::ofstream(work("loop.txt")) << "skeleton 1 wall 2 s\nranks 2\nprogram {\nMPI_Init()\nloop 1000 {\ncompute 1 ms\n"
                                     "MPI_Barrier(comm=MPI_COMM_WORLD)\n}\nMPI_Finalize()\n}\n";
  ASSERT_EQ(run({"build", work("loop.txt"), "-o", work("loop.skel")}), 0);
  EXPECT_EQ(run({"info", work("loop.skel")}), 0);
  for (const char* said :
       {"\nrun time    2.000 s when traced\n", "\nscale       10; the skeleton runs ",
        "\nlossless    no: of a text that was edited", "\ndeadlock    none, even with synchronous sends\n",
        "\nwork        not profiled\n", "\nloop 1    1,000  "})
    EXPECT_THAT(out.str(), HasSubstr(said));
  EXPECT_THAT(out.str(), StartsWith("ranks       2"));
  for (const char* key : {"_", "true", "false", "null", "checksum"}) EXPECT_THAT(out.str(), Not(HasSubstr(key)));
  auto json = Json::parse(std::ifstream(work("loop.skel") / "skeleton.json"));
  json.update({{"status", 3},
               {"original_runs_s", {1, 4}},
               {"tolerance", 0.05},
               {"edited", false},
               {"safe", false},
               {"yield", true}});
  std::ofstream(work("loop.skel") / "skeleton.json") << json;
  run({"info", work("loop.skel")});
  EXPECT_THAT(out.str(), ::testing::ContainsRegex(
                             "warning +[^\n]*status 3[^\n]*\nwarning +the traced runs took 1.000 s to 4.000 s"));
  for (const char* said :
       {"no: counts are within 5.0 % of what was recorded\n", "deadlock    possible, or not checked; ",
        "\ntraced with --yield: only time on a core counts as computation\n"})
    EXPECT_THAT(out.str(), HasSubstr(said));
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

TEST_F(CommandLineTest, ThreadsTakesANumberBeforeAName) {
  std::filesystem::create_directory(work("t"));
  {
    trace::Writer writer(work("t"), {}, 0, {.threads = true});
    for (const int thread : {0, 1, 2}) {
      trace::Recording recording(writer, thread);
      if (thread == 2) recording.name("1");
      recording.event(SKT_THREAD, SKT_START, 77, 100, 0);
      recording.event(SKT_THREAD, SKT_EXIT, 77, 1000, 0);
    }
    writer.finish();
  }
  std::filesystem::rename(work("t") / "rank-000000.skt", work("t") / "threads-host-1.skt");
  EXPECT_EQ(run({"threads", "--json", "--change", "1=0.5", work("t").string()}), 0);
  EXPECT_EQ(json()["changed"]["changes"], Json::parse(R"([{"thread": 1, "factor": 0.5}])"));
}

TEST_F(CommandLineTest, InfoSaysWhichRunItIs) {
  write_trace(work("t"), 1000);
  EXPECT_EQ(run({"info", work("t").string()}), 0);
  EXPECT_THAT(out.str(),
              AllOf(HasSubstr("command     ./application\n"), HasSubstr("started     2000-01-01T00:00:00Z\n"),
                    HasSubstr("hosts       host\n"), Not(HasSubstr("warning"))));
  EXPECT_EQ(run({"info", "--json", work("t").string()}), 0);
  EXPECT_EQ(json()["command"], "./application");
  EXPECT_EQ(json()["started"], "2000-01-01T00:00:00Z");
  EXPECT_EQ(json()["hosts"], Json({"host"}));
  EXPECT_EQ(json()["warnings"], Json::array());
}

TEST_F(CommandLineTest, InfoSaysThatRanksHadNoCore) {
  const trace::Run described{.id = 7, .ranks = 1};
  trace::write_meta(work("t"), described);
  trace::Writer writer(work("t"), described, 0, {});
  writer.call("MPI_Init", {}, 0, 10);
  writer.call("MPI_Finalize", {}, 980, 10);
  writer.finish({.finalize_exit_ticks = 1'000'001'000, .core_wait_ns = 400});
  EXPECT_EQ(run({"info", work("t").string()}), 0);
  EXPECT_THAT(out.str(),
              StartsWith("warning     Other work used the machine, or the ranks are more than its cores: they "
                         "waited for a core for 40 % of the run"));
}

TEST_F(CommandLineTest, BuildAndItsSkeletonSayThatRanksHadNoCoreWhenTraced) {
  for (const bool cpu_time : {false, true}) {
    const trace::Run described{.id = 7, .ranks = 1};
    std::filesystem::remove_all(work("t"));
    trace::write_meta(work("t"), described);
    trace::Writer writer(work("t"), described, 0,
                         {.columns = cpu_time ? std::vector<std::string>{"cpu_ns"} : std::vector<std::string>{}});
    const auto call = [&](const char* name, std::uint64_t at) {
      writer.call(name, {}, at, 10, cpu_time ? std::vector<std::uint64_t>{at} : std::vector<std::uint64_t>{});
    };
    call("MPI_Init", 0);
    call("MPI_Finalize", 980);
    writer.finish({.finalize_exit_ticks = 1'000'001'000, .core_wait_ns = 400});
    const auto said =
        cpu_time
            ? testing::Not(HasSubstr("ranks waited"))
            : testing::Matcher<std::string>(HasSubstr(
                  "hen traced, ranks waited for a core for 40 % of the run, part of which counts as computation: "));
    EXPECT_EQ(run({"build", work("t"), "-o", work("s.skel"), "--force"}), 0);
    EXPECT_THAT(err.str(), said);
    EXPECT_EQ(run({"info", work("s.skel")}), 0);
    EXPECT_THAT(out.str(), said);
    EXPECT_EQ(run({"build", work("t"), "--emit", "text"}), 0);
    std::ofstream(work("t.txt")) << out.str();
    EXPECT_EQ(run({"build", work("t.txt"), "-o", work("text.skel"), "--force"}), 0);
    EXPECT_THAT(err.str(), said);
  }
}

TEST_F(CommandLineTest, TraceSaysThatYieldingRanksHadNoCore) {
  launcher = [](const launch::Launch& what) {
    const std::filesystem::path directory = value_of(what, "SKELGEN_OUT");
    const trace::Run described{.id = 7, .ranks = 1};
    trace::write_meta(directory, described);
    trace::Writer writer(directory, described, 0, {.columns = {"cpu_ns"}});
    writer.call("MPI_Init", {}, 0, 10, {0});
    writer.call("MPI_Finalize", {}, 980, 10, {980});
    writer.finish({.finalize_exit_ticks = 1'000'001'000, .core_wait_ns = 400});
    return ended(0);
  };
  EXPECT_EQ(run({"trace", "-o", work("t").string(), "--yield", "on", "--", "mpiexec.mpich", "-n", "1", "./app"}), 0);
  EXPECT_THAT(err.str(), HasSubstr("; other work used the machine, or the ranks are more than its cores: they waited "
                                   "for a core for 40 % of the run. Calls also waited for a core, so times of calls, "
                                   "and who is late, are unreliable; trace on a machine without other work and with a "
                                   "core for each rank\n"));
}

TEST_F(CommandLineTest, TraceSaysThatRanksOfAKilledRunSharedCores) {
  const int cores = launch::usable_cores(), ranks = cores + 1;
  launcher = [&](const launch::Launch& what) {
    const std::filesystem::path directory = value_of(what, "SKELGEN_OUT");
    const trace::Run described{.id = 7, .ranks = ranks};
    trace::write_meta(directory, described);
    for (Rank rank = 0; rank < ranks; rank++) {
      trace::Writer writer(directory, described, rank, {});
      writer.call("MPI_Init", {}, 0, 10);
      writer.abandon();
    }
    return ended(137);
  };
  const auto trace = [&](const std::string& yield, int started) {
    run({"trace", "-o", work("t").string(), "--yield", yield, "--", "mpiexec.mpich", "-n", std::to_string(started),
         "./app"});
    return err.str();
  };
  const auto said =
      fmt::format("ended with status 137; {} ranks shared {} core{}. ", ranks, cores, cores == 1 ? "" : "s");
  EXPECT_THAT(trace("off", ranks), HasSubstr(said + "Times of calls, what ranks compute, and who is late, are "));
  for (const auto* yield : {"on", "auto"})
    EXPECT_THAT(trace(yield, ranks), HasSubstr(said + "Calls also waited for a core, so times of calls, and who is "));
  EXPECT_THAT(trace("on", cores), EndsWith("ended with status 137\n"));
}

/// A launcher whose runs make a call each and take 1, 2, 3, ... ms; the one with number `interrupted` ends by SIGINT before
/// MPI_Finalize.
launch::Launcher interrupted_in_run(int interrupted) {
  const auto number = std::make_shared<int>(0);
  return [=](const launch::Launch& what) {
    const std::filesystem::path directory = value_of(what, "SKELGEN_OUT");
    const trace::Run described{.id = 7, .ranks = 1};
    trace::write_meta(directory, described);
    trace::Writer writer(directory, described, 0, {.host = launch::host_name()});
    writer.call("MPI_Init", {}, 0, 10);
    auto outcome = ended(0);
    if (++*number == interrupted) {
      writer.abandon();
      outcome.status = 130;
      outcome.asked = SIGINT;
    } else {
      writer.call("MPI_Finalize", {}, 980, 10);
      const auto length = 1'000'000u * static_cast<unsigned>(*number);
      writer.finish({.finalize_exit_ticks = 1'000'000'000u + length, .core_wait_ns = length / 2});
    }
    return outcome;
  };
}

TEST_F(CommandLineTest, TraceKeepsTheCompleteRunsOfAnInterruptedSeries) {
  const auto name = work("t").string();
  launcher = interrupted_in_run(5);
  const std::vector<std::string> line{"trace", "--runs", "40", "-o", name, "--", "mpiexec.mpich", "-n", "1", "./app"};
  EXPECT_EQ(run(line), 130);
  EXPECT_THAT(err.str(), HasSubstr("; interrupted in run 5 of 40; kept run 2 of the 4 complete ones"));
  EXPECT_EQ(trace::open(work("t")).runs_s().size(), 4u);
  launcher = interrupted_in_run(1);  // none is complete: the trace that was there stays
  EXPECT_EQ(run(line), 130);
  EXPECT_THAT(err.str(), HasSubstr("t: interrupted; the earlier trace stays, what was recorded is in "));
  EXPECT_EQ(trace::open(work("t")).runs_s().size(), 4u);
  EXPECT_FALSE(trace::open(work("t.partial") / "run-1").wall());
}

TEST_F(CommandLineTest, WhatIsSaidOfCoresFollowsFromTheirNumber) {
  launcher = interrupted_in_run(0);
  run({"trace", "-o", work("t").string(), "--", "mpiexec.mpich", "-n", "1", "./app"});
  EXPECT_THAT(err.str(),
              EndsWith("; other work used the machine: the ranks waited for a core for 50 % of the run. Times of "
                       "calls, what ranks compute, and who is late, are unreliable; trace on a machine without "
                       "other work; skelgen trace --yield on at least measures reliably what ranks compute\n"));
  run({"info", work("t").string()});
  EXPECT_THAT(out.str(), HasSubstr("Other work used the machine: the ranks waited for a core for 50 % of the run"));
  run({"metrics", work("t").string()});
  EXPECT_THAT(out.str(), HasSubstr("the ranks waited for a core for 50 % of the run"));
  EXPECT_THAT(trace::without_cores("ranks", 4, 10, trace::OnCores{8, 2}),
              "the 8 ranks shared 2 cores: they waited for a core for 40 % of the run");
  EXPECT_THAT(
      trace::without_cores("ranks", 4, 10, trace::OnCores{2, 2}),
      "other work used the machine, or the ranks were bound to fewer than its 2 cores: they waited for a core for "
      "40 % of the run");
}

TEST_F(CommandLineTest, ARunThatFailedIsSaidToHaveFailed) {
  launcher = [](const launch::Launch& what) {
    auto outcome = interrupted_in_run(0)(what);
    outcome.status = 3;
    return outcome;
  };
  EXPECT_EQ(run({"trace", "-o", work("t").string(), "--", "mpiexec.mpich", "-n", "1", "./app"}), 3);
  const std::string said = "he traced run ended with status 3: if the program failed, ";
  run({"info", work("t").string()});
  EXPECT_THAT(out.str(), StartsWith("warning     T" + said));
  run({"metrics", work("t").string()});
  EXPECT_THAT(out.str(), HasSubstr("note: T" + said));
  run({"build", work("t").string(), "-o", work("t.skel").string()});
  EXPECT_THAT(err.str(), HasSubstr("skelgen: t" + said));
  failure({"predict", work("t.skel").string(), "--ranks", "3", "--", "sh"});
  EXPECT_THAT(err.str(), StartsWith("skelgen: t" + said));
}

TEST_F(CommandLineTest, ProgramsThatAreNotThereAreNamedBeforeTheLaunch) {
  launcher = [](const launch::Launch&) -> launch::Outcome { throw std::logic_error("started"); };
  EXPECT_EQ(failure({"trace", "--", "mpiexec.mpich", "-n", "2", "./nosuch"}), "125 ./nosuch: no such file");
  EXPECT_EQ(failure({"time", "--", "mpiexec.mpich", "-n", "2", "app"}), "125 app is not in PATH; did you mean ./app?");
}

TEST_F(CommandLineTest, OptionsInTheWrongPlaceAreNamed) {
  EXPECT_EQ(failure({"build", "a.trace", "b.skel"}),
            "2 build: unexpected argument 'b.skel'; name the skeleton with -o");
  EXPECT_EQ(failure({"report", "a.trace", "b.skel", "p.json"}),
            "2 report: unexpected argument 'p.json'; give a prediction with --prediction");
  EXPECT_EQ(failure({"trace", "--", "-o", "x", "./app"}), "2 -o stands after --; options of skelgen stand before it");
  EXPECT_THAT(failure({"predict", "s", "--", "-n", "2"}), StartsWith("2 the launcher is missing: "));
  failure({"trace", "-o", work("t").string(), "--", "./app", "-o", "x.trace"});
  EXPECT_THAT(err.str(), HasSubstr("-o x.trace stands behind the program, which gets it"));
}

TEST_F(CommandLineTest, InfoSaysFirstWhatMakesTimesUnreliable) {
  const trace::Run described{.id = 7, .ranks = 2};
  trace::write_meta(work("t"), described);
  for (const Rank rank : {0, 1}) {
    trace::Writer writer(work("t"), described, rank, {.host = rank == 0 ? "one" : "two", .columns = {"cpu_ns"}});
    writer.call("MPI_Init", {}, 0, 10, {0});
    writer.call("MPI_Finalize", {}, 1000, 10, {900});  // without a core for 100 of them
    writer.finish({.finalize_exit_ticks = 1'000'002'000});
  }
  trace::note_runs(work("t"), std::vector<double>{2, 5});
  EXPECT_EQ(run({"info", work("t").string()}), 0);
  EXPECT_THAT(
      out.str(),
      AllOf(
          StartsWith("warning     More ranks than cores, or other work on the machine: between calls, ranks waited for "
                     "a core for 10 % of the run"),
          HasSubstr(
              "\nwarning     The traced runs took 2.000 s to 5.000 s; predictions from this trace are as uncertain"),
          HasSubstr("\nwarning     Clocks of different hosts ")));
  EXPECT_EQ(run({"info", "--json", work("t").string()}), 0);
  EXPECT_EQ(json()["warnings"].size(), 3u);
}

TEST_F(CommandLineTest, DoctorSaysWhatIsMissing) {
  const struct Path {
    std::string before = std::getenv("PATH") ? std::getenv("PATH") : "";
    ~Path() { setenv("PATH", before.c_str(), 1); }
  } path;
  std::ofstream(work("mpiexec.mpich")) << "";
  std::filesystem::permissions(work("mpiexec.mpich"), std::filesystem::perms::owner_all);
  launcher = [](const launch::Launch& what) {
    std::ofstream(*what.output) << "HYDRA build details:\n    Version:    4.0.2\n";
    return ended(0);
  };
  setenv("PATH", work("").c_str(), 1);
  EXPECT_EQ(run({"doctor", "--json"}), 0);
  const auto said = json();
  EXPECT_EQ(said["mpis"][0]["name"], "MPICH");
  EXPECT_EQ(said["mpis"][0]["version"], "4.0.2");
  std::string missing;
  for (const auto& one : said["missing"]) missing += one["what"].get<std::string>() + "\n";
  for (const char* what :
       {"lib/valgrind): profile does not work", "the back end for MPICH: its programs run unrecorded",
        "the compiler of MPICH: ", "SimGrid: predict --platform does not work", "make: "})
    EXPECT_THAT(missing, HasSubstr(what));
  EXPECT_THAT(out.str(), HasSubstr("apt install valgrind, build skelgen again"));
  std::filesystem::copy(work("mpiexec.mpich"), work("valgrind"));
  run({"doctor"});
  EXPECT_THAT(out.str(), HasSubstr("lib/valgrind): profile does not work\n    -> build skelgen again, now that "
                                   "Valgrind is here\n"));
}

TEST_F(CommandLineTest, DoctorSaysThatOthersUseTheCores) {
  {
    std::vector<std::jthread> others;
    for (int i = 0; i < launch::usable_cores(); ++i)
      others.emplace_back([](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
        }
      });
    EXPECT_EQ(run({"doctor", "--json"}), 0);
    const auto said = json();
    if (said["used_by_others"].is_null()) GTEST_SKIP() << "/proc/stat does not say it here";
    EXPECT_GT(said["used_by_others"], 0.1);
    ASSERT_EQ(said["warnings"].size(), 1u);
    EXPECT_THAT(said["warnings"][0]["what"].get<std::string>(), StartsWith("other processes use "));
    run({"doctor"});
  }
  EXPECT_THAT(out.str(), ::testing::ContainsRegex("\nload      other processes use [0-9.]+ % of the cores\n"));
  EXPECT_THAT(out.str(),
              ::testing::ContainsRegex("\nwarning\n  other processes use [^\n]*\n    -> trace and predict "));
  run({"doctor", "--json"});  // whatever others do now
  EXPECT_EQ(json()["used_by_others"] > 0.1, !json()["warnings"].empty());
}

TEST_F(CommandLineTest, LoadIsOfTheCoresThatMayBeUsed) {
  const auto any = [](int) { return true; };
  const std::string before = "cpu  9 9 9 9 9 9 9 9\ncpu0 10 0 10 100 0 0 0 0 5 5\ncpu1 0 0 0 50 10 0 0 0\nintr 7\n";
  const std::string after = "cpu  9 9 9 9 9 9 9 9\ncpu0 15 1 12 110 0 1 1 0 9 9\ncpu1 0 0 0 60 20 0 0 0\nintr 8\n";
  EXPECT_DOUBLE_EQ(launch::busy_share(before, after, any).value(), 0.25);  // 10 of 20 and 0 of 20
  EXPECT_DOUBLE_EQ(launch::busy_share(before, after, [](int core) { return core == 0; }).value(), 0.5);
  EXPECT_FALSE(launch::busy_share(before, after, [](int core) { return core == 2; }));
  EXPECT_FALSE(launch::busy_share(before, before, any));
  EXPECT_FALSE(launch::busy_share("", "", any));
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

TEST_F(CommandLineTest, TimeKeepsTheCompleteRunsOfAnInterruptedSeries) {
  int number = 0, interrupted = 3, status = 130;
  launcher = [&](const launch::Launch& what) {
    auto outcome = ended(0);
    if (++number == interrupted) {
      outcome.status = status;
      outcome.asked = SIGINT;
    }
    if (outcome.status == 0)
      std::ofstream(std::filesystem::path(value_of(what, "SKELGEN_OUT")) / "time-000000.json")
          << R"({"rank":0,"ranks":1,"host":"h","init_entry_ns":0,"init_exit_ns":1,"finalize_entry_ns":2,"finalize_exit_ns":)"
          << number << "000000000}";
    return outcome;
  };
  const std::vector<std::string> text{"time", "--runs", "9", "--", "mpiexec", "-n", "1", "./app"};
  auto with_json = text;
  with_json.insert(with_json.begin() + 1, "--json");
  EXPECT_EQ(run(with_json), 130);
  EXPECT_EQ(json()["runs"].size(), 2u);
  EXPECT_DOUBLE_EQ(json()["wall_s"].get<double>(), 1.5);
  EXPECT_EQ(err.str(), "skelgen: mpiexec: interrupted; 2 of 9 runs were done\n");
  number = 0, interrupted = 4;
  EXPECT_EQ(run(text), 130);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("\n3 "), HasSubstr("\nmedian   2.000 s")));
  EXPECT_EQ(err.str(), "skelgen: mpiexec: interrupted; 3 of 9 runs were done\n");
  number = 0, status = 0;  // it came to its end in spite of the signal
  EXPECT_EQ(run(with_json), 130) << "not all runs were done";
  EXPECT_EQ(json()["runs"].size(), 4u);
  EXPECT_EQ(err.str(), "skelgen: mpiexec: interrupted; 4 of 9 runs were done\n");
  number = 0, interrupted = 1, status = 130;
  EXPECT_EQ(run(with_json), 130);
  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(err.str(), "skelgen: mpiexec: interrupted; 0 of 9 runs were done; no time is reported\n");
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
            << R"({"schema":"skelgen.skeleton/1","predicted_s":)" << ++launches << reported
            << R"(,"skeleton_s":0.5,"scale":10,"compute":"time","phases":[{"name":"loop 1","weight":)" << weight
            << R"(,"seconds":0.1}]})";
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
  std::string reported, weight = "9";
};

TEST_F(PredictTest, SaysThatRanksWaitedForCores) {
  const auto predict = [&](const std::string& core_wait) {
    reported = R"(,"core_wait":)" + core_wait;
    EXPECT_EQ(run(line()), 0);
    return err.str();
  };
  EXPECT_THAT(predict("0.4"),
              HasSubstr(" during the launches: ranks waited for a core for 40 % of their time; repeat "));
  EXPECT_EQ(json()["busy"], true);
  std::ofstream(work("prediction.json")) << out.str();
  EXPECT_TRUE(predict::read_prediction(work("prediction.json")).busy());
  EXPECT_THAT(predict("0.04"), ::testing::Not(HasSubstr("during the launches")));
  EXPECT_EQ(json()["busy"], false);
  EXPECT_DOUBLE_EQ(json()["core_wait"].get<double>(), 0.04);
}

TEST_F(PredictTest, SaysThatTraceAndLaunchesDifferInYield) {
  const auto predict = [&](bool traced, const std::string& here) {
    auto skeleton = Json::parse(std::ifstream(work("s.skel") / "skeleton.json"));
    skeleton["yield"] = traced;
    std::ofstream(work("s.skel") / "skeleton.json") << skeleton;
    EXPECT_EQ(run(line({"--yield", here})), 0);
    return err.str();
  };
  EXPECT_EQ(predict(true, "on"), "");
  EXPECT_EQ(predict(false, "off"), "");
  EXPECT_THAT(predict(true, "off"), HasSubstr("traced with --yield, and the launches are without it: "));
  EXPECT_THAT(predict(false, "on"),
              HasSubstr("the launches are with --yield, and the program was traced without it: "));
}

TEST_F(PredictTest, FilesNeedDisks) {
  std::ofstream(work("files.txt"))
      << "skeleton 1\nranks 2\nfile f0 of [0..1]\nscratch 0\nprogram {\nMPI_Init()\n"
         "MPI_File_open(filename=(0), amode=1, fh=f0)\nMPI_File_close(fh=f0)\nMPI_Finalize()\n}\n";
  EXPECT_EQ(run({"build", work("files.txt"), "-o", work("files.skel")}), 0);
  EXPECT_TRUE(predict::read_skeleton_info(work("files.skel")).files);
  EXPECT_FALSE(predict::read_skeleton_info(work("s.skel")).files);
  try {
    require_disks("homo:2:1Gf:1Gb/s:50us");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                StartsWith("homo:2:1Gf:1Gb/s:50us: its hosts have no disks, and the program opens files"));
  }
  std::ofstream(work("disks.xml")) << "<platform><disk id='d'/></platform>";
  require_disks(work("disks.xml").string());
}

TEST_F(PredictTest, SaysThatTheWholeProgramRuns) {
  const auto text = [&] {
    EXPECT_EQ(run({"predict", work("s.skel").string(), "--cc", "sh", "--", "sh"}), 0);
    return out.str();
  };
  EXPECT_THAT(text(), HasSubstr(", scale 10, computation"));
  weight = R"(1,"left_out_s":0.05)";
  EXPECT_THAT(text(), HasSubstr(", scale 10, computation"));
  weight = "1";
  EXPECT_THAT(text(), HasSubstr(", the whole program (nothing is left out), computation"));
}

TEST_F(PredictTest, SaysThatTheIntervalIsTooWide) {
  EXPECT_EQ(run({"predict", work("s.skel").string(), "--cc", "sh", "--", "sh"}), 0);  // launches of 1 to 5 s
  EXPECT_THAT(out.str(),
              ::testing::ContainsRegex("too uncertain to use: the upper end is [0-9.e+]+ times the lower one\n"
                                       "interval made of:   standard deviations "));
  EXPECT_THAT(out.str(), ::testing::ContainsRegex("phase +weight +measured +counts as +of predicted time\n"));
  EXPECT_EQ(run(line()), 0);
  EXPECT_EQ(json()["too_uncertain"], true);
}

TEST_F(PredictTest, AnInterruptedLaunchIsNoWrongLine) {
  launcher = [](const launch::Launch& what) {
    auto outcome = ended(0);
    if (what.command[0] != "make") outcome.asked = SIGINT;
    return outcome;
  };
  EXPECT_THAT(failure(line()), HasSubstr("the skeleton's run was interrupted (signal 2); start it again"));
}

TEST_F(PredictTest, KeepsTheLaunchesBeforeAnInterruptedOne) {
  launcher = [this, start = launcher](const launch::Launch& what) {
    const bool interrupted = what.command[0] != "make" && launches == 6;
    run_status = interrupted ? 130 : 0;
    auto outcome = start(what);
    if (interrupted) outcome.asked = SIGINT;
    return outcome;
  };
  EXPECT_EQ(run(line({"--runs", "40"})), 130);
  EXPECT_EQ(json()["runs"].size(), 6u);
  EXPECT_EQ(json()["predicted_s"], 3.5);
  EXPECT_EQ(err.str(), "skelgen: interrupted; 6 of 40 launches were done\n");
  launches = 4;
  auto text = line();
  std::erase(text, "--json");
  EXPECT_EQ(run(text), 130);
  EXPECT_THAT(out.str(), HasSubstr("\nfrom                2 launches of 500 ms"));
  EXPECT_EQ(err.str(),
            "skelgen: interrupted; 2 of 5 launches were done\n"
            "skelgen: no interval: it needs at least 5 launches, 2 made\n");
  launches = 6;
  EXPECT_THAT(failure(line()), HasSubstr("the skeleton's run was interrupted (signal 2); start it again"));
}

TEST_F(PredictTest, ASignalBehindTheLastLaunchChangesNothing) {
  int asked_in = 5;
  launcher = [&, start = launcher](const launch::Launch& what) {
    auto outcome = start(what);
    if (what.command[0] != "make" && launches == asked_in) outcome.asked = SIGINT;
    return outcome;
  };
  EXPECT_EQ(run(line()), 0);
  EXPECT_EQ(err.str(), "");
  launches = 0;
  asked_in = 3;
  EXPECT_EQ(run(line()), 130);
  EXPECT_THAT(err.str(), HasSubstr("interrupted; 3 of 5 launches were done\n"));
}

TEST_F(PredictTest, PrintsEveryPromisedKey) {
  EXPECT_EQ(run(line()), 0);
  const auto object = json();
  EXPECT_EQ(object.begin().key(), "schema");
  EXPECT_EQ(object["schema"], "skelgen.predict/1");
  EXPECT_EQ(object["predicted_s"], 3.0);
  EXPECT_LT(object["low_s"], 3.0);
  EXPECT_GT(object["high_s"], 3.0);
  EXPECT_EQ(object["confidence"], 0.95);
  EXPECT_EQ(object["interval_parts"][0]["name"], "original");
  EXPECT_GT(object["interval_parts"][0]["deviation"], 0.0);
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

TEST_F(PredictTest, SaysThatTheMpiIsAnother) {
  auto skeleton = Json::parse(std::ifstream(work("s.skel") / "skeleton.json"));
  skeleton["mpi"] = "MPICH";
  std::ofstream(work("s.skel") / "skeleton.json") << skeleton;
  EXPECT_EQ(run(line()), 0);
  EXPECT_EQ(json()["mpi"]["same"], true) << "it does not say which it is";
  reported = R"(,"mpi":{"name":"Open MPI","version":"4.1.4"})";
  EXPECT_EQ(run(line()), 0);
  EXPECT_EQ(json()["mpi"], (Json{{"traced", "MPICH"}, {"here", "Open MPI 4.1.4"}, {"same", false}}));
  const auto json_text = out.str();
  auto text = line();
  std::erase(text, "--json");
  EXPECT_EQ(run(text), 0);
  EXPECT_THAT(out.str(), HasSubstr("\nanother MPI         Open MPI 4.1.4 here, MPICH when traced"));
  EXPECT_THAT(out.str(), AllOf(HasSubstr(", computation replayed as traced time\n"),
                               HasSubstr("\ncomputing           when traced 40.0 % of the ranks' time\n")));
  std::ofstream(work("prediction.json")) << json_text;
  const auto read = predict::read_prediction(work("prediction.json"));
  EXPECT_FALSE(predict::same_mpi(read.traced_mpi, read.mpi));
}

TEST_F(PredictTest, CompilesForTheMpiOfTheLauncher) {
  auto skeleton = Json::parse(std::ifstream(work("s.skel") / "skeleton.json"));
  skeleton["mpi"] = "MPICH";
  std::ofstream(work("s.skel") / "skeleton.json") << skeleton;
  for (const char* name : {"mpiexec", "mpicc"}) {  // an MPI in a directory of its own
    std::ofstream(work(name)) << "#!/bin/sh\n";
    std::filesystem::permissions(work(name), std::filesystem::perms::owner_all);
  }
  std::vector<std::string> made;
  launcher = [&, start = launcher](const launch::Launch& what) {
    if (what.command[0] == "make") made = what.command;
    return start(what);
  };
  EXPECT_EQ(run({"predict", work("s.skel"), "--json", "--", work("mpiexec"), "-n", "2"}), 0);
  EXPECT_THAT(made, ::testing::Contains("MPICC=" + work("mpicc").string()));
}

TEST_F(PredictTest, SaysFirstThatTheTracedRunsDiffered) {
  auto skeleton = Json::parse(std::ifstream(work("s.skel") / "skeleton.json"));
  skeleton["original_runs_s"] = {2, 5};
  std::ofstream(work("s.skel") / "skeleton.json") << skeleton;
  EXPECT_EQ(run(line()), 0);
  EXPECT_THAT(err.str(), StartsWith("skelgen: the traced runs took 2.000 s to 5.000 s: other work used the machine"));
}

TEST_F(PredictTest, SaysWhatMakesTheComputationUncertain) {
  auto skeleton = Json::parse(std::ifstream(work("s.skel") / "skeleton.json"));
  const auto said = [&](const char* key, double value) {
    auto changed = skeleton;
    changed[key] = value;
    std::ofstream(work("s.skel") / "skeleton.json") << changed;
    EXPECT_EQ(run(line()), 0);
    return err.str();
  };
  EXPECT_THAT(said("core_wait", 0.4), StartsWith("skelgen: when traced, ranks waited for a core for 40 % of the run"));
  EXPECT_THAT(said("core_wait", 0.04), ::testing::Not(HasSubstr("ranks waited")));
  EXPECT_THAT(said("computation_error", 0.8), HasSubstr("do not trust this: at 2 ranks the computation "));
  EXPECT_THAT(said("computation_error", 0.1), ::testing::Not(HasSubstr("do not trust")));
}

TEST_F(PredictTest, AFileOfASkeletonIsNotItsDirectory) {
  const auto skeleton = work("s.skel/skeleton.c").string(), meta = work("t/meta.json").string();
  std::filesystem::create_directory(work("t"));
  std::ofstream(meta) << "{}";
  for (const auto& file : {skeleton, meta})
    for (const auto& words : {std::vector<std::string>{"predict", file, "--", "sh"},
                              {"build", file},
                              {"verify", work("t"), file},
                              {"model", file, "--net", "none.json"}})
      EXPECT_EQ(failure(words),
                "1 " + file + ": is a file of a " + (file == meta ? "trace" : "skeleton") +
                    "; give the directory that it is in: " + std::filesystem::path(file).parent_path().string())
          << words[0];
  // A text may stand in such a directory.
  std::ofstream(work("s.skel/edited.txt")) << "skeleton 1\nranks 2\nprogram {\nMPI_Init()\nMPI_Finalize()\n}\n";
  EXPECT_EQ(run({"build", work("s.skel/edited.txt"), "--emit", "text"}), 0);
}

TEST_F(PredictTest, ShowsProgressOnATerminal) {
  const auto quick = launcher;
  terminal = true;
  for (int wait_ms = 20; wait_ms < 20'000 && err.str().empty(); wait_ms *= 2) {
    launcher = [=](const launch::Launch& what) {
      if (what.command[0] == "make") std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
      return quick(what);
    };
    EXPECT_EQ(run(line()), 0);
  }
  EXPECT_THAT(err.str(), HasSubstr("skelgen: compile the skeleton, "));
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

TEST_F(PredictTest, TheTracedProgramIsNotStartedAgain) {
  auto skeleton = Json::parse(std::ifstream(work("s.skel") / "skeleton.json"));
  skeleton["program_mark"] = launch::program_mark("ring");
  std::ofstream(work("s.skel") / "skeleton.json") << skeleton;
  launcher = [](const launch::Launch&) -> launch::Outcome { throw std::logic_error("was started"); };
  const auto named = work("s.skel").string();
  EXPECT_EQ(failure({"predict", named, "--", "sh", "-n", "2", "./ring", "600"}),
            "2 the line after -- starts ring, the program that was traced; leave it out, skelgen adds the skeleton "
            "(skelgen predict " +
                named + " -- sh -n 2)");
}

TEST_F(PredictTest, OptionsOfSkelgenBehindTheDashesAreNamed) {
  run_status = 255;
  EXPECT_THAT(failure({"predict", work("s.skel"), "--", "sh", "--runs=2"}),
              EndsWith("; --runs is an option of skelgen: put it before --"));
  EXPECT_THAT(failure(line()), Not(HasSubstr("an option of skelgen")));
}

TEST_F(PredictTest, AnotherNumberOfRanksIsAnError) {
  EXPECT_THAT(
      failure(line({"--ranks", "3"})),
      HasSubstr("s.skel: is of 2 ranks, not 3; trace the program with 3, or give a text that skelgen generalize made"));
  EXPECT_EQ(run(line({"--ranks", "2"})), 0);
}

TEST_F(PredictTest, KeysOfASkeletonThatAreNoMeasuresAreLeftOut) {
  run(line());
  EXPECT_EQ(json()["concurrency"].size(), 5u);
}

TEST_F(CommandLineTest, WhatCannotBeDoneIsSaidBeforeTheWork) {
  const auto none = work("none.trace").string();
  EXPECT_THAT(failure({"predict", none, "--", "no-such-launcher"}), HasSubstr("no-such-launcher: command not found; "));
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

TEST_F(CommandLineTest, ReportTakesPredictionsAtSeveralNumbersOfRanks) {
  write_trace(work("t"), 1000);
  nlohmann::json scaling{{"schema", "skelgen.scaling/1"}};
  for (const int ranks : {1, 2, 4}) {
    scaling["scaling"].push_back({{"ranks", ranks}, {"speed_up", 1}, {"efficiency", 1.0 / ranks}, {"computation", 1}});
    scaling["predictions"].push_back({{"schema", "skelgen.predict/1"},
                                      {"predicted_s", 3},
                                      {"low_s", 2},
                                      {"high_s", 3.5},
                                      {"confidence", 0.95},
                                      {"skeleton_s", 1},
                                      {"scale", 1},
                                      {"compute", "work"},
                                      {"runs", {3}},
                                      {"phases", {{{"name", "loop 1"}, {"weight", 1}, {"seconds", 1}}}},
                                      {"init_s", 0},
                                      {"finalize_s", 0},
                                      {"ranks", ranks},
                                      {"concurrency_here", nullptr}});
  }
  const auto report_with = [&](const nlohmann::json& json) {
    std::ofstream(work("s.json")) << json;
    return std::vector<std::string>{"report", work("t").string(),        "--prediction", work("s.json").string(),
                                    "-o",     work("page.html").string()};
  };
  const auto both = scaling;
  EXPECT_EQ(run(report_with(scaling)), 0);
  EXPECT_EQ(err.str(), "");
  EXPECT_THAT(read(work("page.html")),
              AllOf(HasSubstr("efficiency falls below 80 % at 2 ranks (50.0 %); the phase that grows"),
                    HasSubstr("The skeleton predicts <b>3.000 s</b>")));
  for (const char* key : {"scaling", "predictions"}) scaling[key].erase(0);
  EXPECT_EQ(run(report_with(scaling)), 0);
  EXPECT_THAT(read(work("page.html")), AllOf(HasSubstr("Compared with 2 ranks, efficiency falls"),
                                             HasSubstr("There is no prediction for the 1 rank of this run")));
  for (const char* key : {"scaling", "predictions"}) scaling[key].erase(0);
  EXPECT_THAT(failure(report_with(scaling)),
              EndsWith("s.json: has fewer than two numbers of ranks; make it with: skelgen "
                       "predict --json TEXT --platform P --ranks N,N,... > " +
                       work("s.json").string()));
  scaling = both;
  scaling["predictions"][1].erase("phases");
  EXPECT_THAT(failure(report_with(scaling)),
              StartsWith("1 " + work("s.json").string() + ": was not written by skelgen predict --json; "));
}

TEST_F(CommandLineTest, DirectoriesInPlaceOfFilesAreNamed) {
  write_trace(work("t"), 1000);
  const auto trace = work("t").string(), place = work("").string();
  EXPECT_EQ(failure({"report", trace, "--prediction", place, "-o", work("r.html")}),
            "1 " + place + ": is a directory; give a file that skelgen predict --json wrote");
  EXPECT_EQ(failure({"metrics", trace, "--rho", place}),
            "1 " + place +
                ": is a directory; give a JSON file with the relative speed of each rank, as calibrate -o writes it");
  EXPECT_THAT(failure({"model", trace, "--net", place}), EndsWith("a file that skelgen netbench -o wrote"));
  EXPECT_THAT(failure({"predict", work("no such.skel")}), HasSubstr("give the directory that skelgen build wrote"));
}

TEST_F(CommandLineTest, MissingTracesAreNamed) {
  for (const auto* command : {"info", "dump", "build", "predict", "metrics"})
    EXPECT_THAT(failure({command, work("none.trace").string()}), AllOf(StartsWith("1 "), HasSubstr("none.trace")))
        << command;
}

}  // namespace
}  // namespace skelgen::cli
