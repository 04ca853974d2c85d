#include "text/words.h"

#include <gtest/gtest.h>

namespace skelgen::text {
namespace {

TEST(Text, Ranges) {
  using Numbers = std::vector<std::uint32_t>;
  EXPECT_EQ(ranges(Numbers{0, 1, 2, 3}), "0..3");
  EXPECT_EQ(ranges(Numbers{0, 2, 3, 5}), "0,2,3,5");
  EXPECT_EQ(ranges(Numbers{0, 2, 4, 6, 9}), "0..6/2,9");
  EXPECT_EQ(ranges(Numbers{4, 5, 9, 10, 11}), "4,5,9..11");
}

TEST(Text, SecondsInTheUnitThatSuits) {
  EXPECT_EQ(seconds(0.0), "0 s");
  EXPECT_EQ(seconds(1.25e-5), "12.5 us");
  EXPECT_EQ(seconds(0.99999999), "999.99999 ms");
  EXPECT_EQ(seconds(3e-10), "0.3 ns");
  EXPECT_EQ(seconds(std::vector<double>{1e-3, 1e-3, 2.5e-3}), "{1 x 2, 2.5} ms");
  EXPECT_EQ(seconds(std::vector<double>{1e-3, 1e-3}), "1 ms");
}

}  // namespace
}  // namespace skelgen::text
