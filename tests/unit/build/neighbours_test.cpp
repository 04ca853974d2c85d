// Neighbours in grids as variables of the emitted program.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "emit/emit.h"
#include "text/text.h"

namespace skelgen::build {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kMake = "MPI_Cart_create(ndims=2, dims=(2, 2), periods=(0, 1), reorder=0, comm_cart=c2)\n";
const std::string kSend =
    "MPI_Send(count=1, datatype=MPI_INT, comm=c2, dest=neighbour(1,1), tag=0)\n"
    "MPI_Recv(count=1, datatype=MPI_INT, comm=c2, source=neighbour(1,-1), tag=0)\n";
const std::string kGrid = "comm c2 of [0..3] grid (2, 2 periodic)\n";

std::string shift(const std::string& direction, const std::string& displacement = "1") {
  return fmt::format("MPI_Cart_shift(comm=c2, direction={}, disp={})\n", direction, displacement);
}

std::string in_loop(const std::string& trips, const std::string& body) {
  return "loop " + trips + " {\n" + body + "}\n";
}

std::string emitted(const std::string& body, const std::string& comms = kGrid) {
  const auto skeleton =
      text::parse("skeleton 1\nranks 4\n" + comms + "program {\nMPI_Init()\n" + body + "MPI_Finalize()\n}\n", "f");
  return emit::program(skeleton, emit::plan_scale(skeleton, 100));
}

const auto from_shift = AllOf(HasSubstr("cart_plus[1]"), Not(HasSubstr("skel_neighbours(")));
const auto from_runtime =
    AllOf(HasSubstr("cart_plus[1]"), HasSubstr("skel_neighbours(cart, 1, cart_minus, cart_plus)"));

TEST(Neighbours, AreWhatTheProgramsOwnShiftsReturnedBefore) {
  EXPECT_THAT(emitted(kMake + shift("1") + kSend), from_shift);
  EXPECT_THAT(emitted(kMake + in_loop("2", shift("periodic(0, 1)")) + kSend), from_shift);
  EXPECT_THAT(emitted(kMake + in_loop("9", shift("1") + kSend)), from_shift);
}

TEST(Neighbours, AreAskedForWhereTheProgramsShiftsDoNotSayAll) {
  EXPECT_THAT(emitted(kMake + kSend), from_runtime);
  EXPECT_THAT(emitted(kMake + shift("0") + kSend), from_runtime);
  EXPECT_THAT(emitted(kMake + shift("1", "2") + kSend), from_runtime);
  EXPECT_THAT(emitted(kMake + kSend + shift("1")), from_runtime);
  EXPECT_THAT(emitted(kMake + in_loop("9", kSend + shift("1"))), from_runtime);
  EXPECT_THAT(emitted(kMake + in_loop("3", in_loop("periodic(0, 2, 2)", shift("1")) + kSend)), from_runtime);
  EXPECT_THAT(emitted(kMake + in_loop("2", shift("0")) + in_loop("2", shift("periodic(0, 1)") + kSend)), from_runtime);
}

TEST(Neighbours, CutLoopsMayLeaveOutShifts) {
  const auto body = kMake + in_loop("2000", shift("periodic(0, 1)") + "MPI_Barrier(comm=c2)\n") + kSend;
  EXPECT_THAT(emitted(body), from_runtime);
}

TEST(Neighbours, OfEachIterationAreWhatItsShiftReturned) {
  const auto body =
      kMake + in_loop("4", shift("periodic(1, 0)", "periodic(1, -1)") +
                               "MPI_Sendrecv_replace(count=1, datatype=MPI_INT, dest=[0] periodic(1, MPI_PROC_NULL) | "
                               "[1] periodic(0, MPI_PROC_NULL) | [2] periodic(3, 0) | [3] periodic(2, 1), sendtag=0, "
                               "source=[0] periodic(1, 2) | [1] periodic(0, 3) | [2] periodic(3, MPI_PROC_NULL) | [3] "
                               "periodic(2, MPI_PROC_NULL), recvtag=0, comm=c2)\n");
  EXPECT_THAT(emitted(body),
              AllOf(HasSubstr("&cart_source, &cart_dest);"), HasSubstr("cart_dest, 0, cart_source, 0, cart")));
}

}  // namespace
}  // namespace skelgen::build
