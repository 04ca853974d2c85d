// MPI_Pcontrol(0) stops the recording: what lasts is recorded all the same, and the rest is counted.

#include <gmock/gmock.h>

#include <algorithm>

#include "mpi_run.h"

namespace skelgen::trace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Control : public EachMpi {};

TEST_P(Control, LeavesHandlesWhatTheyAre) {
  const auto ended = traced(2, "control");
  ASSERT_EQ(ended.status, 0) << ended.errors;
  const auto trace = read();
  EXPECT_THAT(
      lines(trace, {0, 0}),
      ElementsAre("MPI_Init", "MPI_Comm_rank WORLD", "MPI_Comm_dup WORLD new", "MPI_Type_contiguous 2 MPI_DOUBLE new",
                  "MPI_Type_commit made", "MPI_Bcast buf 1 made 0 comm(2)", "MPI_Pcontrol 0", "MPI_Comm_free comm(2)",
                  "MPI_Comm_split WORLD 0 0 new", "MPI_Type_free made", "MPI_Type_contiguous 50 MPI_DOUBLE new",
                  "MPI_Type_commit made", "MPI_Send_init buf 1 made -1 0 WORLD req", "MPI_Pcontrol 1",
                  "MPI_Comm_size comm(1)", "MPI_Type_size_x made 400", "MPI_Bcast buf 1 made 0 comm(1)",
                  "MPI_Start req", "MPI_Wait req []", "MPI_Request_free req", "MPI_Finalize"));
  for (const auto& rank : trace.rank_info()) {
    EXPECT_EQ(rank.ending.suspended, 10u);  // the barriers
    EXPECT_EQ(rank.ending.calls, 21u);
    EXPECT_EQ(rank.ending.dropped, 0u);
  }
}

TEST_P(Control, LeavesOutNothingThatNobodyIsToldOf) {
  ASSERT_EQ(traced(2, "control").status, 0);
  EXPECT_THAT(shell("", SKELGEN " info t.trace").output, HasSubstr("suspended   20 calls"));
  EXPECT_THAT(shell("", SKELGEN " info --json t.trace").output, HasSubstr("\"suspended\": 20"));
  const auto built = shell("", SKELGEN " build t.trace -o t.skel");
  EXPECT_EQ(built.status, 0) << built.errors;
  EXPECT_THAT(built.errors, HasSubstr("MPI_Pcontrol(0) stopped the recording: 20 calls are left out"));
}

/// The time between is computation, what lasts and was recorded meanwhile does not take it.
struct Between : Visitor {
  double longest_call = 0, gaps = 0;
  void event(const Event& event) override {
    gaps += event.gap.value;
    if (event.function->name != "MPI_Init" && event.function->name != "MPI_Finalize")
      longest_call = std::max(longest_call, event.end.value - event.start.value);
  }
};

TEST_P(Control, CountsTheTimeBetweenAsComputation) {
  ASSERT_EQ(traced(1, "control 0.5").status, 0);
  Between found;
  read().visit({0, 0}, found);
  EXPECT_GT(found.gaps, 1.0);
  EXPECT_LT(found.longest_call, 0.5 * found.gaps);
}

SKELGEN_EACH_MPI(Control);

}  // namespace
}  // namespace skelgen::trace
