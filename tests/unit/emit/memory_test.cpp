#include "emit/memory.h"

#include <gmock/gmock.h>

#include "emit/emit.h"
#include "programs.h"
#include "support/error.h"

namespace skelgen::emit {
namespace {

using programs::buffer;
using programs::constant;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Slots of 1000, 2000, ... bytes; each call receives into one and sends another.
class Memory : public testing::Test {
 protected:
  programs::Builder b{2};
  programs::Block program;

  Memory() {
    for (const int bytes : {1000, 2000, 3000, 4000, 5000}) b.memory(static_cast<std::uint64_t>(bytes));
  }
  void add(const char* function, std::string_view out, const skeleton::Argument& sent, std::string_view in,
           const skeleton::Argument& received) {
    program.push_back(b.call(function, {{std::string(out), sent}, {std::string(in), received}}, b.everybody));
  }
  skeleton::Skeleton finish() { return b.finish(std::move(program)); }
};

TEST_F(Memory, IsOneWhereCallsOnlyWrite) {
  add("MPI_Sendrecv", "sendbuf", constant(buffer(0, 0)), "recvbuf", constant(buffer(1, 8)));
  add("MPI_Sendrecv", "sendbuf", constant(buffer(0, 0)), "recvbuf", constant(buffer(2, 0)));
  add("MPI_Sendrecv", "sendbuf", constant(buffer(3, 0)), "recvbuf", constant(buffer(4, 0)));
  add("MPI_Sendrecv", "sendbuf", constant(buffer(4, 8)), "recvbuf", constant(buffer(3, 0)));
  auto skeleton = finish();
  share_memory(skeleton, 15000);  // enough
  EXPECT_THAT(skeleton.locations[0].shared, IsEmpty());
  share_memory(skeleton, 14000);
  EXPECT_THAT(skeleton.locations[1].shared, ElementsAre(0, 1, 1, 0, 0));
  const auto memory = buffer_memory(skeleton);
  EXPECT_EQ(memory.most, 13000u);
  EXPECT_EQ(memory.all, 26000u);
  EXPECT_EQ(memory.shared, 4000u);
  EXPECT_THAT(emit::program(skeleton, plan_scale(skeleton, 1)),
              HasSubstr("{1000, SKEL_SHARED | 2000, SKEL_SHARED | 3000, 4000, 5000}"));
}

TEST_F(Memory, OfWhatIsReducedInPlaceIsRead) {
  add("MPI_Allreduce", "sendbuf", constant(mpi::kInPlace), "recvbuf", constant(buffer(0, 0)));
  add("MPI_Allreduce", "sendbuf", constant(buffer(1, 0)), "recvbuf", constant(buffer(2, 0)));
  auto skeleton = finish();
  share_memory(skeleton, 14000);
  EXPECT_THAT(skeleton.locations[0].shared, ElementsAre(0, 0, 1, 1, 1));
}

TEST_F(Memory, OfWhatIsReducedInPlaceNowAndThenIsRead) {
  const std::vector<std::vector<std::int64_t>> sent = {{buffer(1, 0), mpi::kInPlace},  // a walk
                                                       {buffer(1, 0), buffer(1, 8), mpi::kInPlace}};
  for (const auto& each : sent) {
    programs::Builder builder = b;
    programs::Block body, all;
    body.push_back(
        builder.call("MPI_Allreduce", {{"sendbuf", programs::sequence(each)}, {"recvbuf", constant(buffer(0, 0))}}));
    all.push_back(builder.loop(constant(std::ssize(each)), std::move(body)));
    auto skeleton = builder.finish(std::move(all));
    share_memory(skeleton, 14000);
    EXPECT_THAT(skeleton.locations[0].shared, ElementsAre(0, 0, 1, 1, 1));
  }
}

TEST_F(Memory, IsFollowedThroughTablesAndWalks) {
  const auto table = programs::sequence({buffer(0, 0), buffer(1, 0), buffer(0, 8)});
  const auto walk = programs::sequence({buffer(1, 0), buffer(3, 0)});
  programs::Block body;
  body.push_back(b.call("MPI_Sendrecv", {{"sendbuf", table}, {"recvbuf", constant(buffer(4, 0))}}, b.everybody));
  program.push_back(b.loop(constant(3), std::move(body)));
  programs::Block other;
  other.push_back(b.call("MPI_Sendrecv", {{"sendbuf", walk}, {"recvbuf", constant(buffer(2, 0))}}, b.everybody));
  program.push_back(b.loop(constant(2), std::move(other)));
  auto skeleton = finish();
  share_memory(skeleton, 14999);
  EXPECT_THAT(skeleton.locations[0].shared, ElementsAre(0, 0, 1, 0, 1));
}

TEST_F(Memory, ThatIsNotEnoughIsNamed) {
  add("MPI_Sendrecv", "sendbuf", constant(buffer(0, 0)), "recvbuf", constant(buffer(1, 0)));
  auto skeleton = finish();
  try {
    share_memory(skeleton, 5999);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("rank 0 take 6000 bytes where 5999 are allowed"));
  }
}

}  // namespace
}  // namespace skelgen::emit
