// How C writes what a call is given: an MPI takes it as it took what the program gave.

#include "emit/written.h"

#include <gtest/gtest.h>

#include "emit/timing.h"
#include "support/error.h"
#include "unit/emit/programs.h"
#include "unit/emit/run.h"

namespace skelgen::emit {
namespace {

using namespace programs;

class Exchange : public testing::Test {
 protected:
  Exchange() : b_(3), memory_(buffer(b_.memory(4096), 0)) {}

  /// buffers: by rank.
  Node exchange(const std::vector<std::int64_t>& in, const std::vector<std::int64_t>& out) {
    const auto none = constant(b_.array({0, 0, 0}));
    return b_.call("MPI_Alltoallv", {{"sendbuf", each(in)},
                                     {"sendcounts", none},
                                     {"sdispls", none},
                                     {"recvbuf", each(out)},
                                     {"recvcounts", none},
                                     {"rdispls", none}});
  }
  std::size_t parameter(const Node& node, std::string_view name) const {
    const auto& all = node.call().function->parameters;
    return static_cast<std::size_t>(std::ranges::find(all, name, &mpi::Parameter::name) - all.begin());
  }
  std::string refusal(const Node& node, const Written& written) const {
    try {
      check_written(b_.skeleton, node, kOnce, written);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::internal);
      return error.text();
    }
    return {};
  }

  static constexpr std::uint64_t kOnce[] = {1, 1, 1};
  Builder b_;
  std::int64_t memory_;
};

TEST(Written, TheRuntimeHasAllAddressesOfNothing) {
  const auto header = read(std::string(SKELGEN_SOURCE_DIR) + "/templates/runtime/skel.h");
  EXPECT_NE(header.find("#define SKEL_NOTHING " + std::to_string(kEmptyAddresses) + "\n"), std::string::npos);
  EXPECT_NE(header.find("char skel_nothing[SKEL_NOTHING];"), std::string::npos);
}

TEST_F(Exchange, OfNothingHasTwoAddresses) {
  const Node node = exchange({memory_, 0, memory_}, {0, 0, 0});  // rank 1 has nothing at all
  Written written = how_written(node, kOnce);
  const auto in = parameter(node, "sendbuf"), out = parameter(node, "recvbuf");
  ASSERT_TRUE(written.of[in].nothing && written.of[out].nothing);
  EXPECT_NE(written.of[in].nothing, written.of[out].nothing);
  EXPECT_EQ(refusal(node, written), "");
  written.of[out] = written.of[in];
  EXPECT_EQ(refusal(node, written),
            "MPI_Alltoallv of rank 1 would get the same address as sendbuf and recvbuf, which are both empty; MPI "
            "forbids that");
}

TEST_F(Exchange, WithOneEmptyBufferGetsNull) {
  const Node node = exchange({memory_, 0, memory_}, {0, memory_, 0});
  for (const WrittenArgument& argument : how_written(node, kOnce).of) EXPECT_FALSE(argument.nothing || argument.apart);
}

TEST_F(Exchange, WithinABufferHasTwoArraysOfCounts) {
  const Node node = exchange({memory_, 0, memory_}, {0, memory_, memory_});
  Written written = how_written(node, kOnce);
  EXPECT_TRUE(written.of[parameter(node, "recvcounts")].apart);
  EXPECT_EQ(refusal(node, written), "");
  written.of[parameter(node, "recvcounts")].apart = false;
  EXPECT_EQ(refusal(node, written),
            "MPI_Alltoallv of rank 2 would get the same buffer as sendbuf and recvbuf and the same array as sendcounts "
            "and recvcounts, which MPI forbids");
}

}  // namespace
}  // namespace skelgen::emit
