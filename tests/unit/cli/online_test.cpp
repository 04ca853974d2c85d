// trace --online: what is left of a run that was measured while it was recorded, with a launcher that only pretends.
#include "cli/online.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/commands.h"
#include "cli/measures.h"
#include "launch/command_line.h"
#include "launch/temporary.h"
#include "unit/cli/launched.h"
#include "unit/metrics/run.h"

namespace skelgen::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
namespace fs = std::filesystem;

class OnlineTest : public ::testing::Test {
 protected:
  OnlineTest() {
    for (const auto* folder : {"bin", "lib", "work"}) fs::create_directory(root() / folder);
    std::ofstream(root() / "lib" / "libskeltrace.so") << "";
    message(traced_);
  }
  fs::path root() const { return scratch_.path(); }
  fs::path target() const { return root() / "work" / "t"; }

  /// Rank 1 waits for rank 0's message.
  static void message(test::TracedRun& run) {
    run.send(0, 1, 100, 10);
    run.recv(1, 0, 20, 95);
    run.finalize(0, 50);
    run.finalize(1, 30);
  }

  /// A run that leaves what `launched_` has.
  launch::Outcome launch(const launch::Launch& what, int status = 0) {
    online_ = value_of(what, "SKELGEN_ONLINE");
    for (const auto& entry : fs::directory_iterator(launched_->directory().path())) {
      const fs::path file = fs::path(value_of(what, "SKELGEN_OUT")) / entry.path().filename();
      fs::copy(entry.path(), file.string() + ".copy");  // meta.json is there as a whole, or not at all
      fs::rename(file.string() + ".copy", file);
    }
    launch::Outcome outcome;
    outcome.status = status;
    return outcome;
  }

  int run(std::vector<std::string> arguments, int status = 0) {
    out.str({});
    err.str({});
    const auto launcher = [&](const launch::Launch& what) { return launch(what, status); };
    return cli::run(arguments, {out, err, launcher, [] { return std::time_t{0}; }, root() / "bin" / "skelgen", {}});
  }
  int trace_online(int status = 0, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"trace", "--online", "-o", target().string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    for (const char* word : {"--", "mpiexec", "./app"}) arguments.push_back(word);
    return run(arguments, status);
  }
  Json shown(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"metrics", target().string(), "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(run(arguments), 0);
    return Json::parse(out.str());
  }
  std::string failure(const std::vector<std::string>& arguments) {
    try {
      run(arguments);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }

  test::TracedRun traced_{2};
  test::TracedRun* launched_ = &traced_;
  std::string online_;
  std::ostringstream out, err;

 private:
  launch::TemporaryDirectory scratch_{launch::scratch_parent(), "test"};
  const PlaceWithApp place_{root() / "here"};
};

TEST_F(OnlineTest, KeepsTheMeasuresInPlaceOfTheRecords) {
  EXPECT_EQ(trace_online(), 0);
  EXPECT_EQ(online_, "1");
  EXPECT_THAT(err.str(), HasSubstr("t: 2 ranks, 6 calls, measured while it ran"));
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(target())) left.push_back(entry.path().filename());
  EXPECT_THAT(left, testing::UnorderedElementsAre("meta.json", "online.json"));

  // As offline, but for what needs the records once more.
  Json offline = json_of(traced_.measure());
  const Json online = shown();
  EXPECT_EQ(online.begin().key(), "schema");
  EXPECT_EQ(online["he_sun"], offline["he_sun"]);
  EXPECT_EQ(online["he_sun"]["alpha"].dump(), offline["he_sun"]["alpha"].dump());
  for (const char* same : {"raynal", "pop", "waits", "regions", "unmatched"})
    EXPECT_EQ(online[same], offline[same]) << same;
  EXPECT_TRUE(online["critical_path"].is_null());
  EXPECT_FALSE(offline["critical_path"].is_null());
}

