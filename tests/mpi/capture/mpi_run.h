#pragma once
// Programs under each MPI, with and without the capture library: the same program is PROGRAMS/NAME.MPI.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "text.h"

namespace skelgen::trace {

namespace fs = std::filesystem;

/// How a run went, as its user sees it.
struct Ended {
  int status = 0;
  std::string output;  ///< of the program
  std::string errors;  ///< on stderr, the launcher's included
};

class EachMpi : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::string(launcher()).empty()) GTEST_SKIP() << "this MPI is not installed";
    std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    for (auto& c : name) c = c == '/' ? '-' : c;
    work_ = fs::temp_directory_path() / ("skelgen-" + name + "-" + std::to_string(getpid()));
    fs::remove_all(work_);
    fs::create_directories(work_);
  }
  void TearDown() override { fs::remove_all(work_); }

  static std::string mpi() { return GetParam(); }
  static const char* launcher() { return mpi() == "mpich" ? MPICH_EXEC : OPENMPI_EXEC; }
  /// `what`: name and arguments.
  static std::string program(const std::string& what) {
    const auto space = std::min(what.find(' '), what.size());
    return std::string(PROGRAMS) + "/" + what.substr(0, space) + "." + mpi() + what.substr(space);
  }

  /// `line` is for the shell; `variables` come before it. Ranks that wait yield.
  Ended shell(const std::string& variables, const std::string& line) const {
    const std::string both = (work_ / "run").string();
    const std::string command =
        "cd " + work_.string() +
        " && env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
        "OMPI_MCA_odls_base_sigkill_timeout=0 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_pml=ob1 SKELGEN_SPEEDS=0 "
        "UCX_HANDLE_ERRORS=none OMPI_MCA_orte_tmpdir_base=" +
        work_.string() + " " + variables + " " + line + " >" + both + ".out 2>" + both + ".err </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), contents(both + ".out"),
            contents(both + ".err")};
  }

  /// What starts `ranks` of them: the launcher, or for none nothing, which is one rank by itself.
  static std::string start(int ranks, const std::string& what) {
    return (ranks == 0 ? "" : std::string(launcher()) + " -n " + std::to_string(ranks) + " ") + program(what);
  }

  Ended plain(int ranks, const std::string& what) const { return shell("LD_PRELOAD=" YIELD, start(ranks, what)); }

  /// Under the library, whose trace is t.trace; `before` and `behind` are other libraries to preload.
  Ended traced(int ranks, const std::string& what, const std::string& variables = {}, const std::string& before = {},
               const std::string& behind = {}) const {
    const std::string preload =
        (before.empty() ? "" : before + ":") + LIBRARY ":" YIELD + (behind.empty() ? "" : ":" + behind);
    return shell("SKELGEN_OUT=" + (work_ / "t.trace").string() + " LD_PRELOAD=" + preload + " " + variables,
                 start(ranks, what));
  }

  Trace read(bool incomplete = false) const { return open(work_ / "t.trace", {.allow_incomplete = incomplete}); }

  static std::string contents(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  fs::path work_;
};

inline std::string name_of_mpi(const testing::TestParamInfo<const char*>& info) { return info.param; }

#define SKELGEN_EACH_MPI(suite) INSTANTIATE_TEST_SUITE_P(Mpi, suite, testing::Values("mpich", "openmpi"), name_of_mpi)

}  // namespace skelgen::trace
