// The same programs under SMPI and under MPICH: what each rank did is recorded alike, although under SMPI the ranks share a process and take turns on
// one thread. And what is recorded there is the simulated time, which is as it was without capture.

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../capture/text.h"

namespace skelgen::trace {
namespace {

namespace fs = std::filesystem;

class Smpi : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    work_ = fs::temp_directory_path() / ("skelgen-smpi-" + std::string(info->name()) + "-" + std::to_string(getpid()));
    fs::remove_all(work_);
    fs::create_directories(work_);
  }
  void TearDown() override { fs::remove_all(work_); }

  /// What the program said under `launcher`.
  std::string run(const std::string& environment, const std::string& launcher, const std::string& program) {
    const std::string output = (work_ / "output").string();
    const std::string command = "cd " + work_.string() + " && env " + environment + " " + launcher + " " PROGRAMS "/" +
                                program + " >" + output + " 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    std::ostringstream said;
    said << std::ifstream(output).rdbuf();
    return said.str();
  }

  static std::string smpirun(int ranks) {
    return SMPI_EXEC " -np " + std::to_string(ranks) +
           " -platform " HERE "/platform.xml -hostfile " HERE
           "/hosts --log=root.thres:critical "
           "--cfg=smpi/simulate-computation:no";
  }

  Trace under_smpi(const std::string& language, int ranks, const std::string& privatization = "dlopen") {
    const auto said = run("SKELGEN_OUT=smpi.trace SMPI_PRIVATIZATION=" + privatization + " LD_PRELOAD=" LIBRARY,
                          smpirun(ranks), language + ".smpi");
    if (language != "app") EXPECT_EQ(said, "");
    said_ = said;
    return open(work_ / "smpi.trace");
  }

  Trace under_mpich(const std::string& language, int ranks) {
    const auto said = run("SKELGEN_OUT=mpich.trace LD_PRELOAD=" LIBRARY ":" YIELD,
                          MPICH_EXEC " -n " + std::to_string(ranks), language + ".mpich");
    EXPECT_EQ(said, "");
    return open(work_ / "mpich.trace");
  }

  fs::path work_;
  std::string said_;
};

/// A call per line: what differs is easier to see. Without what is the MPI's own: its version, numbers of keys and results, two names
/// for one datatype.
std::string text(const Trace& trace, int rank) {
  std::string all;
  for (auto line : lines(trace, {rank, 0})) {
    for (const char* own : {"MPI_Get_version", "MPI_Comm_create_keyval", "MPI_Comm_compare"})
      if (line.starts_with(own)) line = own;
    for (const auto& [name, other] : {std::pair("MPI_INTEGER", "MPI_INT"), {"MPI_DOUBLE_PRECISION", "MPI_DOUBLE"}})
      for (auto at = line.find(name); at != std::string::npos; at = line.find(name))
        line.replace(at, std::strlen(name), other);
    all += line + '\n';
  }
  return all;
}

class Alike : public Smpi, public testing::WithParamInterface<std::tuple<const char*, int>> {};

TEST_P(Alike, EveryRankOfEveryRun) {
  const auto [language, ranks] = GetParam();
  if (!fs::exists(std::string(PROGRAMS "/") + language + ".smpi")) GTEST_SKIP() << "no Fortran compiler";
  const Trace here = under_smpi(language, ranks), there = under_mpich(language, ranks);
  ASSERT_EQ(here.ranks(), ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(text(here, rank), text(there, rank)) << "rank " << rank;
    EXPECT_GE(lines(here, {rank, 0}).size(), 25u);
  }
}

INSTANTIATE_TEST_SUITE_P(Smpi, Alike, testing::Combine(testing::Values("c", "fortran"), testing::Values(2, 4, 16)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + "_" + std::to_string(std::get<1>(info.param));
                         });

TEST_F(Smpi, TimeIsTheSimulatedOneAndAsWithoutCapture) {
  const auto alone = run("A=1", smpirun(16), "app.smpi");
  const Trace trace = under_smpi("app", 16);
  EXPECT_THAT(alone, testing::StartsWith("ended at 0."));
  EXPECT_EQ(said_, alone);
  double end = 0;
  ASSERT_EQ(std::sscanf(alone.c_str(), "ended at %lf", &end), 1);
  ASSERT_TRUE(trace.wall());
  EXPECT_NEAR(trace.wall()->value, end, 2e-4);
  for (const auto& rank : trace.rank_info()) {
    EXPECT_EQ(rank.clock, "simulated");
    EXPECT_EQ(rank.host, (rank.rank % 2 ? "slow-" : "fast-") + std::to_string(rank.rank / 2));
    EXPECT_EQ(rank.speeds.at("flops"), rank.rank % 2 ? 1e9 : 2e9);
  }
}

/// However it gives ranks their own variables; without, the program's own are shared, which this one notices.
TEST_F(Smpi, AllWaysToGiveRanksTheirVariables) {
  const auto reference = text(under_smpi("app", 4), 3);
  EXPECT_EQ(text(under_smpi("app", 4, "mmap"), 3), reference);
  EXPECT_EQ(text(under_smpi("app", 4, "no"), 3), reference);
  EXPECT_THAT(said_, testing::HasSubstr("rank 3 passed"));
}

/// Computation is where it was told: 3e6 operations and 1e4 for each rank and step, on hosts of 2e9 and 1e9 a second.
TEST_F(Smpi, ComputationIsBetweenTheCalls) {
  struct Gaps : Visitor {
    double seconds = 0;
    void event(const Event& event) override {
      if (event.function->name == "MPI_Irecv" || event.function->name == "MPI_Waitall") seconds += event.gap.value;
    }
  };
  const Trace trace = under_smpi("app", 4);
  for (int rank = 0; rank < 4; ++rank) {
    Gaps gaps;
    trace.visit({rank, 0}, gaps);
    EXPECT_NEAR(gaps.seconds, 200 * (3e6 + 1e4 * rank) / (rank % 2 ? 1e9 : 2e9), 1e-6) << "rank " << rank;
  }
}

}  // namespace
}  // namespace skelgen::trace
