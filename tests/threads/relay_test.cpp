// examples/relay under capture: the loops and layers of the paper's example are found from the run alone.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "threads/simulate.h"

namespace skelgen::threads {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

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
  // Of l1 and l2, if send-ready is awaited in two places; in one, where the compiler made one function of them.
  EXPECT_THAT(loops[3].partners_it_produces_for, Contains(1));
  ASSERT_EQ(analysis.layers.size(), 2u);
  EXPECT_EQ(analysis.layers[0].level, 1u);
  EXPECT_THAT(analysis.layers[0].loops, ElementsAre(1, 2, 3));
  EXPECT_EQ(analysis.layers[1].level, 2u);
  EXPECT_THAT(analysis.layers[1].loops, ElementsAre(0));
  EXPECT_EQ(simulate(run, analysis).forced, 0u);
}

std::string said(const std::string& command) {
  std::string text;
  FILE* const pipe = popen(command.c_str(), "r");
  for (int c; pipe && (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  return pipe && pclose(pipe) == 0 ? text : "failed: " + text;
}

TEST(RelayCommands, SayLayersAndCountAtTheirBorders) {
  const fs::path work = fs::temp_directory_path() / ("skelgen-relay-commands-" + std::to_string(getpid()));
  fs::create_directories(work);
  const auto in = "cd " + work.string() + " && ";
  EXPECT_THAT(said(in + SKELGEN " trace --threads -o a.trace -- " PROGRAMS "/relay 24 2>&1"),
              Not(StartsWith("failed")));
  const auto json = said(in + SKELGEN " threads a.trace --json --change 2=0.5");
  for (const char* text :
       {"\"schema\": \"skelgen.threads/1\"", "\"threads\": 4", "\"id\": \"l4\"", "\"total_cycles\": ", "\"changed\": "})
    EXPECT_THAT(json, HasSubstr(text));
  EXPECT_THAT(said(in + SKELGEN " threads a.trace --dot -"), HasSubstr("digraph layers {"));
  EXPECT_THAT(said(in + SKELGEN " threads a.trace --change 9=2 2>&1"), HasSubstr("no thread '9'"));
  EXPECT_THAT(said(in + SKELGEN " trace --threads --at-layers a.trace -o b.trace -- " PROGRAMS "/relay 24 2>&1"),
              Not(StartsWith("failed")));
  const auto borders = said(in + SKELGEN " threads b.trace");
  EXPECT_THAT(borders, HasSubstr("work was counted where layers begin and end"));
  EXPECT_THAT(borders, HasSubstr("l2-l4"));
  fs::remove_all(work);
}

INSTANTIATE_TEST_SUITE_P(Relay, Relay, testing::Values("relay", "relay_flags"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace skelgen::threads
