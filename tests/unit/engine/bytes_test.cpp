#include "engine/bytes.h"

#include <gtest/gtest.h>

namespace skelgen::engine {
namespace {

using Ints = std::vector<std::int64_t>;

constexpr std::int64_t kDouble = 0, kNoType = -1;

std::pair<std::int64_t, std::int64_t> moved(const char* function, const Ints& values, bool brings = true) {
  const std::vector<Ints> arrays{{}, {1, 2, 3, 4}, {kDouble, kNoType, kDouble, kDouble}};
  const mpi::Communicator comm{.slot = 0, .size = 4, .rank = 1, .identity = 7, .sources = 2, .destinations = 3};
  const auto element = [](std::int64_t type) { return type == kDouble ? 8 : -1; };
  NumberedCall call;
  const Moved is = moved(call.set(*mpi::find(function), arrays, [&](std::size_t i) { return values.at(i); }), &comm,
                         element, brings);
  const auto number = [](const auto& bytes) { return bytes ? static_cast<std::int64_t>(*bytes) : -1; };
  return {number(is.brought), number(is.taken)};
}

using Bytes = std::pair<std::int64_t, std::int64_t>;  // -1: no such buffer

TEST(Moved, OfMessagesIsTheBuffer) {
  EXPECT_EQ(moved("MPI_Send", {5, 3, kDouble, 2, 0, 0}), Bytes(24, -1));
  EXPECT_EQ(moved("MPI_Send", {5, 3, kNoType, 2, 0, 0}), Bytes(-1, -1));
  EXPECT_EQ(moved("MPI_Recv", {5, 3, kDouble, 2, 0, 0, 0}), Bytes(-1, 24));
  EXPECT_EQ(moved("MPI_Sendrecv", {5, 3, kDouble, 2, 0, 9, 4, kDouble, 2, 0, 0, 0}), Bytes(24, 32));
}

TEST(Moved, OfMessagesInPartsIsAllParts) {
  EXPECT_EQ(moved("MPI_Psend_init", {5, 4, 3, kDouble, 2, 0, 0, 0, 1}), Bytes(4 * 24, -1));
}

TEST(Moved, OfCollectivesIsWhatTheRankHas) {
  EXPECT_EQ(moved("MPI_Alltoall", {5, 3, kDouble, 9, 2, kDouble, 0}), Bytes(96, 64));
  EXPECT_EQ(moved("MPI_Alltoall", {mpi::kInPlace, 0, kNoType, 9, 2, kDouble, 0}), Bytes(-1, 64));
  EXPECT_EQ(moved("MPI_Scatter", {5, 3, kDouble, 9, 2, kDouble, 0, 0}), Bytes(-1, 16)) << "rank 1 is not the root";
  EXPECT_EQ(moved("MPI_Scatter", {5, 3, kDouble, 9, 2, kDouble, 1, 0}), Bytes(96, 16));
  EXPECT_EQ(moved("MPI_Alltoallv", {5, 1, 1, kDouble, 9, 1, 1, kDouble, 0}), Bytes(80, 80));
  EXPECT_EQ(moved("MPI_Alltoallw", {5, 1, 1, 2, 9, 1, 1, 2, 0}), Bytes(64, 64)) << "one type is none";
  EXPECT_EQ(moved("MPI_Neighbor_allgather", {5, 3, kDouble, 9, 1, kDouble, 0}).first, 24);
  EXPECT_EQ(moved("MPI_Neighbor_alltoall", {5, 3, kDouble, 9, 1, kDouble, 0}), Bytes(72, 16));
}

TEST(Moved, OfOneSidedCallsIsAllBuffers) {
  EXPECT_EQ(moved("MPI_Compare_and_swap", {5, 6, 7, kDouble, 2, 0, 0}), Bytes(16, 8));
  const Ints swap{5, 3, kDouble, 9, 3, kDouble, 2, 0, 3, kDouble, 0, 0};
  EXPECT_EQ(moved("MPI_Get_accumulate", swap), Bytes(24, 24));
  EXPECT_EQ(moved("MPI_Get_accumulate", swap, false), Bytes(-1, 24));
}

}  // namespace
}  // namespace skelgen::engine
