#include <gmock/gmock.h>

#include <fstream>

#include "launch/program.h"
#include "launch/temporary.h"
#include "predict/prediction.h"
#include "support/error.h"

namespace skelgen::predict {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kReport =
    R"({"schema":"skelgen.skeleton/1","predicted_s":4.5,"skeleton_s":0.5,"scale":10,"compute":"time",
  "phases":[{"name":"prologue","weight":1,"seconds":0.5},{"name":"loop 1","weight":10,"seconds":0.4,"iterations":7,"variance_s2":0.25}],
  "computed_s":4,"work_ratio":1.1,"drift":1.05,"processor":{"traced":"A","here":"B","same":false},"speeds":{"logic":[2,0.01]},"traced_speeds":{"logic":[1,0.02]},"init_s":0.1,"finalize_s":0.2})";

/// Behaves like a launched skeleton: writes `report` where --json says.
launch::Launcher skeleton_that(int status, std::string report, std::string says = {}) {
  return [=](const launch::Launch& what) {
    EXPECT_EQ(what.command[what.command.size() - 2], "--json");
    if (!report.empty()) std::ofstream(what.command.back()) << report;
    std::ofstream(*what.output) << says;
    launch::Outcome outcome;
    outcome.status = status;
    return outcome;
  };
}

std::string message(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Compile, OptimizesOnlyWhatIsMeasured) {
  const launch::TemporaryDirectory scratch(launch::scratch_parent(), "test");
  SkeletonInfo skeleton;
  skeleton.directory = scratch.path() / "s.skel";
  std::filesystem::create_directory(skeleton.directory);
  std::vector<std::string> settings;
  const launch::Launcher launcher = [&](const launch::Launch& what) {
    settings.assign(what.command.begin() + 5, what.command.end());
    return launch::Outcome{};
  };
  compile(skeleton, scratch.path(), "sh", launcher);
  EXPECT_THAT(settings, ElementsAre());
  compile(skeleton, scratch.path(), "sh", launcher, false);
  EXPECT_THAT(settings, ElementsAre("OPTIMIZE=-O0 -g1"));
}

TEST(RunSkeleton, ReadsTheReport) {
  const launch::TemporaryDirectory scratch(launch::scratch_parent(), "test");
  const auto run = run_skeleton("/s/skeleton", {"mpiexec", "-n", "2"}, {}, scratch.path(), skeleton_that(0, kReport));
  EXPECT_EQ(run.predicted_s, 4.5);
  EXPECT_EQ(run.compute, "time");
  ASSERT_EQ(run.phases.size(), 2u);
  EXPECT_EQ(run.phases[1].name, "loop 1");
  EXPECT_EQ(run.phases[1].weight, 10);
  EXPECT_EQ(run.init_s, 0.1);
  EXPECT_EQ(run.phases[1].iterations, 7);
  EXPECT_EQ(run.phases[1].deviation_s, 0.5);
  EXPECT_EQ(run.computed_s, 4);
  EXPECT_EQ(run.work_ratio, 1.1);
  EXPECT_EQ(run.speeds.at("logic").passes, 2);
  EXPECT_EQ(run.traced_speeds.at("logic").noise, 0.02);
  EXPECT_EQ(run.processor.drift, 1.05);
  EXPECT_EQ(run.processor.here, "B");
  EXPECT_EQ(run.processor.same, false);
}

TEST(RunSkeleton, HasTheStatusInTheMessage) {
  const launch::TemporaryDirectory scratch(launch::scratch_parent(), "test");
  const auto said = message([&] {
    run_skeleton("/s/skeleton", {"mpiexec"}, {}, scratch.path(),
                 skeleton_that(7, "", "boom\nskeleton: needs 4 ranks\n"));
  });
  EXPECT_EQ(
      said,
      "mpiexec: the skeleton's run ended with status 7: skeleton: needs 4 ranks; check the launcher line after --");
}

