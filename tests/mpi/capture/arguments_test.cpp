// Calls with unusual arguments: capture must neither fail nor end for them.

#include <gmock/gmock.h>

#include <cstdint>
#include <map>
#include <vector>

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

/// The sizes that MPI_Type_size_x gave, and those of the definitions that were the latest ones then.
struct Sizes : Visitor {
  std::map<std::uint64_t, std::int64_t> defined;
  std::vector<std::int64_t> given, known;

  void datatype(const DatatypeDefinition& definition) override { defined[definition.handle] = definition.size; }
  void event(const Event& event) override {
    if (event.function->name != "MPI_Type_size_x") return;
    known.push_back(defined[static_cast<std::uint64_t>(event.values[0].scalar)]);
    given.push_back(event.values[1].scalar);
  }
};

TEST_F(Arguments, MayBeHandlesThatMeanSomethingElseByNow) {
  ASSERT_EQ(run(1, "remade"), 0) << said_;
  const auto trace = read();
  for (const int thread : {0, 1}) {
    Sizes sizes;
    trace.visit({0, thread}, sizes);
    EXPECT_EQ(sizes.given.size(), 100u);
    EXPECT_EQ(sizes.known, sizes.given) << "thread " << thread;
  }
}

}  // namespace
}  // namespace skelgen::trace
