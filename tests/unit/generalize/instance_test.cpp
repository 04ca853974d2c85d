#include "generalize/instance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error.h"
#include "text/text.h"

namespace skelgen::generalize {
namespace {

using testing::HasSubstr;

const std::string kHead = "skeleton 1\nranks any\n";

std::string at(std::uint32_t ranks, const std::string& text) { return instantiate(text, "t", ranks); }

std::string problem(std::uint32_t ranks, const std::string& text) {
  try {
    at(ranks, text);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

/// A program of one line between MPI_Init and MPI_Finalize.
std::string program(const std::string& line) {
  return kHead + "program {\nMPI_Init()\n" + line + "\nMPI_Finalize()\n}\n";
}
/// That line for so many ranks.
std::string line(std::uint32_t ranks, const std::string& text) {
  const std::string all = at(ranks, program(text)), before = "MPI_Init()\n";
  const std::size_t begin = all.find(before) + before.size();
  return all.substr(begin, all.find('\n', begin) - begin);
}

TEST(Instance, IsTheTextOfOneNumberOfRanks) {
  const std::string text = R"(skeleton 1
ranks any from (4, 8)  # two traces
let half = p / 2

program {
  MPI_Init()
  loop $(log2(p)) {
    compute $time(0.008 * p^-1)
    [r < half] MPI_Send(count=$(512 / p), datatype=MPI_DOUBLE, dest=$(r + half))
    [r >= half] MPI_Recv(count=$(512 / p), datatype=MPI_DOUBLE, source=$(r - half))
  }
  MPI_Finalize()
}
)";
  EXPECT_EQ(at(4, text), R"(skeleton 1
ranks 4


program {
MPI_Init()
loop 2 {
compute 2 ms
[0,1] MPI_Send(count=128, datatype=MPI_DOUBLE, dest=[0] 2 | [1] 3)
[2,3] MPI_Recv(count=128, datatype=MPI_DOUBLE, source=[2] 0 | [3] 1)
}
MPI_Finalize()
}
)");
  EXPECT_NO_THROW(text::parse(at(16, text), "t"));
}

TEST(Instance, ComputesAnotherTimeOnEachRank) {
  EXPECT_EQ(line(4, "compute $time(0.001 + 0.001 * r)"), "compute {1, 2, 3, 4} ms");
  EXPECT_EQ(line(4, "[r > 1] compute $time(0.001 + 0.001 * r) work 2"), "[2,3] compute {3, 4} ms work 2");
  EXPECT_EQ(line(4, "compute $time(0.004 * p^-1 spread (1, 2))"), "compute {1, 1.25, 1.75, 2} ms");
  EXPECT_EQ(line(4, "compute $time(0.003 - 0.001 * r)"), "compute {3, 2, 1, 0} ms");
  EXPECT_EQ(line(4, "compute $time(0.002 spread (1, 1))"), "compute 2 ms");
}

TEST(Instance, ErrorOfComputationGrowsWithDoublings) {
  const auto text = [](std::uint32_t ranks) {
    return at(ranks, "skeleton 1\nranks any from (4, 8)\ncomputation_error 0.01\nprogram {\nMPI_Init()\n}\n");
  };
  EXPECT_THAT(text(8), HasSubstr("\nnote \"computation_error\" \"0.01\"\n"));
  EXPECT_THAT(text(16), HasSubstr("\nnote \"computation_error\" \"0.01\"\n"));
  EXPECT_THAT(text(64), HasSubstr("\nnote \"computation_error\" \"0.03\"\n"));
}

TEST(Instance, KnowsItsTexts) {
  EXPECT_TRUE(is_general(kHead));
  EXPECT_TRUE(is_general("# a comment\nskeleton 1 \"MPICH\"\n  ranks any from (2)\n"));
  EXPECT_FALSE(is_general("skeleton 1\nranks 4\n"));
  EXPECT_FALSE(is_general("skeleton 1\nprogram {\nranks any\n"));
  EXPECT_FALSE(is_general(""));
}

TEST(Instance, GroupsRanksThatSayTheSame) {
  EXPECT_EQ(line(4, "MPI_Send(dest=$(r ^ 1), tag=$(r % 2))"), "MPI_Send(dest={1, 0, 3, 2}, tag=[0,2] 0 | [1,3] 1)");
  EXPECT_EQ(line(4, "MPI_Send(dest=[r > 0] rank-1 | [r == 0] MPI_PROC_NULL)"),
            "MPI_Send(dest=[0] MPI_PROC_NULL | [1..3] rank-1)");
  EXPECT_EQ(line(4, "MPI_Waitall(requests=($each(k < p - 1: r$(k))))"), "MPI_Waitall(requests=(r0, r1, r2))");
  EXPECT_EQ(line(4, "MPI_Send(dest=periodic($each(k < log2(p): $(r ^ (1 << k)))))"),
            "MPI_Send(dest=[0] periodic(1, 2) | [1] periodic(0, 3) | [2] periodic(3, 0) | [3] periodic(2, 1))");
  EXPECT_EQ(line(4, "MPI_Recv(source=MPI_ANY_SOURCE) got $(p - 1 - r) in any order answers $(r % 2)"),
            "MPI_Recv(source=MPI_ANY_SOURCE) got {3, 2, 1, 0} in any order answers [0,2] 0 | [1,3] 1");
}

TEST(Instance, AListWithoutItemsLeavesNoCommaBehind) {
  EXPECT_EQ(line(4, "MPI_Send(tag=periodic(1, $each(k < p - 4: 2)))"), "MPI_Send(tag=periodic(1))");
  EXPECT_EQ(line(4, "MPI_Send(tag=periodic($each(k < p - 4: 2), 3))"), "MPI_Send(tag=periodic(3))");
  EXPECT_EQ(line(4, "MPI_Send(tag=periodic(1, $each(k < p - 4: 2), 3))"), "MPI_Send(tag=periodic(1, 3))");
  EXPECT_EQ(line(5, "MPI_Send(tag=periodic(1, $each(k < p - 4: 2), 3))"), "MPI_Send(tag=periodic(1, 2, 3))");
}

TEST(Instance, LeavesOutWhatNobodyExecutes) {
  EXPECT_EQ(line(4, "[r > 7] MPI_Barrier()"), "");
  EXPECT_EQ(at(2, program("loop $(p - 2) {\nMPI_Barrier()\n}")),
            "skeleton 1\nranks 2\nprogram {\nMPI_Init()\n\n\n\nMPI_Finalize()\n}\n");
  EXPECT_EQ(at(2, program("loop 5 {\n[r > 7] MPI_Barrier()\n}")),
            "skeleton 1\nranks 2\nprogram {\nMPI_Init()\n\n\n\nMPI_Finalize()\n}\n");
  EXPECT_EQ(at(4, program("[r > 0] loop $(r) {\n[r > 1] MPI_Barrier()\n}")),
            "skeleton 1\nranks 4\nprogram {\nMPI_Init()\n[1..3] loop {1, 2, 3} {\n[2,3] "
            "MPI_Barrier()\n}\nMPI_Finalize()\n}\n");
}

TEST(Instance, MakesALineForEachCommunicator) {
  EXPECT_THAT(at(6, kHead + "comm c2 by $(floor(r / 2)) grid ($(2), 1 periodic)\n" + "program {\nMPI_Init()\n}\n"),
              HasSubstr("comm c2 of [0..1] grid (2, 1 periodic)\ncomm c2 of [2..3] grid (2, 1 periodic)\n"));
  EXPECT_THAT(at(4, kHead + "[r < 3] comm c2 by $(0) rank $(2 - r) sources $(r) destinations 2\nprogram {\n}\n"),
              HasSubstr("comm c2 of [2,1,0] sources {0, 1, 2} destinations 2\n"));
}

TEST(Instance, RefusesNumbersThatTheRulesForbid) {
  EXPECT_EQ(problem(12, program("MPI_Send(count=$(512 / p))")),
            "t:5: not for 12 ranks: 512 / p: 12 does not divide 512");
  EXPECT_EQ(problem(6, kHead + "needs p % 4 == 0\n"),
            "t:3: not for 6 ranks: the skeleton needs p % 4 == 0; trace such a number of ranks, too, or remove the "
            "line where it does not matter");
  EXPECT_THAT(problem(12, "skeleton 1\nranks any from (4, 8, 16)\n"),
              HasSubstr("t:2: not for 12 ranks: all traced numbers are powers of two, 12 is not one of those"));
  EXPECT_THAT(problem(12, "skeleton 1\nranks any from (4, 9, 16)\n"), HasSubstr("squares"));
  EXPECT_EQ(problem(12, "skeleton 1\nranks any from (4, 6)\n"), "none");
}

TEST(Instance, ANameNeedsAValueOnlyWhereItIsUsed) {
  const std::string head = kHead + "let half = r / 2\nlet more = half + 1\n";
  EXPECT_EQ(problem(3, head + "program {\n[r % 2 == 0] MPI_Send(count=$(more))\n}\n"), "none");
  EXPECT_EQ(problem(3, head + "program {\nMPI_Send(count=$(more))\n}\n"),
            "t:6: not for 3 ranks: more = half = r / 2: 2 does not divide 1");
  EXPECT_EQ(problem(3, kHead + "let x = k + 1\n"),
            "t:3: k, the number of an element, is known in a list only, not in x");
}

TEST(Instance, SaysWhatIsWrong) {
  EXPECT_THAT(problem(4, program("MPI_Send(count=$(q))")), HasSubstr("t:5: \"q)\": q is not defined here"));
  EXPECT_THAT(problem(4, program("MPI_Send(count=$(1 2))")), HasSubstr("t:5: \"2)\" follows an expression"));
  EXPECT_THAT(problem(4, program("[r > 0 MPI_Barrier()")), HasSubstr("\"]\" is missing"));
  EXPECT_THAT(problem(4, program("[0] MPI_Barrier()")), HasSubstr("[0] is no condition; write [r == 0]"));
  EXPECT_THAT(problem(4, program("MPI_Send(tag=[r > 0] 1 | [r > 1] 2)")), HasSubstr("rank 0 has no value"));
  EXPECT_THAT(problem(4, program("MPI_Send(tag=[r > 0] 1 | [r < 2] 2)")), HasSubstr("rank 1 has two values"));
  EXPECT_THAT(problem(4, kHead + "let p = 3\n"), HasSubstr("t:3: \"p\" is no name that is still free"));
  EXPECT_THAT(problem(4, kHead + "program {\nMPI_Init()\n"), HasSubstr("the program does not end"));
  EXPECT_THAT(problem(4, kHead + "comm c2\n"), HasSubstr("expected \"comm SLOT by VALUE\""));
  EXPECT_THAT(problem(4, program("MPI_Send(tag=$x)")), HasSubstr("expected \"$(\""));
}

}  // namespace
}  // namespace skelgen::generalize
