#include "predict/scaling.h"

#include <gmock/gmock.h>

#include <fstream>

#include "launch/temporary.h"
#include "support/error.h"

namespace skelgen::predict {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

AtRanks at(int ranks, double predicted_s, std::optional<double> parallel = {}) {
  AtRanks point;
  point.all.predicted_s = predicted_s;
  point.all.origin.ranks = ranks;
  point.parallel = parallel;
  return point;
}

TEST(Scaling, IsInRelationToTheFirst) {
  std::vector<AtRanks> predictions{at(4, 8, 0.5), at(16, 4, 0.25)};
  predictions[1].all.interval = Interval{2, 16};
  const auto points = scaling_of(predictions);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].speed_up, 1);
  EXPECT_EQ(points[0].efficiency, 1);
  EXPECT_EQ(points[0].computation, 1);
  EXPECT_FALSE(points[0].speed_up_interval);
  EXPECT_EQ(points[1].ranks, 16);
  EXPECT_EQ(points[1].speed_up, 2);
  EXPECT_EQ(points[1].speed_up_interval->low, 0.5);
  EXPECT_EQ(points[1].speed_up_interval->high, 4);
  EXPECT_EQ(points[1].efficiency, 0.5);
  EXPECT_EQ(points[1].computation, (0.5 * 8 * 4) / (0.25 * 4 * 16));
  EXPECT_DOUBLE_EQ(*points[1].efficiency, *points[1].computation * 0.25 / 0.5);
}

TEST(Scaling, HasNothingWhereATimeIsZeroOrWasNotMeasured) {
  std::vector<AtRanks> predictions{at(4, 8), at(8, 0, 0.5), at(16, 4, 0.5)};
  predictions[2].all.interval = Interval{0, 8};
  const auto points = scaling_of(predictions);
  EXPECT_FALSE(points[1].speed_up || points[1].efficiency || points[1].computation);
  EXPECT_EQ(points[2].speed_up, 2);
  EXPECT_FALSE(points[2].speed_up_interval);
  EXPECT_FALSE(points[2].computation);
}

TEST(Scaling, PhasesThatGrowMostComeFirst) {
  std::vector<AtRanks> predictions{at(2, 1), at(4, 1)};
  predictions[0].all.phases = {{"prologue", 1, 1}, {"loop 1", 10, 0.5}, {"loop 1", 1, 1}};
  predictions[1].all.phases = {{"prologue", 1, 0.25}, {"loop 1", 10, 1}};
  auto phases = scaling_phases_of(predictions);
  ASSERT_EQ(phases.all.size(), 2u);
  EXPECT_EQ(phases.all[0].name, "loop 1");
  EXPECT_THAT(phases.all[0].seconds, ElementsAre(12.0, 40.0));
  EXPECT_EQ(phases.all[1].growth_s(), -1);
  EXPECT_TRUE(phases.alike);
  predictions[1].all.phases[1].name = "loop 2";
  phases = scaling_phases_of(predictions);
  EXPECT_EQ(phases.all[0].name, "loop 2");
  EXPECT_FALSE(phases.all[0].seconds[0]);
  EXPECT_FALSE(phases.alike);
}

nlohmann::json printed_at(int ranks, double predicted_s) {
  return {{"schema", "skelgen.predict/1"},
          {"predicted_s", predicted_s},
          {"low_s", nullptr},
          {"high_s", nullptr},
          {"confidence", 0.95},
          {"skeleton_s", 1},
          {"scale", 1},
          {"compute", "work"},
          {"runs", {predicted_s}},
          {"phases", {{{"name", "loop 1"}, {"weight", 1}, {"seconds", 1}}}},
          {"init_s", 0},
          {"finalize_s", 0},
          {"ranks", ranks},
          {"concurrency_here", {{"parallel", 0.5}, {"load_balance", 0.75}, {"communication", nullptr}}}};
}

nlohmann::json printed_scaling() {
  const auto point = [](int ranks, double speed_up) {
    return nlohmann::json{{"ranks", ranks}, {"speed_up", speed_up}, {"efficiency", 1}, {"computation", nullptr}};
  };
  return {{"schema", "skelgen.scaling/1"},
          {"scaling", {point(4, 1), point(8, 2)}},
          {"predictions", {printed_at(4, 8), printed_at(8, 4)}}};
}

class ReadPredictions : public ::testing::Test {
 protected:
  std::vector<AtRanks> read(const nlohmann::json& json) {
    std::ofstream(scratch.path() / "s.json") << json;
    return read_predictions(scratch.path() / "s.json");
  }
  std::string refused(const nlohmann::json& json) {
    try {
      read(json);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was thrown";
  }
  const launch::TemporaryDirectory scratch{launch::scratch_parent(), "test"};
};

TEST_F(ReadPredictions, AreOneOrSeveral) {
  EXPECT_EQ(read(printed_at(4, 8)).size(), 1u);
  auto json = printed_scaling();
  const auto all = read(json);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].all.origin.ranks, 8);
  EXPECT_EQ(all[1].all.predicted_s, 4);
  EXPECT_EQ(all[1].parallel, 0.5);
  EXPECT_EQ(all[1].load_balance, 0.75);
  EXPECT_FALSE(all[1].communication);
  json["predictions"][1]["concurrency_here"] = nullptr;
  EXPECT_FALSE(read(json)[1].parallel);
}

TEST_F(ReadPredictions, RefuseWhatPredictDoesNotWrite) {
  auto one = printed_scaling();
  for (const char* key : {"scaling", "predictions"}) one[key].erase(1);
  EXPECT_THAT(refused(one), HasSubstr("s.json: has fewer than two numbers of ranks; make it with: skelgen predict "
                                      "--json TEXT --platform P --ranks N,N,... > "));
  const std::string what = "s.json: was not written by skelgen predict --json; ";
  for (const auto& [path, value] :
       std::vector<std::pair<const char*, nlohmann::json>>{{"/schema", "skelgen.time/1"},
                                                           {"/scaling", nullptr},
                                                           {"/scaling/1/ranks", 16},
                                                           {"/scaling/1/speed_up", "2"},
                                                           {"/scaling/1", {{"ranks", 8}}},
                                                           {"/scaling/2", {{"ranks", 16}}},
                                                           {"/predictions", 7},
                                                           {"/predictions/1/ranks", 4},
                                                           {"/predictions/1/predicted_s", -1},
                                                           {"/predictions/1/phases", 7},
                                                           {"/predictions/1/schema", "skelgen.scaling/1"},
                                                           {"/predictions/1/concurrency_here/parallel", "half"},
                                                           {"/predictions/1/concurrency_here", {{"parallel", 0.5}}}}) {
    auto json = printed_scaling();
    json[nlohmann::json::json_pointer(path)] = value;
    EXPECT_THAT(refused(json), HasSubstr(what)) << path;
  }
  for (const char* key : {"scaling", "predictions", "schema"}) {
    auto json = printed_scaling();
    json.erase(key);
    EXPECT_THAT(refused(json), HasSubstr(what)) << key;
  }
  EXPECT_THAT(refused(nlohmann::json::array()), HasSubstr(what));
  auto twice = printed_scaling();
  twice["predictions"][1]["ranks"] = twice["scaling"][1]["ranks"] = 4;
  EXPECT_THAT(refused(twice), HasSubstr(what));
}

}  // namespace
}  // namespace skelgen::predict
