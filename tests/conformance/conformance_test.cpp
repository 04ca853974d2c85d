// Every function that an mpi.h declares goes through the capture library to an MPI that only remembers: once, with the
// same arguments, and comes back with the same result. What was recorded is read again.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "trace/trace.h"

namespace skelgen::trace {
namespace {

namespace fs = std::filesystem;

struct Flavour {
  const char* name;
  int captured;         ///< calls with parameters, at least
  std::size_t fortran;  ///< functions whose Fortran entries do not call C, at least
};

void PrintTo(const Flavour& flavour, std::ostream* out) { *out << flavour.name; }

class Conformance : public testing::TestWithParam<Flavour> {
 protected:
  void SetUp() override {
    if (!fs::exists(programs())) GTEST_SKIP() << "this MPI is not installed";
    work_ = fs::temp_directory_path() /
            ("skelgen-conformance-" + std::string(GetParam().name) + "-" + std::to_string(getpid()));
    fs::remove_all(work_);
    fs::create_directories(work_);
  }
  void TearDown() override { fs::remove_all(work_); }

  fs::path programs() const { return fs::path(PROGRAMS) / GetParam().name; }

  /// The fake MPI needs no launcher. Returns what the program found wrong.
  std::string run(const std::string& argument) {
    const std::string command = "cd " + work_.string() + " && env SKELGEN_OUT=t.trace LD_PRELOAD=" + LIBRARY + " " +
                                (programs() / "forwarding").string() + " " + argument + " >output 2>&1";
    const int status = std::system(command.c_str());
    std::ostringstream text;
    text << std::ifstream(work_ / "output").rdbuf();
    if (status != 0) text << "status " << status << '\n';
    return text.str();
  }

  /// How often each function was recorded, with all the values that the table knows.
  std::map<std::string, int> recorded() const {
    struct Counter : Visitor {
      std::map<std::string, int> calls;
      void event(const Event& event) override {
        if (event.values.size() == event.function->recorded.size()) ++calls[std::string(event.function->name)];
      }
    } counter;
    open(work_ / "t.trace").visit({0, 0}, counter);
    return counter.calls;
  }

  fs::path work_;
};

TEST_P(Conformance, EveryFunctionIsHandedOnOnceAndRecordedOnce) {
  ASSERT_EQ(run(""), "");
  auto calls = recorded();
  std::ifstream names(programs() / "names.txt");
  int captured = 0;
  for (std::string name; names >> name;) {
    if (!mpi::find(name)) continue;  // passed through
    ++captured;
    EXPECT_EQ(calls[name], 1) << name;
  }
  EXPECT_GE(captured, GetParam().captured);
}

TEST_P(Conformance, EveryFortranEntryIsHandedOnOnceAndRecordedOnce) {
  ASSERT_EQ(run("fortran"), "");
  auto calls = recorded();
  std::map<std::string, int> entries;
  std::ifstream names(programs() / "fortran_names.txt");
  for (std::string name; names >> name;) ++entries[name];
  EXPECT_GE(entries.size(), GetParam().fortran);
  for (const auto& [name, n] : entries) EXPECT_EQ(calls[name], n) << name;
}

INSTANTIATE_TEST_SUITE_P(Mpi, Conformance,
                         testing::Values(Flavour{"mpich", 350, 250}, Flavour{"openmpi", 350, 250},
                                         Flavour{"smpi", 350, 5}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace skelgen::trace
