#include "launch/command_line.h"

#include <gtest/gtest.h>

#include <sstream>

namespace skelgen::launch {
namespace {

std::vector<std::string> words(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

CommandLine parse(const std::string& line) { return parse_command_line(words(line), "node1.cluster"); }

TEST(CommandLine, FindsRanksAndProgramOfUsualLines) {
  for (const auto* text :
       {"mpiexec -n 4 ./lu.A.x", "mpiexec.mpich -np 4 ./lu.A.x", "mpirun --np 4 ./lu.A.x 12 13",
        "mpiexec -n 4 -- ./lu.A.x", "mpiexec -genv A 1 -n 4 ./lu.A.x", "mpirun --mca btl self -np 4 ./lu.A.x",
        "srun --ntasks=4 ./lu.A.x", "srun -n4 ./lu.A.x", "env A=1 mpiexec -n 4 ./lu.A.x",
        "nice -n 5 mpiexec -n 4 env OMP_NUM_THREADS=2 ./lu.A.x", "mpiexec -n 4 taskset -c 0 ./lu.A.x",
        "mpiexec -bind-to core -n 4 ./lu.A.x -n 9", "timeout 60 mpiexec -n 4 ./lu.A.x"}) {
    const auto line = parse(text);
    EXPECT_EQ(line.program, "./lu.A.x") << text;
    EXPECT_EQ(line.ranks, 4) << text;
    EXPECT_TRUE(line.is_launcher) << text;
    EXPECT_TRUE(line.local) << text;
  }
}

TEST(CommandLine, AddsSectionsUp) {
  const auto line = parse("mpiexec -n 1 ./manager : -n 7 ./worker");
  EXPECT_EQ(line.ranks, 8);
  EXPECT_EQ(line.program, "./manager");
  EXPECT_EQ(parse("mpiexec -n 1 ./manager : ./worker").ranks, std::nullopt);
}

TEST(CommandLine, LooksThroughInterpreters) {
  EXPECT_EQ(parse("mpiexec -n 2 python3 -u solver.py --n 3").program, "solver.py");
  EXPECT_EQ(parse("mpiexec -n 2 sh -c ./a.out").program, "sh");
}

TEST(CommandLine, KnowsOtherHosts) {
  EXPECT_FALSE(parse("mpiexec -hosts node1,node2 -n 4 ./a").local);
  EXPECT_TRUE(parse("mpiexec -hosts localhost:4,node1 -n 4 ./a").local);
  EXPECT_TRUE(parse("mpirun --host node1.cluster:8 -np 4 ./a").local);
  EXPECT_FALSE(parse("mpiexec -f hosts.txt -n 4 ./a").local);
}

TEST(CommandLine, KnowsOpenMpiByNameAndItsExports) {
  EXPECT_TRUE(parse("mpiexec.openmpi -x PATH -np 2 ./a").exports_environment);
  EXPECT_FALSE(parse("mpiexec.openmpi -np 2 ./a -x").exports_environment);
  EXPECT_EQ(parse("mpiexec.openmpi -x PATH -np 2 ./a").program, "./a");
  EXPECT_EQ(parse("/nowhere/mpiexec.openmpi -np 2 ./a").mpi, MpiKind::openmpi);
  EXPECT_EQ(parse("/nowhere/mpiexec.mpich -np 2 ./a").mpi, MpiKind::mpich);
  EXPECT_EQ(parse("./a").mpi, MpiKind::unknown);
}

TEST(CommandLine, KnowsTheSimulator) {
  const auto line = parse(
      "smpirun -platform p.xml -np 16 -hostfile h --cfg=smpi/host-speed:1Gf -wrapper gdb -no-privatize -trace-file t "
      "./lu.A.x -np 3");
  EXPECT_EQ(line.mpi, MpiKind::smpi);
  EXPECT_EQ(line.program, "./lu.A.x");
  EXPECT_EQ(line.ranks, 16);
  EXPECT_EQ(parse("smpirun -map -np 4 ./a").program, "./a");
}

TEST(CommandLine, WithoutLauncherTheFirstWordIsTheProgram) {
  const auto line = parse("./solo.x -n 4");
  EXPECT_EQ(line.program, "./solo.x");
  EXPECT_FALSE(line.is_launcher);
  EXPECT_EQ(line.ranks, std::nullopt);
  EXPECT_EQ(parse("").program, "");
  EXPECT_EQ(parse("mpiexec -n 2").program, "mpiexec");
}

TEST(CommandLine, NamesAreFitForFiles) {
  EXPECT_EQ(application_name(parse("mpiexec -n 2 /opt/my codes/lu.A.x")), "my");
  EXPECT_EQ(application_name(parse_command_line({"mpiexec", "/opt/a b;c"}, "h")), "a_b_c");
  EXPECT_EQ(application_name(parse_command_line({}, "h")), "app");
  EXPECT_TRUE(parse("mpiexec -n 2").executables.empty());
  EXPECT_TRUE(parse("mpiexec -configfile lines").programs_in_file);
}

TEST(CommandLine, FindsTheProgramOfAMark) {
  const auto found = [](const std::vector<std::string>& words) {
    return find_marked(words, parse_command_line(words, "h"), program_mark("/home/me/ring"));
  };
  EXPECT_EQ(found({"mpiexec", "-n", "2", "./ring", "600"}), 3u);
  EXPECT_EQ(found({"mpiexec", "-n", "2", "taskset", "-c", "0", "ring"}), 6u);
  EXPECT_EQ(found({"my-launcher", "2", "ring"}), 2u);
  EXPECT_EQ(found({"ring"}), 0u);
  EXPECT_FALSE(found({"mpiexec", "-hostfile", "ring", "-n", "2"}));
  EXPECT_FALSE(found({"mpiexec", "-n", "2", "./other", "ring"}));
  EXPECT_FALSE(find_marked({"ring"}, parse_command_line({"ring"}, "h"), ""));
}

}  // namespace
}  // namespace skelgen::launch
