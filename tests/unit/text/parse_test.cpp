#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "skeleton/skeleton.h"
#include "support/error.h"
#include "text/text.h"
#include "text/words.h"

namespace skelgen::text {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string printed(const Skeleton& skeleton) {
  std::ostringstream out;
  print(out, skeleton);
  return out.str();
}

/// The statements, read and printed.
std::string program(const std::string& statements, int ranks = 4) {
  const auto read = parse("skeleton 1\nranks " + std::to_string(ranks) + "\nprogram {\n  MPI_Init()\n" + statements +
                              "  MPI_Finalize()\n}\n",
                          "f");
  const std::string text = printed(read);
  const auto begin = text.find("MPI_Init()\n") + 11;
  return "\n" + text.substr(begin, text.find("  MPI_Finalize()") - begin);
}

/// What is wrong with the text.
std::string wrong(const std::string& text, const Limits& limits = {}) {
  try {
    parse(text, "f", limits);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::corrupt);
    return error.what();
  }
  return "nothing";
}

/// What is wrong with these statements, which begin in line 5.
std::string wrong_program(const std::string& statements, const std::string& head = "") {
  return wrong("skeleton 1\nranks 4" + head + "\nprogram {\n  MPI_Init()\n" + statements + "\n  MPI_Finalize()\n}\n");
}

TEST(Parse, WhatNobodyWroteHasAMeaning) {
  EXPECT_EQ(program(R"(
# a ring
loop 250 {
  MPI_Irecv(count=100, datatype=MPI_DOUBLE,
            source=(rank-1)%size, request=r0)   # from the left
  MPI_Send(count=100, datatype=MPI_DOUBLE, dest=(rank+1)%size, tag=MPI_ANY_TAG)
  MPI_Wait(request=r0)
}
)"),
            R"(
  loop 250 {
    MPI_Irecv(buf=b2, count=100, datatype=MPI_DOUBLE, source=(rank-1)%size, tag=0, comm=MPI_COMM_WORLD, request=r0)
    MPI_Send(buf=b0, count=100, datatype=MPI_DOUBLE, dest=(rank+1)%size, tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD)
    MPI_Wait(request=r0)
  }
)");
}

TEST(Parse, AnAnswerToNobodyIsNone) {
  const auto answers = [](const std::string& what) {
    const std::string send = "MPI_Send(count=0, datatype=MPI_INT, dest=0) answers " + what;
    const Skeleton skeleton =
        parse("skeleton 1\nranks 1\nprogram {\nMPI_Init()\n" + send + "\nMPI_Finalize()\n}\n", "f");
    return skeleton.program.at(1).call().answers;
  };
  EXPECT_TRUE(answers("0").empty());
  EXPECT_EQ(answers("1").size(), 1u);
}

TEST(Parse, PendingCallsWriteBuffersOfTheirOwn) {
  EXPECT_EQ(program(R"(
MPI_Irecv(count=1, datatype=MPI_INT, source=MPI_PROC_NULL, request=r0)
[..1] MPI_Ibcast(count=1, datatype=MPI_INT, request=[0] r1 | [1] r2)
MPI_Recv_init(count=1, datatype=MPI_INT, source=MPI_PROC_NULL, request=r3, buf=b0)
loop 2 {
  MPI_Irecv(count=1, datatype=MPI_INT, source=MPI_PROC_NULL, request=r5 - k)
  MPI_Isend(count=1, datatype=MPI_INT, dest=MPI_PROC_NULL, request=periodic(r6, r7))
  MPI_Irecv(count=1, datatype=MPI_INT, source=MPI_PROC_NULL, request=periodic(r8, r9))
}
)"),
            R"(
  MPI_Irecv(buf=b2, count=1, datatype=MPI_INT, source=MPI_PROC_NULL, tag=0, comm=MPI_COMM_WORLD, request=r0)
  [0,1] MPI_Ibcast(buffer=[0] b3 | [1] b4, count=1, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD, request=[0] r1 | [1] r2)
  MPI_Recv_init(buf=b0, count=1, datatype=MPI_INT, source=MPI_PROC_NULL, tag=0, comm=MPI_COMM_WORLD, request=r3)
  loop 2 {
    MPI_Irecv(buf=b7 - k slots, count=1, datatype=MPI_INT, source=MPI_PROC_NULL, tag=0, comm=MPI_COMM_WORLD, request=r5 - k)
    MPI_Isend(buf=b0, count=1, datatype=MPI_INT, dest=MPI_PROC_NULL, tag=0, comm=MPI_COMM_WORLD, request=periodic(r6, r7))
    MPI_Irecv(buf=periodic(b10, b11), count=1, datatype=MPI_INT, source=MPI_PROC_NULL, tag=0, comm=MPI_COMM_WORLD, request=periodic(r8, r9))
  }
)");
  EXPECT_THAT(wrong_program("MPI_Irecv(count=1, datatype=MPI_INT, source=0, request=9223372036854775807)"),
              HasSubstr("is no slot"));
}

TEST(Parse, ComputationOfEachIterationIsSplitIntoTheFirstOneAndTheOthers) {
  EXPECT_EQ(program("compute 5 us\nloop 3 {\ncompute 1 us\nMPI_Barrier()\n[1..] compute 2 us\n}\nMPI_Barrier()\n"), R"(
  compute 6 us
  loop 3 {
    between {1, 3 x 3} us
    MPI_Barrier(comm=MPI_COMM_WORLD)
  }
  [1..3] compute 2 us
  MPI_Barrier(comm=MPI_COMM_WORLD)
)");
  // Of loops in loops, too; who is not in the first statement computes before his own.
  EXPECT_EQ(program("loop 3 {\nloop 2 {\ncompute 1 us\n[0] MPI_Wtime()\n[1..2] MPI_Wtick()\n}\n}\nMPI_Barrier()\n"), R"(
  [0..2] compute 1 us
  loop 3 {
    between 1 us
    loop 2 {
      between 1 us
      [0] MPI_Wtime()
      [1,2] MPI_Wtick()
    }
  }
  [3] compute 1 us
  MPI_Barrier(comm=MPI_COMM_WORLD)
)");
}

TEST(Parse, ComputationIsConservedHoweverItIsWritten) {
  const auto total = [](const std::string& text, std::uint32_t l) {
    return total_compute(parse("skeleton 1\nranks 2\nprogram {\nMPI_Init()\n" + text + "MPI_Finalize()\n}", "f"), l);
  };
  const std::string nest =
      "loop 3 {\ncompute 1 s\nloop 2 {\ncompute 10 s\n[0] MPI_Wtime()\n[1] compute 100 s\n}\ncompute 1000 s\n}\n";
  EXPECT_DOUBLE_EQ(total(nest, 0), 3 * 1 + 6 * 10 + 3 * 1000);
  EXPECT_DOUBLE_EQ(total(nest, 1), 3 * 1 + 6 * 10 + 6 * 100 + 3 * 1000);
}

TEST(Parse, TimesAreReadAsTheyWerePrinted) {
  for (const double value :
       {1.0, 0.1, 1.0 / 3, 12.5e-6, 2.9999999999999997e-06, 5e-324, 1.7976931348623157e308, 1e22, 123456789.123}) {
    const auto text = seconds(value);
    const auto read = parse("skeleton 1 wall " + text + "\nranks 1\nprogram {\nMPI_Init()\nMPI_Finalize()\n}\n", "f");
    EXPECT_EQ(read.traced_wall_s, value) << text;
  }
  EXPECT_EQ(seconds(12.5e-6), "12.5 us");
  EXPECT_EQ(seconds(1234.5), "1234.5 s");
}

TEST(Parse, FormulasBecomeValues) {
  const auto read = parse(
      "skeleton 1\nranks 4\ncomm c2 of [3,2,1,0]\nprogram {\nMPI_Init()\n"
      "MPI_Comm_split(color=0, key={3, 2, 1, 0}, newcomm=c2)\n"
      "MPI_Send(count=1, datatype=MPI_INT, comm=c2, dest=[..2] rank-1 | [3] MPI_PROC_NULL)\nMPI_Finalize()\n}\n",
      "f");
  const Argument& dest = read.program[2].call().arguments[3];
  EXPECT_EQ(dest.rule, (RankRule{RankRule::Kind::plus, -1}));
  EXPECT_EQ(dest.of(0).at(0), 2);
  EXPECT_EQ(dest.of(1).at(0), 1);
  EXPECT_EQ(dest.of(3).at(0), mpi::kProcNull);
}

