#include "mpi/layout.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "mpi/mpi.h"
#include "support/error.h"

namespace skelgen::mpi {

/// For messages of failed tests.
void PrintTo(const Layout& l, std::ostream* out) {
  *out << l.size << " bytes, [" << l.lb << ", " << l.ub << "), data [" << l.true_lb << ", " << l.true_ub
       << "), aligned " << l.alignment;
}

namespace {

using List = std::vector<std::int64_t>;
const Layout kDouble = predefined_layout("MPI_DOUBLE", 8, 8), kInt = predefined_layout("MPI_INT", 4, 4),
             kChar = predefined_layout("MPI_CHAR", 1, 1);

TEST(Layout, OfBasicTypesIsAlignedByTheirParts) {
  EXPECT_EQ(kDouble, (Layout{8, 0, 8, 0, 8, 8}));
  EXPECT_EQ(predefined_layout("MPI_DOUBLE_COMPLEX", 16, 16).alignment, 8);
  EXPECT_EQ(predefined_layout("MPI_DOUBLE_INT", 12, 16), (Layout{12, 0, 16, 0, 16, 8}));
  EXPECT_EQ(predefined_layout("MPI_2INT", 8, 8).alignment, 4);
}

TEST(Layout, OfAColumnSpansFromItsFirstToItsLastElement) {
  EXPECT_EQ(vector(10, 1, 800, kDouble), (Layout{80, 0, 7208, 0, 7208, 8}));
  EXPECT_EQ(contiguous(3, vector(2, 1, 16, kDouble)), (Layout{48, 0, 72, 0, 72, 8}));
}

TEST(Layout, MayReachBelowItsAddress) {
  EXPECT_EQ(vector(3, 2, -16, kInt), (Layout{24, -32, 8, -32, 8, 4}));
  EXPECT_EQ(indexed(List{1, 2}, List{3, -5}, 4, kInt), (Layout{12, -20, 16, -20, 16, 4}));
}

TEST(Layout, OfNothingIsNothing) {
  const Layout nothing{};
  EXPECT_EQ(contiguous(0, kDouble), nothing);
  EXPECT_EQ(vector(0, 3, 8, kDouble), nothing);
  EXPECT_EQ(vector(3, 0, 8, kDouble), nothing);
  EXPECT_EQ(structure(List{}, List{}, {}), nothing);
}

TEST(Layout, OfAStructureIsPadded) {
  const std::vector<Layout> members{kDouble, kInt, kChar};
  EXPECT_EQ(structure(List{3, 1, 1}, List{0, 24, 28}, members), (Layout{29, 0, 32, 0, 29, 8}));
}

TEST(Layout, OfABlockWithoutElementsDoesNotCount) {
  EXPECT_EQ(indexed(List{0, 1}, List{1000, 1}, 8, kDouble), (Layout{8, 8, 16, 8, 16, 8}));
}

TEST(Layout, ResizedKeepsWhereTheDataIs) {
  const Layout column = resized(0, 8, vector(10, 1, 800, kDouble));
  EXPECT_EQ(column, (Layout{80, 0, 8, 0, 7208, 8}));
  EXPECT_EQ(contiguous(2, column), (Layout{160, 0, 16, 0, 7216, 8})) << "two columns side by side";
}

TEST(Layout, OfASubarrayHasTheExtentOfTheWholeArray) {
  const Layout c = subarray(List{4, 6}, List{2, 3}, List{1, 2}, kOrderC, kInt);
  EXPECT_EQ(c, (Layout{24, 0, 96, 4 * (6 + 2), 4 * (12 + 5), 4}));
  EXPECT_EQ(subarray(List{6, 4}, List{3, 2}, List{2, 1}, kOrderFortran, kInt), c)
      << "the same with dimensions reversed";
}

TEST(Layout, OfADistributedArrayIsTheRanksPart) {
  const List sizes{10}, block{kDistributeBlock}, cyclic{kDistributeCyclic}, default_length{kDistributeDfltDarg}, two{2},
      three{3};
  EXPECT_EQ(darray({2, sizes, block, default_length, three}, kOrderC, kInt), (Layout{8, 0, 40, 32, 40, 4}));
  EXPECT_EQ(darray({1, sizes, cyclic, two, three}, kOrderC, kInt), (Layout{16, 0, 40, 8, 40, 4}));
  EXPECT_EQ(darray({2, sizes, cyclic, two, three}, kOrderC, kInt), (Layout{8, 0, 40, 16, 24, 4}));
}

TEST(Layout, RefusesWhatNoProgramMakes) {
  const std::int64_t huge = std::int64_t{1} << 61;
  EXPECT_THROW(vector(huge, 1, huge, kInt), Error);
  EXPECT_THROW(indexed(List{1, 1}, List{0}, 4, kInt), Error);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
  const Layout large = contiguous(huge / 8, kInt);
  EXPECT_THROW(indexed(List(8, most), List(8, 0), 4, large), Error) << "more than 128 bits have room for";
  EXPECT_THROW(resized(least, 8, kInt), Error);
  EXPECT_THROW(subarray(List(6, 1), List(6, 1), List(6, most), kOrderC, large), Error);
  EXPECT_THROW(contiguous(2, resized(huge, huge, kInt)), Error);
  EXPECT_EQ(subarray(List{4, 4}, List{-2, -3}, List{0, 0}, kOrderC, kInt).size, 0);
  EXPECT_THROW(darray({0, List{least}, List{kDistributeNone}, List{kDistributeDfltDarg}, List{1}}, kOrderC, kInt),
               Error);
  EXPECT_EQ(darray({0, List{-5}, List{kDistributeNone}, List{kDistributeDfltDarg}, List{1}}, kOrderC, kInt).size, 0);
  EXPECT_EQ(darray({0, List{huge}, List{kDistributeBlock}, List{kDistributeDfltDarg}, List{most}}, kOrderC, kChar).size,
            1);
  EXPECT_THROW(darray({7, List{10}, List{kDistributeBlock}, List{kDistributeDfltDarg}, List{3}}, kOrderC, kInt), Error);
}

}  // namespace
}  // namespace skelgen::mpi
