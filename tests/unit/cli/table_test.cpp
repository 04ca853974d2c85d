#include "cli/table.h"

#include <gtest/gtest.h>

#include <sstream>

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

}  // namespace
}  // namespace skelgen::cli
