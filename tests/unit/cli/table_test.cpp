#include "cli/table.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace skelgen::cli {
namespace {

TEST(Text, TablesAlign) {
  Table table({"name", "calls"});
  table.add({"MPI_Send", "5"});
  table.add({"x", "12,345"});
  table.add({"short"});
  std::ostringstream out;
  table.print(out);
  EXPECT_EQ(out.str(), "name       calls\nMPI_Send       5\nx         12,345\nshort\n");
}

TEST(Text, TablesOfManyRowsShowTheLargest) {
  std::vector<double> sizes(12, 1.0);
  EXPECT_EQ(largest_rows(sizes).size(), 12u);
  sizes.push_back(3);
  sizes[1] = 0;
  sizes[5] = 2;
  EXPECT_EQ(largest_rows(sizes), (std::vector<std::size_t>{0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12}));
  EXPECT_TRUE(largest_rows({}).empty());
}

}  // namespace
}  // namespace skelgen::cli