TEST_F(OnlineTest, PeopleAreShownWhatTheJsonSays) {
  EXPECT_EQ(trace_online(), 0);
  const metrics::Metrics offline = traced_.measure(), online = metrics_of(shown());
  EXPECT_EQ(online.he_sun.alpha, offline.he_sun.alpha);
  EXPECT_EQ(online.pop.transfer, offline.pop.transfer);
  EXPECT_EQ(online.waits.all.total(), offline.waits.all.total());
  ASSERT_EQ(online.waits.per_rank.size(), 2u);
  EXPECT_EQ(online.waits.per_rank[0].caused.total(), offline.waits.per_rank[0].caused.total());
  EXPECT_EQ(online.waits.per_rank[1].total(), offline.waits.per_rank[1].total());
  EXPECT_EQ(run({"metrics", target().string()}), 0);
  EXPECT_THAT(out.str(), HasSubstr("He-Sun alpha"));
  EXPECT_THAT(out.str(), Not(HasSubstr("critical path")));
}

TEST_F(OnlineTest, SpeedsAreThoseOfTheRun) {
  const auto slow = root() / "rho.json", other = root() / "other.json";
  std::ofstream(slow) << R"({"rho": [1, 0.5]})";
  std::ofstream(other) << "[0.5, 1]";
  EXPECT_EQ(trace_online(0, {"--rho", slow.string()}), 0);
  const Json offline = json_of(traced_.measure({.rho = {1, 0.5}}));
  EXPECT_EQ(shown()["he_sun"], offline["he_sun"]);
  EXPECT_EQ(shown({"--rho", slow.string()})["he_sun"], offline["he_sun"]);
  EXPECT_THAT(failure({"metrics", target().string(), "--rho", other.string()}),
              HasSubstr("was measured with other speeds of its ranks; give them to trace --online --rho"));
}

TEST_F(OnlineTest, WhatCannotBeMeasuredMeanwhileIsKeptAsATrace) {
  test::TracedRun threads(2);
  threads.rank(0).call("MPI_Comm_rank", {test::kWorld}, 0, 0, {}, 1);
  message(threads);
  launched_ = &threads;
  EXPECT_EQ(trace_online(), 0);
  EXPECT_THAT(err.str(), HasSubstr("not measured while it ran: "));
  EXPECT_THAT(err.str(), HasSubstr("several threads of a rank call MPI"));
  EXPECT_THAT(err.str(), HasSubstr("t: 2 ranks, 7 calls, "));
  EXPECT_FALSE(shown()["critical_path"].is_null());
}

TEST_F(OnlineTest, TheStatusIsTheLaunchersAndKilledRanksAreNamed) {
  test::TracedRun killed(2);
  killed.send(0, 1, 100, 10);
  killed.finalize(0, 50);
  killed.recv(1, 0, 20, 95);
  killed.kill(1);
  launched_ = &killed;
  EXPECT_EQ(trace_online(137), 137);
  EXPECT_THAT(err.str(), HasSubstr("incomplete (ended before MPI_Finalize): rank 1; mpiexec ended with status 137"));
  EXPECT_EQ(shown()["he_sun"], json_of(killed.measure())["he_sun"]);
}

