#include <gtest/gtest.h>

#include <fstream>

#include "fold/fold.h"
#include "fold_text.h"

namespace skelgen::fold {
namespace {

TEST(FoldGolden, EveryLineOfTheFile) {
  std::ifstream in(SKELGEN_SOURCE_DIR "/tests/golden/fold/folded.txt");
  int lines = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t sign = line.find(" = ");
    ASSERT_NE(sign, std::string::npos) << line;
    std::vector<Symbol> text;
    for (const char c : line.substr(0, sign)) text.push_back(static_cast<Symbol>(c - 'a'));
    EXPECT_EQ(print(fold(text, Mode::seed)), line.substr(sign + 3)) << line;
    ++lines;
  }
  EXPECT_GT(lines, 0);
}

}  // namespace
}  // namespace skelgen::fold
