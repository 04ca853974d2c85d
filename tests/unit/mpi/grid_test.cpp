#include "mpi/grid.h"

#include <gtest/gtest.h>

#include "mpi/mpi.h"

namespace skelgen::mpi {
namespace {

TEST(Grid, NeighboursAsMpiCartShiftNamesThem) {
  const Grid grid{{{3, false}, {4, true}}};
  EXPECT_EQ(grid.ranks(), 12);
  EXPECT_EQ(grid.coordinate(6, 0), 1);
  EXPECT_EQ(grid.coordinate(6, 1), 2);
  EXPECT_EQ(grid.neighbour(6, 0, -1), 2);
  EXPECT_EQ(grid.neighbour(6, 0, 1), 10);
  EXPECT_EQ(grid.neighbour(10, 0, 1), kProcNull);
  EXPECT_EQ(grid.neighbour(7, 1, 1), 4);
  EXPECT_EQ(grid.neighbour(4, 1, -5), 7);
}

TEST(Grid, RanksThatAreTooMany) {
  EXPECT_EQ((Grid{{{INT32_MAX, false}, {INT32_MAX, false}, {INT32_MAX, false}}}.ranks()), INT64_MAX);
  EXPECT_EQ(Grid{}.ranks(), 1);
}

TEST(Grid, PartsOfAGrid) {
  using Numbers = std::vector<std::int64_t>;
  const auto whole = made_grid(Way::cart, {}, Numbers{2, 3, 5}, Numbers{0, 1, 0});
  ASSERT_TRUE(whole);
  EXPECT_EQ(*whole, (Grid{{{2, false}, {3, true}, {5, false}}}));
  EXPECT_EQ(made_grid(Way::duplicate, whole, {}, {}), whole);
  EXPECT_EQ(*made_grid(Way::cart_sub, whole, Numbers{1, 0, 1}, Numbers{1, 0, 1}), (Grid{{{2, false}, {5, false}}}));
  EXPECT_FALSE(made_grid(Way::cart_sub, whole, Numbers{1, 0}, Numbers{1, 0}));
  EXPECT_FALSE(made_grid(Way::cart, {}, Numbers{0, 3}, Numbers{0, 0}));
  EXPECT_FALSE(made_grid(Way::split, whole, {}, {}));
}

}  // namespace
}  // namespace skelgen::mpi
