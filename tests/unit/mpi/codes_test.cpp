#include "mpi/codes.h"

#include <gtest/gtest.h>

namespace skelgen::mpi {
namespace {

/// Of the parameter of this name, wherever there is one; nullptr: its values are plain numbers.
const Codes* codes(std::string_view name) {
  for (const Function& function : functions())
    for (const Parameter& parameter : function.recorded)
      if (parameter.name == name && parameter.codes) return parameter.codes;
  return nullptr;
}

TEST(Codes, AreThoseOfTheRecordFormat) {
  EXPECT_EQ(codes("lock_type")->all(), "1 MPI_LOCK_EXCLUSIVE, 2 MPI_LOCK_SHARED");
  EXPECT_EQ(codes("order")->all(), "56 MPI_ORDER_C, 57 MPI_ORDER_FORTRAN");
  EXPECT_EQ(codes("assert")->all(),
            "a sum of 1 MPI_MODE_NOCHECK, 2 MPI_MODE_NOSTORE, 4 MPI_MODE_NOPUT, 8 MPI_MODE_NOPRECEDE, 16 "
            "MPI_MODE_NOSUCCEED");
  EXPECT_EQ(codes("required")->text(3), "MPI_THREAD_MULTIPLE");
  EXPECT_EQ(codes("array_of_distribs")->text(122), "MPI_DISTRIBUTE_CYCLIC");
  EXPECT_EQ(codes("whence")->text(3), "MPI_SEEK_END");
  EXPECT_EQ(codes("amode")->text(9), "MPI_MODE_CREATE | MPI_MODE_RDWR");
  EXPECT_EQ(codes("amode")->text(256), "MPI_MODE_SEQUENTIAL");
  EXPECT_EQ(codes("assert")->text(0), "0");
  EXPECT_EQ(codes("split_type")->text(kUndefined), "MPI_UNDEFINED");
  EXPECT_EQ(codes("count"), nullptr);
}

TEST(Codes, HaveEndsAtBothSides) {
  const auto of = [](std::string_view name, std::int64_t v) { return codes(name)->contains(v); };
  EXPECT_FALSE(of("lock_type", 0));
  EXPECT_TRUE(of("lock_type", 1) && of("lock_type", 2));
  EXPECT_FALSE(of("lock_type", 3));
  EXPECT_TRUE(of("assert", 0) && of("assert", 31));
  EXPECT_FALSE(of("assert", 32) || of("assert", -1));
  EXPECT_TRUE(of("amode", 511));
  EXPECT_FALSE(of("amode", 512) || of("amode", INT64_MIN));
}

}  // namespace
}  // namespace skelgen::mpi
