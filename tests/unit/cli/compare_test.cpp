// Two runs beside each other.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>
#include <sstream>
#include <tuple>

#include "cli/commands.h"
#include "cli/compared.h"
#include "predict/interval.h"
#include "unit/metrics/run.h"

namespace skelgen::test {
namespace {

using cli::Json;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

/// Variance of the median of three values of variance 1.
constexpr double kOfMedian = std::numbers::pi / 2 / (2 + std::numbers::pi / 2);

class Compare : public testing::Test {
 protected:
  std::string file(const char* name, const std::string& text) {
    const auto path = directory_.path() / name;
    std::ofstream(path) << text;
    return path.string();
  }
  std::string times(const char* name, const std::vector<double>& runs) {
    Json json{{"schema", "skelgen.time/1"}, {"wall_s", runs[runs.size() / 2]}, {"runs", Json::array()}};
    for (const double wall : runs) json["runs"].push_back({{"wall_s", wall}});
    return file(name, json.dump());
  }
  std::string prediction(const char* name, double loop_s) {
    const Json json{{"schema", "skelgen.predict/1"},
                    {"predicted_s", 10 * loop_s + 1},
                    {"low_s", nullptr},
                    {"high_s", nullptr},
                    {"confidence", 0.95},
                    {"skeleton_s", 0.5},
                    {"scale", 10},
                    {"compute", "time"},
                    {"init_s", 0.125},
                    {"runs", {10 * loop_s + 1}},
                    {"phases",
                     {{{"name", "prologue"}, {"weight", 1}, {"seconds", 0.75}},
                      {{"name", "loop 1"}, {"weight", 10}, {"seconds", loop_s}}}},
                    {"finalize_s", 0.25}};
    return file(name, json.dump());
  }
  std::string skeleton(double wall_s, const Json& phases = Json::array()) {
    const auto path = directory_.path() / "s.skel";
    std::filesystem::create_directories(path);
    std::ofstream(path / "skeleton.json")
        << Json{{"ranks", 2}, {"scale", 1}, {"traced_wall_s", wall_s}, {"phases", phases}};
    return path.string();
  }
  /// Exit status; what is said goes to `out` and `err`.
  int run(std::vector<std::string> words) {
    out.str("");
    err.str("");
    words.insert(words.begin(), "compare");
    return cli::run(words, {out, err, {}, {}, {}, {}});
  }
  Json json(std::vector<std::string> words) {
    words.push_back("--json");
    run(words);
    return Json::parse(out.str());
  }

  std::ostringstream out, err;