TEST(RunSkeleton, QuotesTheLineThatSaysWhyAndWhatElseWasWritten) {
  const launch::TemporaryDirectory scratch(launch::scratch_parent(), "test");
  const auto error_of = [&](const std::string& says) {
    try {
      run_skeleton("/s/skeleton", {"mpiexec"}, {}, scratch.path(), skeleton_that(1, "", says));
    } catch (const launch::FailedRun& error) {
      return error;
    }
    return launch::FailedRun("", "nothing was thrown", "", "");
  };
  const std::string frame = std::string(76, '-') + "\n";
  EXPECT_THAT(error_of(frame + "mpiexec could not bind\n" + frame + "\n").what(),
              HasSubstr("ended with status 1: mpiexec could not bind; "));
  EXPECT_THAT(
      error_of(frame +
               "There are not enough slots to satisfy the 4\nslots that were requested:\n\n  skeleton\n\nlaunch.\n" +
               frame)
          .what(),
      HasSubstr("ended with status 1: There are not enough slots to satisfy the 4 slots that were requested; "));
  const auto error = error_of("skeleton (note): 4 ranks on 2 cores\nskeleton: cannot write\nBAD TERMINATION\n" + frame);
  EXPECT_THAT(error.what(), HasSubstr("ended with status 1: skeleton: cannot write; "));
  EXPECT_THAT(error.output(), HasSubstr("4 ranks on 2 cores\nskeleton: cannot write\nBAD TERMINATION\n-----"));
  std::string many;
  for (int i = 1; i <= 40; ++i) many += "line " + std::to_string(i) + "\n";
  EXPECT_THAT(error_of(many).output(), ::testing::StartsWith("line 26\n"));
  EXPECT_EQ(error_of("only this\n").output(), "");
}

TEST(RunSkeleton, KeepsItsFilesOutOfTheWorkingDirectory) {
  const launch::TemporaryDirectory scratch(launch::scratch_parent(), "test");
  const auto place_with = [&] {
    std::string place;
    run_skeleton("/s/skeleton", {"mpiexec"}, {}, scratch.path(), [&](const launch::Launch& what) {
      for (const auto& [name, value] : what.environment)
        if (name == "SKEL_SCRATCH") place = value;
      std::ofstream(what.command.back()) << kReport;
      return launch::Outcome{};
    });
    return place;
  };
  EXPECT_EQ(place_with(), std::filesystem::absolute(scratch.path()));
  setenv("SKEL_SCRATCH", "/mine", 1);
  EXPECT_EQ(place_with(), "");
  unsetenv("SKEL_SCRATCH");
}

TEST(RunSkeleton, WantsAWholeReport) {
  const launch::TemporaryDirectory scratch(launch::scratch_parent(), "test");
  EXPECT_THAT(message([&] { run_skeleton("/s", {"true"}, {}, scratch.path(), skeleton_that(0, "")); }),
              HasSubstr("reported nothing"));
  EXPECT_THAT(message([&] { run_skeleton("/s", {"true"}, {}, scratch.path(), skeleton_that(0, R"({"schema":)")); }),
              HasSubstr("not valid JSON"));
  EXPECT_THAT(message([&] {
                run_skeleton("/s", {"true"}, {}, scratch.path(),
                             skeleton_that(0, R"({"schema":"skelgen.skeleton/1"})"));
              }),
              HasSubstr("lacks a key"));
  EXPECT_THAT(message([&] {
                run_skeleton("/s", {"true"}, {}, scratch.path(),
                             skeleton_that(0, R"({"schema":"skelgen.skeleton/2"})"));
              }),
              HasSubstr("not of schema"));
}

SkeletonRun run_of(double predicted, double phase) {
  SkeletonRun run;
  run.predicted_s = predicted;
  run.compute = "time";
  run.phases = {{"loop 1", 10, phase}};
  return run;
}

TEST(Combine, TakesMedians) {
  const std::vector<SkeletonRun> runs{run_of(5, 0.5), run_of(1, 0.1), run_of(3, 0.3)};
  const auto all = combine({}, runs, 0.9);
  EXPECT_EQ(all.predicted_s, 3);
  EXPECT_THAT(all.runs, ElementsAre(5, 1, 3));
  EXPECT_EQ(all.phases[0].seconds, 0.3);
  EXPECT_FALSE(all.interval);
}

TEST(Combine, HasAnIntervalOfFiveLaunches) {
  std::vector<SkeletonRun> runs(5, run_of(3, 0.3));
  runs[0].mpi = {"Open MPI", "4.1.4"};
  runs[0].traced_speeds = {{"logic", {100, 0}}, {"stream_32m", {0, 0}}};
  Origin origin;
  origin.mpi = "MPICH";
  origin.original_runs_s = {3, 3.1, 2.9};
  const auto all = combine(origin, runs, 0.95);
  ASSERT_TRUE(all.interval);
  EXPECT_LT(all.interval->low, 3);
  std::vector<std::string> names;
  for (const auto& part : all.parts) names.push_back(part.name);
  EXPECT_THAT(names, ElementsAre("original", "mpi", "skeleton"));
  runs.pop_back();
  EXPECT_FALSE(combine(origin, runs, 0.95).interval);
  EXPECT_FALSE(combine({}, std::vector(5, run_of(0, 0)), 0.95).interval);
}

