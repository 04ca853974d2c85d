#include "launch/preload.h"

#include <gmock/gmock.h>

#include <fstream>

#include "launch/temporary.h"
#include "support/error.h"

namespace skelgen::launch {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Pair;

std::string nothing(const std::string&) { return {}; }
std::string old_values(const std::string& name) {
  return name == "LD_PRELOAD" ? "libold.so" : name == "OMPI_MCA_mca_base_env_list" ? "MINE" : "";
}

const Libraries kLibraries{"/p/lib/libskeltrace.so", "/p/lib/libskelyield.so"};

CommandLine line(MpiKind kind, bool exports = false) {
  CommandLine read;
  read.mpi = kind;
  read.exports_environment = exports;
  return read;
}

TEST(Environment, OfATrace) {
  EXPECT_THAT(environment_of({"/t/out", "record", "", false}, kLibraries, line(MpiKind::mpich), nothing),
              ElementsAre(Pair("LD_PRELOAD", "/p/lib/libskeltrace.so"), Pair("SKELGEN_OUT", "/t/out"),
                          Pair("SKELGEN_MODE", MatchesRegex("record:[0-9a-f]{16}"))));
}

TEST(Environment, EachRunHasItsNumber) {
  const auto mode = [] {
    return environment_of({"/t", "time", "", false}, kLibraries, line(MpiKind::mpich), nothing).at(2);
  };
  EXPECT_THAT(mode(), Pair("SKELGEN_MODE", MatchesRegex("time:[0-9a-f]{16}")));
  EXPECT_NE(mode(), mode());
}

TEST(Environment, OfATraceWithSites) {
  EXPECT_THAT(environment_of({"/t", "record", "", false, true}, kLibraries, line(MpiKind::mpich), nothing),
              Contains(Pair("SKELGEN_SITES", "1")));
}

TEST(Environment, LayersOfThreadsReachOtherHostsToo) {
  Capture capture{"/t", "record"};
  capture.layers = "/t/layers";
  EXPECT_THAT(environment_of(capture, kLibraries, line(MpiKind::openmpi), nothing),
              ::testing::IsSupersetOf(std::vector<std::pair<std::string, std::string>>{
                  {"SKELGEN_THREAD_LAYERS", "/t/layers"},
                  {"OMPI_MCA_mca_base_env_list", "LD_PRELOAD;SKELGEN_OUT;SKELGEN_MODE;SKELGEN_THREAD_LAYERS"}}));
}

TEST(Environment, KeepsTheOldPreloadBehindOurs) {
  EXPECT_THAT(environment_of({"/t", "record", "A,B", true}, kLibraries, line(MpiKind::mpich), old_values),
              ElementsAre(Pair("LD_PRELOAD", "/p/lib/libskeltrace.so:/p/lib/libskelyield.so:libold.so"),
                          Pair("SKELGEN_OUT", "/t"), Pair("SKELGEN_MODE", MatchesRegex("record:[0-9a-f]{16}")),
                          Pair("SKELGEN_COUNTERS", "A,B"), Pair("SKELGEN_CPU_TIME", "1")));
}

TEST(Environment, LibrariesMayBeInAFolderWithBlanks) {
  const Libraries installed{"/my p/lib/libskeltrace.so", "/my p/lib/libskelyield.so"};
  EXPECT_THAT(environment_of({"/t", "time", "", true}, installed, line(MpiKind::openmpi), old_values),
              ::testing::IsSupersetOf(std::vector<std::pair<std::string, std::string>>{
                  {"LD_PRELOAD", "libskeltrace.so:libskelyield.so:libold.so"},
                  {"LD_LIBRARY_PATH", "/my p/lib"},
                  {"OMPI_MCA_mca_base_env_list", "MINE;LD_PRELOAD;LD_LIBRARY_PATH;SKELGEN_OUT;SKELGEN_MODE"}}));
  const Libraries refused{"/my:p x/lib/libskeltrace.so", ""};
  EXPECT_THROW(environment_of({"/t", "time", "", false}, refused, line(MpiKind::mpich), nothing), Error);
}

TEST(Environment, OpenMpiHandsVariablesOnUnlessTheLineDoes) {
  EXPECT_THAT(environment_of({"/t", "time", "", false}, kLibraries, line(MpiKind::openmpi), old_values),
              Contains(Pair("OMPI_MCA_mca_base_env_list", "MINE;LD_PRELOAD;SKELGEN_OUT;SKELGEN_MODE")));
  EXPECT_THAT(environment_of({"/t", "time", "", false}, kLibraries, line(MpiKind::openmpi, true), old_values),
              ::testing::Not(Contains(Pair("OMPI_MCA_mca_base_env_list", ::testing::_))));
  EXPECT_THAT(environment_of({"/t", "time", "", true}, kLibraries, line(MpiKind::openmpi), nothing),
              Contains(Pair("OMPI_MCA_mpi_yield_when_idle", "1")));
}

TEST(Environment, OfASkeletonIsOnlyTheYield) {
  EXPECT_THAT(environment_of({"", "", "", false}, kLibraries, line(MpiKind::mpich), old_values), IsEmpty());
  EXPECT_THAT(environment_of({"", "", "", true}, kLibraries, line(MpiKind::mpich), nothing),
              ElementsAre(Pair("LD_PRELOAD", "/p/lib/libskelyield.so")));
  EXPECT_THROW(environment_of({"", "", "", true}, {"/p/lib/libskeltrace.so", ""}, line(MpiKind::mpich), nothing),
               Error);
}

TEST(Yield, AutomaticWhenLocalRanksExceedCores) {
  CommandLine read;
  read.ranks = 4;
  EXPECT_TRUE(needs_yield(read, 2, Yield::automatic));
  EXPECT_FALSE(needs_yield(read, 4, Yield::automatic));
  EXPECT_FALSE(needs_yield(read, 2, Yield::off));
  EXPECT_TRUE(needs_yield(read, 8, Yield::on));
  read.local = false;
  EXPECT_FALSE(needs_yield(read, 2, Yield::automatic));
  EXPECT_FALSE(needs_yield(CommandLine{}, 2, Yield::automatic));
}

TEST(Libraries, AreFoundInBuildTreesAndUnderPrefixes) {
  for (const auto* folder : {"lib", "lib64", "lib/x86_64-linux-gnu", "lib/skelgen", "lib/x86_64-linux-gnu/skelgen"}) {
    const TemporaryDirectory prefix(scratch_parent(), "test");
    std::filesystem::create_directories(prefix.path() / "bin");
    std::filesystem::create_directories(prefix.path() / folder);
    EXPECT_THROW(find_libraries(prefix.path() / "bin" / "skelgen"), Error);
    std::ofstream(prefix.path() / folder / "libskeltrace.so") << "x";
    const auto found = find_libraries(prefix.path() / "bin" / "skelgen");
    EXPECT_EQ(found.capture, prefix.path() / folder / "libskeltrace.so");
    EXPECT_TRUE(found.yield.empty());
  }
}

}  // namespace
}  // namespace skelgen::launch
