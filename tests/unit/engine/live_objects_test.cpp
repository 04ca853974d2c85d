#include "engine/live_objects.h"

#include <gtest/gtest.h>

#include "engine/call.h"

namespace skelgen::engine {
namespace {

TEST(LiveObjects, FollowsTheListAndUsesSlotsAgain) {
  const std::vector<mpi::Communicator> listed{{0, 4, 1, 1}, {1, 1, 0, 2}, {2, 2, 0, 3}, {2, 2, 0, 4}};
  LiveObjects made(listed, 2);
  EXPECT_EQ(made.at(1), &listed[1]);
  EXPECT_EQ(made.at(2), nullptr);
  EXPECT_FALSE(made.make(-1)) << "MPI_COMM_NULL";
  EXPECT_TRUE(made.make(2));
  EXPECT_EQ(made.at(2), &listed[2]);
  made.free(2);
  EXPECT_EQ(made.at(2), nullptr);
  EXPECT_TRUE(made.make(2));
  EXPECT_EQ(made.at(2), &listed[3]);
  EXPECT_FALSE(made.make(2)) << "no more are listed";
}

TEST(Call, NamesOneRequestOrAll) {
  const std::vector<std::vector<std::int64_t>> arrays{{}, {7, 8}};
  NumberedCall call;
  const auto requests = [&](const char* function, std::vector<std::int64_t> values) {
    const auto named = call.set(*mpi::find(function), arrays, [&](std::size_t i) { return values.at(i); }).requests();
    return std::vector(named.begin(), named.end());
  };
  EXPECT_EQ(requests("MPI_Start", {5}), std::vector<std::int64_t>({5}));
  EXPECT_EQ(requests("MPI_Startall", {2, 1}), std::vector<std::int64_t>({7, 8}));
  EXPECT_TRUE(requests("MPI_Barrier", {0}).empty());
  EXPECT_THROW(requests("MPI_Startall", {2, 2}), std::out_of_range);
}

}  // namespace
}  // namespace skelgen::engine
