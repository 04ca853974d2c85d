// Texts that somebody wrote, built as `skelgen build` does.

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "build/build.h"
#include "launch/temporary.h"

namespace skelgen::build {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class BuildTextTest : public ::testing::Test {
 protected:
  std::filesystem::path place(const char* name) const { return scratch_.path() / name; }

  Built build(const std::string& text) const {
    std::ofstream(place("f.skel.txt"), std::ios::binary) << text;
    return build_text(place("f.skel.txt"), {});
  }
  std::string failure(const std::string& text) const {
    try {
      build(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::corrupt);
      return error.what();
    }
    return "none";
  }

 private:
  launch::TemporaryDirectory scratch_{launch::scratch_parent(), "test"};
};

const std::string kProgram = "ranks 1\nprogram {\nMPI_Init()\nMPI_Finalize()\n}\n";

std::string with_note(const std::string& name, const std::string& note) {
  return "skeleton 1\nnote \"" + name + "\" \"" + note + "\"\n" + kProgram;
}

TEST_F(BuildTextTest, NotesAreWhatBuildWrites) {
  EXPECT_EQ(build(with_note("concurrency", R"({\"phi1\":0.5,\"phi7\":null})")).provenance.concurrency,
            (Json{{"phi1", 0.5}, {"phi7", nullptr}}));
  EXPECT_EQ(build(with_note("polls", "12")).provenance.polls, 12u);
  EXPECT_EQ(build(with_note("runs_s", "[1.5,2]")).provenance.original_runs_s, (std::vector<double>{1.5, 2}));
  EXPECT_EQ(build(with_note("status", "3")).provenance.status, 3);
  EXPECT_EQ(build(with_note("core_wait", "0.25")).provenance.core_wait, 0.25);
  EXPECT_EQ(build(with_note("normalize", "exchange")).provenance.order, Order::exchange);
  EXPECT_EQ(failure(with_note("of mine", "{[")), "none");
  EXPECT_THAT(failure("\177ELF\2"), HasSubstr("is a program, not a trace or a skeleton; trace it first"));
  EXPECT_THAT(failure(with_note("polls", "12 or so")),
              EndsWith("f.skel.txt: the note \"polls\" is no number; leave it out"));
  for (const std::string note : {"[1]", "1.5"})
    EXPECT_THAT(failure(with_note("core_wait", note)), HasSubstr("is no share (0..1)")) << note;
  EXPECT_THAT(failure(with_note("computation_error", "x")), HasSubstr("is no number"));
  EXPECT_THAT(failure(with_note("normalize", "other")), HasSubstr("is no order: strict or exchange"));
  for (const std::string note : {"{", "7", "[0]", "[null]"})
    EXPECT_THAT(failure(with_note("runs_s", note)), HasSubstr("is no JSON array of times")) << note;
  for (const std::string note : {"{", "7", "[1]", R"({\"phi1\":[1]})", R"({\"phi1\":{}})", R"({\"phi1\":\"1\"})"})
    EXPECT_THAT(failure(with_note("concurrency", note)), HasSubstr("is no JSON object of numbers")) << note;
}

TEST_F(BuildTextTest, NotesOfManyLevelsTakeNoStack) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += R"({\"a\":)";
  EXPECT_THAT(failure(with_note("concurrency", deep + "1" + std::string(100'000, '}'))),
              HasSubstr("is no JSON object of numbers"));
}

TEST_F(BuildTextTest, AnMpiOfAnyNameIsWrittenAsJson) {
  auto built = build("skeleton 1 \"M\xffPI\"\n" + kProgram);
  write(place("f.skel"), built);
  EXPECT_EQ(Json::parse(std::ifstream(place("f.skel") / "skeleton.json"))["mpi"], "M\xef\xbf\xbdPI");
}

}  // namespace
}  // namespace skelgen::build
