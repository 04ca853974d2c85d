#include "build/shape.h"

#include <gtest/gtest.h>

#include "mpi/mpi.h"

namespace skelgen::build {
namespace {

using skeleton::Argument;
using skeleton::Block;
using skeleton::Call;
using skeleton::Loop;
using skeleton::Node;
using skeleton::Sequence;
using skeleton::Skeleton;

Node call(std::vector<std::uint32_t> where, double seconds, double before = 0) {
  Call barrier;
  barrier.function = mpi::find("MPI_Barrier");
  barrier.arguments.resize(barrier.function->parameters.size());
  barrier.duration_s.assign(where.size(), seconds);
  Node node{where, {}, barrier};
  node.before.mean_s.assign(where.size(), before);
  return node;
}

Node loop(std::vector<std::uint32_t> where, Sequence trips, Block body, double between = 0) {
  Loop made;
  made.trips.choices = {std::move(trips)};
  made.body = std::move(body);
  made.between.mean_s.assign(where.size(), between);
  return {where, {}, made};
}

Sequence constant(std::int64_t value) { return {Sequence::Kind::constant, {value}}; }

Skeleton skeleton_of(Block program, std::uint32_t ranks) {
  Skeleton made;
  made.program = std::move(program);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    made.locations.emplace_back();
    made.locations.back().where = {static_cast<Rank>(rank), 0};
  }
  return made;
}

TEST(MainLoop, HasTheGreatestShareOfTheTime) {
  // 2 s alone; 10 x (0.1 + 0.3 before) and 9 x 0.2 between; 4 x 0.1
  const auto made = skeleton_of({call({0}, 2), loop({0}, constant(10), {call({0}, 0.1), call({0}, 0, 0.3)}, 0.2),
                                 loop({0}, constant(4), {call({0}, 0.1)})},
                                1);
  const auto found = main_loop(made);
  EXPECT_EQ(found.body, 2u);
  EXPECT_EQ(found.trips, 10u);
  EXPECT_NEAR(found.share, 5.8 / (2 + 5.8 + 0.4), 1e-12);
}

TEST(MainLoop, CountsInnerExecutions) {
  const auto made =
      skeleton_of({loop({0}, constant(3), {loop({0}, {Sequence::Kind::table, {1, 2, 3}}, {call({0}, 1)})})}, 1);
  const auto found = main_loop(made);  // the inner loop has all the time too: the outer one is named
  EXPECT_EQ(found.trips, 3u);
  EXPECT_DOUBLE_EQ(found.share, 1);
  EXPECT_EQ(unrolled_length(made), 6u);
}

TEST(MainLoop, WithoutLoopsThereIsNone) {
  const auto made = skeleton_of({call({0}, 1)}, 1);
  EXPECT_EQ(main_loop(made).trips, 0u);
  EXPECT_EQ(main_loop(made).share, 0);
  EXPECT_EQ(main_loop(skeleton_of({}, 0)).share, 0);
}

TEST(UnrolledLength, CountsASharedStatementOnce) {
  const auto made =
      skeleton_of({call({0, 1}, 1), call({1}, 1), loop({0, 1}, constant(5), {call({0, 1}, 1), call({0}, 1)})}, 2);
  EXPECT_EQ(unrolled_length(made), 2u + 10u);
}

}  // namespace
}  // namespace skelgen::build
