// Compilers take long for functions of many thousand statements: long programs and long bodies of loops become parts.

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "unit/emit/programs.h"
#include "unit/emit/run.h"

namespace skelgen::emit {
namespace {

using namespace programs;

/// 1,500 different calls, and three times two rounds of 1,200 with other sizes each.
Skeleton long_program() {
  Builder b(2);
  const auto slot = b.memory(1 << 16);
  const auto broadcast = [&](Argument count, double before_s = 1e-7) {
    return b.call(
        "MPI_Bcast",
        {{"buffer", constant(buffer(slot, 0))}, {"count", std::move(count)}, {"datatype", constant(b.name("MPI_INT"))}},
        before_s);
  };
  Block middle, body;
  for (int i = 0; i < 1500; ++i) middle.push_back(broadcast(constant(1 + i)));
  for (int i = 0; i < 1200; ++i) body.push_back(broadcast(sequence({1 + i, 9, 7 + i, 3, 1, 2}), i ? 1e-7 : 0));
  Block outer;
  outer.push_back(b.loop(constant(2), std::move(body)));
  for (int i = 0; i < 1200; ++i) outer.push_back(broadcast(sequence({8 + i, 6, 7})));
  middle.push_back(b.loop(constant(3), std::move(outer)));
  return b.finish(std::move(middle));
}

TEST(Parts, NoFunctionIsLong) {
  const auto skeleton = long_program();
  std::istringstream text(program(skeleton, plan_scale(skeleton, 1)));
  std::size_t longest = 0, lines = 0, parts = 0;
  for (std::string line; std::getline(text, line); ++lines) {
    if (line.starts_with("static void")) lines = 0;
    if (line == "}") longest = std::max(longest, lines);
    if (line.starts_with("static void part_")) ++parts;
  }
  EXPECT_LE(longest, 2100u);  // 1,000 calls, each with its computation
  EXPECT_GE(parts, 6u);
}

TEST(Run, PartsReplayTheirCalls) {
  Scratch scratch;
  const auto skeleton = long_program();
  skeleton::check(skeleton);
  const auto ran = run(scratch.path, skeleton, plan_scale(skeleton, 1));
  ASSERT_EQ(ran.status, 0) << ran.output;
  for (std::uint32_t l = 0; l < 2; ++l)
    EXPECT_EQ(read(scratch.path / ("calls-" + std::to_string(l) + ".txt")), expected_calls(skeleton, l));
}

}  // namespace
}  // namespace skelgen::emit
