// The text of emitted programs. After a wanted change: SKELGEN_UPDATE_GOLDEN=1 build/release/bin/golden_emit, then read
// the difference.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "emit/emit.h"
#include "unit/emit/programs.h"

namespace skelgen::emit {
namespace {

using namespace programs;

void expect_golden(const std::string& name, const std::string& text) {
  const auto file = std::string(SKELGEN_SOURCE_DIR) + "/tests/golden/emit/" + name;
  if (std::getenv("SKELGEN_UPDATE_GOLDEN")) std::ofstream(file) << text;
  std::ifstream in(file);
  ASSERT_TRUE(in) << file;
  std::ostringstream golden;
  golden << in.rdbuf();
  EXPECT_EQ(text, golden.str());
}

TEST(Golden, Ring) {
  const auto skeleton = ring(4, 1001, 1e-3);
  expect_golden("ring.c", program(skeleton, plan_scale(skeleton, 4)));
}

TEST(Golden, Halo) {
  const auto skeleton = halo(3, 600, 1e-3);
  expect_golden("halo.c", program(skeleton, plan_scale(skeleton, 8)));
}

TEST(Golden, SameInputGivesTheSameBytes) {
  const auto skeleton = halo(3, 600, 1e-3);
  EXPECT_EQ(program(skeleton, plan_scale(skeleton, 8)), program(skeleton, plan_scale(skeleton, 8)));
}

}  // namespace
}  // namespace skelgen::emit
