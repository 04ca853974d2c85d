#pragma once
// Compiling and running emitted programs with the MPICH of this machine.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "emit/emit.h"

namespace skelgen::emit::programs {

namespace fs = std::filesystem;

/// A directory that vanishes with the test.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "skelgen-emit-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

inline std::string read(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Exit status of a shell command, its output in `output`.
inline int shell(const std::string& command, std::string& output) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  char piece[4096];
  while (const auto n = fread(piece, 1, sizeof piece, pipe)) output.append(piece, n);
  const int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

struct Ran {
  int status = 0;
  std::string output;
};

/// Compiles the skeleton that write() has written for this compiler; warnings are errors.
inline Ran compile(const fs::path& directory, const std::string& flags = "", const std::string& link = "",
                   const std::string& compiler = "mpicc.mpich") {
  Ran ran;
  ran.status = shell("make -s -C " + directory.string() + " MPICC=" + compiler +
                         " CFLAGS='-std=c11 -O1 -Wall -Wextra -Werror " + flags + "' LDFLAGS='" + link + "'",
                     ran.output);
  EXPECT_EQ(ran.status, 0) << ran.output << read(directory / "skeleton.c");
  return ran;
}

/// Writes, compiles and runs the skeleton in `where`/p.skel; the calls recorded by record.c are in `where`. Ranks that
/// wait yield.
inline Ran run(const fs::path& where, const skeleton::Skeleton& skeleton, const Plan& plan,
               const std::string& environment = "", const std::string& options = "", int ranks = 0,
               const std::string& flags = "",
               const std::string& link = std::string(SKELGEN_SOURCE_DIR) + "/tests/unit/emit/record.c") {
  Options write_options;
  write_options.compiler = "mpicc.mpich";
  write(where / "p.skel", skeleton, plan, write_options);
  Ran ran = compile(where / "p.skel", flags, link);
  if (ran.status != 0) return ran;
  const auto n = ranks ? ranks : static_cast<int>(skeleton.locations.size());
  ran.output.clear();
  ran.status = shell("cd " + where.string() + " && " + environment +
                         " LD_PRELOAD=" SKELGEN_BINARY_DIR "/lib/libskelyield.so timeout 900 mpiexec.mpich -n " +
                         std::to_string(n) + " ./p.skel/skeleton " + options,
                     ran.output);
  return ran;
}

/// For run(): computed.c instead of record.c; nothing is computed, and `where`/computed-RANK.txt has the seconds.
inline std::string computed_flags() {
  return "-Wl,--wrap=skel_compute_as " + std::string(SKELGEN_SOURCE_DIR) + "/tests/unit/emit/computed.c";
}

/// What record.c writes for the calls that the intermediate form has for location l; functions that record.c does not
/// wrap are left out, and so are tests that found nothing.
inline std::string expected_calls(const skeleton::Skeleton& skeleton, std::uint32_t l) {
  const auto wrapped = read(std::string(SKELGEN_SOURCE_DIR) + "/tests/unit/emit/record.c");
  std::string text;
  skeleton::expand(skeleton, l, [&](const skeleton::ExpandedCall& call) {
    const auto& f = *call.call->function;
    if (wrapped.find("int " + std::string(f.name) + "(") == std::string::npos) return true;
    const int flag = f.find(mpi::Role::flag);
    if (flag >= 0 && f.kind != mpi::Kind::probe && call.values[static_cast<std::size_t>(flag)] == 0) return true;
    text += f.name;
    for (std::size_t i = 0; i < f.parameters.size(); ++i) {
      const auto role = f.parameters[i].role;
      if (role == mpi::Role::count || role == mpi::Role::peer || role == mpi::Role::root || role == mpi::Role::tag)
        text += " " + std::to_string(call.values[i]);
    }
    text += "\n";
    return true;
  });
  return text;
}

}  // namespace skelgen::emit::programs
