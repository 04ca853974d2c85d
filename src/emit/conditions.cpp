#include "emit/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace skelgen::emit {
namespace {

using Ranks = std::vector<std::uint32_t>;

/// Periods that the set may have: the usual ones, and the distances of its first few gaps.
std::vector<std::uint32_t> periods(const Ranks& all, const Ranks& some) {
  std::vector<std::uint32_t> result = {2, 4, 8, 16, 3, 5, 6, 7};
  std::vector<std::uint32_t> begins, ends;  // of runs of members
  auto member = some.begin();
  bool before = false;
  for (std::size_t i = 0; i < all.size() && begins.size() < 4; ++i) {
    const bool in = member != some.end() && *member == all[i];
    if (in) ++member;
    if (in && !before) begins.push_back(all[i]);
    if (!in && before) ends.push_back(all[i]);
    before = in;
  }
  for (const auto& edges : {begins, ends})
    for (std::size_t i = 1; i < edges.size(); ++i) result.push_back(edges[i] - edges[i - 1]);
  return result;
}

/// Of the members of `all` in [first, last], those whose rest modulo m is in [low, high] are `some`.
bool holds(const Ranks& all, const Ranks& some, std::uint32_t m, std::uint32_t low, std::uint32_t high) {
  auto member = some.begin();
  for (auto l = std::lower_bound(all.begin(), all.end(), some.front()); l != all.end() && *l <= some.back(); ++l) {
    if (*l % m < low || *l % m > high) continue;
    if (member == some.end() || *member != *l) return false;
    ++member;
  }
  return member == some.end();
}

std::string rests(std::uint32_t m, std::uint32_t low, std::uint32_t high) {
  if (low == high) return fmt::format("rank % {} == {}", m, low);
  if (low == 0) return fmt::format("rank % {} < {}", m, high + 1);
  if (high == m - 1) return fmt::format("rank % {} >= {}", m, low);
  return fmt::format("rank % {} >= {} && rank % {} <= {}", m, low, m, high);
}

/// Members of `all` whose rest modulo m is in [low, high] begin and end with those of `some`.
std::string bounds(const Ranks& all, const Ranks& some, std::uint32_t m, std::uint32_t low, std::uint32_t high) {
  const auto fits = [&](std::uint32_t l) { return l % m >= low && l % m <= high; };
  std::string text;
  if (*std::find_if(all.begin(), all.end(), fits) != some.front()) text += fmt::format(" && rank >= {}", some.front());
  if (*std::find_if(all.rbegin(), all.rend(), fits) != some.back()) text += fmt::format(" && rank <= {}", some.back());
  return text;
}

std::string condition_of_rank(const Ranks& all, const Ranks& some) {
  const auto index = [&](std::uint32_t l) { return std::lower_bound(all.begin(), all.end(), l) - all.begin(); };
  const auto run = [&](const Ranks& set) {
    return index(set.back()) - index(set.front()) + 1 == static_cast<std::ptrdiff_t>(set.size());
  };
  if (some.size() == 1) return fmt::format("rank == {}", some[0]);
  Ranks others;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(others));
  if (others.empty()) return {};
  if (others.size() == 1) return fmt::format("rank != {}", others[0]);
  if (run(some)) {
    if (some.front() == all.front()) return fmt::format("rank <= {}", some.back());
    if (some.back() == all.back()) return fmt::format("rank >= {}", some.front());
    return fmt::format("rank >= {} && rank <= {}", some.front(), some.back());
  }
  if (run(others)) return fmt::format("rank < {} || rank > {}", others.front(), others.back());
  for (const std::uint32_t m : periods(all, some)) {
    if (m < 2) continue;
    std::uint32_t low = m, high = 0;
    for (const auto l : some) {
      low = std::min(low, l % m);
      high = std::max(high, l % m);
    }
    if (high - low + 1 < m && holds(all, some, m, low, high))
      return rests(m, low, high) + bounds(all, some, m, low, high);
  }
  return {};
}

}  // namespace

std::string rank_condition(const Ranks& all, const Ranks& some, std::string_view who) {
  std::string text = condition_of_rank(all, some);
  constexpr std::string_view kRank = "rank";
  for (std::size_t at = 0; who != kRank && (at = text.find(kRank, at)) != std::string::npos; at += who.size())
    text.replace(at, kRank.size(), who);
  return text;
}

}  // namespace skelgen::emit
