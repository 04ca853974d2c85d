#pragma once
// Programs under the capture library.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "text.h"

namespace skelgen::trace {

namespace fs = std::filesystem;

class Capture : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    work_ =
        fs::temp_directory_path() / ("skelgen-capture-" + std::string(info->name()) + "-" + std::to_string(getpid()));
    fs::remove_all(work_);
    fs::create_directories(work_);
  }
  void TearDown() override { fs::remove_all(work_); }

  /// Runs `program` under the library; its exit status. What it said goes to said_. Ranks that wait yield.
  int run(int ranks, const std::string& program, const std::string& variables = {}, bool captured = true) {
    const std::string output = (work_ / "output").string();
    std::string command = "cd " + work_.string() + " && env SKELGEN_SPEEDS=0 " + variables;
    if (captured && variables.find("SKELGEN_OUT") == std::string::npos) command += " SKELGEN_OUT=t.trace";
    command += std::string(" LD_PRELOAD=") + (captured ? LIBRARY ":" YIELD : YIELD);
    command += std::string(" ") + MPIEXEC + " -n " + std::to_string(ranks) + " " + PROGRAMS + "/" + program + " >" +
               output + " 2>&1";
    const int status = std::system(command.c_str());
    std::ostringstream text;
    text << std::ifstream(output).rdbuf();
    said_ = text.str();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  Trace read() const { return open(work_ / "t.trace"); }

  fs::path work_;
  std::string said_;
};

}  // namespace skelgen::trace
