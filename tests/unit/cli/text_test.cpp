#include "cli/text.h"

#include <gtest/gtest.h>

#include <sstream>

namespace skelgen::cli {
namespace {

TEST(Text, Seconds) {
  EXPECT_EQ(format_seconds(12.3456), "12.346 s");
  EXPECT_EQ(format_seconds(0.0123), "12.3 ms");
  EXPECT_EQ(format_seconds(4.56e-6), "4.56 us");
  EXPECT_EQ(format_seconds(0), "0.000 s");
}

TEST(Text, Bytes) {
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1000), "1.0 kB");
  EXPECT_EQ(format_bytes(999'960), "1.0 MB");
  EXPECT_EQ(format_bytes(2.5e9), "2.5 GB");
}

TEST(Text, Counts) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(1234567), "1,234,567");
}

TEST(Text, Ranges) {
  EXPECT_EQ(format_ranges({}), "");
  EXPECT_EQ(format_ranges({3}), "3");
  EXPECT_EQ(format_ranges({0, 2, 3, 4, 8, 9}), "0, 2-4, 8, 9");
}

TEST(Text, TablesAlign) {
  Table table({"name", "calls"});
  table.add({"MPI_Send", "5"});
  table.add({"x", "12,345"});
  table.add({"short"});
  std::ostringstream out;
  table.print(out);
  EXPECT_EQ(out.str(), "name       calls\nMPI_Send       5\nx         12,345\nshort\n");
}

}  // namespace
}  // namespace skelgen::cli
