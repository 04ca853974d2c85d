#include "network/distances.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace skelgen::network {
namespace {

/// Of a pair: the shortest message, and what each byte of the longest one adds.
struct Pair {
  double short_s = 0, long_s = 0, bytes = 0;
  double per_byte() const { return std::max(0.0, long_s - short_s) / std::max(1.0, bytes - 1); }
};

std::size_t root(std::vector<std::size_t>& above, std::size_t i) {
  while (above[i] != i) i = above[i] = above[above[i]];
  return i;
}

/// Of a pattern among all ranks; 0 where it was not measured.
double seconds_of(const Points& points, const char* pattern, double bytes) {
  for (const auto& point : points.points)
    if (point.pattern == pattern && point.ranks == points.ranks && static_cast<double>(point.bytes) == bytes)
      return point.seconds;
  return 0;
}

}  // namespace

Distances::Distances(const Points& points) {
  std::map<std::pair<int, int>, Pair> pairs;
  for (const auto& point : points.points) {
    if (point.pattern != "pair" || point.to >= points.ranks) continue;
    auto& pair = pairs[{point.from, point.to}];
    if (point.bytes == 1) pair.short_s = point.seconds;
    if (static_cast<double>(point.bytes) > pair.bytes)
      pair.long_s = point.seconds, pair.bytes = static_cast<double>(point.bytes);
  }
  const auto n = static_cast<std::size_t>(points.ranks);
  std::erase_if(pairs, [](const auto& one) { return !(one.second.short_s > 0) || one.second.bytes <= 1; });
  if (n < 3 || pairs.size() < n * (n - 1) / 2) return;

  Pair nearest{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(), 0};
  for (const auto& [ranks, pair] : pairs) {
    nearest.short_s = std::min(nearest.short_s, pair.short_s);
    nearest.long_s = std::min(nearest.long_s, pair.long_s);
  }
  std::vector<std::size_t> above(n);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (const auto& [ranks, pair] : pairs)
    if (pair.short_s < kNear * nearest.short_s && pair.long_s < kNear * nearest.long_s)
      above[root(above, static_cast<std::size_t>(ranks.first))] = root(above, static_cast<std::size_t>(ranks.second));
  std::map<std::size_t, std::size_t> numbers;
  for (std::size_t r = 0; r < n; ++r)
    group_.push_back(numbers.try_emplace(root(above, r), numbers.size()).first->second);
  groups_ = numbers.size();

  const auto& base = pairs.at({0, points.ranks - 1});
  ways_.assign(groups_ * groups_, {0, 0});
  std::vector<double> counted(ways_.size(), 0);
  for (const auto& [ranks, pair] : pairs)
    for (const auto at : {way(ranks.first, ranks.second), way(ranks.second, ranks.first)}) {
      ways_[at].latency += pair.short_s / base.short_s;
      ways_[at].per_byte += base.per_byte() > 0 ? pair.per_byte() / base.per_byte() : 1;
      ++counted[at];
    }
  for (std::size_t at = 0; at < ways_.size(); ++at)
    ways_[at] = counted[at] > 0 ? Way{ways_[at].latency / counted[at], ways_[at].per_byte / counted[at]} : Way{};

  // Whether a pattern of all ranks takes longer than the slowest of its pairs alone.
  const auto slowest = [&](int first, int further) {
    const auto* found = &*pairs.begin();
    for (int r = 0; r < first; ++r) {
      const auto& one = *pairs.find(std::minmax(r, (r + further) % points.ranks));
      if (r == 0 || one.second.long_s > found->second.long_s) found = &one;
    }
    return *found;
  };
  const auto longer = [&](const char* pattern, const Pair& pair) {
    return seconds_of(points, pattern, pair.bytes) > kShared * pair.long_s;
  };
  const auto on_links = [&](const char* pattern, int first, int further, const auto& slow) {
    std::map<std::pair<std::size_t, bool>, int> links;  // of a group, out of it or into it
    for (int r = 0; r < first; ++r)
      if (const auto from = group(r), to = group((r + further) % points.ranks); from != to)
        ++links[{from, true}], ++links[{to, false}];
    Together most{pattern, 0, 0, way(slow.first.first, slow.first.second)};
    for (const auto& [link, messages] : links) {
      const auto back = links.find({link.first, !link.second});
      if (messages > most.messages) most.messages = messages, most.back = back == links.end() ? 0 : back->second;
    }
    return most;
  };
  const int half = points.ranks / 2;
  const auto pair = slowest(half, half), next = slowest(points.ranks, 1);
  shared_ = groups_ > 1 && (longer("pairs", pair.second) || longer("ring", next.second));
  together_ = on_links("pairs", half, half, pair);
  together_.back = 0;
  if (together_.messages < 2) together_ = on_links("ring", points.ranks, 1, next);
}

double Distances::own_per_byte(std::size_t group) const {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t to = 0; to < groups_; ++to) least = std::min(least, ways_[group * groups_ + to].per_byte);
  return least;
}

}  // namespace skelgen::network
