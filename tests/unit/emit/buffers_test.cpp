#include <gmock/gmock.h>

#include "emit/embedded.h"
#include "emit/emit.h"
#include "programs.h"

namespace skelgen::emit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A loop whose broadcast walks through the given places in memory.
std::string walking(std::int64_t first, std::int64_t second, std::int64_t third) {
  programs::Builder b(1);
  b.memory(1 << 16);
  b.memory(1 << 16);
  b.memory(1 << 16);
  const auto type = b.name("MPI_BYTE");
  const programs::Arguments arguments{{"buffer", programs::sequence({first, second, third})},
                                      {"count", programs::constant(8)},
                                      {"datatype", programs::constant(type)}};
  const auto skeleton = b.finish({b.loop(programs::constant(3), {b.call("MPI_Bcast", arguments, b.everybody)})});
  return program(skeleton, plan_scale(skeleton, 1));
}

TEST(Buffers, AWalkWithinASlotIsAnOffset) {
  EXPECT_THAT(walking(programs::buffer(1, 4096), programs::buffer(1, 2048), programs::buffer(1, 0)),
              HasSubstr("buf(1, (size_t)(4096 - 2048 * "));
}

TEST(Buffers, AWalkThroughSlotsIsNoOffset) {
  // Steps of a slot less a few bytes: the offset changes too, and must not be taken for the whole step.
  const auto text = walking(programs::buffer(2, 0), programs::buffer(1, 1024), programs::buffer(0, 2048));
  EXPECT_THAT(text, HasSubstr("skel_buffer(" + std::to_string(programs::buffer(2, 0)) + " - "));
  EXPECT_THAT(text, Not(HasSubstr("buf(2, ")));
}

TEST(Buffers, TheRuntimeReadsThemAsTheyAreWritten) {
  EXPECT_THAT(std::string(embedded("runtime/skel.h")),
              HasSubstr("#define SKEL_OFFSET_BITS " + std::to_string(mpi::kOffsetBits) + "\n"));
}

}  // namespace
}  // namespace skelgen::emit
