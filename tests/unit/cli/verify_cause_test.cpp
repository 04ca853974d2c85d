// Which cause verify names of a difference, by what it knows.

#include "cli/verify_cause.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skelgen::cli {
namespace {

using testing::HasSubstr;

/// A skeleton of this trace, built by this skelgen, replayed with the MPI of the trace.
Evidence nothing_odd() {
  return {.traced_run = "00000000000000aa",
          .built_from_run = "00000000000000aa",
          .of_no_trace = false,
          .edited_file = "",
          .built_by = "0.1.0",
          .here = "0.1.0",
          .traced_mpi = "MPICH 4.0.2",
          .replayed_mpi = "MPICH 4.0.2",
          .matched_otherwise = 0,
          .poll = "",
          .directory = "a.trace",
          .skeleton = "a.skel"};
}

TEST(VerifyCause, IsADefectIfNothingElseIsKnown) {
  const auto cause = cause_of(nothing_odd());
  EXPECT_EQ(cause.name, "defect");
  EXPECT_EQ(cause.text, "this is a defect of skelgen");
  EXPECT_EQ(cause.remedy, "report it with a.trace, a.skel and what verify printed");
}

TEST(VerifyCause, BlamesNothingThatIsNotKnown) {
  auto known = nothing_odd();
  known.built_from_run = known.built_by = known.traced_mpi = "";  // an older version wrote the skeleton
  EXPECT_EQ(cause_of(known).name, "defect");
}

TEST(VerifyCause, IsAnotherTrace) {
  auto known = nothing_odd();
  known.built_from_run = "00000000000000bb";
  const auto cause = cause_of(known);
  EXPECT_EQ(cause.name, "other_trace");
  EXPECT_EQ(cause.text, "the skeleton was built from another trace");
  EXPECT_EQ(cause.remedy, "give that trace, or build the skeleton again from this trace");
}

TEST(VerifyCause, IsATextOfNoTrace) {
  auto known = nothing_odd();
  known.of_no_trace = true;
  const auto cause = cause_of(known);
  EXPECT_EQ(cause.name, "edited_text");
  EXPECT_THAT(cause.text, HasSubstr("edited or written by hand"));
}

TEST(VerifyCause, IsAnEditedFile) {
  auto known = nothing_odd();
  known.edited_file = "skeleton.c";
  EXPECT_EQ(cause_of(known).name, "edited_file");
  EXPECT_EQ(cause_of(known).text, "skeleton.c or tables.h was edited after it was built");
  EXPECT_EQ(cause_of(known).remedy, "build the skeleton again from this trace");
  known.edited_file = "skel.c";
  EXPECT_EQ(cause_of(known).text, "skel.c was edited, or written by another version of skelgen");
}

TEST(VerifyCause, IsAnotherVersion) {
  auto known = nothing_odd();
  known.built_by = "0.0.9";
  known.edited_file = "skel.c";  // of that version
  EXPECT_EQ(cause_of(known).name, "other_version");
  EXPECT_EQ(cause_of(known).text, "the skeleton was built by skelgen 0.0.9, this is 0.1.0");
}

TEST(VerifyCause, IsAnotherMpi) {
  auto known = nothing_odd();
  known.replayed_mpi = "Open MPI 4.1.4";
  EXPECT_EQ(cause_of(known).name, "other_mpi");
  EXPECT_EQ(cause_of(known).text, "traced with MPICH 4.0.2, replayed with Open MPI 4.1.4");
}

TEST(VerifyCause, IsAnotherOrderOfMessages) {
  auto known = nothing_odd();
  known.matched_otherwise = 12;
  EXPECT_EQ(cause_of(known).name, "other_order");
  EXPECT_THAT(cause_of(known).text, HasSubstr("12 receives of MPI_ANY_SOURCE"));
  EXPECT_THAT(cause_of(known).remedy, HasSubstr("--wildcards recorded"));
}

TEST(VerifyCause, IsTheMoment) {
  auto known = nothing_odd();
  known.poll = "MPI_Testsome";
  EXPECT_EQ(cause_of(known).name, "other_moment");
  EXPECT_EQ(cause_of(known).text, "the outcome of MPI_Testsome depends on timing");
}

TEST(VerifyCause, IsTheFirstOfAllThatHold) {
  auto known = nothing_odd();
  known.of_no_trace = true;
  known.built_from_run = "00000000000000bb";
  known.edited_file = "skeleton.c";
  known.built_by = "0.0.9";
  known.replayed_mpi = "Open MPI 4.1.4";
  known.matched_otherwise = 1;
  known.poll = "MPI_Testsome";
  std::string order;
  const auto next = [&] { order += cause_of(known).name + " "; };
  next(), known.of_no_trace = false;
  next(), known.built_from_run = known.traced_run;
  next(), known.edited_file = "skel.c";
  next(), known.built_by = known.here;
  next(), known.edited_file = "";
  next(), known.replayed_mpi = known.traced_mpi;
  next(), known.matched_otherwise = 0;
  next(), known.poll = "";
  next();
  EXPECT_EQ(order,
            "edited_text other_trace edited_file other_version edited_file other_mpi other_order other_moment defect ");
}

TEST(VerifyCause, PollsHaveOutcomesThatDependOnTiming) {
  for (const char* name : {"MPI_Test", "MPI_Testany", "MPI_Testsome", "MPI_Waitany", "MPI_Waitsome", "MPI_Iprobe"})
    EXPECT_TRUE(polls(*mpi::find(name))) << name;
  for (const char* name : {"MPI_Wait", "MPI_Waitall", "MPI_Recv", "MPI_Barrier"})
    EXPECT_FALSE(polls(*mpi::find(name))) << name;
}

}  // namespace
}  // namespace skelgen::cli
