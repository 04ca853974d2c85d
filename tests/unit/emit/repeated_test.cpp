// Statements in several places as functions.

#include "emit/repeated.h"

#include <gmock/gmock.h>

namespace skelgen::emit {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string function(const std::string& name, const std::string& body) {
  return "/* 1 s in the traced run */\nstatic void " + name + "(void) {\n" + body + "}\n\n";
}

/// Seven lines that use three rows of `gap` from `row` on.
std::string exchange(int row, const std::string& peer = "rank + 1") {
  const auto gap = [&](int n) {
    return "compute(gap[" + std::to_string(row + n) + "]); /* " + std::to_string(row) + " us */\n";
  };
  return "  " + gap(0) + "  MPI_Isend(" + peer + ");\n  if (rank > 0) {\n    " + gap(1) +
         "    MPI_Recv(rank - 1);\n  }\n  " + gap(2);
}

TEST(Repeated, StatementsOfTwoPhasesAreOneFunction) {
  const auto text = share_repeated(function("prologue", "  MPI_Barrier();\n" + exchange(3)) +
                                   function("between_1_and_2", exchange(20) + exchange(30) + "  MPI_Wtime();\n"));
  EXPECT_EQ(text,
            "/* in 3 places; g: its first row of gap */\nstatic void repeated_1(int g) {\n  compute(gap[g]);\n"
            "  MPI_Isend(rank + 1);\n  if (rank > 0) {\n    compute(gap[g + 1]);\n    MPI_Recv(rank - 1);\n  }\n"
            "  compute(gap[g + 2]);\n}\n\n" +
                function("prologue", "  MPI_Barrier();\n  repeated_1(3);\n") +
                function("between_1_and_2", "  repeated_1(20);\n  repeated_1(30);\n  MPI_Wtime();\n"));
}

TEST(Repeated, WhatDiffersStays) {
  const auto other_peer = function("prologue", exchange(3)) + function("epilogue", exchange(20, "rank + 2"));
  EXPECT_EQ(share_repeated(other_peer), other_peer);
  std::string other_rows = exchange(20);
  other_rows.replace(other_rows.find("gap[22]"), 7, "gap[29]");
  const auto rows = function("prologue", exchange(3)) + function("epilogue", other_rows);
  EXPECT_EQ(share_repeated(rows), rows);
}

TEST(Repeated, IterationsAndFewLinesStay) {
  const auto iteration =
      "static void iteration_1(void) {\n" + exchange(3) + "}\n\n" + function("epilogue", exchange(20));
  EXPECT_EQ(share_repeated(iteration), iteration);
  const auto few = function("prologue", "  MPI_Barrier();\n  MPI_Wtime();\n") +
                   function("epilogue", "  MPI_Barrier();\n  MPI_Wtime();\n");
  EXPECT_EQ(share_repeated(few), few);
}

TEST(Repeated, WithoutRowsThereIsNoParameter) {
  std::string calls;
  for (int n = 0; n < 12; ++n) calls += "  MPI_Bcast(" + std::to_string(n) + ");\n";
  const auto text = share_repeated(function("prologue", calls) + function("epilogue", calls));
  EXPECT_THAT(text, StartsWith("/* in 2 places */\nstatic void repeated_1(void) {\n  MPI_Bcast(0);\n"));
  EXPECT_THAT(text, HasSubstr("static void epilogue(void) {\n  repeated_1();\n}\n"));
}

}  // namespace
}  // namespace skelgen::emit
