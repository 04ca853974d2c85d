// Skeletons of traces as text: read again, the same C comes out of them.

#include "text/text.h"

#include <gtest/gtest.h>

#include <sstream>

#include "build/build.h"
#include "property/build/programs.h"
#include "synthetic/synthetic.h"

namespace skelgen::test {
namespace {

std::string printed(const skeleton::Skeleton& skeleton) {
  std::ostringstream out;
  text::print(out, skeleton);
  return out.str();
}

std::string emitted(const skeleton::Skeleton& skeleton, double scale) {
  std::string ranks;
  const std::string program = emit::program(skeleton, emit::plan_scale(skeleton, scale), &ranks);
  return program + ranks;
}

void expect_the_same(const skeleton::Skeleton& skeleton) {
  const std::string text = printed(skeleton);
  const auto read = text::parse(text, "text");
  EXPECT_EQ(printed(read), text);
  EXPECT_FALSE(read.edited);
  EXPECT_EQ(emit::check_deadlock(read).safe, emit::check_deadlock(skeleton).safe);
  for (const double scale : {1.0, 10.0}) EXPECT_EQ(emitted(read, scale), emitted(skeleton, scale));
}

TEST(Text, SyntheticPrograms) {
  using synthetic::Kind;
  for (const Kind kind : {Kind::nests, Kind::noise, Kind::wavefront, Kind::halo})
    for (const int ranks : {1, 2, 9, 20}) {
      SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << ", " << ranks << " ranks");
      const Folder folder;
      synthetic::write(folder.path(), {.kind = kind, .ranks = ranks, .records = 2000});
      const auto built = build::build(folder.path(), {});
      expect_the_same(built.result.skeleton);
    }
}

TEST(Text, RandomPrograms) {
  for (std::uint64_t seed = 0; seed < 150 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const int ranks = 2 + static_cast<int>(seed % 5);
    const Folder folder;
    write(folder.path(), ranks, random_program(seed, ranks));
    const auto order = seed % 2 ? build::Order::exchange : build::Order::strict;
    const auto merge = seed % 3 ? build::Merge::folded : build::Merge::seed;
    expect_the_same(build::build(folder.path(), {.normalize = order, .merge = merge}).result.skeleton);
  }
}

/// A text file instead of a trace gives the same plan and says the same of it.
TEST(Text, IsBuiltLikeATrace) {
  const Folder folder;
  synthetic::write(folder.path() / "trace", {.kind = synthetic::Kind::halo, .ranks = 4, .records = 3000});
  const auto built = build::build(folder.path() / "trace", {});
  build::write_text(folder.path() / "halo.skel.txt", built);
  const auto again = build::build_text(folder.path() / "halo.skel.txt", {});
  EXPECT_TRUE(build::lossless(again));
  EXPECT_EQ(again.provenance.records_in, built.provenance.records_in);
  EXPECT_EQ(again.diagnostics.merged_statements, built.diagnostics.merged_statements);
  EXPECT_EQ(again.diagnostics.folded_statements, built.diagnostics.folded_statements);
  EXPECT_EQ(again.diagnostics.main_loop.trips, built.diagnostics.main_loop.trips);
  EXPECT_EQ(again.result.plan.expected_run_s, built.result.plan.expected_run_s);
  EXPECT_EQ(again.provenance.concurrency, built.provenance.concurrency);
  EXPECT_EQ(build::default_skeleton_name(folder.path() / "halo.skel.txt"), "halo.skel");
}

}  // namespace
}  // namespace skelgen::test
