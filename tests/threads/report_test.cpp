// What `skelgen threads` says of small programs.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "threads/simulate.h"

namespace skelgen::threads {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class ThreadsReport : public testing::Test {
 protected:
  ThreadsReport() { fs::create_directories(work_); }
  ~ThreadsReport() override { fs::remove_all(work_); }

  static std::string said(const std::string& command) {
    std::string text;
    FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
    for (int c; pipe && (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
    if (pipe) pclose(pipe);
    return text;
  }
  std::string trace(const std::string& program, const std::string& options = "") const {
    return said("cd " + work_.string() + " && " SKELGEN " trace --threads -o t " + options + " -- " PROGRAMS "/" +
                program);
  }
  std::string report(const std::string& options = "") const {
    return said("cd " + work_.string() + " && " SKELGEN " threads t " + options);
  }
  fs::path directory() const { return work_ / "t"; }
  static int line_of(const std::string& text) {
    std::ifstream in(REPORT);
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (line.find(text) != std::string::npos) return number;
    }
    return 0;
  }
  static std::size_t lines(const std::string& text) { return std::ranges::count(text, '\n'); }

 private:
  fs::path work_ = fs::temp_directory_path() / ("skelgen-report-" + std::to_string(getpid()));
};

TEST_F(ThreadsReport, NamesThePlaceOutsideOfTheSystemsHeaders) {
  trace("report cpp_lock");
  EXPECT_THAT(report(), HasSubstr("report.cpp:" + std::to_string(line_of("// here"))));
}

TEST_F(ThreadsReport, NamesTheFunctionWhereALibraryWaits) {
  trace("report futures");
  EXPECT_THAT(report(), ContainsRegex("[0-9]+ futexes .* in libstdc"));
}

TEST_F(ThreadsReport, TellsAConditionFromTheOneBeforeAtItsAddress) {
  trace("report made_again");
  EXPECT_THAT(report(), AllOf(ContainsRegex("(l3 .* l4 +l4|l4 .* l3 +l3) +condition 2 +condition 2\n"),
                              ContainsRegex("(l1 .* l2 +l2|l2 .* l1 +l1) +condition 1 +condition 1\n"),
                              ContainsRegex("condition 2 +(thread 3 +thread 4|thread 4 +thread 3) ")));
}

TEST_F(ThreadsReport, GroupsThreadsOfOneFunction) {
  trace("report many");
  const auto text = report();
  EXPECT_THAT(text, HasSubstr("threads 1-40, each"));
  EXPECT_LT(lines(text), 30u) << text;
}

TEST_F(ThreadsReport, BeginsWithTheThreadThatTheRunWaitsFor) {
  trace("report uneven");
  const auto text = report();
  EXPECT_THAT(text, ContainsRegex("\nresult      the work of thread 2 is what the run waits for: with half of it "));
  const auto changed = report("--change 2=0.5");
  const auto gain = [](const std::string& from, const char* word) {
    const auto at = from.find("(", from.find(word));
    return from.substr(at, from.find(')', at) - at);
  };
  EXPECT_EQ(gain(text, "\nresult"), gain(changed, "\nchanged")) << changed;
  EXPECT_THAT(changed, HasSubstr("\nchanged     with half the work of thread 2: "));
  EXPECT_THAT(report("--change 2=0.5 --change 2=0.5"), HasSubstr("thread 2 of report is changed twice"));
}

TEST_F(ThreadsReport, PredictsNothingOfAProcessThatDidNotEnd) {
  trace("report killed");
  EXPECT_THAT(report(),
              AllOf(HasSubstr("predicted   nothing: the process did not end by exit"), Not(HasSubstr("result "))));
  EXPECT_THAT(report("--json"), AllOf(HasSubstr("\"evaluated_s\": null"), HasSubstr("\"complete\": false")));
  EXPECT_THAT(report("--change 1=0.5"), HasSubstr("there is no prediction"));
}

TEST_F(ThreadsReport, PredictsWithoutTheTimeForWantOfACore) {
  trace("report cpp_lock");
  auto run = read_run(directory());
  for (auto& thread : run.threads) thread.core_wait_s = 0;
  const auto analysis = analyse(run);
  const double with_sleep = simulate(run, analysis).seconds;
  EXPECT_GT(with_sleep, 9e-3) << "each thread sleeps for 3 ms three times";
  for (std::size_t t = 0; t < run.threads.size(); ++t)
    run.threads[t].core_wait_s = analysis.threads[t].off_processor_s + analysis.threads[t].hand_over_s;
  EXPECT_LT(simulate(run, analysis).seconds, with_sleep / 3);
}

TEST_F(ThreadsReport, KeepsWhatWasRecordedUntilItWasInterrupted) {
  EXPECT_THAT(said("cd " + directory().parent_path().string() +
                   " && timeout -s INT 1 " SKELGEN " trace --threads -o t -- " PROGRAMS "/report endless"),
              HasSubstr("t: ended by SIGINT; what was recorded until then is kept\n"));
  EXPECT_THAT(report(), HasSubstr("predicted   nothing: "));
}

TEST_F(ThreadsReport, ListsProcesses) {
  trace("report processes");
  EXPECT_THAT(report(), AllOf(ContainsRegex("threads-.*skt: report, 41 threads, .* of them together\n.*threads-"),
                              HasSubstr("2 processes recorded their threads here; name the file of one")));
}

TEST_F(ThreadsReport, NotesLibgompOnlyOfItsRegions) {
  const auto note = HasSubstr("of GCC's OpenMP");
  if (fs::exists(PROGRAMS "/openmp")) {
    trace("openmp");
    EXPECT_THAT(report(), note);
  }
  if (fs::exists(PROGRAMS "/openmp_clang")) {
    trace("openmp_clang");
    EXPECT_THAT(report(), Not(note));
  }
}

TEST_F(ThreadsReport, AsksForAProgramOfThreads) {
  EXPECT_THAT(said(SKELGEN " trace --threads"), HasSubstr("skelgen trace --threads -- ./app"));
}

}  // namespace
}  // namespace skelgen::threads
