// IdentifyCL and LocateCL against all subsets of up to 12 loops, and against IdentifyCL as the paper has it.

#include "threads/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <set>

namespace skelgen::threads {
namespace {

using Set = std::uint32_t;  // of loops, a bit each

constexpr int kGraphs = 2000;

/// Up to 12 loops of some threads, nested in each other at random; pairs of different threads are tied or concurrent by chance.
Relations random_relations(std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  Relations all(1 + below(12));
  const auto n = all.size();
  const double tied = 0.1 + 0.2 * static_cast<double>(below(5)), concurrent = 0.2 + 0.2 * static_cast<double>(below(5));
  std::vector<std::size_t> thread(n);
  for (std::size_t i = 0; i < n; ++i) {
    thread[i] = below(4);
    if (i == 0 || below(2) == 0) continue;
    const auto parent = below(i);  // of the same thread then, as what nests it is
    thread[i] = thread[parent];
    for (std::size_t j = 0; j < i; ++j) all.nests[j][i] = j == parent || all.nests[j][parent];
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (thread[i] == thread[j]) continue;
      all.tied[i][j] = all.tied[j][i] = std::bernoulli_distribution(tied)(random);
      all.concurrent[i][j] = all.concurrent[j][i] = std::bernoulli_distribution(concurrent)(random);
    }
  return all;
}

bool holds_for_pairs(Set set, const auto& relation) {
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if ((set >> i & 1) && (set >> j & 1) && !relation(i, j)) return false;
  return true;
}

/// Largest of the sets that `good` accepts among all subsets of `of`.
std::set<Set> largest(Set of, const auto& good) {
  std::vector<Set> some;
  for (Set set = of; set != 0; set = (set - 1) & of)
    if (good(set)) some.push_back(set);
  std::set<Set> result;
  for (const Set set : some)
    if (std::ranges::none_of(some, [&](Set other) { return other != set && (other & set) == set; })) result.insert(set);
  return result;
}

std::set<Set> by_all_subsets(const Relations& all, Set of) {
  return largest(of, [&](Set set) {
    return holds_for_pairs(set, [&](auto i, auto j) { return all.tied[i][j] && all.concurrent[i][j]; });
  });
}

/// Steps 3 and 4 of the paper's IdentifyCL.
void split(const Relations& all, Set set, std::set<Set>& layers, std::set<Set>& seen) {
  if (!seen.insert(set).second) return;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if ((set >> i & 1) && (set >> j & 1) && !all.concurrent[i][j]) {
        split(all, set & ~(Set{1} << j), layers, seen);
        split(all, set & ~(Set{1} << i), layers, seen);
        return;
      }
  layers.insert(set);
}

/// IdentifyCL as printed, without sets that are part of others.
std::set<Set> as_printed(const Relations& all, Set of) {
  std::set<Set> layers, seen, result;
  for (const Set set :
       largest(of, [&](Set s) { return holds_for_pairs(s, [&](auto i, auto j) { return all.tied[i][j]; }); }))
    split(all, set, layers, seen);
  for (const Set set : layers)
    if (std::ranges::none_of(layers, [&](Set other) { return other != set && (other & set) == set; }))
      result.insert(set);
  return result;
}

std::set<Set> sets_of(const std::vector<Layer>& layers) {
  std::set<Set> result;
  for (const auto& layer : layers) {
    Set set = 0;
    for (const auto loop : layer) set |= Set{1} << loop;
    EXPECT_TRUE(result.insert(set).second);
  }
  return result;
}

TEST(Layers, AreWhatAllSubsetsSayAndThePaper) {
  std::mt19937_64 random(25);
  std::size_t levels = 0, stuck = 0;
  for (int graph = 0; graph < kGraphs; ++graph) {
    const auto all = random_relations(random);
    const auto located = locate_layers(all);
    Set left = (Set{1} << all.size()) - 1;
    for (const auto& level : located) {
      ASSERT_NE(left, 0u);
      const auto identified = by_all_subsets(all, left);
      ASSERT_EQ(identified, as_printed(all, left));
      const auto nests = [&](Set set) {
        for (std::size_t i = 0; i < all.size(); ++i)
          for (std::size_t j = 0; j < all.size(); ++j)
            if ((set >> i & 1) && (left >> j & 1) && all.nests[i][j]) return true;
        return false;
      };
      std::set<Set> expected;
      for (const Set set : identified)
        if (!nests(set)) expected.insert(set);
      if (expected.empty()) {
        ++stuck;
        Set innermost = 0;
        for (std::size_t i = 0; i < all.size(); ++i)
          if ((left >> i & 1) && !nests(Set{1} << i)) innermost |= Set{1} << i;
        expected = by_all_subsets(all, innermost);
      }
      ASSERT_EQ(sets_of(level), expected);
      for (const Set set : expected) left &= ~set;
      ++levels;
    }
    ASSERT_EQ(left, 0u);
  }
  EXPECT_GT(levels, std::size_t{kGraphs});  // graphs of one level alone would show little
  EXPECT_GT(stuck, 0u);
}

}  // namespace
}  // namespace skelgen::threads
