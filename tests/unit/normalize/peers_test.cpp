// Peers as values: what differs in the ranks that it names only is one statement.

#include "normalize/peers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/normalize/process.h"

namespace skelgen::test {
namespace {

TEST(Peers, CallsThatDifferInThePeerOnlyBecomeOneSymbol) {
  const auto run = normalized(4, [](Process& p) {
    for (int d = 1; d <= 1 + p.rank() % 2; ++d) p.isend((p.rank() + d) % 4, 1), p.wait(1);
  });
  const auto other = normalize::ranks_as_values(run);
  ASSERT_TRUE(other);
  EXPECT_EQ(run.symbols.size(), other->symbols.size() + 1);
  EXPECT_EQ(other->records.size(), run.records.size());
  for (std::size_t l = 0; l < 4; ++l) EXPECT_EQ(texts(*other, l), texts(run, l)) << "the calls themselves stay";
}

TEST(Peers, RanksWithOtherNeighboursAreOneClass) {
  const auto run = normalized(4, [](Process& p) { p.isend(p.rank() ^ 3, 1), p.wait(1); });
  ASSERT_EQ(run.classes.size(), 2u);
  const auto other = normalize::ranks_as_values(run);
  ASSERT_TRUE(other);
  ASSERT_EQ(other->classes.size(), 1u);
  EXPECT_EQ(other->classes[0].members.size(), 4u);
}

TEST(Peers, AnySourceAndNobodyStayApart) {
  const auto run = normalized(3, [](Process& p) {
    for (const int peer : {-1, -2, 0, 1})
      p.irecv(peer, 1), p.wait(1, peer == -2 ? std::vector<std::int64_t>{0, 7} : std::vector<std::int64_t>{});
  });
  const auto other = normalize::ranks_as_values(run);
  ASSERT_TRUE(other);
  std::set<normalize::SymbolId> receives;
  for (const auto call : other->locations[0].calls)
    if (other->symbols[other->records[call].symbol].function->kind == mpi::Kind::recv)
      receives.insert(other->records[call].symbol);
  EXPECT_EQ(receives.size(), 3u);
}

TEST(Peers, NothingToDoWhereEverybodyHasTheSameNeighbours) {
  const auto run = normalized(4, [](Process& p) { p.send((p.rank() + 1) % 4), p.barrier(); });
  EXPECT_FALSE(normalize::ranks_as_values(run));
}

/// A grid of 3 x 4 ranks; call(neighbour, number) for each of the four directions, MPI_PROC_NULL beyond the edges.
Behaviour exchange(bool periodic, const std::function<void(Process&, std::int64_t, int)>& call) {
  return [=](Process& p) {
    const mpi::Grid grid{{{3, false}, {4, periodic}}};
    p.call("MPI_Cart_create", {p.comm(), 2, std::vector<std::int64_t>{3, 4},
                               std::vector<std::int64_t>{0, periodic ? 1 : 0}, 0, p.comm(3)});
    p.define(3, 12, p.rank(), 0);
    for (int n = 0; n < 4; ++n) call(p, grid.neighbour(p.rank(), static_cast<std::size_t>(n / 2), n % 2 ? 1 : -1), n);
  };
}

void isend(Process& p, std::int64_t peer, std::int64_t tag, int request, std::uint64_t address) {
  p.call("MPI_Isend", {p.at(address), 4, p.doubles(), peer, tag, p.comm(3), p.request(request)});
}

TEST(Peers, NeighboursInAGridAreOneSymbolOnAllRanks) {
  for (const bool periodic : {false, true}) {
    const auto by_tag =
        normalized(12, exchange(periodic, [](Process& p, std::int64_t peer, int n) { isend(p, peer, n, n + 1, 0); }));
    EXPECT_EQ(by_tag.classes.size(), 1u) << periodic;
    const auto by_request = normalized(12, exchange(periodic, [](Process& p, std::int64_t peer, int n) {
                                         isend(p, peer, 7, n + 1, 0);
                                         if (n == 3) p.waitall({1, 2, 3, 4});
                                       }));
    EXPECT_EQ(by_request.classes.size(), 1u) << periodic;
    const auto by_buffer = normalized(12, exchange(periodic, [](Process& p, std::int64_t peer, int n) {
                                        isend(p, peer, 7, 1, static_cast<std::uint64_t>(n) * 1000), p.wait(1);
                                      }));
    EXPECT_EQ(by_buffer.classes.size(), 1u) << periodic;
    for (const auto* run : {&by_tag, &by_request, &by_buffer})
      EXPECT_THAT(texts(*run, 5)[1], testing::HasSubstr("dest=1,")) << "the calls themselves stay";
  }
}

TEST(Peers, NeighboursThatNothingTellsApartKeepTheirRanks) {
  const auto run =
      normalized(12, exchange(false, [](Process& p, std::int64_t peer, int) { isend(p, peer, 7, 1, 0), p.wait(1); }));
  EXPECT_EQ(run.classes.size(), 9u) << "3 x 3 kinds of edges";
}

TEST(Peers, RanksThatAreNoNeighboursStay) {
  const auto run = normalized(12, exchange(true, [](Process& p, std::int64_t, int n) {
                                if (n == 0) isend(p, (p.rank() + 5) % 12, 7, 1, 0), p.wait(1);
                              }));
  EXPECT_EQ(run.classes.size(), 1u);
  EXPECT_EQ(run.symbols.size(), 5u) << "MPI_Init, MPI_Cart_create, MPI_Isend, MPI_Wait, MPI_Finalize";
}

/// A ring exchange and a broadcast whose root goes around.
Behaviour rotating(int steps) {
  return [=](Process& p) {
    for (int step = 0; step < steps; ++step)
      p.send((p.rank() + 1) % p.ranks()), p.recv((p.rank() + p.ranks() - 1) % p.ranks(), 100),
          p.call("MPI_Bcast", {p.at(8000), 1, p.doubles(), step % p.ranks(), p.comm()});
  };
}

TEST(Peers, RootsBecomeValues) {
  const auto run = normalized(3, rotating(6));
  EXPECT_EQ(run.symbols.size(), 4u + 3u) << "with MPI_Init and MPI_Finalize";
  const auto other = normalize::ranks_as_values(run);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->symbols.size(), 4u + 1u);
  EXPECT_EQ(other->classes.size(), 1u);
  for (std::size_t l = 0; l < 3; ++l) EXPECT_EQ(texts(*other, l), texts(run, l)) << "the calls themselves stay";
}

TEST(Peers, ARootThatStaysIsNoneOfThem) {
  const auto run = normalized(3, rotating(1));
  EXPECT_FALSE(normalize::ranks_as_values(run));
}

}  // namespace
}  // namespace skelgen::test
