// Info objects are known by what they hold, as far as a skeleton may have it.

#include <gmock/gmock.h>

#include "unit/normalize/process.h"

namespace skelgen {
namespace {

using test::normalized;
using test::Process;
using test::texts;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::int64_t> text(std::string_view words) { return {words.begin(), words.end()}; }
void create(Process& p, std::int64_t info) { p.call("MPI_Info_create", {info}); }
void set(Process& p, std::int64_t info, std::string_view key, std::string_view value) {
  p.call("MPI_Info_set", {info, text(key), text(value)});
}
void window(Process& p, std::int64_t info) { p.call("MPI_Win_create_dynamic", {info, p.comm(), 500}); }

/// The hints of the windows that are made.
std::vector<std::string> given(const normalize::Normalized& run) {
  std::vector<std::string> all;
  for (const std::string& call : texts(run))
    if (call.starts_with("MPI_Win_create"))
      all.push_back(call.substr(call.find('(') + 1, call.find(", comm") - call.find('(') - 1));
  return all;
}

TEST(Hints, AreWhatTheObjectHoldsAtTheCall) {
  const auto run = normalized(1, [](Process& p) {
    create(p, 70);
    window(p, 70);
    set(p, 70, "same_size", "true");
    set(p, 70, "no_locks", "true");
    window(p, 70);
    p.call("MPI_Info_dup", {70, 71});
    p.call("MPI_Info_delete", {70, text("same_size")});
    window(p, 70);
    window(p, 71);
    p.call("MPI_Info_free", {70});
    create(p, 70);  // the same handle
    window(p, 70);
    window(p, 0);
  });
  EXPECT_THAT(given(run),
              ElementsAre("info=MPI_INFO_NULL", "info=\"no_locks=true;same_size=true\"", "info=\"no_locks=true\"",
                          "info=\"no_locks=true;same_size=true\"", "info=MPI_INFO_NULL", "info=MPI_INFO_NULL"));
  EXPECT_THAT(run.hints_left_out, ElementsAre());
}

TEST(Hints, OfTheSiteAreLeftOutAndNamed) {
  const auto run = normalized(2, [](Process& p) {
    create(p, 70);
    set(p, 70, "cb_nodes", "2");
    set(p, 70, p.rank() ? "cb_config_list" : "io_node_list", "host1,host2");
    window(p, 70);
    p.call("MPI_Comm_get_info", {p.comm(), 71});
    window(p, 71);
  });
  EXPECT_THAT(given(run), ElementsAre("info=\"cb_nodes=2\"", "info=MPI_INFO_NULL"));
  EXPECT_THAT(run.hints_left_out, ElementsAre("cb_config_list", "io_node_list", "those that MPI has set itself"));
}

TEST(Hints, OfTheMainThreadAreKnownToOthers) {
  const auto run = normalized(
      1,
      [](Process& p) {
        create(p, 70);
        set(p, 70, "mpi_assert_no_any_tag", "true");
        p.on(1);
        const auto use = [&](std::int64_t info, std::uint64_t gap) {
          p.call("MPI_Comm_set_info", {p.comm(), info}, gap);
        };
        use(70, 20'000);
        create(p, 80);
        p.on(0);
        p.call("MPI_Info_set", {70, text("mpi_assert_no_any_tag"), text("false")}, 50'000);
        p.call("MPI_Info_free", {70}, 50'000);
        p.call("MPI_Comm_set_info", {p.comm(), 80});
        p.on(1);
        use(70, 50'000);
        use(70, 80'000);
        p.on(0);
        p.call("MPI_Barrier", {p.comm()}, 200'000);
      },
      {}, test::Level::multiple);
  std::vector<std::string> all;
  for (const auto call : run.locations[1].calls) all.push_back(normalize::text(run, run.records[call]));
  std::erase_if(all, [](const std::string& call) { return !call.starts_with("MPI_Comm_set_info"); });
  EXPECT_THAT(all, ElementsAre("MPI_Comm_set_info(comm=MPI_COMM_WORLD, info=\"mpi_assert_no_any_tag=true\")",
                               "MPI_Comm_set_info(comm=MPI_COMM_WORLD, info=\"mpi_assert_no_any_tag=false\")",
                               "MPI_Comm_set_info(comm=MPI_COMM_WORLD, info=MPI_INFO_NULL)"));
  EXPECT_THAT(run.hints_left_out, ElementsAre("those that MPI or another thread has set"));
}

TEST(Hints, TellCallsOfRanksApart) {
  const auto run = normalized(2, [](Process& p) {
    create(p, 70);
    set(p, 70, "mpi_assert_no_any_tag", p.rank() ? "true" : "false");
    p.call("MPI_Comm_set_info", {p.comm(), 70});
  });
  EXPECT_THAT(texts(run, 0), Contains("MPI_Comm_set_info(comm=MPI_COMM_WORLD, info=\"mpi_assert_no_any_tag=false\")"));
  EXPECT_THAT(texts(run, 1), Contains("MPI_Comm_set_info(comm=MPI_COMM_WORLD, info=\"mpi_assert_no_any_tag=true\")"));
  EXPECT_EQ(run.classes.size(), 1u);
}

}  // namespace
}  // namespace skelgen
