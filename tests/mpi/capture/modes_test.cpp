// Modes of sending, persistent requests, matched probes, collectives that complete later: C and Fortran.

#include <gmock/gmock.h>

#include "run.h"

namespace skelgen::trace {
namespace {

using testing::ElementsAre;

class Modes : public Capture {};

TEST_F(Modes, RecordsWhatWasCalledInC) {
  ASSERT_EQ(run(2, "modes"), 0) << said_;
  const auto all = lines(read(), {1, 0});
  EXPECT_THAT(
      all,
      ElementsAre(
          "MPI_Init", "MPI_Comm_rank WORLD", "MPI_Buffer_attach 4096", "MPI_Irecv buf 2 MPI_DOUBLE 0 1 WORLD req",
          "MPI_Ibsend buf 2 MPI_DOUBLE 0 1 WORLD req", "MPI_Waitall 2 [req req] []", "MPI_Buffer_detach",
          "MPI_Sendrecv_replace buf 2 MPI_DOUBLE 0 3 0 3 WORLD []", "MPI_Recv_init buf 4 MPI_INT -2 4 WORLD req",
          "MPI_Ssend_init buf 4 MPI_INT 0 4 WORLD req", "MPI_Startall 2 [req req]",
          testing::StartsWith("MPI_Waitall 2 [req req] [0 4 "),  // the match of the wildcard
          "MPI_Start req", "MPI_Start req", testing::StartsWith("MPI_Wait req ["), "MPI_Wait req [0 4]",
          "MPI_Request_free req", "MPI_Request_free req", "MPI_Exscan buf buf 2 MPI_DOUBLE MPI_SUM WORLD",
          "MPI_Reduce_scatter IN_PLACE buf [1 3] MPI_DOUBLE MPI_SUM WORLD",
          "MPI_Reduce_scatter_block buf buf 3 MPI_DOUBLE MPI_MAX WORLD",
          "MPI_Reduce_local buf buf 5 MPI_DOUBLE MPI_MIN", "MPI_Ibarrier WORLD req",
          testing::StartsWith("MPI_Wait req"), "MPI_Igather buf 2 MPI_INT NULL 0 null 0 WORLD req",
          testing::StartsWith("MPI_Wait req"), "MPI_Ireduce_scatter buf buf [1 3] MPI_DOUBLE MPI_SUM WORLD req",
          testing::StartsWith("MPI_Wait req"), "MPI_Alltoallw IN_PLACE [] [] [] buf [1] [0] [MPI_INT] SELF",
          "MPI_Ialltoallw buf [2 2] [0 32] [MPI_DOUBLE MPI_DOUBLE] buf [2 2] [0 32] [MPI_INT MPI_DOUBLE] WORLD req",
          testing::StartsWith("MPI_Wait req"), "MPI_Isend buf 3 MPI_INT 0 6 WORLD req",
          "MPI_Mprobe -2 6 WORLD message [0 6]", "MPI_Mrecv buf 8 MPI_INT message []",
          testing::StartsWith("MPI_Wait req"), "MPI_Improbe -1 6 WORLD 1 none []", "MPI_Imrecv buf 8 MPI_INT none req",
          testing::StartsWith("MPI_Wait req"), "MPI_Comm_idup WORLD new req", testing::StartsWith("MPI_Wait req"),
          "MPI_Barrier comm(2)", "MPI_Comm_free comm(2)", "MPI_Comm_split_type WORLD 1 1 null new",
          "MPI_Comm_free comm(2)", "MPI_Comm_group WORLD new", "MPI_Group_incl {0,1} 1 [1] new",
          "MPI_Comm_create_group WORLD {1} 8 new", "MPI_Comm_free comm(1)", "MPI_Group_union {1} {0,1} new",
          "MPI_Group_free {1,0}", "MPI_Group_free {1}", "MPI_Group_free {0,1}", "MPI_Finalize"));
}

/// Calls arrive once, although the Fortran library calls the C one.
void expect_calls_of_fortran(const Trace& trace) {
  EXPECT_THAT(lines(trace, {1, 0}),
              ElementsAre("MPI_Init", "MPI_Comm_rank WORLD", "MPI_Recv_init buf 4 MPI_INTEGER 0 3 WORLD req",
                          "MPI_Send_init buf 4 MPI_INTEGER 0 3 WORLD req", "MPI_Startall 2 [req req]",
                          "MPI_Waitall 2 [req req] []", "MPI_Request_free req", "MPI_Request_free req",
                          "MPI_Buffer_attach 4096", "MPI_Bsend buf 1 MPI_INTEGER 0 4 WORLD",
                          "MPI_Recv buf 1 MPI_INTEGER 0 4 WORLD []", "MPI_Buffer_detach",
                          "MPI_Sendrecv_replace buf 2 MPI_INTEGER 0 5 0 5 WORLD []",
                          "MPI_Reduce_scatter IN_PLACE buf [1 2] MPI_INTEGER MPI_SUM WORLD",
                          "MPI_Alltoallw buf [1 1] [0 4] [MPI_INTEGER MPI_INTEGER] buf [1 1] [0 4] "
                          "[MPI_INTEGER MPI_INTEGER] WORLD",
                          "MPI_Iallreduce IN_PLACE buf 4 MPI_INTEGER MPI_SUM WORLD req", "MPI_Wait req []",
                          "MPI_Isend buf 1 MPI_INTEGER 0 6 WORLD req", "MPI_Mprobe 0 6 WORLD message []",
                          "MPI_Mrecv buf 1 MPI_INTEGER message []", "MPI_Wait req []",
                          "MPI_Comm_split_type WORLD 1 0 null new", "MPI_Comm_free comm(2)", "MPI_Finalize"));
}

TEST_F(Modes, RecordsFortranWithMpifH) {
  if (!fs::exists(PROGRAMS "/modes_mpif")) GTEST_SKIP() << "no Fortran compiler";
  ASSERT_EQ(run(2, "modes_mpif"), 0) << said_;
  expect_calls_of_fortran(read());
}

TEST_F(Modes, RecordsFortranWithUseMpi) {
  if (!fs::exists(PROGRAMS "/modes_usempi")) GTEST_SKIP() << "no Fortran compiler";
  ASSERT_EQ(run(2, "modes_usempi"), 0) << said_;
  expect_calls_of_fortran(read());
}

}  // namespace
}  // namespace skelgen::trace
