#include "work/follower.h"

#include <gmock/gmock.h>

#include <map>
#include <sstream>
#include <string>

#include "text/text.h"

namespace skelgen::work {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A program of one rank: MPI_Init, `body`, MPI_Finalize.
skeleton::Skeleton program(const std::string& body) {
  return text::parse("skeleton 1\nranks 1\nprogram {\nMPI_Init()\n" + body + "\nMPI_Finalize()\n}\n", "program");
}

/// Where the calls are, by name: "before 3" or "between 2"; "-" nowhere. Calls: "Barrier", "Bcast=100" with a count.
std::vector<std::string> followed(const skeleton::Skeleton& skeleton, const std::string& calls,
                                  Follower::Differences* differences = nullptr) {
  Follower follower(skeleton, 0);
  std::istringstream in(calls);
  for (std::string word; in >> word;) {
    const auto equals = word.find('=');
    const mpi::Function* const function = mpi::find("MPI_" + word.substr(0, equals));
    std::vector<std::int64_t> values(function->parameters.size());
    if (const int count = function->find(mpi::Role::count); count >= 0)
      values[static_cast<std::size_t>(count)] = equals == std::string::npos ? 1 : std::stoi(word.substr(equals + 1));
    follower.add({function, values});
  }
  if (differences) *differences = follower.differences();
  std::vector<std::string> places;
  for (const Place place : follower.places())
    places.push_back(place == kNoPlace ? "-" : (place % 2 ? "between " : "before ") + std::to_string(place / 2));
  return places;
}

const char* const kBarrier = "MPI_Barrier(comm=MPI_COMM_WORLD)\n";
const char* const kAllreduce =
    "MPI_Allreduce(sendbuf=b0, recvbuf=b1, count=1, datatype=MPI_INT, op=MPI_SUM, comm=MPI_COMM_WORLD)\n";
std::string bcast(int count) {
  return "MPI_Bcast(buffer=b0, count=" + std::to_string(count) + ", datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD)\n";
}
std::string loop(int trips, const std::string& body) { return "loop " + std::to_string(trips) + " {\n" + body + "}\n"; }

TEST(Follower, GivesTheSameCallsTheirPlaces) {
  // 0: MPI_Init, 1: loop, 2: loop, 3: MPI_Barrier, 4: MPI_Allreduce, 5: MPI_Finalize
  const auto skeleton = program(loop(2, loop(2, kBarrier) + kAllreduce));
  Follower::Differences differences;
  EXPECT_THAT(
      followed(skeleton, "Init Barrier Barrier Allreduce Barrier Barrier Allreduce Finalize", &differences),
      ElementsAre("before 0", "before 1", "between 2", "before 4", "between 1", "between 2", "before 4", "before 5"));
  EXPECT_EQ(differences.calls, 8u);
  EXPECT_EQ(differences.left_over + differences.left_out + differences.trips + differences.other_counts, 0u);
}

TEST(Follower, LoopsMayRunMoreAndLessOften) {
  const auto skeleton = program(loop(3, kBarrier + std::string(kAllreduce)) + kBarrier + bcast(4));
  // Whether the last barrier is the loop's is known behind it only.
  Follower::Differences differences;
  EXPECT_THAT(followed(skeleton, "Init Barrier Allreduce Barrier Bcast=4 Finalize", &differences),
              ElementsAre("before 0", "before 1", "before 3", "before 4", "before 5", "before 6"));
  EXPECT_EQ(differences.trips, 1u);
  EXPECT_THAT(
      followed(skeleton, "Init Barrier Allreduce Barrier Allreduce Barrier Allreduce Barrier Allreduce Barrier Bcast=4",
               &differences),
      ElementsAre("before 0", "before 1", "before 3", "between 1", "before 3", "between 1", "before 3", "between 1",
                  "before 3", "before 4", "before 5"));
  EXPECT_EQ(differences.trips, 1u);
  EXPECT_EQ(differences.left_over + differences.left_out, 0u);
}

TEST(Follower, ALoopMayBeLeftOutAndOneOfNoTripsRun) {
  const auto skeleton = program(loop(2, "loop table(1, 0) {\n" + std::string(kBarrier) + "}\n" + kAllreduce));
  Follower::Differences differences;
  EXPECT_THAT(followed(skeleton, "Init Barrier Allreduce Allreduce Finalize", &differences),
              ElementsAre("before 0", "before 1", "before 4", "before 4", "before 5"));
  EXPECT_EQ(differences.trips, 0u);
  EXPECT_THAT(followed(skeleton, "Init Allreduce Barrier Allreduce Finalize", &differences),
              ElementsAre("before 0", "before 4", "between 1", "before 4", "before 5"));
  EXPECT_EQ(differences.trips, 2u);
  EXPECT_THAT(followed(program(loop(5, kBarrier) + kAllreduce), "Init Allreduce Finalize"),
              ElementsAre("before 0", "before 3", "before 4"));
}

TEST(Follower, CallsThatAreNotInTheProgramHaveNoPlace) {
  const auto skeleton = program(loop(3, kBarrier));
  Follower::Differences differences;
  EXPECT_THAT(followed(skeleton, "Init Barrier Allreduce Barrier Barrier Finalize", &differences),
              ElementsAre("before 0", "before 1", "-", "between 1", "between 1", "before 3"));
  EXPECT_EQ(differences.left_over, 1u);
  EXPECT_EQ(differences.first, 2u);
}

TEST(Follower, StatementsMayBeLeftOut) {
  Follower::Differences differences;
  EXPECT_THAT(followed(program(kBarrier + bcast(4) + kAllreduce), "Init Barrier Allreduce Finalize", &differences),
              ElementsAre("before 0", "before 1", "before 3", "before 4"));
  EXPECT_EQ(differences.left_out, 1u);
}

TEST(Follower, CountsTellEqualFunctionsApart) {
  const auto skeleton = program(loop(2, bcast(4)) + loop(2, bcast(9)));
  Follower::Differences differences;
  EXPECT_THAT(followed(skeleton, "Init Bcast=4 Bcast=4 Bcast=4 Bcast=9 Finalize", &differences),
              ElementsAre("before 0", "before 1", "between 1", "between 1", "before 3", "before 5"));
  EXPECT_EQ(differences.other_counts, 0u);
  followed(skeleton, "Init Bcast=5 Bcast=5 Bcast=9 Bcast=9 Finalize", &differences);
  EXPECT_EQ(differences.other_counts, 2u);
  EXPECT_EQ(differences.first, 1u);
}

TEST(Follower, PollsThatFoundNothingCostNothing) {
  const auto skeleton = program(kBarrier);
  Follower follower(skeleton, 0);
  const std::vector<std::int64_t> none;
  follower.add({mpi::find("MPI_Init"), none});
  follower.add({mpi::find("MPI_Iprobe"), none, true});
  follower.add({mpi::find("MPI_Barrier"), none});
  EXPECT_THAT(follower.places(), ElementsAre(before(0), kNoPlace, before(1)));
  EXPECT_EQ(follower.differences().left_over, 0u);
}

TEST(Follower, KnowsTheNodesOfOtherLocations) {
  const auto skeleton = text::parse(
      "skeleton 1\nranks 2\nprogram {\nMPI_Init()\n[0] loop 2 "
      "{\nMPI_Barrier(comm=MPI_COMM_SELF)\n}\nMPI_Finalize()\n}\n",
      "program");
  EXPECT_EQ(nodes_of(skeleton).size(), 4u);
  Follower follower(skeleton, 1);
  follower.add({mpi::find("MPI_Init"), {}});
  follower.add({mpi::find("MPI_Finalize"), {}});
  EXPECT_THAT(follower.places(), ElementsAre(before(0), before(3)));
}

}  // namespace
}  // namespace skelgen::work
