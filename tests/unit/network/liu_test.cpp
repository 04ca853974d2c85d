#include "network/liu.h"

#include <gtest/gtest.h>

#include <array>

namespace skelgen::network {
namespace {

// The 1024 x 1024 matrix product of Liu (2000): messages and bytes of the busiest process. Its constants as printed (62 + 0.57 m us)
// do not give its table; these do, but for 16 processes, where the paper prints 10.2189.
TEST(Liu, SpeedupOfThePapersMatrixProduct) {
  struct Row {
    int n;
    double messages, bytes, speedup;
  };
  constexpr std::array rows{Row{2, 3072, 20971520, 1.9722}, Row{4, 5120, 23068672, 3.8106},
                            Row{8, 9216, 24059904, 6.9108}, Row{16, 17408, 24641536, 10.6463}};
  const Network network{72.00e-6, 0.0670e-6};
  for (const auto& row : rows) {
    const std::array processes{Communication{}, Communication{row.messages, row.bytes, 0, 0}};
    EXPECT_NEAR(speedup(processes, network, row.n, 462.0424), row.speedup, 1e-4) << row.n << " processes";
  }
}

TEST(Liu, BroadcastsGoThroughLogarithmicallyManyStages) {
  const Communication is{3, 300, 2, 50};
  const Network network{1, 0.01};
  EXPECT_DOUBLE_EQ(interact_s(is, network, 8), 3 + 3.0 + 3 * (2 + 0.5));
  EXPECT_DOUBLE_EQ(interact_s(is, network, 1), 6);
}

TEST(Liu, TheBoundHoldsForEveryMix) {
  const Network network{72e-6, 0.067e-6};
  for (int n = 2; n <= 1024; n *= 2)
    for (const auto& is : {Communication{5, 1e6, 0, 0}, Communication{0, 0, 7, 1e5}, Communication{9, 10, 9, 1e7}})
      EXPECT_LE(interact_s(is, network, n), interact_bound_s(is, network, n));
}

}  // namespace
}  // namespace skelgen::network
