// Calls with unusual arguments: capture must neither fail nor end for them.

#include <gmock/gmock.h>

#include <algorithm>

#include "run.h"

namespace skelgen::trace {
namespace {

using testing::ElementsAre;

class Arguments : public Capture {
 protected:
  /// All calls of the only rank but those of `often`.
  std::vector<std::string> others(const std::string& often) {
    auto all = lines(read(), {0, 0});
    std::erase_if(all, [&](const std::string& line) { return line.starts_with(often); });
    return all;
  }
};

TEST_F(Arguments, MayBeNegativeLengths) {
  ASSERT_EQ(run(1, "refused"), 0) << said_;
  EXPECT_EQ(said_, "");
  EXPECT_EQ(lines(read(), {0, 0}).size(), 100009u);
  EXPECT_THAT(
      others("MPI_Comm_rank"),
      ElementsAre("MPI_Init", "MPI_Comm_set_errhandler WORLD handle", "MPI_Comm_set_errhandler SELF handle",
                  "MPI_Type_indexed -1 [] [] MPI_INT null", "MPI_Type_create_hindexed -100001 [] [] MPI_INT null",
                  "MPI_Type_create_struct -1000 [] [] [] null", "MPI_Comm_group WORLD new",
                  "MPI_Group_incl {0} -3 [] null", "MPI_Finalize"));
}

}  // namespace
}  // namespace skelgen::trace