TEST(Combine, RefusesDifferentPhases) {
  std::vector<SkeletonRun> runs{run_of(5, 0.5), run_of(1, 0.1)};
  runs[1].phases[0].name = "loop 2";
  EXPECT_THROW(combine({}, runs, 0.9), Error);
}

nlohmann::json printed() {
  return nlohmann::json::parse(R"({"schema":"skelgen.predict/1","predicted_s":4,"low_s":3,"high_s":5,"confidence":0.95,
    "skeleton_s":0.5,"scale":10,"compute":"time","runs":[4,4],"phases":[{"name":"loop 1","weight":10,"seconds":0.4}],
    "init_s":0.1,"finalize_s":0,"ranks":2,"traced_wall_s":4.5,"checksum":"0123"})");
}

TEST(ReadPrediction, HasAllOfIt) {
  const launch::TemporaryDirectory scratch(launch::scratch_parent(), "test");
  const auto read = [&](const nlohmann::json& json) {
    std::ofstream(scratch.path() / "p.json") << json;
    return read_prediction(scratch.path() / "p.json");
  };
  auto json = printed();
  const auto all = read(json);
  EXPECT_EQ(all.predicted_s, 4);
  EXPECT_EQ(all.interval->high, 5);
  EXPECT_EQ(all.phases[0].weight, 10);
  EXPECT_EQ(all.origin.ranks, 2);
  EXPECT_EQ(all.origin.checksum, "0123");
  json["low_s"] = json["high_s"] = nullptr;
  for (const char* key : {"ranks", "traced_wall_s", "checksum"}) json.erase(key);  // as older versions printed it
  EXPECT_FALSE(read(json).interval);
  EXPECT_EQ(read(json).origin.ranks, 0);
  EXPECT_EQ(read(json).platform, "");
}

TEST(ReadPrediction, HasThePlacesThatAreCompared) {
  const launch::TemporaryDirectory scratch(launch::scratch_parent(), "test");
  auto json = printed();
  const auto parts = nlohmann::json::parse(
      R"({"computation_s":0,"imbalance_s":0,"waiting_s":0,"latency_s":1,"bandwidth_s":0,"difference_s":1})");
  json["simulated"] = {{"platform", "homo:2:1Gf:1Gb/s:50us"}};
  json["than"] = {
      {"predicted_s", 3}, {"parts", parts}, {"phases", nlohmann::json::array()}, {"ranks", nlohmann::json::array()}};
  const auto before = [&](const nlohmann::json& program, const nlohmann::json& platform) {
    json["than"]["program"] = program;
    json["than"]["platform"] = platform;
    std::ofstream(scratch.path() / "p.json") << json;
    const auto read = read_prediction(scratch.path() / "p.json");
    EXPECT_EQ(read.platform, "homo:2:1Gf:1Gb/s:50us");
    return read.than->before;
  };
  EXPECT_EQ(before(nullptr, "star.xml"), "star.xml");
  EXPECT_EQ(before("old.skel", nullptr), "old.skel");
  EXPECT_EQ(before("old.skel", "star.xml"), "old.skel on star.xml");
}

TEST(ReadPrediction, RefusesNumbersThatCannotBe) {
  const launch::TemporaryDirectory scratch(launch::scratch_parent(), "test");
  const auto with = [&](const char* key, const nlohmann::json& value) {
    auto json = printed();
    json[key] = value;
    std::ofstream(scratch.path() / "p.json") << json;
    return message([&] { read_prediction(scratch.path() / "p.json"); });
  };
  for (const auto& [key, value] : std::vector<std::pair<const char*, nlohmann::json>>{
           {"predicted_s", -4},
           {"predicted_s", 1e308},
           {"predicted_s", 2},
           {"low_s", 6},
           {"high_s", nullptr},
           {"runs", {1e300}},
           {"scale", "10"},
           {"phases", {{{"name", "x"}, {"weight", -1}, {"seconds", 1}}}},
           {"schema", "skelgen.time/1"}})
    EXPECT_THAT(with(key, value), HasSubstr("p.json: was not written by skelgen predict --json; ")) << key << value;
}

