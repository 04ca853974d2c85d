// examples/relay under capture: the loops and layers of the paper's example are found from the run alone.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "threads/simulate.h"

namespace skelgen::threads {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class Relay : public testing::TestWithParam<const char*> {};

TEST_P(Relay, HasTheLoopsAndLayersOfThePaper) {
  const fs::path directory =
      fs::temp_directory_path() / (std::string("skelgen-") + GetParam() + "-" + std::to_string(getpid()));
  fs::create_directories(directory);
  const auto command =
      "SKELGEN_OUT=" + directory.string() + " LD_PRELOAD=" LIBRARY " " PROGRAMS "/" + GetParam() + " 24 >/dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const auto run = read_run(directory);
  fs::remove_all(directory);
  const auto analysis = analyse(run);
  const auto& loops = analysis.synchronisation_loops;
  ASSERT_EQ(loops.size(), 4u);
  EXPECT_THAT(loops[0].nested, ElementsAre(1));
  EXPECT_EQ(analysis.loops.all[loops[0].loop].trips(), 24u);
  EXPECT_EQ(analysis.loops.all[loops[1].loop].trips(), analysis.loops.all[loops[2].loop].trips());
  EXPECT_THAT(loops[0].partners_it_produces_for, ElementsAre(3));
  EXPECT_THAT(loops[1].partners_it_produces_for, ElementsAre(2));
  EXPECT_THAT(loops[2].partners_it_produces_for, ElementsAre(1, 3));
  EXPECT_THAT(loops[3].partners_it_produces_for, ElementsAre(0, 1));
  ASSERT_EQ(analysis.layers.size(), 2u);
  EXPECT_EQ(analysis.layers[0].level, 1u);
  EXPECT_THAT(analysis.layers[0].loops, ElementsAre(1, 2, 3));
  EXPECT_EQ(analysis.layers[1].level, 2u);
  EXPECT_THAT(analysis.layers[1].loops, ElementsAre(0));
  EXPECT_EQ(simulate(run, analysis).forced, 0u);
}

INSTANTIATE_TEST_SUITE_P(Relay, Relay, testing::Values("relay", "relay_flags"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace skelgen::threads
