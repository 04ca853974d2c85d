#include "skeleton/trips.h"

#include <gtest/gtest.h>

namespace skelgen::skeleton {
namespace {

TEST(Trips, AreSummedOnceForEachNumberOfExecutions) {
  const Sequence one{Sequence::Kind::periodic, {1, 2, 3}}, other{Sequence::Kind::constant, {7}};
  ByTrips<std::int64_t> results;
  int computed = 0;
  for (int round = 0; round < 2; ++round)
    for (const auto* trips : {&one, &other})
      for (const std::uint64_t executions : {4u, 6u})
        EXPECT_EQ(results.of(*trips, executions, [&] { return ++computed, trips->sum(executions); }),
                  Iterations().of(*trips, executions));
  EXPECT_EQ(computed, 4);
  EXPECT_EQ(Iterations().of(one, 4), 7);
}

}  // namespace
}  // namespace skelgen::skeleton