TEST(SkeletonInfo, NamesWhatIsWrong) {
  const launch::TemporaryDirectory scratch(launch::scratch_parent(), "test");
  EXPECT_THAT(message([&] { read_skeleton_info(scratch.path() / "none"); }),
              HasSubstr("none: no such file or directory"));
  const auto inside = scratch.path() / "file" / "skeleton.json";
  std::filesystem::create_directory(scratch.path() / "file");
  std::ofstream(inside) << "{}";
  EXPECT_THAT(message([&] { read_skeleton_info(inside); }),
              HasSubstr("skeleton.json: is no directory; give a directory that skelgen build wrote"));
  EXPECT_THAT(message([&] { read_skeleton_info(scratch.path()); }), HasSubstr("cannot be read"));
  std::ofstream(scratch.path() / "skeleton.json") << R"({"ranks": 2})";
  EXPECT_THAT(message([&] { read_skeleton_info(scratch.path()); }), HasSubstr("lacks ranks, scale or mpi"));
  std::ofstream(scratch.path() / "skeleton.json") << R"({"ranks": 2, "scale": 10, "mpi": "MPICH"})";
  EXPECT_EQ(read_skeleton_info(scratch.path()).ranks, 2);
  for (const char* wrong : {R"("statements": "many")", R"("lossless": 1)", R"("expected_run_s": -1)",
                            R"("traced_wall_s": "1")", R"("phases": [{"name": 3}])"}) {
    std::ofstream(scratch.path() / "skeleton.json") << R"({"ranks": 2, "scale": 10, )" << wrong << "}";
    EXPECT_THAT(message([&] { read_skeleton_info(scratch.path()); }),
                HasSubstr("skeleton.json: the skeleton's description lacks ranks, scale or mpi, or has a value that"))
        << wrong;
  }
}

TEST(LauncherLine, DefaultsToTheTracedMpiAndRanks) {
  SkeletonInfo info;
  info.ranks = 6;
  info.mpi = "some other MPI";
  EXPECT_THAT(launcher_line(info, {}), ElementsAre("mpiexec", "-n", "6"));
  EXPECT_THAT(launcher_line(info, {"srun", "-n", "6"}), ElementsAre("srun", "-n", "6"));
}

TEST(Skeleton, OfTheSimulatorNeedsAPlatform) {
  SkeletonInfo info;
  info.ranks = 6;
  info.mpi = "SMPI";
  EXPECT_THROW(launcher_line(info, {}), Error);
  EXPECT_THAT(launcher_line(info, {"smpirun", "-np", "6"}), ElementsAre("smpirun", "-np", "6"));
}

TEST(Skeleton, IsCompiledForTheMpiThatStartsIt) {
  SkeletonInfo simulated, real;
  simulated.mpi = "SMPI";
  real.mpi = "MPICH";
  const auto line = [](const std::string& launcher) {
    return launch::parse_command_line({launcher, "-n", "2"}, "host");
  };
  EXPECT_EQ(compiler_for(simulated, line("smpirun"), "mine"), "mine");
  EXPECT_EQ(compiler_for(real, line("smpirun"), ""), launch::tool_of_mpi("mpicc", "SMPI"));
  EXPECT_EQ(compiler_for(real, line("mpiexec.openmpi"), ""), launch::tool_of_mpi("mpicc", "Open MPI"));
  EXPECT_EQ(compiler_for(simulated, line("mpiexec.mpich"), ""), launch::tool_of_mpi("mpicc", "MPICH"));
  EXPECT_EQ(compiler_for(real, line("srun"), ""), launch::tool_of_mpi("mpicc", "MPICH")) << "srun is no MPI's own";
  // An MPI in a directory of its own, as modules have them.
  const launch::TemporaryDirectory scratch(launch::scratch_parent(), "test");
  for (const char* name : {"mpiexec", "mpicc"}) {
    std::ofstream(scratch.path() / name) << "#!/bin/sh\n";
    std::filesystem::permissions(scratch.path() / name, std::filesystem::perms::owner_all);
  }
  EXPECT_EQ(compiler_for(real, line((scratch.path() / "mpiexec").string()), ""), (scratch.path() / "mpicc").string());
}

TEST(SameMpi, DiffersByName) {
  EXPECT_TRUE(same_mpi({"MPICH", ""}, {"MPICH", "4.0.2"}));
  EXPECT_FALSE(same_mpi({"MPICH", "4.0.2"}, {"Open MPI", "4.1.4"}));
  EXPECT_TRUE(same_mpi({"MPICH", ""}, {"Intel MPI", "2021"})) << "one binary interface";
  EXPECT_TRUE(same_mpi({}, {"MPICH", "3.4"})) << "not known";
}

TEST(Skeleton, MakesItsTestsWaitUnderSmpiOnly) {
  launch::CommandLine smpirun, mpiexec;
  smpirun.mpi = launch::MpiKind::smpi;
  for (const bool tests_go_on : {false, true}) {
    SkeletonInfo info;
    info.tests_go_on = tests_go_on;
    EXPECT_EQ(tests_wait(info, smpirun), tests_go_on);
    EXPECT_FALSE(tests_wait(info, mpiexec));
  }
}

}  // namespace
}  // namespace skelgen::predict
