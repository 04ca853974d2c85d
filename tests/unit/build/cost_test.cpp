// The cost by which forms of a run are compared.

#include "build/cost.h"

#include <gtest/gtest.h>

#include "fold/fold.h"
#include "fold/joint.h"
#include "text/text.h"

namespace skelgen::build {
namespace {

const std::string kRing =
    "MPI_Sendrecv(sendcount=1, sendtype=MPI_INT, dest=(rank+1)%size, sendtag=0, recvcount=1, recvtype=MPI_INT, "
    "source=(rank-1)%size, recvtag=0)\n";

std::string repeated(const std::string& trips, const std::string& body) {
  return "loop " + trips + " {\n" + body + "}\n";
}

Cost cost(const std::string& body, int ranks = 4) {
  const auto skeleton = text::parse(
      "skeleton 1\nranks " + std::to_string(ranks) + "\nprogram {\nMPI_Init()\n" + body + "MPI_Finalize()\n}\n", "f");
  std::uint64_t calls = 0;
  for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l)
    skeleton::expand(skeleton, l, [&](const skeleton::ExpandedCall&) { return ++calls > 0; });
  return cost_of(skeleton, calls);
}

TEST(Cost, CountsStatementsAndLoops) {
  const Cost own = cost(repeated("20", repeated("3", kRing) + "MPI_Barrier()\n"));
  EXPECT_EQ(own.calls, 4u);
  EXPECT_EQ(own.statements, 6u);
  EXPECT_EQ(own.tables, 0u);
  EXPECT_FALSE(own.lists);
  EXPECT_EQ(own.cut, CutTrips::many);
  EXPECT_EQ(own.size(), fold::kStatement * 6 + own.values);
}

TEST(Cost, StatementsBeyondManyCostMore) {
  const Cost few{.statements = fold::kManyStatements}, many{.statements = fold::kManyStatements + 10};
  EXPECT_EQ(few.size(), fold::kStatement * fold::kManyStatements);
  EXPECT_EQ(many.size(), few.size() + 8 * fold::kStatement * 10);
}

TEST(Cost, OfAFormulaDoesNotGrowWithTheRanks) {
  EXPECT_EQ(cost(kRing, 2).values, cost(kRing, 64).values);
  EXPECT_EQ(cost(kRing, 64).tables, 0u);
}

TEST(Cost, OfValuesByRankDoes) {
  const auto bcast = [](const std::string& counts) {
    return "MPI_Send(count=" + counts + ", datatype=MPI_INT, dest=MPI_PROC_NULL, tag=0)\n";
  };
  EXPECT_EQ(cost(bcast("{1, 2, 5, 7}")).values, cost(bcast("1")).values + 3);
  EXPECT_EQ(cost(bcast("{1, 2, 5, 7}")).tables, 1u);
}

TEST(Cost, ListsAreTablesTheirValuesAndVaryingTrips) {
  const Cost plain = cost(repeated("20", "MPI_Barrier()\n" + repeated("2", kRing)));
  const Cost list = cost(repeated("4", "MPI_Barrier()\n" + repeated("table(1, 3, 1, 2)", kRing)));
  EXPECT_EQ(list.values, plain.values + 3);
  EXPECT_EQ(list.tables, 1u);
  EXPECT_TRUE(list.lists);
}

TEST(Cost, AMainLoopHasThreeTripsAndHalfOfTheCalls) {
  EXPECT_EQ(cost(repeated("3", kRing)).cut, CutTrips::few);
  EXPECT_EQ(cost(repeated("8", kRing)).cut, CutTrips::many);
  EXPECT_EQ(cost(repeated("2", kRing)).cut, CutTrips::none);
  const std::string others = repeated("6", "MPI_Barrier()\n") + repeated("5", "MPI_Barrier()\n");
  EXPECT_EQ(cost(repeated("10", kRing) + others).cut, CutTrips::none);
  const Cost uncut = cost(repeated("2", kRing)), cut = cost(repeated("10", kRing));
  EXPECT_EQ(uncut.size(), cut.size());
  EXPECT_LT(cut, uncut);
  EXPECT_LT(cost(repeated("20", kRing + kRing)), uncut) << "whatever its size";
}

}  // namespace
}  // namespace skelgen::build
