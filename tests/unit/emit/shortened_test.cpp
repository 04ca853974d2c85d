// Which loops need not be simulated to their end.
#include "skeleton/shortened.h"

#include <gtest/gtest.h>

#include "unit/emit/programs.h"
#include "unit/emit/run.h"

namespace skelgen::emit {
namespace {

using namespace programs;

TEST(Shortened, AClosedLoopWhoseIterationsAreAlikeIsCutToThree) {
  const auto skeleton = ring(4, 101);
  const auto loops = skeleton::shortened(skeleton);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops.begin()->second, 3u);
  EXPECT_TRUE(loops.begin()->first->is_loop());
}

TEST(Shortened, AFewIterationsAreSimulatedAsTheyAre) { EXPECT_TRUE(skeleton::shortened(ring(4, 5)).empty()); }

TEST(Shortened, WildcardsMayTakeMessagesOfOtherIterationsSoTheLoopStays) {
  auto skeleton = ring(4, 101);
  for (auto& node : skeleton.program) {
    if (!node.is_loop()) continue;
    for (auto& inner : node.loop().body)
      if (!inner.is_loop() && inner.call().function->kind == mpi::Kind::recv) {
        inner.call().matched = skeleton::Argument{};
        EXPECT_TRUE(skeleton::shortened(skeleton).empty());
        return;
      }
  }
  FAIL() << "the ring has no receive";
}

TEST(Directory, OfManyRanksKeepsTheirTablesApart) {
  Scratch scratch;
  std::size_t size[2];
  for (const int i : {0, 1}) {
    const auto skeleton = ring(i == 0 ? 32 : 512, 101);
    const auto directory = scratch.path / (i == 0 ? "few" : "many");
    write(directory, skeleton, plan_scale(skeleton, 10), {});
    compile(directory);
    const auto text = read(directory / "skeleton.c");
    EXPECT_NE(text.find("#include \"tables.h\""), std::string::npos);
    EXPECT_EQ(text.find("gap[]["), std::string::npos);
    EXPECT_NE(read(directory / "tables.h").find("gap[]["), std::string::npos);
    size[i] = text.size();
  }
  EXPECT_LT(static_cast<double>(size[1]), 1.02 * static_cast<double>(size[0]));
}

}  // namespace
}  // namespace skelgen::emit
