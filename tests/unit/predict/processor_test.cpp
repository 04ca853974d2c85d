#include "predict/processor.h"

#include <gmock/gmock.h>

#include "predict/skeleton_run.h"

namespace skelgen::predict {
namespace {

SkeletonRun run_on(std::optional<bool> same, double drift, double logic, double stream) {
  SkeletonRun run;
  run.processor = {"A", same == true ? "A" : "B", same, drift, {}};
  run.traced_speeds = {{"logic", {100, 0.01}}, {"stream_32m", {100, 0.01}}, {"unknown", {0, 0}}};
  run.speeds = {{"logic", {logic, 0.01}}, {"stream_32m", {stream, 0.01}}};
  return run;
}

TEST(Processor, HasTheMediansOfTheLaunches) {
  const std::vector<SkeletonRun> runs{run_on(true, 1, 90, 10), run_on(true, 1.1, 120, 80), run_on(true, 1.2, 110, 85)};
  const auto all = processor_of(runs);
  EXPECT_EQ(all.same, true);
  EXPECT_EQ(all.drift, 1.1);
  EXPECT_EQ(all.ratios, (std::map<std::string, double>{{"logic", 1.1}, {"stream_32m", 0.8}}));
  EXPECT_EQ(changes(all), "integers 10 % faster, memory 25 % slower than when traced");
}

TEST(Processor, IsTheSameOnlyIfItIsInAllLaunches) {
  std::vector<SkeletonRun> runs(3, run_on(true, 1, 100, 100));
  EXPECT_EQ(processor_of(runs).same, true);
  EXPECT_EQ(changes(processor_of(runs)), "its kernels run as fast as when traced");
  runs[1] = run_on(false, 1, 40, 300);
  EXPECT_EQ(processor_of(runs).same, false);
  EXPECT_EQ(changes(processor_of(std::span(&runs[1], 1))),
            "integers 2.5 times as slow, memory 3.0 times as fast as when traced");
  runs[1] = run_on({}, 1, 100, 100);
  EXPECT_EQ(processor_of(runs).same, std::nullopt);
  runs[0] = run_on(false, 1, 100, 100);
  EXPECT_EQ(processor_of(runs).same, false);
}

TEST(Processor, TellsOfKernelsByKindButOfWaiting) {
  Processor processor;
  EXPECT_EQ(changes(processor), "speeds not known");
  processor.ratios = {{"wait", 3}, {"copy", 2}, {"triad_2m", 2}, {"triad", 4}, {"lanes", 4}, {"gather_32m", 0.5}};
  EXPECT_EQ(changes(processor),
            "floating point 4.0 times as fast, caches 2.0 times as fast, memory 2.0 times as slow as when traced");
}

}  // namespace
}  // namespace skelgen::predict
