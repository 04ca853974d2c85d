#include "support/format.h"

#include <gtest/gtest.h>

namespace skelgen {
namespace {

TEST(Format, Seconds) {
  EXPECT_EQ(format_seconds(12.3456), "12.346 s");
  EXPECT_EQ(format_seconds(0.0123), "12.3 ms");
  EXPECT_EQ(format_seconds(4.56e-6), "4.56 us");
  EXPECT_EQ(format_seconds(0), "0.000 s");
}

TEST(Format, Bytes) {
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1000), "1.0 kB");
  EXPECT_EQ(format_bytes(999'960), "1.0 MB");
  EXPECT_EQ(format_bytes(2.5e9), "2.5 GB");
}

TEST(Format, Counts) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(1234567), "1,234,567");
}

TEST(Format, Ranges) {
  EXPECT_EQ(format_ranges({}), "");
  EXPECT_EQ(format_ranges({3}), "3");
  EXPECT_EQ(format_ranges({0, 2, 3, 4, 8, 9}), "0, 2-4, 8, 9");
}

}  // namespace
}  // namespace skelgen
