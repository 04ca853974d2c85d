#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "support/parallel.h"
#include "verify/values.h"
#include "verify/verify.h"

namespace skelgen::verify {
namespace {

constexpr double kRounding = 1e-9, kTick_s = 1e-12;  // of means, and of clocks

bool reordered(const skeleton::Block& block) {
  return std::ranges::any_of(block, [](const skeleton::Node& node) {
    if (node.is_loop()) return reordered(node.loop().body);
    const auto& order = node.call().order.choices;
    return order.size() > 1 || order[0] != skeleton::Sequence{};
  });
}

/// Buffer slots are numbered by first use, so a reordered program numbers them otherwise. Each of its slots must be one
/// of the traced program's, of the same size.
class Buffers {
 public:
  /// The replayed slots are as large, larger perhaps, or of any size.
  enum class Sizes : std::uint8_t { equal, grown, any };
  Buffers(const std::vector<std::uint64_t>& traced, const std::vector<std::uint64_t>& replayed, Sizes sizes)
      : traced_(traced), replayed_(replayed), sizes_(sizes) {}

  /// The call's values with the traced program's slots; `expected` shows which is which at a slot's first use.
  std::span<const std::int64_t> rename(const mpi::Function& function, std::span<const std::int64_t> values,
                                       std::span<const std::int64_t> expected) {
    renamed_.assign(values.begin(), values.end());
    for (std::size_t i = 0; i < values.size() && i < expected.size(); ++i) {
      if (function.parameters[i].role != mpi::Role::buffer || values[i] <= mpi::kInPlace) continue;
      const std::int64_t slot = mpi::slot_of(values[i]);
      if (expected[i] > mpi::kInPlace) learn(slot, mpi::slot_of(expected[i]));
      const auto known = traced_slot_.find(slot);
      if (known != traced_slot_.end()) renamed_[i] = mpi::pack(known->second, mpi::offset_of(values[i]));
    }
    return renamed_;
  }

 private:
  void learn(std::int64_t replayed, std::int64_t traced) {
    const auto r = static_cast<std::size_t>(replayed), t = static_cast<std::size_t>(traced);
    const bool equal =
        sizes_ == Sizes::any || (t < traced_.size() && r < replayed_.size() &&
                                 (sizes_ == Sizes::grown ? traced_[t] <= replayed_[r] : traced_[t] == replayed_[r]));
    if (!equal || traced_slot_.contains(replayed) || taken_.contains(traced)) return;
    traced_slot_[replayed] = traced;
    taken_.insert(traced);
  }

  const std::vector<std::uint64_t>&traced_, &replayed_;
  Sizes sizes_;
  std::unordered_map<std::int64_t, std::int64_t> traced_slot_;
  std::unordered_set<std::int64_t> taken_;
  std::vector<std::int64_t> renamed_;
};

std::optional<Difference> compare_calls(const normalize::Normalized& normalized, const skeleton::Skeleton& skeleton,
                                        std::uint32_t l, bool renamed, Runs of) {
  const auto& calls = normalized.locations[l].calls;
  const Rank rank = normalized.locations[l].where.rank;
  const Contents same({normalized.arrays, normalized.names}, {skeleton.arrays, skeleton.names});
  using Sizes = Buffers::Sizes;
  Buffers buffers(normalized.locations[l].buffer_bytes, skeleton.locations[l].buffer_bytes,
                  of == Runs::others       ? Sizes::any
                  : skeleton.tolerance > 0 ? Sizes::grown
                                           : Sizes::equal);
  std::optional<Difference> difference;
  auto next = calls.begin();
  const auto end = calls.end();
  const auto number = [&] { return static_cast<std::uint64_t>(next - calls.begin()); };
  const auto expected = [&] { return next != end ? normalize::text(normalized, normalized.records[*next]) : kNoCall; };
  skeleton::expand_original(skeleton, l, [&](const skeleton::OriginalCall& call) {
    const mpi::Function& function = *call.function;
    if (next != end) {
      const auto& record = normalized.records[*next];
      const auto values = renamed ? buffers.rename(function, call.values, record.values) : call.values;
      const bool equal = normalized.symbols[record.symbol].function == &function &&
                         same.change(function, record.values, values, skeleton.tolerance);
      if (equal) return ++next, true;
    }
    difference =
        Difference{rank, number(), expected(), normalize::text(function, call.values, skeleton.arrays, skeleton.names)};
    return false;
  });
  if (!difference && next != end) difference = Difference{rank, number(), expected(), kNoCall};
  return difference;
}

std::optional<Difference> compare_computation(const normalize::LocationCalls& location,
                                              const skeleton::Skeleton& skeleton, std::uint32_t l) {
  const double traced = normalize::computation_s(location);
  const double kept = skeleton::total_compute(skeleton, l);
  if (same_sum(traced, kept, location.calls.size())) return {};
  return Difference{location.where.rank, location.calls.size(), fmt::format("{:.12g} s of computation", traced),
                    fmt::format("{:.12g} s of computation", kept)};
}

}  // namespace

bool same_sum(double one_s, double other_s, std::uint64_t n) {
  const double rounding = kRounding + static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  return std::abs(other_s - one_s) <= rounding * one_s + kTick_s;
}

std::optional<Difference> lossless(const normalize::Normalized& normalized, const skeleton::Skeleton& skeleton,
                                   Runs of) {
  if (!std::ranges::equal(normalized.locations, skeleton.locations, {}, &normalize::LocationCalls::where,
                          &skeleton::LocationData::where))
    return Difference{0, 0, locations_text(normalized.locations.size()), locations_text(skeleton.locations.size())};
  const bool renamed = of == Runs::others || reordered(skeleton.program);
  std::vector<std::optional<Difference>> found(normalized.locations.size());
  parallel_for(found.size(), [&](std::size_t i) {
    const auto l = static_cast<std::uint32_t>(i);
    found[i] = compare_calls(normalized, skeleton, l, renamed, of);
    if (!found[i] && of == Runs::same) found[i] = compare_computation(normalized.locations[l], skeleton, l);
  });
  const auto first = std::ranges::find_if(found, [](const auto& difference) { return difference.has_value(); });
  return first == found.end() ? std::nullopt : *first;
}

}  // namespace skelgen::verify
