// Calls that user functions make which MPI calls back, and other tools that see the program's calls, too.

#include <gmock/gmock.h>

#include <algorithm>

#include "mpi_run.h"

namespace skelgen::trace {
namespace {

using testing::HasSubstr;

class Callbacks : public EachMpi {
 protected:
  void expect_all(const std::string& program);
};

/// They stand before the call that the user function was called back by, each once, in order.
void Callbacks::expect_all(const std::string& program) {
  const auto plain = this->plain(2, program), traced = this->traced(2, program);
  ASSERT_EQ(traced.status, 0) << traced.errors;
  EXPECT_EQ(traced.output, plain.output);
  auto all = lines(read(), {0, 0});
  const std::string size = "MPI_Type_size MPI_INT";
  const auto operations = static_cast<std::size_t>(std::atoi(traced.output.c_str()));
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(all, size)), operations);
  EXPECT_GE(operations, 1u);
  std::erase(all, size);
  const std::vector<std::string> expected = {"MPI_Init",
                                             "MPI_Comm_rank WORLD",
                                             "MPI_Comm_size WORLD",
                                             "MPI_Op_create 1 new",
                                             "MPI_Allreduce buf buf 2 MPI_INT made WORLD",
                                             "MPI_Op_free made",
                                             "MPI_Comm_create_keyval",
                                             "MPI_Comm_dup SELF new",
                                             "MPI_Comm_dup WORLD new",
                                             "MPI_Comm_set_attr",
                                             "MPI_Comm_dup comm(1) new",
                                             "MPI_Comm_dup comm(2) new",
                                             "MPI_Comm_free comm(1)",
                                             "MPI_Comm_free comm(2)",
                                             "MPI_Comm_free comm(1)",
                                             "MPI_Comm_free comm(2)",
                                             "MPI_Comm_free_keyval",
                                             "MPI_Comm_create_errhandler",
                                             "MPI_Comm_set_errhandler",
                                             "MPI_Error_class",
                                             "MPI_Send buf 1 MPI_INT 99 0 WORLD",
                                             "MPI_Comm_set_errhandler",
                                             "MPI_Errhandler_free",
                                             "MPI_Grequest_start",
                                             "MPI_Grequest_complete",
                                             "MPI_Status_set_elements",
                                             "MPI_Status_set_cancelled",
                                             "MPI_Wait req []",
                                             "MPI_Comm_create_keyval",
                                             "MPI_Comm_set_attr",
                                             "MPI_Comm_rank SELF",
                                             "MPI_Iprobe -2 77 WORLD 0 []",
                                             "MPI_Finalize"};
  ASSERT_EQ(all.size(), expected.size()) << testing::PrintToString(all);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_THAT(all[i], testing::StartsWith(expected[i])) << i;
}

TEST_P(Callbacks, MakeCallsThatAreRecorded) { expect_all("callbacks"); }
/// Without tables for unwinding, the calls around are not seen.
TEST_P(Callbacks, MakeCallsThatAreRecordedFromCodeThatCannotBeUnwound) { expect_all("callbacks_bare"); }

/// Time that passes in MPI, user functions included, is MPI's; no call begins before the one before has ended.
TEST_P(Callbacks, ShareTheTimeOfTheCallThatTheyAreIn) {
  ASSERT_EQ(traced(2, "callbacks").status, 0);
  struct Times : Visitor {
    double last = -1e9;
    int calls = 0;
    void event(const Event& event) override {
      EXPECT_GE(event.start.value, last - 1e-9) << event.function->name;
      EXPECT_GE(event.end.value, event.start.value);
      last = event.end.value;
      ++calls;
    }
  } times;
  read().visit({0, 0}, times);
  EXPECT_GT(times.calls, 30);
}

/// In the user function, and of the call around what it is.
TEST_P(Callbacks, HaveSitesOfTheirOwn) {
  ASSERT_EQ(traced(2, "callbacks", "SKELGEN_SITES=1").status, 0);
  struct Sites : Visitor {
    std::map<std::string, std::uint64_t> of;
    void event(const Event& event) override {
      const auto [known, fresh] = of.try_emplace(std::string(event.function->name), event.site);
      EXPECT_NE(event.site, 0u) << event.function->name;
      if (event.function->name == "MPI_Type_size") EXPECT_EQ(known->second, event.site);
    }
  } sites;
  read().visit({0, 0}, sites);
  EXPECT_NE(sites.of.at("MPI_Type_size"), sites.of.at("MPI_Allreduce"));
  EXPECT_NE(sites.of.at("MPI_Error_class"), sites.of.at("MPI_Send"));
}

class Tools : public EachMpi {
 protected:
  static std::string tool() { return program("tool"); }
  /// What the tool says, and how many sends each rank's trace has.
  void expect_both_see(const Ended& ended) {
    ASSERT_EQ(ended.status, 0) << ended.errors;
    EXPECT_EQ(ended.output, "tool: 7 sends, 3 collectives\n");
    const auto trace = read();
    for (int rank = 0; rank < 2; ++rank) {
      const auto all = lines(trace, {rank, 0});
      const auto count = [&](const char* begin) {
        return std::ranges::count_if(all, [&](const std::string& line) { return line.starts_with(begin); });
      };
      EXPECT_EQ(count("MPI_Send "), rank == 0 ? 7 : 0);
      EXPECT_EQ(count("MPI_Recv "), rank == 0 ? 0 : 7);
      EXPECT_EQ(count("MPI_Allreduce "), 3);
      EXPECT_EQ(count("MPI_Finalize"), 1);
      EXPECT_EQ(all.size(), 1u + 1 + 7 + 3 + 1) << testing::PrintToString(all);
    }
  }
};

TEST_P(Tools, BehindTheLibrarySeeEveryCallOnce) { expect_both_see(traced(2, "tooled", "", "", tool())); }
TEST_P(Tools, BeforeTheLibrarySeeEveryCallOnce) { expect_both_see(traced(2, "tooled", "", tool())); }
TEST_P(Tools, LinkedIntoTheProgramSeeEveryCallOnce) { expect_both_see(traced(2, "tooled_inside")); }

/// Without a tool before the library, a PMPI call is one that is not to be seen.
TEST_P(Tools, LeaveTheProgramsOwnCallsOfPmpiUnrecorded) {
  const auto ended = traced(2, "tooled", "HIDDEN=1");
  ASSERT_EQ(ended.status, 0) << ended.errors;
  EXPECT_EQ(lines(read(), {0, 0}).size(), 1u + 1 + 7 + 3 + 1);
}

SKELGEN_EACH_MPI(Callbacks);
SKELGEN_EACH_MPI(Tools);

}  // namespace
}  // namespace skelgen::trace