TEST(Parse, RowsAndColumnsOfRanksAreFormulas) {
  const auto text = [](const std::string& color, const std::string& key) {
    return "skeleton 1\nranks 6\ncomm c2 of [0..2]\ncomm c2 of [3..5]\nprogram {\nMPI_Init()\nMPI_Comm_split(color=" +
           color + ", key=" + key + ", newcomm=c2)\nMPI_Finalize()\n}\n";
  };
  const auto read = parse(text("rank/3", "rank%3"), "f");
  const auto& arguments = read.program[1].call().arguments;
  EXPECT_EQ(arguments[1].rule, (RankRule{RankRule::Kind::row, 3}));
  EXPECT_EQ(arguments[1].of(5).at(0), 1);
  EXPECT_EQ(arguments[2].rule, (RankRule{RankRule::Kind::column, 3}));
  EXPECT_EQ(arguments[2].of(5).at(0), 2);
  EXPECT_THAT(printed(read), HasSubstr("color=rank/3, key=rank%3,"));
  EXPECT_EQ(parse(text("rank/3", "rank%size"), "f").program[1].call().arguments[2].rule,
            (RankRule{RankRule::Kind::plus_mod, 0}));
  EXPECT_THROW(parse(text("rank/0", "rank%3"), "f"), Error);
  EXPECT_THROW(parse(text("rank/3", "(rank)%3"), "f"), Error);
}

TEST(Parse, AFormulaThatGivesNoRankIsRefused) {
  for (const std::string peer : {"rank-1", "rank-2", "rank-3"}) {
    const auto text = "skeleton 1\nranks 4\nprogram {\nMPI_Init()\nMPI_Recv(count=1, datatype=MPI_INT, source=" + peer +
                      ")\nMPI_Finalize()\n}\n";
    try {
      parse(text, "f");
      ADD_FAILURE() << peer;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("the formula gives no rank on location 0")) << peer;
    }
  }
}

TEST(Parse, NeighboursInAGridBecomeValues) {
  const auto text = [](const std::string& grid, const std::string& dest) {
    return "skeleton 1\nranks 4\ncomm c2 of [0..3] grid " + grid +
           "\nprogram {\nMPI_Init()\nMPI_Cart_create(ndims=2, dims=(2, 2), periods=(0, 1), reorder=0, comm_cart=c2)\n"
           "MPI_Send(count=1, datatype=MPI_INT, comm=c2, dest=" +
           dest + ")\nMPI_Finalize()\n}\n";
  };
  const auto read = parse(text("(2, 2 periodic)", "neighbour(0,-1)"), "f");
  const Argument& dest = read.program[2].call().arguments[3];
  EXPECT_EQ(dest.rule, (RankRule{RankRule::Kind::neighbour, -1, 0}));
  EXPECT_EQ(dest.of(0).at(0), mpi::kProcNull);
  EXPECT_EQ(dest.of(3).at(0), 1);
  EXPECT_THAT(printed(read), HasSubstr("dest=neighbour(0,-1)"));
  EXPECT_THAT(printed(read), HasSubstr("comm c2 of [0..3] grid (2, 2 periodic)"));
  EXPECT_THAT(printed(parse(text("(2, 2 periodic)", "[..1] MPI_PROC_NULL | [2..] rank-2"), "f")), HasSubstr("rank-2"));
  EXPECT_THROW(parse(text("(2, 3)", "0"), "f"), Error);
  EXPECT_THROW(parse(text("(2, 2 periodic)", "neighbour(2,1)"), "f"), Error);
  EXPECT_THAT(printed(parse(text("(2, 2 periodic)", "transposed(2)"), "f")), HasSubstr("dest=transposed(2)"));
  EXPECT_THROW(parse(text("(2, 2 periodic)", "transposed(3)"), "f"), Error);
}

