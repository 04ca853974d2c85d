// Peers as values: what differs in the ranks that it names only is one statement.

#include "normalize/peers.h"

#include <gtest/gtest.h>

#include "unit/normalize/process.h"

namespace skelgen::test {
namespace {

TEST(Peers, calls_that_differ_in_the_peer_only_become_one_symbol) {
  const auto run = normalized(4, [](Process& p) {
    for (int d = 1; d <= 1 + p.rank() % 2; ++d) p.isend((p.rank() + d) % 4, 1), p.wait(1);
  });
  const auto other = normalize::peers_as_values(run);
  ASSERT_TRUE(other);
  EXPECT_EQ(run.symbols.size(), other->symbols.size() + 1);
  EXPECT_EQ(other->records.size(), run.records.size());
  for (std::size_t l = 0; l < 4; ++l) EXPECT_EQ(texts(*other, l), texts(run, l)) << "the calls themselves stay";
}

TEST(Peers, ranks_with_other_neighbours_are_one_class) {
  const auto run = normalized(4, [](Process& p) { p.isend(p.rank() ^ 3, 1), p.wait(1); });
  ASSERT_EQ(run.classes.size(), 2u);
  const auto other = normalize::peers_as_values(run);
  ASSERT_TRUE(other);
  ASSERT_EQ(other->classes.size(), 1u);
  EXPECT_EQ(other->classes[0].members.size(), 4u);
}

TEST(Peers, any_source_and_nobody_stay_apart) {
  const auto run = normalized(3, [](Process& p) {
    for (const int peer : {-1, -2, 0, 1})
      p.irecv(peer, 1), p.wait(1, peer == -2 ? std::vector<std::int64_t>{0, 7} : std::vector<std::int64_t>{});
  });
  const auto other = normalize::peers_as_values(run);
  ASSERT_TRUE(other);
  std::set<normalize::SymbolId> receives;
  for (const auto call : other->locations[0].calls)
    if (other->symbols[other->records[call].symbol].function->kind == mpi::Kind::recv)
      receives.insert(other->records[call].symbol);
  EXPECT_EQ(receives.size(), 3u);
}

TEST(Peers, nothing_to_do_where_everybody_has_the_same_neighbours) {
  EXPECT_FALSE(normalize::peers_as_values(normalized(4, [](Process& p) { p.send((p.rank() + 1) % 4), p.barrier(); })));
}

}  // namespace
}  // namespace skelgen::test
