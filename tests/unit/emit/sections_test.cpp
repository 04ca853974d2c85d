// What stands before MPI_Init is done without knowing one's rank.

#include "emit/sections.h"

#include <gtest/gtest.h>

#include "support/error.h"
#include "unit/emit/programs.h"

namespace skelgen::emit {
namespace {

using namespace programs;

/// Asks in a loop in a loop, before MPI_Init.
Skeleton asking(const Argument& outer, const Argument& inner) {
  Builder b(2);
  Block calls, loops;
  calls.push_back(b.call("MPI_Initialized"));
  loops.push_back(b.loop(inner, std::move(calls)));
  Node before = b.loop(outer, std::move(loops));
  Skeleton skeleton = b.finish({});
  skeleton.program.insert(skeleton.program.begin(), std::move(before));
  return skeleton;
}

TEST(Sections, HaveLoopsBeforeMpiInitThatAllRanksRunEquallyOften) {
  EXPECT_EQ(sections(asking(constant(3), constant(2))).init.size(), 2u);
  for (const auto& [outer, inner] : {std::pair{each({3, 4}), constant(2)}, std::pair{constant(3), each({2, 4})}}) {
    try {
      sections(asking(outer, inner));
      ADD_FAILURE() << "a loop whose trips depend on the rank";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::unsupported);
      EXPECT_EQ(error.text(), "the ranks do different things before MPI_Init or after MPI_Finalize");
    }
  }
}

}  // namespace
}  // namespace skelgen::emit