TEST_F(OnlineTest, SaysWhetherTheRunIsCompleteAndRanksHadTheirCores) {
  EXPECT_EQ(trace_online(), 0);
  EXPECT_EQ(shown()["notes"], Json::array());

  const auto before = fs::path(launched_->directory().path());
  for (const bool killed : {false, true}) {
    SCOPED_TRACE(killed);
    const trace::Run described{.id = 78, .ranks = 2};
    trace::write_meta(before, described);
    for (const int number : {0, 1}) {
      trace::Writer writer(before, described, number, {.host = launch::host_name()});
      writer.call("MPI_Init", {}, 0, 10);
      writer.comm({static_cast<std::uint64_t>(test::kWorld), 2, number, 0, false});
      writer.call("MPI_Barrier", {test::kWorld}, number ? 100 : 900, number ? 810 : 10);
      if (killed && number) {
        writer.abandon();
        continue;
      }
      writer.call("MPI_Finalize", {}, 980, 10);
      writer.finish({.finalize_exit_ticks = 1'000'002'000, .core_wait_ns = 1000});
    }
    EXPECT_EQ(trace_online(), 0);
    EXPECT_EQ(run({"metrics", target().string()}), 0);
    if (killed) {
      EXPECT_THAT(out.str(),
                  StartsWith("note: Not all ranks reached MPI_Finalize: what is said is about the part of "
                             "the run that was recorded, and how long ranks waited for a core is not known\n"));
    } else {
      EXPECT_THAT(out.str(), StartsWith("note: "));
      EXPECT_THAT(out.str(), HasSubstr("they waited for a core for 50 % of the run"));
      EXPECT_THAT(out.str(), HasSubstr("findings that may come from ranks that waited for a core\n"));
      EXPECT_THAT(out.str(), Not(HasSubstr("MPI_Finalize:")));
      EXPECT_THAT(err.str() + out.str(), Not(HasSubstr("are more than its cores")));
    }
  }
}

TEST_F(OnlineTest, SaysThatCallsWaitForWhatIsNotThere) {
  test::TracedRun killed(2);
  killed.send(0, 1, 100, 10);
  killed.finalize(0, 50);
  killed.kill(1);
  launched_ = &killed;
  EXPECT_EQ(trace_online(137), 137);
  const auto online = shown();
  EXPECT_EQ(online["unmatched"], Json::parse(R"({"sends": 1, "receives": 0, "collectives": 0, "unfinished": 0,
                                                 "circular": 0})"));
  EXPECT_EQ(metrics_of(online).unmatched.sends, 1u);
  EXPECT_THAT(err.str(), HasSubstr("1 call waits for something that the trace does not have"));
}

TEST_F(OnlineTest, MeasuresThatCannotBeWrittenArePrinted) {
  for (const bool online : {false, true}) {
    SCOPED_TRACE(online);
    test::TracedRun run(2, 0, online);
    message(run);
    fs::create_directory(run.directory().path() / "online.json");
    launched_ = &run;
    fs::remove_all(target());
    EXPECT_EQ(trace_online(3), 3);
    EXPECT_THAT(err.str(), HasSubstr("online.json: exists and is no file"));
    EXPECT_EQ(fs::exists(target() / "rank-000000.skt"), !online);
    if (online)
      EXPECT_EQ(Json::parse(out.str())["metrics"]["he_sun"], json_of(run.measure())["he_sun"]);
    else
      EXPECT_FALSE(shown()["critical_path"].is_null()) << "it is a trace";
  }
}

TEST_F(OnlineTest, OthersSayThatThereAreNoRecords) {
  EXPECT_EQ(trace_online(), 0);
  for (const char* command : {"info", "dump", "build"})
    EXPECT_THAT(failure({command, target().string()}),
                HasSubstr("was measured while it went on, and has no records; skelgen metrics shows the measures"));
  EXPECT_THAT(failure({"metrics", target().string(), "--regions", "3"}),
              HasSubstr("without regions, units and waits for threads"));
  std::ofstream(target() / "online.json") << "{}";
  EXPECT_THAT(failure({"metrics", target().string()}), HasSubstr("is not what trace --online writes"));
}

TEST_F(OnlineTest, ReplacesAndIsReplaced) {
  EXPECT_EQ(trace_online(), 0);
  EXPECT_EQ(run({"trace", "-o", target().string(), "--", "mpiexec", "./app"}), 0);
  EXPECT_FALSE(fs::exists(target() / "online.json"));
  EXPECT_EQ(trace_online(), 0);
  EXPECT_FALSE(fs::exists(target() / "rank-000000.skt"));
}

TEST_F(OnlineTest, GoesWithOneRunAndWithoutWhatOnlyRecordsAreFor) {
  for (const char* option : {"--runs=2", "--counters=PAPI_TOT_CYC", "--sites"})
    EXPECT_THAT(failure({"trace", "--online", option, "--", "mpiexec", "./app"}), HasSubstr("excludes")) << option;
  EXPECT_THAT(failure({"trace", "--rho", "x", "--", "mpiexec", "./app"}), HasSubstr("requires --online"));
}

}  // namespace
}  // namespace skelgen::cli
