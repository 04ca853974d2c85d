// What calibrate prints, writes and refuses, with a launcher that only pretends.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/commands.h"
#include "launch/temporary.h"

namespace skelgen::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Calibrate : public ::testing::Test {
 protected:
  int run(std::vector<std::string> arguments, const std::vector<std::string>& line = {"sh", "-n", "2"}) {
    out.str({});
    err.str({});
    arguments.insert(arguments.begin(), {"calibrate", "--cc", "sh"});
    arguments.push_back("--");
    arguments.insert(arguments.end(), line.begin(), line.end());
    const auto launcher = [this](const launch::Launch& what) {
      if (what.command.back().ends_with("speeds.json")) {
        std::ofstream(what.command.back()) << report;
        if (alone) std::ofstream(what.command.back() + ".more").flush();
      }
      commands.push_back(what.command);
      return launch::Outcome{};
    };
    return cli::run(arguments, {out, err, launcher, [] { return std::time_t{0}; }, "/bin/skelgen", {}});
  }

  std::string report = R"({"schema":"skelgen.speeds/1","one_by_one":false,"ranks":[
    {"host":"a","cores":1,"integer":[100,100,100],"stream":[5,5,5]},
    {"host":"b","cores":1,"integer":[25,25,25],"stream":[5,5,5]}]})";
  bool alone = false;  // the ranks do not find each other
  std::ostringstream out, err;
  std::vector<std::vector<std::string>> commands;
  launch::TemporaryDirectory scratch{launch::scratch_parent(), "test"};
};

TEST_F(Calibrate, CompilesAndLaunchesOurProgram) {
  EXPECT_EQ(run({"--json"}), 0);
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_EQ(commands[0][0], "sh");
  EXPECT_THAT(commands[0].back(), HasSubstr("calibrate.c"));
  EXPECT_EQ(std::vector(commands[1].begin(), commands[1].begin() + 3), (std::vector<std::string>{"sh", "-n", "2"}));
  const auto json = Json::parse(out.str());
  EXPECT_EQ(json.begin().key(), "schema");
  EXPECT_EQ(json["schema"], "skelgen.calibrate/1");
  EXPECT_EQ(json["rho"].dump(), "[1.0,0.5]");
  EXPECT_EQ(json["kernels"][0]["rho"].dump(), "[1.0,0.25]");
  EXPECT_EQ(json["kernels"][0]["per_second"].dump(), "[100.0,25.0]");
  EXPECT_EQ(json["ranks"][1]["host"], "b");
  EXPECT_EQ(json["alike"], false);
  EXPECT_EQ(err.str(), "");
}

TEST_F(Calibrate, OneKernelCanBeRho) {
  EXPECT_EQ(run({"--json", "--kernel", "integer"}), 0);
  EXPECT_EQ(Json::parse(out.str())["rho"].dump(), "[1.0,0.25]");
  try {
    run({"--kernel", "random"});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "--kernel random: was not measured; take mean");
  }
}

TEST_F(Calibrate, SaysThatRanksTookTurnsAndThatTheyAreAlike) {
  report = R"({"schema":"skelgen.speeds/1","one_by_one":true,"ranks":[
    {"host":"a","cores":1,"integer":[100,100]},{"host":"a","cores":1,"integer":[100,100]}]})";
  EXPECT_EQ(run({}), 0);
  EXPECT_THAT(err.str(), HasSubstr("one after the other measured"));
  EXPECT_THAT(err.str(), HasSubstr("may be taken for equal"));
  EXPECT_THAT(out.str(), HasSubstr("1.0000"));
}

TEST_F(Calibrate, SaysThatTheMachineWasBusy) {
  report = R"({"schema":"skelgen.speeds/1","one_by_one":false,"ranks":[
    {"host":"a","cores":1,"integer":[50,100,150]},{"host":"b","cores":1,"integer":[100,100,100]}]})";
  EXPECT_EQ(run({}), 0);
  EXPECT_THAT(err.str(),
              HasSubstr("skelgen: do not trust this: speeds vary by 50.0 % from round to round; other work used "
                        "the machine, or ranks had no core of their own: measure again on a quiet machine\n"));
}

TEST_F(Calibrate, WritesTheFileThatMetricsReads) {
  const auto file = scratch.path() / "rho.json";
  EXPECT_EQ(run({"-o", file.string()}), 0);
  std::ifstream in(file);
  EXPECT_EQ(Json::parse(in)["rho"].dump(), "[1.0,0.5]");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 1)
      << "something was left beside it";
  commands.clear();
  EXPECT_THROW(run({"-o", "/nowhere/rho.json"}), Error);
  EXPECT_THROW(run({"-o", scratch.path().string()}), Error);
  EXPECT_TRUE(commands.empty()) << "it launched before it knew that it can write";
}

TEST_F(Calibrate, RanksThatDidNotFindEachOtherAreAnError) {
  try {
    run({"--yield", "off"}, {"mpiexec", "-n", "4"});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "mpiexec: started 4 ranks, of which 2 found each other; name the launcher's own MPI compiler with --cc");
  }
}

TEST_F(Calibrate, ReportsOfSeveralRanksAreAnError) {
  alone = true;
  try {
    run({"--json"}, {"sh"});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "sh: started ranks that did not find each other; name the launcher's own MPI compiler with --cc");
  }
}

}  // namespace
}  // namespace skelgen::cli
