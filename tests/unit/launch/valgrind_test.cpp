#include "launch/valgrind.h"

#include <gmock/gmock.h>

#include <sstream>

namespace skelgen::launch {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

/// The line under Valgrind, with V for what is put in.
std::string under(const std::string& line) {
  const auto words = words_of(line);
  std::string text;
  bool inside = false;
  for (const auto& word : under_valgrind(words, parse_command_line(words, "here"), {"/lib/valgrind", "/t/100%"})) {
    if (word == "VALGRIND_LIB=/lib/valgrind") inside = true;
    if (!inside) text += (text.empty() ? "" : " ") + word;
    if (inside && word.starts_with("--log-file=")) {
      EXPECT_EQ(word, "--log-file=/t/100%%/process-%p.log");
      text += " V";
      inside = false;
    }
  }
  return text;
}

TEST(UnderValgrind, ValgrindStandsBeforeWhatIsStarted) {
  EXPECT_EQ(under("mpiexec.mpich -n 2 ./a -n 3"), "mpiexec.mpich -n 2 env V ./a -n 3");
  EXPECT_EQ(under("mpiexec -n 1 ./a : -n 2 ./b 5"), "mpiexec -n 1 env V ./a : -n 2 env V ./b 5");
  EXPECT_EQ(under("mpiexec -n 2 env A=1 taskset -c 0 ./a"), "mpiexec -n 2 env A=1 taskset -c 0 env V ./a");
  EXPECT_EQ(under("./solo 4"), "env V ./solo 4");
}

TEST(UnderValgrind, InterpretersAreTheProgram) {
  EXPECT_EQ(under("mpiexec -n 2 python3 script.py"), "mpiexec -n 2 env V python3 script.py");
}

TEST(EndedBy, NamesTheFunctionThatValgrindCannotRun) {
  const std::string log =
      "vex amd64->IR: unhandled instruction bytes: 0x62 0xF1 0x7D 0x48\n"
      "==7== valgrind: Unrecognised instruction at address 0x109129.\n"
      "==7==    at 0x109129: axpy(double (*)(int)) (avx.c:2)\n"
      "==7==    by 0x109144: main (avx.c:3)\n"
      "==7== Process terminating with default action of signal 4 (SIGILL)\n";
  EXPECT_EQ(ended_by(log), "Valgrind cannot run the AVX-512 in function axpy(double (*)(int))");
  auto other = log;
  other.replace(other.find("0x62"), 4, "0xF2");
  EXPECT_EQ(ended_by(other), "Valgrind cannot run an instruction in function axpy(double (*)(int))");
}

TEST(EndedBy, NamesTheFileWhereTheFunctionIsNotKnown) {
  EXPECT_EQ(ended_by("unhandled instruction bytes: 0x62 0xF1\n== valgrind: Unrecognised instruction at address 0x1.\n"
                     "==7==    at 0x109129: ??? (in /opt/app)\n"),
            "Valgrind cannot run the AVX-512 in /opt/app");
}

TEST(EndedBy, AnInstructionThatIsTranslatedButNeverRunIsNone) {
  EXPECT_EQ(ended_by("unhandled instruction bytes: 0x62 0xF1\n"), std::nullopt);
  EXPECT_EQ(ended_by("unhandled instruction bytes: 0x62 0xF1\n"
                     "==7== Process terminating with default action of signal 11 (SIGSEGV)\n"
                     "==7==  Access not within mapped region at address 0x0\n"
                     "==7==    at 0x109135: main (avx.c:3)\n"),
            "SIGSEGV ended it in function main");
  EXPECT_EQ(ended_by(""), std::nullopt);
}

}  // namespace
}  // namespace skelgen::launch
