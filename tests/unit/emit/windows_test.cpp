// Ranks that one-sided calls name are ranks of their window, in the text form and in C.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "emit/emit.h"
#include "text/text.h"

namespace skelgen::emit {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Four ranks; `window` says which of them are in a window over `comm`, after `calls` a message on rows of two.
std::string text(const std::string& members, const std::string& who, const std::string& target) {
  return "skeleton 1\nranks 4\ncomm c2 of [0,1]\ncomm c2 of [2,3]\ncomm c3 of " + members + "\nwindow w0 of " +
         members +
         "\nbuffers (64, 64)\nprogram {\nMPI_Init()\n"
         "MPI_Comm_split(color=[0,1] 0 | [2,3] 1, key=0, newcomm=c2)\n"
         "MPI_Comm_split(color=" +
         (who == "[0..3]" ? std::string("0") : who + " 0 | [3] MPI_UNDEFINED") +
         ", key=" + (members == "[0,1,2,3]" ? "0" : "{3, 2, 1, 0}") +
         ", newcomm=" + (who == "[0..3]" ? std::string("c3") : who + " c3 | [3] MPI_COMM_NULL") + ")\n" + who +
         " MPI_Win_create(base=b0, size=64, disp_unit=8, comm=c3, win=w0)\n" + who + " MPI_Comm_free(comm=c3)\n" +
         "MPI_Allreduce(sendbuf=b0, recvbuf=b1, count=1, datatype=MPI_DOUBLE, op=MPI_SUM, comm=c2)\n" + who +
         " MPI_Win_fence(assert=0, win=w0)\n" + who +
         " MPI_Get(origin_addr=b1, origin_count=1, origin_datatype=MPI_DOUBLE, target_rank=" + target +
         ", target_disp=0, target_count=1, target_datatype=MPI_DOUBLE, win=w0)\n" + who +
         " MPI_Win_fence(assert=0, win=w0)\n" + who + " MPI_Win_free(win=w0)\nMPI_Finalize()\n}\n";
}

std::string printed(const skeleton::Skeleton& skeleton) {
  std::ostringstream out;
  text::print(out, skeleton);
  return out.str();
}

std::string c_of(const skeleton::Skeleton& skeleton) { return program(skeleton, plan_scale(skeleton, 1)); }

std::vector<std::int64_t> targets(const skeleton::Skeleton& skeleton) {
  std::vector<std::int64_t> all;
  for (const auto& node : skeleton.program)
    if (!node.is_loop() && node.call().function->name == "MPI_Get")
      for (std::size_t p = 0; p < node.where.size(); ++p)
        all.push_back(
            node.call().arguments[static_cast<std::size_t>(node.call().function->find(mpi::Role::peer))].of(p).at(0));
  return all;
}

TEST(RanksOfWindows, AreThoseOfTheWorldIfItHasAllInOrder) {
  const auto skeleton = text::parse(text("[0,1,2,3]", "[0..3]", "rank^1"), "f");
  EXPECT_EQ(targets(skeleton), (std::vector<std::int64_t>{1, 0, 3, 2}));
  EXPECT_THAT(c_of(skeleton), HasSubstr("MPI_DOUBLE, rank ^ 1, 0, 1, MPI_DOUBLE, win[0]);"));
  EXPECT_THAT(c_of(skeleton), Not(HasSubstr("rank_in")));
}

TEST(RanksOfWindows, AreOfTheWindowElse) {
  const auto skeleton = text::parse(text("[3,2,1,0]", "[0..3]", "(rank+1)%size"), "f");
  EXPECT_EQ(targets(skeleton), (std::vector<std::int64_t>{0, 3, 2, 1}));
  EXPECT_THAT(c_of(skeleton), HasSubstr("(rank_in_win(win[0]) + 1) % size_of_win(win[0])"));
  EXPECT_THAT(printed(skeleton), HasSubstr("target_rank=(rank+1)%size"));
  EXPECT_EQ(printed(text::parse(printed(skeleton), "f")), printed(skeleton));
}

TEST(RanksOfWindows, AreThoseOfFewerRanks) {
  const auto skeleton = text::parse(text("[2,1,0]", "[0..2]", "(rank-1)%size"), "f");
  EXPECT_EQ(targets(skeleton), (std::vector<std::int64_t>{1, 0, 2}));
  EXPECT_THAT(c_of(skeleton), HasSubstr("skel_mod(rank_in_win(win[0]) - 1"));
  EXPECT_EQ(printed(text::parse(printed(skeleton), "f")), printed(skeleton));
}

}  // namespace
}  // namespace skelgen::emit
