#include "merge/rules.h"

#include <gtest/gtest.h>

#include <functional>

namespace skelgen::merge {
namespace {

std::string rule(std::int64_t size, const std::function<std::int64_t(std::int64_t)>& peer, std::int64_t first = 0) {
  std::vector<Peer> peers;
  for (std::int64_t r = first; r < size; ++r) peers.push_back({r, size, peer(r)});
  const auto found = find_rule(peers);
  return found ? skeleton::formula(*found) : "none";
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
  EXPECT_EQ(rule(6, [](auto r) { return r * r % 6; }), "none");
  EXPECT_EQ(rule(0, [](auto r) { return r; }), "none");
}

TEST(FindRule, CommunicatorsOfDifferentSizes) {
  EXPECT_EQ(skeleton::formula(*find_rule(std::vector<Peer>{{0, 2, 1}, {1, 2, 0}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}})),
            "(rank+1)%size");
  EXPECT_EQ(skeleton::formula(*find_rule(std::vector<Peer>{{0, 2, 1}, {1, 2, 0}, {0, 3, 2}, {1, 3, 0}, {2, 3, 1}})),
            "(rank-1)%size");
}

}  // namespace
}  // namespace skelgen::merge
