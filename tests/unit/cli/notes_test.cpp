#include "cli/notes.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "launch/temporary.h"

namespace skelgen::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Notes, LargeSourcesAreTold) {
  const launch::TemporaryDirectory scratch(launch::scratch_parent(), "test");
  std::ostringstream out, err;
  const Context context{out, err, {}, {}, {}, {}};
  const auto file = [&](const char* name, std::uintmax_t bytes) {
    std::ofstream(scratch.path() / name).close();
    std::filesystem::resize_file(scratch.path() / name, bytes);
  };
  file("skeleton.c", kLargeSource);
  print_size_note(context, scratch.path());
  EXPECT_THAT(err.str(), IsEmpty());
  file("tables.h", kLargeSource);
  print_size_note(context, scratch.path());
  EXPECT_THAT(err.str(), HasSubstr("skeleton.c and tables.h have 16 MB, which may take a compiler long"));
}

TEST(Notes, RepetitionsThatWereNotSearchedAreTold) {
  for (const auto by : {fold::RunsBy::lyndon, fold::RunsBy::sa_is}) {
    build::Built built;
    built.diagnostics.streamed = true;
    built.diagnostics.runs.by = by;
    std::ostringstream out, err;
    print_notes(Context{out, err, {}, {}, {}, {}}, built);
    EXPECT_EQ(err.str().find("; --runs had no effect on them: this way of folding searches no repetitions") !=
                  std::string::npos,
              by != fold::RunsBy::lyndon);
  }
}

}  // namespace
}  // namespace skelgen::cli
