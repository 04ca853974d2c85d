#include "emit/code_writer.h"

#include <gtest/gtest.h>

#include "support/error.h"

namespace skelgen::emit {
namespace {

TEST(Fill, ReindentsAHoleThatStandsAlone) {
  EXPECT_EQ(fill("{\n  /*@body@*/\n}\n", {{"body", "a;\nb {\n  c;\n}\n"}}), "{\n  a;\n  b {\n    c;\n  }\n}\n");
}

TEST(Fill, EmptyHoleVanishesWithTheBlankLineBefore) { EXPECT_EQ(fill("a\n\n/*@x@*/\n\nb\n", {{"x", ""}}), "a\n\nb\n"); }

TEST(Fill, HoleWithinALine) { EXPECT_EQ(fill("CC = /*@cc@*/ -O2", {{"cc", "mpicc"}}), "CC = mpicc -O2"); }

TEST(Fill, HoleWithoutValueIsAnError) { EXPECT_THROW(fill("/*@x@*/", {}), Error); }

TEST(Writer, OwnsIndentationAndWidth) {
  Writer out;
  out.open("if (rank == 0)");
  out.line("call(" + std::string(60, 'a') + ", " + std::string(60, 'b') + ");");
  out.close_open("} else {");
  out.line("other();");
  out.close();
  EXPECT_EQ(out.text(), "if (rank == 0) {\n  call(" + std::string(60, 'a') + ",\n      " + std::string(60, 'b') +
                            ");\n} else {\n  other();\n}\n");
}

TEST(Writer, PutsANoteBesideTheMpiCall) {
  const auto text = [](const std::vector<std::string>& lines, const char* note) {
    Writer out;
    out.lines(lines, note);
    return out.text();
  };
  const std::string wide = "MPI_Send(" + std::string(100, 'a') + ");";
  EXPECT_EQ(text({"skel_hand_out(b, 1);", "MPI_Send(b);"}, "a.c:7"),
            "skel_hand_out(b, 1);\nMPI_Send(b); /* a.c:7 */\n");
  EXPECT_EQ(text({"skel_test(1, &req[0]);"}, "a.c:7"), "skel_test(1, &req[0]); /* a.c:7 */\n");
  EXPECT_EQ(text({wide}, "long_name.c:7"), "/* long_name.c:7 */\n" + wide + "\n");
  EXPECT_EQ(text({"MPI_Send(b);"}, ""), "MPI_Send(b);\n");
  EXPECT_EQ(text({}, "a.c:7"), "");
}

TEST(Number, KeepsNineDigits) {
  EXPECT_EQ(number(0.25), "0.25");
  EXPECT_EQ(number(1.23456789e-6), "1.23456789e-06");
}

}  // namespace
}  // namespace skelgen::emit
