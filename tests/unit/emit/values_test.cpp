#include <gmock/gmock.h>

#include "emit/emit.h"
#include "text/text.h"

namespace skelgen::emit {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Values, OfAPeriodAreFoundWithoutWhatIsAMultipleOfIt) {
  const auto send = [](const std::string& tags) {
    return "MPI_Send(count=1, datatype=MPI_INT, dest=MPI_PROC_NULL, tag=periodic(" + tags + "))\n";
  };
  const auto skeleton = text::parse("skeleton 1\nranks 2\nprogram {\nMPI_Init()\nloop 10 {\nloop 9 {\nloop 2 {\n" +
                                        send("1, 2") + send("1, 2, 3, 4, 5, 6") + send("1 x 17, 2") +
                                        send("1, 2, 3, 4") + "}\n}\n}\nMPI_Finalize()\n}\n",
                                    "f");
  const auto text = program(skeleton, plan_scale(skeleton, 1));
  EXPECT_THAT(text, HasSubstr(", tag_1[k], "));
  EXPECT_THAT(text, HasSubstr(", tag_2[(j * 2 + k) % 6], "));
  EXPECT_THAT(text, HasSubstr(", tag_3[j * 2 + k], "));
  EXPECT_THAT(text, HasSubstr(", tag_4[((i * 9 + j) * 2 + k) % 4], "));
}

TEST(Values, OfRowsAndColumnsOfRanksAreFormulas) {
  const auto skeleton = text::parse(
      "skeleton 1\nranks 6\ncomm c2 of [0..2]\ncomm c2 of [3..5]\nprogram {\nMPI_Init()\n"
      "MPI_Comm_split(color=rank/3, key=rank%3, newcomm=c2)\nMPI_Send(count=1, datatype=MPI_INT, dest=MPI_PROC_NULL, "
      "tag=rank%2, comm=c2)\nMPI_Finalize()\n}\n",
      "f");
  const auto text = program(skeleton, plan_scale(skeleton, 1));
  EXPECT_THAT(text, HasSubstr("MPI_Comm_split(MPI_COMM_WORLD, rank / 3, rank % 3, &"));
  EXPECT_THAT(text, HasSubstr("MPI_PROC_NULL, rank_in("));
}

TEST(Values, ThatTheRootAloneGivesAreWrittenForAll) {
  const auto text = [](const std::string& buffer) {
    const auto skeleton = text::parse(
        "skeleton 1\nranks 3\nbuffers (64, 64)\nprogram {\nMPI_Init()\nMPI_Gather(sendbuf=b0, sendcount=4, "
        "sendtype=MPI_INT, recvbuf=" +
            buffer +
            " NULL, recvcount=[1] 4 | [0,2] 0, recvtype=[1] MPI_INT | [0,2] null, root=1)\nMPI_Finalize()\n}\n",
        "f");
    return program(skeleton, plan_scale(skeleton, 1));
  };
  EXPECT_THAT(text("[1] b1 | [0,2]"), HasSubstr("MPI_Gather(buf(0, 0), 4, MPI_INT, buf(1, 0), 4, MPI_INT, 1, "));
  // Two of them: no root is known to be the only one that gives something.
  EXPECT_THAT(text("[0] b1 | [1] b1+8 | [2]"), HasSubstr("skel_buffer(recvbuf_1[rank]), 4, MPI_INT, 1, "));
}

TEST(Values, ThatStandForConstantsOfMpiAreNoFormulas) {
  const auto skeleton = text::parse(
      "skeleton 1\nranks 2\nwindow w0 of [0,1]\nbuffers (64)\nprogram {\nMPI_Init()\n"
      "MPI_Win_create(base=b0, size=64, disp_unit=8, win=w0)\nMPI_Win_lock(lock_type=rank+1, rank=0, assert=0, "
      "win=w0)\n"
      "MPI_Win_unlock(rank=0, win=w0)\nMPI_Win_free(win=w0)\nMPI_Finalize()\n}\n",
      "f");
  const auto text = program(skeleton, plan_scale(skeleton, 1));
  EXPECT_THAT(text, HasSubstr("{MPI_LOCK_EXCLUSIVE, MPI_LOCK_SHARED}"));
  EXPECT_THAT(text, Not(HasSubstr("rank + 1")));
}

}  // namespace
}  // namespace skelgen::emit