 private:
  Directory directory_;
};

TEST_F(Compare, TimesOfSeveralRunsWithTheirNoise) {
  const auto old_ = times("old", {1.98, 2.00, 2.02}), slow = times("slow", {2.18, 2.20, 2.22});
  const auto all = json({old_, slow});
  EXPECT_EQ(all.begin().key(), "schema");
  EXPECT_EQ(all["schema"], "skelgen.compare/1");
  EXPECT_EQ(all["old"]["kind"], "time");
  EXPECT_EQ(all["new"]["runs"], 3);
  EXPECT_NEAR(all["change"].get<double>(), 0.1, 1e-12);
  // Each side's variance is 0.02^2, of its median pi / 2 / (3 + pi / 2 - 1) of that; four degrees of freedom: t = 2.7764.
  EXPECT_NEAR(all["noise"].get<double>(), 2.7764451 * 0.02 * std::sqrt(2 * kOfMedian) / 2, 1e-8);
  EXPECT_EQ(all["significant"], true);
  EXPECT_EQ(all["allowed"], true);
  EXPECT_TRUE(all["max_regress_percent"].is_null());
  // 10 % slower, of which 2.6 % may be chance.
  EXPECT_EQ(run({old_, slow, "--max-regress", "7"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("slow: slower than allowed: +10.0 %, allowed are +7 % and noise of 2.6 %"));
  EXPECT_THAT(out.str(), StartsWith("run time  2.000 s -> 2.200 s  +10.0 %  (noise 2.6 %: slower)\n"));
  EXPECT_EQ(run({old_, slow, "--max-regress", "8"}), 0);
  EXPECT_THAT(err.str(), Not(HasSubstr("cannot tell")));
  EXPECT_EQ(run({slow, old_, "--max-regress", "0"}), 0);
  EXPECT_THAT(out.str(), HasSubstr("faster)"));
  EXPECT_EQ(json({old_, times("same", {1.99, 2.01, 2.02})})["significant"], false);
  EXPECT_EQ(run({old_, times("same", {1.99, 2.01, 2.02})}), 0);
  EXPECT_THAT(out.str(), HasSubstr(": no difference beyond noise)"));
}

TEST_F(Compare, SaysThatNoiseHidesWhatIsAllowed) {
  const auto old_ = times("old", {1.98, 2.00, 2.02}), same = times("same", {1.99, 2.01, 2.02});
  EXPECT_EQ(run({old_, same, "--max-regress", "1"}), 0);
  EXPECT_THAT(out.str(), StartsWith("run time  2.000 s -> 2.010 s  +0.5 %  (noise 2.7 %: cannot tell)\n"));
  EXPECT_THAT(err.str(), HasSubstr("same: cannot tell whether it is slower than allowed: noise of 2.7 % is more than "
                                   "the 1 % that are allowed; take more runs, or a quieter machine"));
  EXPECT_EQ(json({old_, same, "--max-regress", "1"})["cannot_tell"], true);
  EXPECT_EQ(json({old_, same, "--max-regress", "9"})["cannot_tell"], false);
  EXPECT_EQ(json({old_, same})["cannot_tell"], false);
  // Clearly faster, and clearly slower.
  EXPECT_EQ(run({times("slow", {2.18, 2.20, 2.22}), old_, "--max-regress", "1"}), 0);
  EXPECT_THAT(err.str() + out.str(), Not(HasSubstr("cannot tell")));
  EXPECT_EQ(run({old_, times("slow", {2.18, 2.20, 2.22}), "--max-regress", "1"}), 1);
  EXPECT_THAT(err.str() + out.str(), Not(HasSubstr("cannot tell")));
}

TEST_F(Compare, RunsOfTheSameProgramDifferOnceInTwenty) {
  std::mt19937 random(1);
  std::normal_distribution<double> wall_s(10, 0.1);
  for (const std::size_t runs : {3u, 5u, 7u, 20u}) {
    int different = 0;
    constexpr int kTimes = 4000;
    for (int time = 0; time < kTimes; ++time) {
      cli::Side sides[2];
      for (auto& side : sides) {
        for (std::size_t i = 0; i < runs; ++i) side.runs.push_back(wall_s(random));
        side.seconds = predict::median(side.runs);
      }
      different += std::abs(sides[1].seconds - sides[0].seconds) > *cli::noise(sides[0], sides[1]);
    }
    EXPECT_LE(different, 0.06 * kTimes) << runs;
    EXPECT_GE(different, 0.01 * kTimes) << runs;
  }
}

TEST_F(Compare, OneRunHasTheNoiseOfTheOtherSideOrNone) {
  const auto old_ = times("old", {1.98, 2.00, 2.02}), one = times("one", {2.2});
  // 0.02 sqrt(0.44 + 1); both variances have two degrees of freedom: 1.44^2 / (0.44^2 / 2 + 1 / 2) = 3.5.
  EXPECT_NEAR(json({old_, one})["noise"].get<double>(), 3.1824463 * 0.02 * std::sqrt(kOfMedian + 1) / 2, 1e-8);
  EXPECT_TRUE(json({one, one})["noise"].is_null());
  EXPECT_EQ(run({times("two", {2.0}), one, "--max-regress", "9.9"}), 1);
  EXPECT_EQ(run({times("two", {2.0}), one, "--max-regress", "10.1"}), 0);
}

TEST_F(Compare, SaysWhyADifferenceMayMeanNothing) {
  EXPECT_THAT(json({times("one", {2}), times("two", {2.1})})["caveats"][0].get<std::string>(),
              StartsWith("one run on each side: their difference may be chance; "));
  EXPECT_THAT(err.str(), HasSubstr("skelgen: one run on each side"));
  EXPECT_TRUE(json({times("old", {1, 2, 3}), times("new", {1, 2, 3})})["caveats"].empty());
  cli::Side small, large;
  small.kind = large.kind = "trace";
  small.runs = large.runs = {1, 2};
  small.processes = 4, large.processes = 8;
  small.arguments = "-n 100", large.arguments = "-n 200";
  EXPECT_THAT(cli::caveats(small, large),
              testing::ElementsAre("different numbers of ranks: 4 and 8",
                                   "different arguments of the program: '-n 100' and '-n 200'"));
  EXPECT_THAT(cli::caveats(small, small), testing::IsEmpty());
}

TEST_F(Compare, SaysThatOnlyOneTraceIsOfProcessorTime) {
  cli::Side before, after;
  before.kind = after.kind = "trace";
  after.cpu_time = true;
  EXPECT_THAT(cli::caveats(before, after), Contains(StartsWith("only the new trace was made with --yield: ")));
  EXPECT_THAT(cli::caveats(after, before), Contains(StartsWith("only the old trace was made with --yield: ")));
  EXPECT_THAT(cli::caveats(after, after), Not(Contains(HasSubstr("--yield"))));
}

TEST_F(Compare, PredictionsPhaseByPhase) {
  const auto all = json({prediction("old", 1), prediction("new", 1.5)});
  EXPECT_EQ(all["old"]["kind"], "prediction");
  EXPECT_NEAR(all["change"].get<double>(), 5.0 / 11, 1e-12);
  ASSERT_EQ(all["phases"].size(), 4u);
  EXPECT_EQ(all["phases"][0]["name"], "init");
  EXPECT_EQ(all["phases"][0]["old_s"], 0.125);
  EXPECT_EQ(all["phases"][1]["name"], "prologue");
  EXPECT_EQ(all["phases"][1]["old_s"], 0.625) << "without MPI_Init, as a trace's";
  EXPECT_EQ(all["phases"][2]["name"], "loop 1");
  EXPECT_EQ(all["phases"][2]["old_s"], 10);
  EXPECT_EQ(all["phases"][2]["new_s"], 15);
  EXPECT_EQ(all["phases"][2]["change_s"], 5);
  EXPECT_EQ(all["phases"][3]["name"], "finalize");
  run({prediction("old", 1), prediction("new", 1.5)});
  EXPECT_THAT(out.str(), HasSubstr("\nphases         old       new    change\n  loop 1  10.000 s  15.000 s  +5.000 s"));
}

TEST_F(Compare, LoopsHaveTheLoopsInThemWhereTheSidesTimeOthersApart) {
  using testing::ElementsAre;
  using testing::FieldsAre;
  cli::Side trace, coarse, fine;
  trace.phases = {{"prologue", 1}, {"loop 1", 10}, {"loop 2", 4}, {"epilogue", 1}};
  coarse.phases = {{"prologue", 1}, {"loop 1", 3}, {"loop 1.1", 8}, {"loop 2", 3}, {"loop 2.1", 2}, {"epilogue", 1}};
  fine.phases = {{"prologue", 1}, {"loop 1", 1},   {"loop 1.1", 6}, {"loop 1.1.1", 5},
                 {"loop 2", 3},   {"loop 2.1", 1}, {"epilogue", 1}};
  trace.runs = coarse.runs = fine.runs = {1, 2};
  const auto by_name = [](const cli::Side& before, const cli::Side& after) {
    std::vector<std::tuple<std::string, double, double>> all;
    for (const auto& change : cli::phase_changes(before, after))
      all.emplace_back(change.name, change.before.value_or(-1), change.after.value_or(-1));
    return all;
  };
  EXPECT_THAT(by_name(trace, coarse), ElementsAre(FieldsAre("prologue", 1, 1), FieldsAre("loop 1", 10, 11),
                                                  FieldsAre("loop 2", 4, 5), FieldsAre("epilogue", 1, 1)));
  EXPECT_THAT(cli::caveats(trace, coarse), ElementsAre("the time of the loops inside is part of loop 1, loop 2: the "
                                                       "two sides do not have the same of these as phases"));
  EXPECT_THAT(by_name(fine, coarse),
              ElementsAre(FieldsAre("prologue", 1, 1), FieldsAre("loop 1", 12, 11), FieldsAre("loop 2", 3, 3),
                          FieldsAre("loop 2.1", 1, 2), FieldsAre("epilogue", 1, 1)));
  EXPECT_EQ(by_name(fine, fine).size(), fine.phases.size());
  EXPECT_THAT(cli::caveats(fine, fine), IsEmpty());
}

TEST_F(Compare, TracesByFunctionPhaseAndRank) {
  const auto make = [](TracedRun& run, int work, int barriers) {
    for (int rank = 0; rank < 2; ++rank) {
      const int own = rank ? work : 100;
      run.barrier(rank, own, std::max(work, 100) - own + 1);
      for (int i = 1; i < barriers; ++i) run.barrier(rank, 0, 1);
      run.call(rank, "MPI_Finalize", {}, 0, 5);
      const auto end = static_cast<std::uint64_t>(1000 * (std::max(work, 100) + barriers));
      run.rank(rank).finish({.finalize_entry_ticks = end, .finalize_exit_ticks = end + 5000});
    }
  };
  TracedRun before(2), after(2);
  make(before, 100, 1);
  make(after, 300, 2);
  const auto all = json({before.directory().path().string(), after.directory().path().string()});
  const auto functions = all["functions"];
  const auto barrier = std::ranges::find_if(functions, [](const Json& part) { return part["name"] == "MPI_Barrier"; });
  ASSERT_NE(barrier, functions.end());
  EXPECT_EQ((*barrier)["old_calls"], 2);
  EXPECT_EQ((*barrier)["new_calls"], 4);
  EXPECT_NEAR((*barrier)["change_s"].get<double>(), 202e-6, 1e-9);
  ASSERT_EQ(all["ranks"].size(), 2u);
  EXPECT_NEAR(all["ranks"][1]["old_computing_s"].get<double>(), 100e-6, 1e-9);
  EXPECT_NEAR(all["ranks"][1]["new_computing_s"].get<double>(), 300e-6, 1e-9);
  EXPECT_NEAR(all["ranks"][1]["new_caused_s"].get<double>(), 200e-6, 1e-9);
  ASSERT_GE(all["phases"].size(), 1u);
  EXPECT_EQ(all["phases"][0]["name"], "whole run");
  run({before.directory().path().string(), after.directory().path().string()});
  for (const char* line : {"  MPI_Barrier", "  whole run", "computation of rank", "waiting for rank", "2 -> 4"})
    EXPECT_THAT(out.str(), HasSubstr(line));
}

TEST_F(Compare, WhatOneSideDoesNotKnowIsLeftOut) {
  TracedRun traced(2);
  for (int rank = 0; rank < 2; ++rank) {
    traced.barrier(rank, 100, 1);
    traced.call(rank, "MPI_Finalize", {}, 0, 5);
    traced.rank(rank).finish({.finalize_entry_ticks = 101'000, .finalize_exit_ticks = 106'000});
  }
  const auto trace = traced.directory().path().string();
  const auto timed = json({trace, times("times", {1})});
  for (const char* list : {"functions", "phases", "ranks"}) EXPECT_EQ(timed[list].size(), 0u) << list;
  EXPECT_EQ(run({trace, times("times", {1})}), 0);
  EXPECT_THAT(out.str(), Not(HasSubstr("\n\n")));
  const auto predicted = json({trace, prediction("new", 1)});
  EXPECT_EQ(predicted["functions"].size(), 0u);
  EXPECT_EQ(predicted["ranks"].size(), 0u);
  for (const Json& phase : predicted["phases"]) EXPECT_NE(phase["name"], "finalize") << "a trace does not know it";
}

TEST_F(Compare, SaysWhatIsLeftOut) {
  TracedRun traced(2);
  const std::int64_t undefined = 0x99;
  traced.call(0, "MPI_Send", {0x1000, 1, undefined, 1, 0, test::kWorld}, 10, 1);
  traced.barrier(1, 10, 1);
  for (int rank = 0; rank < 2; ++rank) {
    traced.call(rank, "MPI_Finalize", {}, 0, 5);
    traced.rank(rank).finish({.finalize_entry_ticks = 11'000, .finalize_exit_ticks = 16'000});
  }
  const auto trace = traced.directory().path().string();
  run({trace, times("times", {1})});
  EXPECT_THAT(err.str(), HasSubstr(trace + ": phases are left out: "));
  EXPECT_THAT(err.str(), HasSubstr(trace + ": 2 calls wait for something that the trace does not have"));
}

TEST_F(Compare, SkeletonsWithoutATracedTimeAreRefused) {
  const auto other = times("times", {1});
  EXPECT_EQ(run({skeleton(2), other}), 0);
  try {
    run({skeleton(0), other});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("s.skel: the run time of its traced run is not known; "));
  }
  EXPECT_EQ(run({times("zero", {0, 0, 0}), other, "--max-regress", "5"}), 1);
  EXPECT_THAT(err.str(), Not(HasSubstr("inf")));
}

TEST_F(Compare, PhasesOfASkeletonAreNotThoseOfARun) {
  const auto traced =
      skeleton(11, {{{"name", "prologue"}, {"weight", 1}, {"trips", 1}, {"kept", 1}, {"traced_s", 0.875}}});
  EXPECT_THAT(json({traced, prediction("predicted", 1)})["phases"], IsEmpty());
  EXPECT_THAT(err.str(), HasSubstr("phases are left out: those of a skeleton include MPI_Init"));
  EXPECT_EQ(json({traced, traced})["phases"].size(), 1u);
  EXPECT_THAT(err.str(), Not(HasSubstr("phases are left out")));
}

TEST_F(Compare, NamesOfFilesDoNothingToTheTerminal) {
  auto hostile = Json::parse(std::ifstream(prediction("new", 1)));
  hostile["phases"][1]["name"] = "\x1b]0;x\x07";
  hostile["phases"][1]["seconds"] = 3;
  run({file("old\x1b", hostile.dump()), prediction("new", 1), "--max-regress", "0"});
  EXPECT_THAT(out.str(), Not(HasSubstr("\x1b")));
  EXPECT_THAT(out.str(), HasSubstr("?]0;x?"));
}

TEST_F(Compare, PartsOfOneSideOnly) {
  const auto all = cli::changes({{"a", 1}, {"b", 2}}, {{"b", 3}, {"c", 4}});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_FALSE(all[0].after);
  EXPECT_EQ(all[0].seconds(), -1);
  EXPECT_EQ(all[1].seconds(), 1);
  EXPECT_FALSE(all[2].before);
  EXPECT_EQ(all[2].seconds(), 4);
  EXPECT_TRUE(cli::changes({{"a", 1}}, {}).empty());
}

TEST_F(Compare, WhatCannotBeCompared) {
  const auto good = times("good", {1});
  const auto refused = [&](const std::string& path) {
    try {
      run({good, path});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (const char* text : {"", "{}", "[1]", "{\"schema\": 3}", "{\"schema\": \"skelgen.info/1\"}",
                           "{\"schema\": \"skelgen.time/1\", \"wall_s\": \"1\"}",
                           "{\"schema\": \"skelgen.time/1\", \"wall_s\": -1, \"runs\": []}",
                           "{\"schema\": \"skelgen.predict/1\", \"predicted_s\": 1}"})
    EXPECT_THAT(refused(file("bad", text)), HasSubstr("bad: cannot be compared; give a trace, ")) << text;
  EXPECT_THAT(refused("/nowhere"), HasSubstr("/nowhere: cannot be read"));
  EXPECT_THROW(run({good}), Error);
  EXPECT_THROW(run({good, good, "--max-regress", "-1"}), Error);
}

}  // namespace
}  // namespace skelgen::test
