#include "launch/program_file.h"

#include <gmock/gmock.h>

#include <fstream>

#include "launch/launch.h"
#include "launch/temporary.h"

namespace skelgen::launch {
namespace {

std::string missing(std::vector<std::string> words) {
  auto line = parse_command_line(words, "here");
  if (line.is_launcher) line.mpi = MpiKind::mpich;  // whatever MPI this machine has
  return missing_program(words, line);
}

TEST(ProgramFile, WhatALauncherWillNotFindIsNamed) {
  EXPECT_EQ(missing({"mpiexec", "-n", "2", "./no-such-program"}), "./no-such-program: no such file");
  EXPECT_EQ(missing({"mpiexec", "-n", "2", "env", "A=1", "./no-such-program"}), "./no-such-program: no such file");
  EXPECT_EQ(missing({"mpiexec", "-n", "2", "no-such-program"}), "no-such-program is not in PATH");
  EXPECT_EQ(missing({"mpiexec", "-n", "1", "sh", ":", "-n", "1", "/no-such/program"}),
            "/no-such/program: no such file");
  EXPECT_EQ(missing({"mpiexec", "-n", "2", "/"}), "/: is a directory");
}

TEST(ProgramFile, WhatIsNotCertainIsNotSaid) {
  EXPECT_EQ(missing({"mpiexec", "-n", "2", "sh", "./no-such-program"}), "");
  EXPECT_EQ(missing({"mpiexec", "-n", "2", "--unknown", "value", "sh"}), "");
  EXPECT_EQ(missing({"mpiexec", "-wdir", "/elsewhere", "-n", "2", "./no-such-program"}), "");
  EXPECT_EQ(missing({"mpiexec", "-hosts", "far", "-n", "2", "./no-such-program"}), "");
  EXPECT_EQ(missing({"./no-such-program"}), "");
}

TEST(ProgramFile, AProgramOfTheSystemIsNoMpiProgram) {
  EXPECT_THAT(why_no_mpi("sleep"), testing::StartsWith("it is not linked with an MPI library"));
  const TemporaryDirectory place(scratch_parent(), "test");
  const auto script = place.path() / "script";
  std::ofstream(script) << "#!/bin/sh\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  EXPECT_EQ(why_no_mpi(script.string()), "");
  EXPECT_EQ(why_no_mpi("/no-such/program"), "");
}

}  // namespace
}  // namespace skelgen::launch
