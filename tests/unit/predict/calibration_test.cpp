#include "predict/calibration.h"

#include <gmock/gmock.h>

#include <fstream>

#include "launch/temporary.h"
#include "support/error.h"

namespace skelgen::predict {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Calibration : public ::testing::Test {
 protected:
  Speeds read(const std::string& report) {
    const auto file = scratch_.path() / "speeds.json";
    std::ofstream(file) << report;
    return read_speeds(file);
  }

 private:
  launch::TemporaryDirectory scratch_{launch::scratch_parent(), "test"};
};

constexpr auto kTwoRanks = R"({"schema":"skelgen.speeds/1","one_by_one":true,"ranks":[
  {"host":"a","cores":2,"integer":[90,100,110,100,1000],"stream":[4,4,4]},
  {"host":"b","cores":1,"integer":[25,25,25],"stream":[4,3.9,4.1]}]})";

TEST_F(Calibration, TakesTheMedianOfTheRoundsAndHalfTheDistanceOfTheQuartiles) {
  const auto speeds = read(kTwoRanks);
  EXPECT_TRUE(speeds.one_by_one);
  EXPECT_THAT(speeds.kernels, ElementsAre("integer", "stream"));
  ASSERT_EQ(speeds.ranks.size(), 2u);
  EXPECT_EQ(speeds.ranks[1].host, "b");
  EXPECT_EQ(speeds.ranks[0].cores, 2);
  EXPECT_EQ(speeds.ranks[0].kernels[0].speed, 100);
  // 90 100 [100] 110 1000: the halves' medians are 95 and 555.
  EXPECT_DOUBLE_EQ(speeds.ranks[0].kernels[0].spread, (555 - 95) / 2.0 / 100);
}

TEST_F(Calibration, TheFastestRankIsOne) {
  const auto speeds = read(kTwoRanks);
  EXPECT_THAT(relative_speeds(speeds, 0), ElementsAre(1, 0.25));
  EXPECT_THAT(relative_speeds(speeds, 1), ElementsAre(1, 1));
  EXPECT_THAT(relative_speeds(speeds), ElementsAre(1, 0.5));  // sqrt(0.25 x 1)
}

TEST_F(Calibration, TheMeanOfAllKernelsIsOneSomewhere) {
  const auto speeds = read(R"({"schema":"skelgen.speeds/1","one_by_one":false,"ranks":[
    {"host":"a","cores":1,"integer":[4],"stream":[1]},{"host":"a","cores":1,"integer":[1],"stream":[1]},
    {"host":"a","cores":1,"integer":[1],"stream":[4]}]})");
  EXPECT_THAT(relative_speeds(speeds), ElementsAre(1, 0.5, 1));
}

TEST_F(Calibration, SpeedsThatVaryMoreThanTheyDifferAreAlike) {
  const char* const ranks = R"({"schema":"skelgen.speeds/1","one_by_one":false,"ranks":[
    {"host":"a","cores":1,"integer":[90,100,110]},{"host":"a","cores":1,"integer":[%]}]})";
  const auto with = [&](const std::string& rounds) {
    return std::string(ranks).replace(std::string(ranks).find('%'), 1, rounds);
  };
  EXPECT_TRUE(are_alike(read(with("85,95,105"))));
  EXPECT_FALSE(are_alike(read(with("49,50,51"))));
}

TEST_F(Calibration, RefusesWhatIsNoMeasurement) {
  for (
      const char* report :
      {"", "{}", R"({"schema":"skelgen.speeds/2","one_by_one":false,"ranks":[]})",
       R"({"schema":"skelgen.speeds/1","one_by_one":false,"ranks":[]})",
       R"({"schema":"skelgen.speeds/1","one_by_one":false,"ranks":[{"host":"a","cores":1}]})",
       R"({"schema":"skelgen.speeds/1","one_by_one":false,"ranks":[{"host":"a","cores":1,"integer":[]}]})",
       R"({"schema":"skelgen.speeds/1","one_by_one":false,"ranks":[{"host":"a","cores":1,"integer":[1,0]}]})",
       R"({"schema":"skelgen.speeds/1","one_by_one":false,"ranks":[{"host":"a","cores":1,"integer":[1]},{"host":"b","cores":1,"stream":[1]}]})"})
    try {
      read(report);
      ADD_FAILURE() << report;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::corrupt);
      EXPECT_THAT(error.what(), HasSubstr("does not say how fast every rank is; calibrate again"));
    }
  EXPECT_THROW(read_speeds("/nowhere"), Error);
}

}  // namespace
}  // namespace skelgen::predict
