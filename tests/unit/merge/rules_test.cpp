#include "merge/rules.h"

#include <gtest/gtest.h>

#include <functional>

namespace skelgen::merge {
namespace {

/// Who names whom in a communicator of this size.
struct Named {
  int rank, size;
  std::int64_t peer;
};

std::string rule(const std::vector<Named>& named, const std::shared_ptr<const mpi::Grid>& grid = {}) {
  std::vector<mpi::Communicator> comms;
  for (const Named& one : named)
    comms.push_back({.slot = 0, .size = one.size, .rank = one.rank, .identity = 1, .grid = grid});
  std::vector<Peer> peers;
  for (std::size_t i = 0; i < named.size(); ++i) peers.push_back({&comms[i], named[i].peer});
  const auto found = find_rule(peers);
  return found ? skeleton::formula(*found) : "none";
}

std::string rule(int size, const std::function<std::int64_t(std::int64_t)>& peer, int first = 0,
                 const std::shared_ptr<const mpi::Grid>& grid = {}) {
  std::vector<Named> named;
  for (int r = first; r < size; ++r) named.push_back({r, size, peer(r)});
  return rule(named, grid);
}

TEST(FindRule, PeersOfAllRanks) {
  EXPECT_EQ(rule(4, [](auto) { return 2; }), "2");
  EXPECT_EQ(rule(4, [](auto r) { return r; }), "rank");
  EXPECT_EQ(rule(4, [](auto r) { return (r + 1) % 4; }), "(rank+1)%size");
  EXPECT_EQ(rule(4, [](auto r) { return (r + 3) % 4; }), "(rank-1)%size");
  EXPECT_EQ(rule(8, [](auto r) { return r ^ 4; }), "(rank+4)%size");
  EXPECT_EQ(rule(8, [](auto r) { return r ^ 2; }), "rank^2");
  EXPECT_EQ(rule(
                8, [](auto r) { return r - 1; }, 1),
            "rank-1");
  EXPECT_EQ(rule(8, [](auto r) { return 7 - r; }), "rank^7");
  EXPECT_EQ(rule(4, [](auto r) { return r % 2 * 2 + r / 2; }), "transposed(2)");
  EXPECT_EQ(rule(12, [](auto r) { return r % 4 * 3 + r / 4; }), "transposed(4)");
  EXPECT_EQ(rule(6, [](auto r) { return r / 3; }), "rank/3");
  EXPECT_EQ(rule(6, [](auto r) { return r % 3; }), "rank%3");
  EXPECT_EQ(rule(6, [](auto r) { return r * r % 6; }), "none");
  EXPECT_EQ(rule(0, [](auto r) { return r; }), "none");
}

TEST(FindRule, BeyondEdgesARuleThatSaysSoIsPreferred) {
  // Of 2 ranks (rank+1)%size, rank^1 and rank+1 give the only peer that is one.
  const auto up = [](auto r) { return r == 1 ? mpi::kProcNull : r + 1; };
  EXPECT_EQ(rule(2, up), "rank+1");
  const auto pairs = [](auto r) { return r == 0 || r == 3 ? mpi::kProcNull : r ^ 3; };
  EXPECT_EQ(rule(4, pairs), "rank^3") << "though it gives more than ranks";
  const auto constant = [](auto r) { return r == 0 ? mpi::kProcNull : r - 1; };
  EXPECT_EQ(rule(2, constant), "rank-1") << "0 gives rank 1's peer, too";
}

TEST(FindRule, CommunicatorsOfDifferentSizes) {
  EXPECT_EQ(rule({{0, 2, 1}, {1, 2, 0}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}}), "(rank+1)%size");
  EXPECT_EQ(rule({{0, 2, 1}, {1, 2, 0}, {0, 3, 2}, {1, 3, 0}, {2, 3, 1}}), "(rank-1)%size");
}

TEST(FindRule, NeighboursInAGrid) {
  const auto grid = std::make_shared<const mpi::Grid>(mpi::Grid{{{3, false}, {4, true}}});
  const auto neighbour = [&](std::size_t dimension, std::int64_t by) {
    return rule(
        12, [&](auto r) { return grid->neighbour(r, dimension, by); }, 0, grid);
  };
  EXPECT_EQ(neighbour(0, -1), "neighbour(0,-1)");
  EXPECT_EQ(neighbour(0, 2), "neighbour(0,2)");
  EXPECT_EQ(neighbour(1, 1), "neighbour(1,1)");
  EXPECT_EQ(neighbour(1, -1), "neighbour(1,-1)");
  EXPECT_EQ(neighbour(1, 3), "neighbour(1,-1)");  // the same rank, nearer
  EXPECT_EQ(rule(
                12, [](auto r) { return (r + 1) % 12; }, 0, grid),
            "(rank+1)%size");
  EXPECT_EQ(rule(
                12, [](auto r) { return r == 11 ? mpi::kProcNull : r + 1; }, 0, grid),
            "rank+1");
  EXPECT_EQ(rule(
                12, [](auto r) { return r < 4 ? mpi::kAnySource : r - 4; }, 0, grid),
            "rank-4");
  EXPECT_EQ(rule(
                12, [](auto) { return mpi::kProcNull; }, 0, grid),
            "none");
}

}  // namespace
}  // namespace skelgen::merge
