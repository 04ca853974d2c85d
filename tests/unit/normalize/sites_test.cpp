// Where calls were made stays with the calls that are kept.

#include "normalize/sites.h"

#include <gmock/gmock.h>

#include "unit/normalize/process.h"

namespace skelgen {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Sites, AreThoseOfTheCallsThatAreKept) {
  const test::Folder folder;
  trace::Run run;
  run.ranks = 1;
  trace::write_meta(folder.path(), run);
  trace::Writer writer(folder.path(), run, 0, {.columns = {"other", "site"}});
  const auto call = [&](std::uint64_t site, std::string_view name, const std::vector<trace::Argument>& arguments) {
    writer.call(name, arguments, 100, 10, {1, site});
  };
  writer.comm({1, 1, 0, 0, false});
  writer.comm({2, 1, 0, 0, false});
  writer.datatype({3, 8, 8, "MPI_DOUBLE"});
  call(10, "MPI_Init", {});
  call(20, "MPI_Irecv", {0x1000, 1, 3, 0, 0, 1, 9});
  for (int i = 0; i < 3; ++i) {
    call(30, "MPI_Test", {9, 0, std::vector<std::int64_t>{}});
    call(31, "MPI_Wtime", {});
  }
  call(40, "MPI_Send", {0x2000, 1, 3, 0, 0, 1});
  call(30, "MPI_Test", {9, 0, std::vector<std::int64_t>{}});
  call(50, "MPI_Test", {9, 1, std::vector<std::int64_t>{}});
  call(0, "MPI_Finalize", {});
  writer.finish({.finalize_entry_ticks = 2'000'000'000, .finalize_exit_ticks = 2'000'000'001});
  const auto trace = trace::open(folder.path());
  EXPECT_TRUE(trace.has_sites());
  const auto with = normalize::classes(trace, {.most_times = 0, .sites = true});
  const auto& location = with.locations[0];
  EXPECT_EQ(location.sites.size(), location.calls.size());
  EXPECT_THAT(location.sites, ElementsAre(10, 20, 30, 31, 40, 50, 0));
  EXPECT_THAT(normalize::classes(trace).locations[0].sites, IsEmpty());
}

TEST(Sites, TellCallsApart) {
  auto run = test::normalized(2, [](test::Process& p) {
    for (int i = 0; i < 3; ++i) p.barrier();
  });
  for (auto& location : run.locations) {
    location.sites = {1, 2, 3, 2, 4};
    if (location.where.rank == 1)
      for (auto& site : location.sites) site += 100;  // its program lies elsewhere
  }
  const auto told = normalize::sites_as_symbols(run, [](const normalize::LocationCalls& location, std::uint64_t site) {
    return static_cast<std::int64_t>(site) - (location.where.rank == 1 ? 100 : 0);
  });
  const auto symbol = [&](std::size_t l, std::size_t k) { return told.records[told.locations[l].calls[k]].symbol; };
  EXPECT_EQ(symbol(0, 1), symbol(0, 3));
  EXPECT_NE(symbol(0, 1), symbol(0, 2));
  EXPECT_EQ(symbol(0, 2), symbol(1, 2));
  EXPECT_EQ(told.symbols[symbol(0, 2)].key.back(), 3);
  EXPECT_EQ(told.classes.size(), 1u);
  EXPECT_EQ(test::texts(told, 1), test::texts(run, 1));
}

}  // namespace
}  // namespace skelgen
