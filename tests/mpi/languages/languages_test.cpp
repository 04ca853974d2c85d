// The same calls from C, C++, mpif.h, use mpi and mpi_f08, and from a library that is loaded later, under each MPI: every call is recorded once, with the values
// that the program gave, whatever the language.

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "../capture/text.h"

namespace skelgen::trace {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string mpi, language;
  int ranks;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.mpi << ' ' << one.language << ' ' << one.ranks; }

/// A call per line: what differs is easier to see.
std::string text(const Trace& trace, int rank) {
  std::string all;
  for (const auto& line : lines(trace, {rank, 0})) all += line + '\n';
  return all;
}

class Languages : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const Case& one = GetParam();
    if (!fs::exists(compiled(one.language))) GTEST_SKIP() << "no such MPI or compiler";
    work_ = fs::temp_directory_path() / ("skelgen-languages-" + one.mpi + one.language + std::to_string(one.ranks) +
                                         "-" + std::to_string(getpid()));
    fs::remove_all(work_);
    fs::create_directories(work_);
  }
  void TearDown() override { fs::remove_all(work_); }

  std::string compiled(const std::string& language) const {
    return std::string(PROGRAMS) + "/" + language + "." + GetParam().mpi;
  }
  std::string program(const std::string& language) const {
    if (language.starts_with("late_")) return compiled("late") + " " + compiled(language);
    return (language == "plugin" ? PROGRAMS "/host " : "") + compiled(language);
  }

  Trace traced(const std::string& language, const std::string& arguments = {}) {
    const std::string ranks = std::to_string(GetParam().ranks);
    const std::string launcher =
        GetParam().mpi == "mpich" ? MPICH_EXEC " -n " + ranks : OPENMPI_EXEC " --oversubscribe -n " + ranks;
    const std::string command = "cd " + work_.string() +
                                " && ulimit -s 2048 && env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
                                "OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_pml=ob1 OMPI_MCA_orte_tmpdir_base=" +
                                work_.string() + " SKELGEN_SPEEDS=0 SKELGEN_OUT=" + language +
                                ".trace LD_PRELOAD=" + LIBRARY ":" YIELD " " + launcher + " " + program(language) +
                                " " + arguments + " >output 2>&1";
    const int status = std::system(command.c_str());
    std::ostringstream said;
    said << std::ifstream(work_ / "output").rdbuf();
    EXPECT_EQ(status, 0);
    EXPECT_EQ(said.str(), "");
    return open(work_ / (language + ".trace"));
  }

  fs::path work_;
};

TEST_P(Languages, AreRecordedAlike) {
  const Trace c = traced("c"), other = traced(GetParam().language);
  for (int rank = 0; rank < GetParam().ranks; ++rank) EXPECT_EQ(text(other, rank), text(c, rank)) << "rank " << rank;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* mpi : {"mpich", "openmpi"})
    for (const char* language : {"cxx", "mpif", "usempi", "f08", "plugin"})
      for (const int ranks : {2, 4}) all.push_back({mpi, language, ranks});
  return all;
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return info.param.mpi + "_" + info.param.language + "_" + std::to_string(info.param.ranks);
}

INSTANTIATE_TEST_SUITE_P(Calls, Languages, testing::ValuesIn(cases()), name_of);

class LoadedLater : public Languages {};

/// The MPI's library for Fortran comes with a plug-in of a C program whose MPI has been running for a while.
TEST_P(LoadedLater, IsRecordedLikeTheRest) {
  EXPECT_EQ(text(traced(GetParam().language), 0),
            "MPI_Init\nMPI_Comm_rank WORLD\nMPI_Comm_size WORLD\n"
            "MPI_Allreduce IN_PLACE buf 3 MPI_INTEGER MPI_SUM WORLD\n"
            "MPI_Irecv buf 3 MPI_INTEGER -1 7 WORLD req\nMPI_Waitany 2 [null req] 1 []\n"
            "MPI_Barrier WORLD\nMPI_Finalize\n");
}

INSTANTIATE_TEST_SUITE_P(Calls, LoadedLater,
                         testing::Values(Case{"mpich", "late_usempi", 2}, Case{"mpich", "late_f08", 2},
                                         Case{"openmpi", "late_usempi", 2}, Case{"openmpi", "late_f08", 2}),
                         name_of);

class ManyBlocks : public Languages {};

TEST_P(ManyBlocks, TakeNoStack) {
  const Trace trace = traced("blocks");
  const auto all = lines(trace, {0, 0});
  ASSERT_EQ(all.size(), 7u);
  EXPECT_EQ(all[1].substr(0, 35), "MPI_Type_create_struct 300000 [1 1 ");
  EXPECT_EQ(all[1].substr(all[1].size() - 26), " MPI_INTEGER MPI_REAL] new");
  EXPECT_EQ(all[3], "MPI_Type_create_struct 2 [1 1] [16 32] [MPI_INTEGER MPI_INTEGER] new");
  EXPECT_EQ(all[5], "MPI_Alltoallw buf [0] [0] [MPI_INTEGER] buf [0] [0] [MPI_REAL] WORLD");
}

INSTANTIATE_TEST_SUITE_P(Calls, ManyBlocks, testing::Values(Case{"mpich", "blocks", 1}, Case{"openmpi", "blocks", 1}),
                         name_of);

/// How many calls differ in what stands in their signatures.
struct Signatures : Visitor {
  std::set<std::uint64_t> seen;
  void event(const Event& event) override { seen.insert(event.signature); }
};

class Churn : public Languages {};

/// Handles are given out again. What their makers know them to be does not depend on what else is made and freed.
TEST_P(Churn, TakesNoMoreSignaturesInMoreSteps) {
  std::vector<std::size_t> counts;
  for (const char* steps : {"100", "1000"}) {
    Signatures signatures;
    traced("churn", steps).visit({0, 0}, signatures);
    counts.push_back(signatures.seen.size());
  }
  EXPECT_GT(counts[0], 80u);
  EXPECT_LT(counts[1], counts[0] + 50);
}

INSTANTIATE_TEST_SUITE_P(Calls, Churn, testing::Values(Case{"mpich", "churn", 1}, Case{"openmpi", "churn", 1}),
                         name_of);

class InC : public Languages {};

/// Rank 1 of 2, line by line.
TEST_P(InC, EveryCallHasItsValues) {
  std::ostringstream file;
  file << std::ifstream(EXPECTED).rdbuf();
  std::string expected = file.str();
  const std::string version = "MPI_Get_version 4 0";
  if (GetParam().mpi == "openmpi") expected.replace(expected.find(version), version.size(), "MPI_Get_version 3 1");
  const Trace trace = traced("c");
  EXPECT_EQ(text(trace, 1), expected);
  std::set<std::string> names;
  for (const auto& line : lines(trace, {1, 0})) names.insert(line.substr(0, line.find(' ')));
  EXPECT_GE(names.size(), 70u);
}

INSTANTIATE_TEST_SUITE_P(Calls, InC, testing::Values(Case{"mpich", "c", 2}, Case{"openmpi", "c", 2}), name_of);

}  // namespace
}  // namespace skelgen::trace