TEST(Parse, OnlyCommunicatorsThatTheProgramMakesHaveGrids) {
  const auto failure = [](const std::string& line) {
    try {
      parse("skeleton 1\nranks 4\n" + line + "\nprogram {\nMPI_Init()\nMPI_Finalize()\n}\n", "f");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(failure("comm c2 of [0..3] grid (2, 2)"), "none");
  for (const char* line :
       {"comm c0 of [0..3] grid (2, 2)", "comm c1 of [0] grid (1)", "window w0 of [0..3] grid (2, 2)",
        "file f0 of [0..3] grid (4)", "comm c2 of [0, 1] grid (2) to c2 of [2, 3] grid (2)"})
    EXPECT_THAT(failure(line), HasSubstr("only a communicator that the program makes, of one group, has one")) << line;
}

TEST(Parse, BuffersAreAsLargeAsTheirCallsNeed) {
  const auto read = parse(
      "skeleton 1\nranks 4\nbuffers (10000)\nprogram {\nMPI_Init()\n"
      "MPI_Allgather(sendbuf=b0+80, sendcount=10, sendtype=MPI_DOUBLE, recvbuf=b1, recvcount=10, recvtype=MPI_INT)\n"
      "loop 5 {\nMPI_Bcast(buffer=b2 + 100k, count=periodic(1, 7), datatype=MPI_BYTE)\n}\n"
      "MPI_Gatherv(sendbuf=b0, sendcount=1, sendtype=MPI_INT, recvbuf=b3, recvcounts=[0] (1, 1, 1, 5) | [1..] (), "
      "displs=[0] (0, 9, 1, 2) | [1..] (), recvtype=MPI_INT, root=0)\nMPI_Finalize()\n}\n",
      "f");
  EXPECT_EQ(read.locations[0].buffer_bytes, (std::vector<std::uint64_t>{10000, 160, 401, 40}));
  EXPECT_EQ(read.locations[1].buffer_bytes, (std::vector<std::uint64_t>{10000, 160, 401, 0}));
}

TEST(Parse, BuffersOfLongWalksAreAsLargeAsTheirLastCallsNeed) {
  const auto sizes = [](const std::string& loop) {
    return parse("skeleton 1\nranks 1\nprogram {\nMPI_Init()\n" + loop + "MPI_Finalize()\n}\n", "f")
        .locations[0]
        .buffer_bytes;
  };
  using Sizes = std::vector<std::uint64_t>;
  EXPECT_EQ(sizes("loop 20000000 {\nMPI_Bcast(buffer=b0 + 8k, count=1, datatype=MPI_DOUBLE)\n}\n"), Sizes{160'000'000});
  EXPECT_EQ(sizes("loop 20000000 {\nMPI_Bcast(buffer=b0, count=1 + k, datatype=MPI_BYTE)\n}\n"), Sizes{20'000'000});
  EXPECT_EQ(sizes("loop 20000000 {\nMPI_Bcast(buffer=b0+50000000 - 2k, count=0 + k, datatype=MPI_BYTE)\n}\n"),
            Sizes{50'000'000});
  EXPECT_EQ(sizes("loop 20000001 {\nMPI_Bcast(buffer=b0 + 8k, count=periodic(1, 3), datatype=MPI_DOUBLE)\n}\n"),
            Sizes{8 * 20'000'002});
  EXPECT_EQ(wrong_program("loop 1000000000 {\nMPI_Bcast(buffer=periodic(b0 x 40000, b1), count=periodic(1 x 39998, 2), "
                          "datatype=MPI_BYTE)\n}"),
            "f:6: MPI_Bcast changes in too many ways to find out the sizes of buffers");
}

TEST(Parse, BuffersOfDatatypesThatTheProgramMakesAreAsLargeAsTheirCallsNeed) {
  const auto sizes = [](const std::string& calls, std::uint32_t l = 0) {
    return parse("skeleton 1\nranks 2\nprogram {\nMPI_Init()\n" + calls + "MPI_Finalize()\n}\n", "f")
        .locations[l]
        .buffer_bytes;
  };
  using Sizes = std::vector<std::uint64_t>;
  const std::string columns =
      "MPI_Type_vector(count={3, 5}, blocklength=1, stride=10, oldtype=MPI_DOUBLE, newtype=t0)\n"
      "MPI_Type_commit(datatype=t0)\n";
  EXPECT_EQ(sizes(columns + "MPI_Bcast(buffer=b0+80, count=1, datatype=t0)\n"), Sizes{80 + 21 * 8});
  EXPECT_EQ(sizes(columns + "MPI_Bcast(buffer=b0+80, count=1, datatype=t0)\n", 1), Sizes{80 + 41 * 8});
  EXPECT_EQ(sizes(columns + "MPI_Bcast(buffer=b0, count=2, datatype=t0)\n"), Sizes{(21 + 21) * 8});
  // Made of one that was made, and another one in the same slot each time.
  EXPECT_EQ(
      sizes("loop 3 {\nMPI_Type_contiguous(count=1 + k, oldtype=MPI_INT, newtype=t0)\n"
            "MPI_Type_contiguous(count=2, oldtype=t0, newtype=t1)\nMPI_Type_commit(datatype=t1)\n"
            "MPI_Bcast(buffer=b0, count=1, datatype=t1)\nMPI_Type_free(datatype=t0)\nMPI_Type_free(datatype=t1)\n}\n"),
      Sizes{3 * 2 * 4});
  // A slot that is taken again: what lies in it now counts.
  EXPECT_EQ(sizes("MPI_Type_contiguous(count=1000000, oldtype=MPI_INT, newtype=t0)\nMPI_Type_free(datatype=t0)\n"
                  "MPI_Type_contiguous(count=1, oldtype=MPI_INT, newtype=t0)\nMPI_Type_commit(datatype=t0)\n"
                  "MPI_Bcast(buffer=b0, count=1000000, datatype=t0)\n"),
            Sizes{4'000'000});
  EXPECT_EQ(wrong_program("MPI_Type_vector(count=2, blocklength=1, stride=2000000000, oldtype=MPI_DOUBLE, newtype=t0)\n"
                          "MPI_Type_vector(count=2, blocklength=1, stride=2000000000, oldtype=t0, newtype=t1)\n"),
            "f:6: MPI_Type_vector: a datatype larger than 2^62 bytes");
}

TEST(Parse, BuffersSufficeForAllCommunicatorsOfASlot) {
  const auto read = parse(
      "skeleton 1\nranks 4\ncomm c2 of [0,1]\ncomm c2 of [0..3]\nprogram {\nMPI_Init()\n"
      "[0..1] MPI_Comm_split(color=0, key=0, newcomm=c2)\n[0..1] MPI_Comm_free(comm=c2)\n"
      "MPI_Comm_dup(newcomm=c2)\n"
      "MPI_Allgather(sendcount=1, sendtype=MPI_INT, recvcount=1, recvtype=MPI_INT, comm=c2)\nMPI_Finalize()\n}\n",
      "f");
  EXPECT_EQ(read.locations[0].buffer_bytes, (std::vector<std::uint64_t>{4, 16}));
}

TEST(Parse, ComputationInALoopIsThatOfItsIterations) {
  const auto total = [](const std::string& text, std::uint32_t l) {
    return total_compute(parse("skeleton 1\nranks 2\nprogram {\nMPI_Init()\n" + text + "MPI_Finalize()\n}", "f"), l);
  };
  const std::string body = "compute 1 s\nMPI_Barrier()\ncompute 10 s\n}\n";
  EXPECT_DOUBLE_EQ(total("loop 4 {\nloop table(0, 3, 0, 2) {\n" + body + "}\n", 0), 55);
  EXPECT_DOUBLE_EQ(total("loop 6 {\nloop periodic(1, 0, 0) {\n" + body + "MPI_Barrier()\n}\n", 1), 22);
  EXPECT_DOUBLE_EQ(
      total("loop 4 {\nloop [0] 0 + k | [1] 3 - k {\nloop table(0, 5, 0, 2, 0, 0) {\n" + body + "}\n}\n", 1), 77);
  EXPECT_DOUBLE_EQ(total("loop 4 {\nloop [0] 2 | [1] periodic(0, 1) {\n" + body + "}\n", 0), 88);
  EXPECT_DOUBLE_EQ(total("loop 4 {\nloop [0] 2 | [1] periodic(0, 1) {\n" + body + "}\n", 1), 22);
}

TEST(Parse, WalksStayInTheirBuffers) {
  const auto walk = [](const std::string& buffer) {
    return wrong_program("loop 2000 {\nMPI_Bcast(buffer=" + buffer + ", count=1, datatype=MPI_BYTE)\n}");
  };
  EXPECT_EQ(walk("b0 + 500000000k"), "nothing");
  EXPECT_EQ(walk("b0 + 600000000k"), "f:6: buffer of MPI_Bcast: a walk out of its buffer");
  EXPECT_EQ(walk("b3+1000 - 1k"), "f:6: buffer of MPI_Bcast: a walk out of its buffer");
}

TEST(Parse, ArraysAreAsLongAsTheirCallsReadThemHoweverLate) {
  const auto wait = [](const std::string& loop, const std::string& counts, const std::string& requests) {
    return wrong_program("loop " + loop + " {\nMPI_Waitall(count=" + counts + ", array_of_requests=" + requests +
                         ")\n}");
  };
  const std::string one = "(MPI_REQUEST_NULL)";
  EXPECT_EQ(wait("200000", "periodic(1 x 149999, 2)", one),
            "f:6: array_of_requests of MPI_Waitall: 1 elements, but count is 2");
  EXPECT_EQ(wait("200000", "periodic(1 x 149999, 1)", one), "nothing");
  EXPECT_EQ(wait("1000000000", "0 + k", "periodic((), " + one + ")"),
            "f:6: array_of_requests of MPI_Waitall: 0 elements, but count is 2");
  EXPECT_EQ(wait("1000000000", "periodic(1 x 40000, 1)", "periodic(" + one + " x 39999, " + one + ")"),
            "f:6: array_of_requests of MPI_Waitall: changes in too many ways to compare with count");
}

TEST(Parse, AFormulaIsOfOneCommunicator) {
  const std::string head = "\ncomm c2 of [0..3]\ncomm c3 of [3,2,1,0]";
  const std::string made =
      "MPI_Comm_dup(newcomm=c2)\nMPI_Comm_split(color=0, key={3, 2, 1, 0}, newcomm=c3)\nloop 2 {\n";
  EXPECT_EQ(wrong_program(made + "MPI_Bcast(count=1, datatype=MPI_INT, comm=periodic(c2, c3), root=rank)\n}", head),
            "f:10:66: the formula has no value on location 0: it is in no such communicator or window, or in several");
  EXPECT_EQ(wrong_program(made + "[0] MPI_Bcast(count=1, datatype=MPI_INT, comm=c3, root=rank-3)\n}", head), "nothing");
}

TEST(Parse, WhatManyRanksSayInFewWordsIsRead) {
  std::string text = "skeleton 1\nranks 1000\nprogram {\nMPI_Init()\n";
  for (int i = 0; i < 20; ++i) text += "loop 2 {\nMPI_Bcast(count=1, datatype=MPI_INT)\n}\n";
  text += "MPI_Finalize()\n}\n";
  EXPECT_EQ(wrong(text, {.values = 140'000}), "nothing");
}

TEST(Parse, SaysWhereWhatIsWrong) {
  EXPECT_EQ(wrong(""), "f:1:1: found the end of the file; expected \"skeleton\"");
  EXPECT_EQ(wrong("skeleton 2\n"), "f:1:10: another text form than is known here; write \"skeleton 1\"");
  EXPECT_EQ(wrong("skeleton 1\n"), "f:2:1: found the end of the file; expected \"ranks N\" before it");
  EXPECT_EQ(wrong("skeleton 1\nranks 2\n"), "f:3:1: found the end of the file; expected \"program {\" before it");
  EXPECT_THAT(wrong("skeleton 1\nprogramm {\n}\n"),
              StartsWith("f:2:1: found \"programm\"; expected \"program {\" or a line of the head: ranks, "));
  EXPECT_EQ(wrong("skeleton 1\nranks 2\nprogram {\nMPI_Init()\n"),
            "f:5:1: the text ends inside of the statements from line 4 on; give all of it, with \"}\" at the end of "
            "each block");
  EXPECT_EQ(wrong_program("MPI_Snd(count=1)"), "f:5:1: MPI_Snd is no function of MPI that is known here");
  EXPECT_EQ(wrong_program("  MPI_Barrier(con=MPI_COMM_WORLD)"),
            "f:5:15: found \"con\"; expected a parameter of MPI_Barrier: comm");
  EXPECT_EQ(wrong_program("MPI_Send(count=1, datatype=MPI_INT)"), "f:5:35: found \")\"; expected \"dest=\"");
  EXPECT_EQ(wrong_program("MPI_Send(count=1, count=2)"), "f:5:19: count twice");
  EXPECT_EQ(wrong_program("MPI_Send(count=1 datatype=MPI_INT)"), "f:5:18: found \"datatype\"; expected \",\"");
  EXPECT_EQ(wrong_program("MPI_Bcast(count=1, datatype=MPI_DUBLE)"),
            "f:5:29: MPI_DUBLE is no datatype and no operation of MPI that is known here");
  EXPECT_EQ(wrong_program("MPI_Bcast(count=1, datatype=MPI_SUM)"),
            "f:5: datatype of MPI_Bcast: MPI_SUM is no datatype");
  EXPECT_EQ(wrong_program("MPI_Barrier(comm=c2)"), "f:5: comm of MPI_Barrier: c2 was not made before");
  EXPECT_EQ(wrong_program("MPI_Comm_dup(newcomm=c2)"),
            "f:5: newcomm of MPI_Comm_dup: no line \"comm c2 of [...]\" names location 0");
  EXPECT_EQ(wrong_program("MPI_Wait(request=r3)"), "f:5: request of MPI_Wait: r3 was not made before");
  EXPECT_EQ(wrong_program("[0,4] MPI_Barrier()"), "f:5:4: 4 is too large; give a location of at most 3");
  EXPECT_EQ(wrong_program("[2,1] MPI_Barrier()"), "f:5:1: location 1 behind 2; list them ascending");
  EXPECT_EQ(wrong_program("[1] loop 3 {\n[0] MPI_Barrier()\n}"),
            "f:6:1: locations that do not execute the loop around; leave them out");
  EXPECT_EQ(wrong_program("loop 3 {\n}"), "f:6:1: found \"}\"; expected a call or a loop: the loop is empty");
  EXPECT_EQ(wrong_program("loop 0 {\nMPI_Barrier()\n}"), "f:5: a loop of no trips");
  EXPECT_EQ(wrong_program("loop 5 - 2k {\nMPI_Barrier()\n}\nloop 2 {\nloop 1 - 2k {\nMPI_Barrier()\n}\n}"),
            "f:9: a loop of less than no trips");
  EXPECT_EQ(wrong_program("loop 3 {\nMPI_Bcast(count=table(1, 2), datatype=MPI_INT)\n}"),
            "f:6: count of MPI_Bcast has 2 values for 3 occurrences on location 0");
  EXPECT_EQ(wrong_program("MPI_Bcast(count={1, 2}, datatype=MPI_INT)"), "f:5:17: 2 values for 4 locations");
  EXPECT_EQ(wrong_program("MPI_Bcast(count=[0] 1 | [2,3] 2, datatype=MPI_INT)"), "f:5:17: no value for location 1");
  EXPECT_EQ(wrong_program("MPI_Bcast(count=3000000000, datatype=MPI_INT)"),
            "f:5: count of MPI_Bcast: 3000000000 is no int");
  EXPECT_EQ(wrong_program("MPI_Send(count=1, datatype=MPI_INT, dest=rank+1)"),
            "f:5: dest of MPI_Send: there is no rank 4 in its communicator or window");
  EXPECT_EQ(wrong_program("MPI_Waitall(count=2, array_of_requests=(MPI_REQUEST_NULL))"),
            "f:5: array_of_requests of MPI_Waitall: 1 elements, but count is 2");
  EXPECT_EQ(wrong_program("MPI_Alltoallv(sendcounts=(1, 1), sdispls=(0, 0, 0, 0), sendtype=MPI_INT, recvcounts=(0 x "
                          "4), rdispls=(0 x 4), recvtype=MPI_INT)"),
            "f:5: sendcounts of MPI_Alltoallv: 2 elements for 4 ranks");
  EXPECT_EQ(wrong_program("MPI_Abort(errorcode=1)"), "f:5: MPI_Abort is not replayed");
  EXPECT_EQ(wrong_program("compute 5\nMPI_Barrier()"),
            "f:5:10: found the end of the line; expected a unit of time: s, ms, us or ns");
  EXPECT_EQ(wrong_program("between 5 us\nMPI_Barrier()"), "f:5:9: \"between\" outside of a loop; write \"compute\"");
  EXPECT_EQ(wrong_program("MPI_Finalize()\ncompute 1 s"),
            "f: location 0 does not call MPI_Finalize once, outside of all loops");
  EXPECT_THAT(wrong("skeleton 1\nranks 1\nprogram {\nMPI_Init()\ncompute 1 s\n}\n"),
              HasSubstr("computation behind the last statement"));
}

TEST(Parse, ALaterIterationUsesWhatAnEarlierOneMade) {
  const std::string nest =
      "loop table(0, 2) {\nMPI_Wait(request=r0)\n}\nMPI_Isend(count=1, datatype=MPI_INT, dest=0, request=r0)\n";
  EXPECT_THAT(program("loop 2 {\n" + nest + "}\n"), HasSubstr("MPI_Wait(request=r0)"));
  EXPECT_EQ(
      wrong_program("loop 1 {\nMPI_Wait(request=r0)\nMPI_Isend(count=1, datatype=MPI_INT, dest=0, request=r0)\n}"),
      "f:6: request of MPI_Wait: r0 was not made before");
}

TEST(Parse, TripsThatFallCountAsOftenAsTheLoopIsEntered) {
  // The inner loop is entered twice, once with one iteration and once with none.
  const std::string nest = "loop 2 {\nloop table(0, 2) {\nloop 1 - k {\nMPI_Barrier()\n}\n}\nMPI_Barrier()\n}\n";
  EXPECT_THAT(program(nest), HasSubstr("loop 1 - k {"));
}

TEST(Parse, GroupsOfWhoCommunicatesAreTheirMembers) {
  const std::string head = "\nwindow w0 of [0..2]";
  const std::string create = "[0..2] MPI_Win_create(size=8, disp_unit=1, comm=c2, win=w0)\n";
  const auto text = [&](const std::string& group) {
    return "skeleton 1\nranks 4\ncomm c2 of [0..2]" + head +
           "\nprogram {\nMPI_Init()\nMPI_Comm_split(color=[0..2] 1 | [3] MPI_UNDEFINED, key=0, newcomm=[0..2] c2 | [3] "
           "MPI_COMM_NULL)\n" +
           create + "[0] MPI_Win_post(group=" + group + ", assert=0, win=w0)\nMPI_Finalize()\n}\n";
  };
  EXPECT_THAT(printed(parse(text("(1, 2)"), "f")), HasSubstr("MPI_Win_post(group=(1, 2), assert=0, win=w0)"));
  EXPECT_EQ(wrong(text("(1, 3)")), "f:9: group of MPI_Win_post: rank 3 has no part in w0");
  EXPECT_EQ(wrong(text("(1, 1)")), "f:9: group of MPI_Win_post: a rank twice");
  EXPECT_EQ(wrong(text("(4)")), "f:9: group of MPI_Win_post: ranks of MPI_COMM_WORLD are 0 to 3");
}

TEST(Parse, GroupsAreOfOneOfTheWindowsThatHadTheSlot) {
  const auto text = [](const std::string& group) {
    return "skeleton 1\nranks 4\nwindow w0 of [0,1]\nwindow w0 of [0..3]\ncomm c2 of [0,1]\nprogram {\nMPI_Init()\n"
           "MPI_Comm_split(color=[0,1] 1 | [2,3] MPI_UNDEFINED, key=0, newcomm=[0,1] c2 | [2,3] MPI_COMM_NULL)\n"
           "[0,1] MPI_Win_create(size=8, disp_unit=1, comm=c2, win=w0)\n[0,1] MPI_Win_free(win=w0)\n"
           "MPI_Win_create(size=8, disp_unit=1, win=w0)\n[0] MPI_Win_post(group=" +
           group + ", assert=0, win=w0)\nMPI_Finalize()\n}\n";
  };
  EXPECT_THAT(printed(parse(text("(1, 3)"), "f")), HasSubstr("MPI_Win_post(group=(1, 3), assert=0, win=w0)"));
}

/// Three puts of `what` in w0, which is dynamic, or w1. Rank 0's b2 has 64 bytes, rank 1's has 32; both are attached.
std::string puts(const std::string& what, const std::string& before = "") {
  return "skeleton 1\nranks 2\nwindow w0 of [0,1]\nwindow w1 of [0,1]\n[0] buffers (8, 8, 64, 8)\n"
         "[1] buffers (8, 8, 32, 8)\n"
         "program {\nMPI_Init()\nMPI_Win_create_dynamic(win=w0)\nMPI_Win_create(base=b0, size=16, disp_unit=1, "
         "win=w1)\n"
         "MPI_Win_attach(win=w0, base=b2, size=32)\n" +
         before + "loop 3 {\nMPI_Put(origin_count=1, origin_datatype=MPI_INT, " + what + ")\n}\nMPI_Finalize()\n}\n";
}
std::string at_target(const std::string& target, const std::string& win = "w0", const std::string& rank = "1",
                      const std::string& count = "1", const std::string& type = "MPI_INT") {
  return "target_rank=" + rank + ", target_disp=" + target + ", target_count=" + count + ", target_datatype=" + type +
         ", win=" + win;
}

TEST(Parse, PlacesInDynamicWindowsAreThoseOfBuffers) {
  for (const char* target : {"b2+8", "b2+8 + 4k", "periodic(b2, b2+8)"})
    EXPECT_THAT(printed(parse(puts(at_target(target)), "f")), HasSubstr("target_disp=" + std::string(target) + ","));
  for (const char* target : {"12", "4 + 4k"})
    EXPECT_THAT(printed(parse(puts(at_target(target, "w1")), "f")), HasSubstr("disp=" + std::string(target) + ","));
  EXPECT_EQ(wrong(puts(at_target("b1"))), "f:13: target_disp of MPI_Put: no rank attaches b1 to a window");
  EXPECT_EQ(wrong(puts(at_target("b2 + 1k slots"))), "f:13: target_disp of MPI_Put: no rank attaches b3 to a window");
}

TEST(Parse, PlacesStandInDynamicWindowsAndOnlyThere) {
  const std::string plain = "f:13: target_disp of MPI_Put: b2+8 in w1, which is no dynamic window";
  EXPECT_EQ(wrong(puts(at_target("b2+8", "w1"))), plain);
  EXPECT_EQ(wrong(puts(at_target("b2+8", "periodic(w0, w1)"))), plain);
  EXPECT_THAT(wrong(puts(at_target("3"))), HasSubstr("13: target_disp of MPI_Put: 3 in the dynamic window w0; name a"));
  EXPECT_THAT(wrong(puts(at_target("periodic(b2, 3)"))), HasSubstr("3 in the dynamic window w0"));
  EXPECT_THAT(wrong(puts(at_target("0 + 600000000000k", "w0", "1", "0 + 1k"))), HasSubstr("a walk into a buffer"));
  EXPECT_EQ(wrong(puts(at_target("periodic(b2, 3)", "periodic(w0, w1)"))), "nothing");
  EXPECT_EQ(wrong(puts(at_target("0", "w0", "MPI_PROC_NULL"))), "nothing");
  EXPECT_EQ(wrong(puts(at_target("0", "w0", "1", "0"))), "nothing");
  // A slot holds one window after the other.
  const auto again = [](const std::string& target) {
    return puts(at_target(target), "MPI_Win_free(win=w0)\nMPI_Win_create(base=b0, size=8, disp_unit=1, win=w0)\n");
  };
  EXPECT_EQ(wrong(again("3")), "nothing");
  EXPECT_THAT(wrong(again("b2")), HasSubstr("b2+0 in w0, which is no dynamic window"));
  const auto in_turn = [](const std::string& target) {
    return puts(at_target(target, "w1"), "loop 2 {\nMPI_Put(origin_count=1, origin_datatype=MPI_INT, " +
                                             at_target(target, "w1") +
                                             ")\nMPI_Win_free(win=w1)\nMPI_Win_create_dynamic(win=w1)\n}\n");
  };
  EXPECT_EQ(wrong(in_turn("b2")), "nothing");
}

TEST(Parse, PlacesEndInTheBuffersOfTheirTargets) {
  const std::string behind = "f:13: target_disp of MPI_Put: ends behind b2 of rank 1 of w0, which has 32 bytes";
  EXPECT_EQ(wrong(puts(at_target("b2+28"))), "nothing");
  EXPECT_EQ(wrong(puts(at_target("b2+29"))), behind);
  EXPECT_EQ(wrong(puts(at_target("b2+29", "w0", "0"))), "nothing");
  EXPECT_EQ(wrong(puts(at_target("b2+29", "w0", "periodic(0, 0, 1)"))), behind);
  EXPECT_EQ(wrong(puts(at_target("b2+29", "w0", "periodic(0, 0, 0, 1)"))), "nothing") << "three puts only";
  EXPECT_EQ(wrong(puts(at_target("b2", "w0", "1", "8"))), "nothing");
  EXPECT_EQ(wrong(puts(at_target("b2", "w0", "1", "9"))), behind);
  EXPECT_EQ(wrong(puts(at_target("b2", "w0", "1", "7 + 1k"))), behind);
  EXPECT_EQ(wrong(puts(at_target("b2+20 + 4k"))), "nothing");
  EXPECT_EQ(wrong(puts(at_target("b2+24 + 4k"))), behind);
  EXPECT_EQ(wrong(puts(at_target("b2+16", "w0", "1", "1", "MPI_DOUBLE_INT"))), "nothing");
  EXPECT_EQ(wrong(puts(at_target("b2", "w0", "1", "3", "MPI_DOUBLE_INT"))), behind);
}

TEST(Parse, DisplacementsStayInTheirWindows) {
  const std::string units = "MPI_Win_create(size=4096, disp_unit={1, 8, 8, 8}, win=w0)";
  const auto put = [&](const std::string& displacement, const std::string& count = "1", const std::string& create = "",
                       const std::string& type = "MPI_DOUBLE", const std::string& rank = "1") {
    return wrong_program((create.empty() ? units : create) +
                             "\nloop 4 {\nMPI_Put(origin_count=1, origin_datatype=MPI_DOUBLE, target_rank=" + rank +
                             ", target_disp=" + displacement + ", target_count=" + count + ", target_datatype=" + type +
                             ", win=w0)\n}",
                         "\nwindow w0 of [0..3]");
  };
  EXPECT_EQ(put("511"), "nothing");
  EXPECT_EQ(put("1000"),
            "f:8: target_disp of MPI_Put: 1000 x 8 bytes lead out of w0 of rank 1; expected an end in its 4096 bytes");
  EXPECT_THAT(put("511", "2"), HasSubstr("511 x 8 bytes lead out"));
  EXPECT_EQ(put("1000", "0"), "nothing");
  EXPECT_EQ(put("508 + k"), "nothing");
  EXPECT_THAT(put("509 + k"), HasSubstr("512 x 8 bytes lead out"));
  EXPECT_EQ(put("4088", "1", "", "MPI_DOUBLE", "0"), "nothing");
  EXPECT_THAT(put("4088", "1", "", "MPI_DOUBLE", "periodic(0, 1)"), HasSubstr("lead out of w0 of rank 1"));
  EXPECT_EQ(put("4088", "1", "", "MPI_DOUBLE", "MPI_PROC_NULL"), "nothing");
  // Where something is not known, it may be right: of windows that a loop makes, which one it is; of datatypes that
  // the program makes, where their first byte lies; of shared windows, whether that of the next rank follows.
  EXPECT_EQ(put("1000", "1", "loop 1 {\nMPI_Win_allocate(size=4096, disp_unit=8, win=w0)\n}"), "nothing");
  EXPECT_EQ(put("512", "1", "MPI_Type_contiguous(count=0, oldtype=MPI_INT, newtype=t0)\n" + units, "t0"), "nothing");
  EXPECT_EQ(put("1000", "1", "MPI_Win_allocate_shared(size=4096, disp_unit=8, win=w0)"), "nothing");
  EXPECT_THAT(put("1000", "1", "MPI_Win_allocate(size=4096, disp_unit=8, win=w0)"), HasSubstr("lead out"));
}

TEST(Parse, WindowsOfATraceAreAsLargeAsTheyWere) {
  const std::string text =
      "skeleton 1\nranks 2\nbuffers (64, 64)\nwindow w0 of [0,1]\nprogram {\n  MPI_Init()\n  MPI_Win_create(base=b0, "
      "size=8, disp_unit=1, win=w0)\n  MPI_Put(origin_addr=b1, origin_count=1, origin_datatype=MPI_INT, target_rank=1, "
      "target_disp=DISP, target_count=1, target_datatype=MPI_INT, win=w0)\n  MPI_Finalize()\n}\n";
  const auto with = [&](const std::string& displacement, const std::string& head) {
    std::string all = text;
    all.replace(all.find("DISP"), 4, displacement);
    return all.insert(all.find("ranks"), head);
  };
  EXPECT_THAT(wrong(with("8", "")), HasSubstr("8 x 1 bytes lead out of w0 of rank 1"));
  // The line `traced` of what is printed of a program that was not edited agrees with it, whatever it does.
  Skeleton traced = parse(with("4", ""), "f");
  traced.edited = false;
  traced.program[2].call().arguments[static_cast<std::size_t>(mpi::find("MPI_Put")->find(mpi::Role::target))] = {
      {{Sequence::Kind::constant, {8}}}, {}, {}};
  EXPECT_EQ(wrong(printed(traced)), "nothing");
}

TEST(Parse, WalksByBytesAttachOneBuffer) {
  Skeleton skeleton;
  skeleton.locations.resize(1);
  skeleton.locations[0].buffer_bytes = {8, 8};
  Call attach;
  attach.function = mpi::find("MPI_Win_attach");
  attach.arguments.resize(attach.function->parameters.size());
  attach.arguments[static_cast<std::size_t>(attach.function->find(mpi::Role::buffer))].choices = {
      {Sequence::Kind::arithmetic, {mpi::pack(0, mpi::kLargestBuffer - 8), 8}}};
  skeleton.program.push_back({{0}, {}, attach});
  EXPECT_THAT(attached_slots(skeleton), testing::ElementsAre(0));
}

TEST(Parse, HintsAreTexts) {
  const auto text = [](const std::string& info) {
    return "skeleton 1\nranks 2\nprogram {\nMPI_Init()\nloop 3 {\nMPI_Comm_set_info(comm=MPI_COMM_WORLD, info=" + info +
           ")\n}\nMPI_Finalize()\n}\n";
  };
  for (const char* info : {"MPI_INFO_NULL", "\"mpi_assert_no_any_tag=true\"",
                           "[0] \"romio_x=1;romio_y=2\" | [1] MPI_INFO_NULL", "periodic(\"romio_x=1\", MPI_INFO_NULL)"})
    EXPECT_THAT(printed(parse(text(info), "f")), HasSubstr("info=" + std::string(info) + ")"));
  EXPECT_THAT(wrong(text("\"secret=1\"")), HasSubstr("f:6:45: hints that a skeleton cannot have; write \"KEY=VALUE"));
  EXPECT_THAT(wrong(text("(1, 2)")), HasSubstr("expected hints"));
}

TEST(Parse, WalksOverHintsNameHintsOnly) {
  const auto array = [](int n, const std::string& text) {
    std::string line = "array a" + std::to_string(n) + " (-2000000000000";
    for (const char c : text) line += ", " + std::to_string(static_cast<int>(c));
    return line + ")\n";
  };
  const auto text = [&](const std::string& fifth) {
    std::string head = "skeleton 1\nranks 2\n";
    for (int n = 1; n <= 6; ++n) head += array(n, n == 5 ? fifth : "romio_x=" + std::to_string(n));
    return head + "program {\nMPI_Init()\nloop 6 {\nMPI_Comm_set_info(comm=MPI_COMM_WORLD, info=a1 + k)\n}\n" +
           "MPI_Finalize()\n}\n";
  };
  EXPECT_EQ(wrong(text("romio_x=5")), "nothing");
  EXPECT_EQ(wrong(text("\"); abort(); //")), "f:12: info of MPI_Comm_set_info: no hints that a skeleton can have");
}

TEST(Parse, CallsStandInTheLinesThatAreSaid) {
  const std::string text =
      "skeleton 1\nranks 2\n# by hand\nprogram {\nMPI_Init()\nloop 3 {\n\nMPI_Barrier()\n}\nMPI_Finalize()\n}\n";
  Places places;
  const auto read = parse(text, "f", {}, &places);
  const Call& barrier = read.program[1].loop().body[0].call();
  EXPECT_EQ(places.line(barrier), 8u);
  const auto lines = places_in_text(read);
  std::istringstream in(printed(read));
  std::string line;
  for (std::uint32_t n = 1; n <= lines.line(barrier); ++n) std::getline(in, line);
  EXPECT_THAT(line, HasSubstr("MPI_Barrier"));
}

TEST(Parse, AbsurdNumbersAreRefusedInOneLine) {
  EXPECT_EQ(wrong("skeleton 1\nranks 1000000000\n"),
            "f:2:7: 1000000000 is too large; give a number of ranks of at most 1048576");
  EXPECT_EQ(wrong_program("loop 1000000000000000000 {\nMPI_Barrier()\n}"),
            "f:5: a loop of more than 1e+12 iterations in all");
  EXPECT_EQ(wrong_program("loop 1000000000 {\nloop 1000000000 {\nMPI_Barrier()\n}\n}"),
            "f:6: a loop of more than 1e+12 iterations in all");
  EXPECT_THAT(wrong_program("MPI_Barrier()", "\nbuffers (1 x 999999999999)"), HasSubstr("is too large"));
  EXPECT_THAT(wrong_program("MPI_Barrier()", "\nbuffers (1 x 40000000)"),
              HasSubstr("more than 134217728 values in all"));
  EXPECT_THAT(wrong_program("MPI_Bcast(count=123456789012345678901234567890, datatype=MPI_INT)"),
              HasSubstr("a number of more than 63 bits"));
  EXPECT_THAT(wrong_program("MPI_Bcast(buffer=b99999999, count=1, datatype=MPI_INT)"),
              HasSubstr("b99999999 is beyond the last one, b8388606"));
  EXPECT_THAT(wrong("skeleton 1\nranks 1000000\nprogram {\nMPI_Init()\nMPI_Bcast(buffer=b1048575, count=1, "
                    "datatype=MPI_INT)\nMPI_Finalize()\n}\n"),
              HasSubstr("number them from 0 on"));
  EXPECT_EQ(wrong_program("compute " + std::string(2'000'000, '1') + " s\nMPI_Barrier()"),
            "f:5:9: a word, number or text of more than 2^20 characters");
  EXPECT_EQ(wrong_program("loop 100000000 {\nMPI_Start(request=r0 + k)\n}"),
            "f:6: MPI_Start walks over too many handles or arrays");
  std::string machines = "skeleton 1\nranks 1000\n";
  for (int i = 0; i < 200; ++i) machines += "machine register 1\n";
  EXPECT_THAT(wrong(machines, {.values = 100'000}), HasSubstr(":1: more than 100000 values in all"));
  std::string deep = "";
  for (int i = 0; i < 100'000; ++i) deep += "loop 1 {\n";
  EXPECT_THAT(wrong_program(deep), HasSubstr("the text ends inside of the statements from line 4 on"));
  deep += "MPI_Barrier()\n";
  for (int i = 0; i < 100'000; ++i) deep += "}\n";
  EXPECT_THAT(wrong_program(deep), HasSubstr("more than 100 loops in each other"));
}

TEST(Parse, RanksAndThreadsAreNumberedFromZero) {
  const auto text = [](const std::string& locations) {
    return "skeleton 1\n" + locations + "comm c0 of [0..]\ncomm c1 of [0]\nprogram {\nMPI_Init()\nMPI_Finalize()\n}\n";
  };
  EXPECT_EQ(wrong(text("location 0 rank 0 thread 1\n")),
            "f:2:1: rank 0, thread 1 does not come here; number ranks, and the threads of each, from 0 on in order");
  EXPECT_THAT(wrong(text("location 0 rank 1\n")), StartsWith("f:2:1: rank 1, thread 0 does not come here"));
  EXPECT_THAT(wrong(text("location 0 rank 0\nlocation 1 rank 0 thread 2\n")),
              StartsWith("f:3:1: rank 0, thread 2 does not come here"));
  EXPECT_THAT(wrong(text("location 0 rank 0\nlocation 1 rank 2\n")), StartsWith("f:3:1: rank 2, thread 0 "));
  EXPECT_THAT(wrong(text("location 0 rank 0\nlocation 1 rank 1 thread 1\n")), StartsWith("f:3:1: rank 1, thread 1 "));
  EXPECT_EQ(wrong(text("location 0 rank 0\n")), "nothing");
}

TEST(Parse, SamplesThatDoNotFitAnyMoreAreDropped) {
  const auto text = [](int trips) {
    return "skeleton 1\nranks 1\nprogram {\nMPI_Init()\nloop " + std::to_string(trips) +
           " {\nbetween 2 s samples 0\nMPI_Barrier()\n}\nMPI_Finalize()\n}\nsamples 0 {\n[0] () s (1) s (3) s\n}\n";
  };
  EXPECT_EQ(parse(text(3), "f").program[1].loop().between.samples.of.size(), 1u);
  EXPECT_TRUE(parse(text(2), "f").program[1].loop().between.samples.of.empty());
  EXPECT_EQ(parse(text(2), "f").program[1].loop().between.mean_s, std::vector<double>{2});
}

const std::string kWorks =
    "\nfeatures instructions, loads, load_reuse_0\nwork 1 (instructions 1000, load_reuse_0 12.5)\nwork 2 (loads 1e+20)";

TEST(Parse, WorkIsReadAsItWasPrinted) {
  const std::string text = "skeleton 1\nranks 3" + kWorks +
                           "\nprogram {\nMPI_Init()\n[0,2] compute 2 s work {2, 1}\nloop 3 {\nbetween 1 s work 1\n"
                           "MPI_Barrier()\ncompute 3 s\nMPI_Barrier()\n}\nMPI_Finalize()\n}\n";
  const auto skeleton = parse(text, "f");
  EXPECT_EQ(skeleton.program[1].before.work, (std::vector<std::uint32_t>{2, 0, 1}));
  EXPECT_EQ(skeleton.program[1].loop().between.work, (std::vector<std::uint32_t>{1, 1, 1}));
  EXPECT_TRUE(skeleton.program[1].loop().body[1].before.work.empty());
  ASSERT_EQ(skeleton.works.size(), 2u);
  EXPECT_EQ(skeleton.works[0].counts, (std::vector<skeleton::Work::Count>{{0, 1000}, {2, 12.5}}));
  EXPECT_EQ(skeleton.works[1].counts, (std::vector<skeleton::Work::Count>{{1, 1e20}}));
  const auto again = printed(skeleton);
  EXPECT_THAT(again, HasSubstr("  [0,2] compute 2 s work [0] 2 | [2] 1\n"));
  EXPECT_THAT(again, HasSubstr("    between 1 s work 1\n"));
  EXPECT_EQ(printed(parse(again, "f")), again);
}

TEST(Parse, SaysWhatIsWrongWithWork) {
  const auto at = [](const std::string& statements) { return wrong_program(statements, kWorks); };
  EXPECT_EQ(at("compute 1 s work 3\nMPI_Barrier()"), "f:8:18: no number from 0 to 2");
  EXPECT_THAT(at("compute 1 s work 1\ncompute 1 s work 2\nMPI_Barrier()"),
              HasSubstr("f:9:13: work of a place that has some"));
  EXPECT_THAT(at("loop 2 {\ncompute 1 s work 1\nMPI_Barrier()\n}"), HasSubstr("write \"between\""));
  EXPECT_THAT(at("loop 2 {\nMPI_Barrier()\ncompute 1 s work 1\n}"), HasSubstr("write \"between\""));
  const auto head = [](const std::string& lines) { return wrong("skeleton 1\nranks 1\n" + lines); };
  EXPECT_THAT(head("work 1 (loads 1)\n"), HasSubstr("f:3:9: no feature"));
  EXPECT_THAT(head("features loads\nwork 2 (loads 1)\n"), HasSubstr("number this one 1"));
  EXPECT_THAT(head("features loads, loads\n"), HasSubstr("loads twice"));
  EXPECT_THAT(head("features loads, stores\nwork 1 (stores 1, loads 1)\n"), HasSubstr("another order"));
  EXPECT_THAT(head("features loads\nwork 1 (loads 0)\n"), HasSubstr("leave it out"));
}

/// Rank 0 hands a message to rank 1, which works for a small pool; rank 2 works for a large one.
std::string two_pools(int number) {
  const auto recv = "MPI_Recv(buf=b0, count=1, datatype=MPI_INT, source=0)";
  std::string text = "skeleton 1\nranks 3\nbuffers (64)\nprogram {\n  MPI_Init()\n";
  text += "  [0] MPI_Send(count=1, datatype=MPI_INT, dest=1) number " + std::to_string(number) + "\n";
  for (const char* pool : {"0", "1"}) {
    const auto who = pool[0] == '0' ? "  [1] " : "  [2] ";
    text +=
        who + std::string("loop 1 of pool ") + pool + " {\n    " + recv + "\n  }\n" + who + recv + " ends the pool\n";
  }
  text += "  MPI_Finalize()\n}\n";
  for (const char* pool : {"0", "1"})
    text += std::string("pool ") + pool + " {\n  ends (0 x " + (pool[0] == '0' ? "9" : "99") + ", 1)\n  [" +
            (pool[0] == '0' ? "1" : "2") + "] " + recv + "\n}\n";
  return text;
}

TEST(Parse, AMessageIsOneOfThePoolThatItsReceiverWorksFor) {
  EXPECT_EQ(parse(two_pools(9), "f").pools.size(), 2u);
  EXPECT_EQ(wrong(two_pools(50)), "f:6: 50 is the number of no message of a pool that its receivers work for");
}

TEST(Parse, CommunicatorsAreSplitAsTheirLinesSay) {
  const auto split = [](const std::string& lines, const std::string& color, const std::string& key = "0",
                        const std::string& newcomm = "c2") {
    return wrong_program("MPI_Comm_split(color=" + color + ", key=" + key + ", newcomm=" + newcomm + ")", lines);
  };
  const std::string two = "\ncomm c2 of [0,1]\ncomm c2 of [2,3]", halves = "[0,1] 0 | [2,3] 7";
  EXPECT_EQ(split(two, halves), "nothing");
  EXPECT_EQ(split(two, "0"),
            "f:7: newcomm of MPI_Comm_split: c2 of location 0 has 4 members here; expected 2 as in its line \"comm\"");
  EXPECT_THAT(split("\ncomm c2 of [0,1] to c2 of [2,3]", halves),
              HasSubstr("c2 has one group here; expected two as in its line \"comm\""));
  EXPECT_THAT(split(two, "periodic(0)"), HasSubstr("has 4 members here"));
  EXPECT_THAT(split(two, "[0,2] 0 | [1,3] 7"), HasSubstr("locations 0 and 2 get the same communicator here"));
  EXPECT_EQ(split("\ncomm c2 of [2,0]\ncomm c2 of [3,1]", "{0, 1, 0, 1}", "{0, -1, -2, -3}"), "nothing");
  EXPECT_THAT(split("\ncomm c2 of [0,2]\ncomm c2 of [3,1]", "{0, 1, 0, 1}", "{0, -1, -2, -3}"),
              HasSubstr("location 2 is rank 0 of c2 here; expected rank 1 as in its line \"comm\""));
  const std::string some = "\ncomm c2 of [0..2]", none = "[..2] c2 | [3] MPI_COMM_NULL";
  EXPECT_EQ(split(some, "[..2] 1 | [3] MPI_UNDEFINED", "0", none), "nothing");
  EXPECT_THAT(split(some, "1", "0", none), HasSubstr("has 4 members here; expected 3"));
  EXPECT_THAT(split("\ncomm c2 of [0..3]", "[..2] 1 | [3] MPI_UNDEFINED"),
              HasSubstr("location 3 gets no communicator here; expected c2 as in its line \"comm\""));
  EXPECT_THAT(split(some, "[..2] 1 | [3] 2", "0", none),
              HasSubstr("location 3 gets a communicator of 1 here; expected MPI_COMM_NULL as is written"));
}

TEST(Parse, CommunicatorsAreMadeAsTheirLinesSay) {
  const auto made = [](const std::string& lines, const std::string& calls) { return wrong_program(calls, lines); };
  const std::string all = "\ncomm c2 of [0..3]", half = "\ncomm c2 of [0,1]";
  EXPECT_EQ(made(all, "MPI_Comm_dup(newcomm=c2)"), "nothing");
  EXPECT_THAT(made("\ncomm c2 of [3,1,2,0]", "MPI_Comm_dup(newcomm=c2)"), HasSubstr("location 0 is rank 0 of c2 here"));
  EXPECT_THAT(made("\ncomm c2 of [0,1]\ncomm c2 of [2,3]", "MPI_Comm_dup(newcomm=c2)"), HasSubstr("has 4 members"));
  // Each iteration makes the next one.
  const std::string twice = "loop 2 {\nMPI_Comm_dup(newcomm=c2)\nMPI_Comm_free(comm=c2)\n}";
  EXPECT_EQ(made(all + all, twice), "nothing");
  EXPECT_THAT(made(all + "\ncomm c2 of [1,0,2,3]", twice), HasSubstr("location 0 is rank 0 of c2 here"));
  EXPECT_EQ(made(all, twice), "nothing") << "of the second one nothing is known";
  for (const std::string call : {"MPI_Comm_create(", "MPI_Comm_create_group(tag=3, "}) {
    const auto create = [&](const std::string& group) { return "[..1] " + call + "newcomm=c2, group=" + group + ")"; };
    EXPECT_EQ(made(half, create("(0, 1)")), "nothing");
    EXPECT_THAT(made(half, create("(0, 1, 2)")), HasSubstr("c2 of location 0 has 3 members here; expected 2"));
    EXPECT_THAT(made(half, create("(1, 0)")), HasSubstr("location 0 is rank 1 of c2 here; expected rank 0"));
    EXPECT_THAT(made(half, create("(0, 3)")), HasSubstr("location 1 gets no communicator here"));
    EXPECT_THAT(made(half, create("[0] (0, 3) | [1] (2, 1)")), HasSubstr("locations 0 and 1 name other groups here"));
  }
  const auto cart = [](int second, int reorder, const std::string& newcomm) {
    return fmt::format("MPI_Cart_create(ndims=2, dims=(2, {}), periods=(0, 0), reorder={}, comm_cart={})", second,
                       reorder, newcomm);
  };
  const std::string two = "[..1] c2 | [2..] MPI_COMM_NULL";
  EXPECT_EQ(made(all, cart(2, 0, "c2")), "nothing");
  EXPECT_EQ(made("\ncomm c2 of [1,0,2,3]", cart(2, 1, "c2")), "nothing");
  EXPECT_EQ(made(half, cart(1, 0, two)), "nothing");
  EXPECT_THAT(made(half, cart(2, 0, two)), HasSubstr("has 4 members here; expected 2"));
  EXPECT_EQ(made(all + " grid (2, 2)", cart(2, 0, "c2")), "nothing");
  EXPECT_THAT(made(all + " grid (2, 2 periodic)", cart(2, 0, "c2")),
              HasSubstr("location 0 gets another topology here"));
  EXPECT_THAT(made(all + " grid (4)", cart(2, 0, "c2")), HasSubstr("expected the grid in the line \"comm\" of c2"));
  EXPECT_THAT(made(all, cart(1, 0, "c2")), HasSubstr("location 2 gets no communicator here"));
}

TEST(Parse, CommunicatorsOfTwoGroupsAreMadeAsTheirLinesSay) {
  const std::string halves = "\ncomm c2 of [0,1]\ncomm c2 of [2,3]",
                    split = "MPI_Comm_split(color=[0,1] 0 | [2,3] 7, key=0, newcomm=c2)\n";
  const auto create = [&](const std::string& line, const std::string& leaders = "[0,1] 2 | [2,3] 0") {
    return wrong_program(split +
                             "MPI_Intercomm_create(local_comm=c2, local_leader=0, peer_comm=MPI_COMM_WORLD, "
                             "remote_leader=" +
                             leaders + ", tag=1, newintercomm=c3)",
                         halves + "\ncomm c3 of " + line);
  };
  const std::string both = "[0,1] to c3 of [2,3]";
  EXPECT_EQ(create(both), "nothing");
  EXPECT_THAT(create("[0..3]"), HasSubstr("c3 has two groups here; expected one as in its line"));
  EXPECT_THAT(create("[0] to c3 of [1..3]"), HasSubstr("has 2 members here; expected"));
  EXPECT_THAT(create(both, "[0,1] 1 | [2,3] 0"), HasSubstr("the remote leader is location 1 here"));
  const auto merge = [&](const std::string& line, const std::string& high) {
    return wrong_program(split +
                             "MPI_Intercomm_create(local_comm=c2, local_leader=0, peer_comm=MPI_COMM_WORLD, "
                             "remote_leader=[0,1] 2 | [2,3] 0, tag=1, newintercomm=c3)\n"
                             "MPI_Intercomm_merge(intercomm=c3, high=" +
                             high + ", newintracomm=c4)",
                         halves + "\ncomm c3 of " + both + "\ncomm c4 of " + line);
  };
  EXPECT_EQ(merge("[2,3,0,1]", "[0,1] 1 | [2,3] 0"), "nothing");
  EXPECT_EQ(merge("[2,3,0,1]", "0"), "nothing") << "in any order";
  EXPECT_THAT(merge("[2,3,0,1]", "[0,1] 0 | [2,3] 1"), HasSubstr("location 0 is rank 0 of c4 here; expected rank 2"));
  EXPECT_THAT(merge("[0,1] to c4 of [2,3]", "0"), HasSubstr("c4 has one group here"));
}

TEST(Parse, NoCallUsesANullWindowOrFile) {
  const auto text = [](const std::string& call) {
    return "skeleton 1\nranks 2\nwindow w0 of [0..1]\nprogram {\n  MPI_Init()\n  MPI_Win_create(size=8, disp_unit=1, "
           "win=w0)\n  loop 4 {\n    " +
           call + "\n  }\n  MPI_Finalize()\n}\n";
  };
  EXPECT_EQ(parse(text("MPI_Win_sync(win=w0)"), "f").locations.size(), 2u);
  EXPECT_EQ(wrong(text("MPI_Win_sync(win=periodic(w0, MPI_WIN_NULL))")),
            "f:8: win of MPI_Win_sync: no call can use a null window");
  EXPECT_EQ(wrong(text("MPI_File_sync(fh=MPI_FILE_NULL)")), "f:8: fh of MPI_File_sync: no call can use a null file");
}

TEST(Parse, ABraceThatIsMissingIsMissedWhereItBelongs) {
  EXPECT_THAT(wrong_program("loop 5\nMPI_Barrier()\n}"), HasSubstr("f:5:7: found the end of the line; expected \"{\""));
  EXPECT_THAT(wrong_program("loop 5\nMPI_Barrier()\n}\n[0] MPI_Wtime()"), StartsWith("f:5:7: "));
  EXPECT_THAT(wrong("skeleton 1\nranks 1\nprogram {\nMPI_Init()\nMPI_Finalize()\n}\nMPI_Barrier()\n"),
              StartsWith("f:7:1: found \"MPI_Barrier\"; expected \"program {\""));
}

TEST(Parse, ConstantsHaveTheirNumbersOnly) {
  const auto lock = [](const std::string& type, const std::string& assertion) {
    return wrong_program("MPI_Win_create(size=8, disp_unit=1, win=w0)\nloop 3 {\nMPI_Win_lock(lock_type=" + type +
                             ", rank=0, assert=" + assertion + ", win=w0)\nMPI_Win_unlock(rank=0, win=w0)\n}",
                         "\nwindow w0 of [0..3]");
  };
  EXPECT_EQ(lock("2", "1"), "nothing");
  for (const std::string v : {"234", "0", "-5", "1 + k"})
    EXPECT_THAT(lock(v, "0"), testing::ContainsRegex("^f:8: lock_type of MPI_Win_lock: -?[0-9]+ is not 1 "
                                                     "MPI_LOCK_EXCLUSIVE, 2 MPI_LOCK_SHARED$"));
  EXPECT_THAT(lock("1", "1024"), HasSubstr("assert of MPI_Win_lock: 1024 is not a sum of 1 MPI_MODE_NOCHECK, 2 "));
  EXPECT_THAT(lock("1", "-1"), HasSubstr("-1 is not a sum of"));
  EXPECT_THAT(wrong_program("MPI_File_open(filename=(0), amode=-1, fh=f0)", "\nscratch 0\nfile f0 of [0..3]"),
              HasSubstr("amode of MPI_File_open: -1 is not a sum of 1 MPI_MODE_CREATE, 2 MPI_MODE_RDONLY"));
  EXPECT_THAT(wrong_program("MPI_Type_create_subarray(ndims=1, array_of_sizes=(4), array_of_subsizes=(2), "
                            "array_of_starts=(0), order=3, oldtype=MPI_INT, newtype=t0)"),
              HasSubstr("order of MPI_Type_create_subarray: 3 is not 56 MPI_ORDER_C, 57 MPI_ORDER_FORTRAN"));
  EXPECT_THAT(wrong("skeleton 1\nranks 1\nprogram {\nMPI_Init_thread(required=9)\nMPI_Finalize()\n}\n"),
              HasSubstr("required of MPI_Init_thread: 9 is not 0 MPI_THREAD_SINGLE, 1 "));
}

TEST(Parse, BuffersSufficeForTheUsualSizeOfADatatype) {
  const auto bytes = [](const std::string& name) {
    return parse("skeleton 1\nranks 1\nnames " + name +
                     "\nprogram {\n  MPI_Init()\n"
                     "  MPI_Bcast(buffer=b0, count=512, datatype=MPI_DOUBLE)\n  MPI_Finalize()\n}\n",
                 "f")
        .locations[0]
        .buffer_bytes.at(0);
  };
  EXPECT_EQ(bytes("MPI_DOUBLE"), 4096u);
  EXPECT_EQ(bytes("MPI_DOUBLE 1"), 4096u);
  EXPECT_EQ(bytes("MPI_DOUBLE 16"), 8192u);
}

TEST(Parse, WordsAndSignsAreCounted) {
  const std::string text = "skeleton 1\nranks 1\nprogram {\n  MPI_Init()\n  MPI_Finalize()\n}\n";
  EXPECT_EQ(wrong(text, {.values = 30}), "nothing");
  EXPECT_EQ(wrong(text + std::string(8, '\n') + std::string(20, '['), {.values = 30}),
            "f:15:12: more than 30 words and signs in all");
}

}  // namespace
}  // namespace skelgen::text
