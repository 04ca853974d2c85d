#include "strings/runs.h"

#include <algorithm>
#include <limits>

#include "strings/lyndon_scan.h"
#include "support/error.h"

namespace skelgen::strings {
namespace {

/// Symbols from 1 on, as `N`.
template <typename Position, typename N, typename S>
std::vector<BasicRun<Position>> scan(std::span<const S> text, S smallest) {
  Fenced<N> fenced(text.size());
  std::ranges::transform(text, fenced.symbols(), [=](S s) { return static_cast<N>(static_cast<N>(s - smallest) + 1); });
  return LyndonScan<Position, N>(fenced, common_length()).runs();
}

/// Whether symbols up to `range` above the smallest leave room for both ends of a Fenced<N>.
template <typename N>
bool fits(std::uint64_t range) {
  return range < std::numeric_limits<N>::max() - 1;
}

/// Ranks in place of symbols.
template <typename S>
std::vector<S> ranks(std::span<const S> text) {
  std::vector<S> distinct(text.begin(), text.end());
  std::ranges::sort(distinct);
  const auto rest = std::ranges::unique(distinct);
  distinct.erase(rest.begin(), rest.end());
  std::vector<S> result(text.size());
  std::ranges::transform(text, result.begin(),
                         [&](S s) { return static_cast<S>(std::ranges::lower_bound(distinct, s) - distinct.begin()); });
  return result;
}

}  // namespace

template <typename Position, typename S>
std::vector<BasicRun<Position>> runs_of(std::span<const S> text) {
  if constexpr (sizeof(Position) == sizeof(Index)) check_length(text.size());
  if (text.empty()) return {};
  S smallest = std::numeric_limits<S>::max(), largest = 0;
  for (const S s : text) {
    smallest = std::min(smallest, s);
    largest = std::max(largest, s);
  }
  const std::uint64_t range = largest - smallest;
  if (fits<std::uint8_t>(range)) return scan<Position, std::uint8_t>(text, smallest);
  if (fits<std::uint16_t>(range)) return scan<Position, std::uint16_t>(text, smallest);
  if (fits<std::uint32_t>(range)) return scan<Position, std::uint32_t>(text, smallest);
  if (fits<std::uint64_t>(range)) return scan<Position, std::uint64_t>(text, smallest);
  return scan<Position, std::uint64_t, S>(ranks(text), 0);
}

#define SKELGEN_RUNS_OF(S)                                                                  \
  template std::vector<BasicRun<std::uint32_t>> runs_of<std::uint32_t>(std::span<const S>); \
  template std::vector<BasicRun<std::uint64_t>> runs_of<std::uint64_t>(std::span<const S>);
SKELGEN_RUNS_OF(std::uint8_t)
SKELGEN_RUNS_OF(std::uint16_t)
SKELGEN_RUNS_OF(std::uint32_t)
SKELGEN_RUNS_OF(std::uint64_t)
#undef SKELGEN_RUNS_OF

}  // namespace skelgen::strings
