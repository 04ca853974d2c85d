#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "verify/values.h"
#include "verify/verify.h"

namespace skelgen::verify {
namespace {

/// Sums of n doubles in another order differ by rounding only.
constexpr double kRounding = 1e-9, kTick_s = 1e-12;

std::optional<Difference> compare_calls(const normalize::Normalized& normalized, const skeleton::Skeleton& skeleton,
                                        std::uint32_t l) {
  const auto& calls = normalized.locations[l].calls;
  const Rank rank = normalized.locations[l].where.rank;
  const Contents same({normalized.arrays, normalized.names}, {skeleton.arrays, skeleton.names});
  std::optional<Difference> difference;
  std::size_t next = 0;
  skeleton::expand(skeleton, l, [&](const skeleton::ExpandedCall& call) {
    const mpi::Function& function = *call.call->function;
    if (next < calls.size()) {
      const auto& record = normalized.records[calls[next]];
      const bool equal =
          normalized.symbols[record.symbol].function == &function && same.values(function, record.values, call.values);
      if (equal) return ++next, true;
    }
    difference =
        Difference{rank, next, next < calls.size() ? text(normalized, normalized.records[calls[next]]) : kNoCall,
                   normalize::text(function, call.values, skeleton.arrays, skeleton.names)};
    return false;
  });
  if (!difference && next < calls.size())
    difference = Difference{rank, next, text(normalized, normalized.records[calls[next]]), kNoCall};
  return difference;
}

std::optional<Difference> compare_computation(const normalize::LocationCalls& location,
                                              const skeleton::Skeleton& skeleton, std::uint32_t l) {
  const double traced = std::accumulate(location.gap_s.begin(), location.gap_s.end(), 0.0);
  const double kept = skeleton::total_compute(skeleton, l);
  if (std::abs(kept - traced) <= kRounding * traced + kTick_s) return {};
  return Difference{location.where.rank, location.calls.size(), fmt::format("{:.12g} s of computation", traced),
                    fmt::format("{:.12g} s of computation", kept)};
}

}  // namespace

std::optional<Difference> lossless(const normalize::Normalized& normalized, const skeleton::Skeleton& skeleton) {
  if (!std::ranges::equal(normalized.locations, skeleton.locations, {}, &normalize::LocationCalls::where,
                          &skeleton::LocationData::where))
    return Difference{0, 0, locations_text(normalized.locations.size()), locations_text(skeleton.locations.size())};
  for (std::uint32_t l = 0; l < normalized.locations.size(); ++l) {
    if (auto difference = compare_calls(normalized, skeleton, l)) return difference;
    if (auto difference = compare_computation(normalized.locations[l], skeleton, l)) return difference;
  }
  return {};
}

}  // namespace skelgen::verify
