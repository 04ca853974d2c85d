#include "merge/clusters.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace skelgen::merge {
namespace {

/// Units of two sizes in one group; larger ones are no use.
constexpr std::int64_t kLargestUnit = std::int64_t{1} << 40;

/// The multiple of `unit` in [least, greatest] that is nearest to `wanted`; 0 if there is none.
std::int64_t nearest_multiple(double wanted, std::int64_t unit, std::int64_t least, std::int64_t greatest) {
  const std::int64_t first = (least + unit - 1) / unit, last = greatest / unit;
  if (first > last) return 0;
  return unit * std::clamp(static_cast<std::int64_t>(std::llround(wanted / static_cast<double>(unit))), first, last);
}

/// What stands for a group; 0: nothing can.
std::int64_t representative(std::span<const Size> group, double share, Growth growth) {
  const std::int64_t least = group.front().bytes, greatest = group.back().bytes;
  std::int64_t unit = 1;
  double weight = 0, sum = 0;
  for (const Size& size : group) {
    const __int128 both = static_cast<__int128>(unit / std::gcd(unit, size.unit)) * size.unit;
    if (both > kLargestUnit) return 0;
    unit = static_cast<std::int64_t>(both);
    weight += size.weight;
    sum += size.weight * static_cast<double>(size.bytes);
  }
  // No size changes by more than the share of itself.
  const auto low = static_cast<std::int64_t>(std::ceil(static_cast<double>(greatest) * (1 - share)));
  const auto high = static_cast<std::int64_t>(std::floor(static_cast<double>(least) * (1 + share)));
  if (growth == Growth::never) return least % unit == 0 && low <= least ? least : 0;
  const double mean = weight > 0 ? sum / weight : 0.5 * static_cast<double>(least + greatest);
  return nearest_multiple(mean, unit, std::max(least, low), std::min(greatest, high));
}

}  // namespace

std::vector<std::int64_t> representatives(std::span<const Size> sizes, std::span<const SizeStep> steps, double share,
                                          Growth growth) {
  const std::size_t n = sizes.size();
  std::vector<std::int64_t> result;
  for (const Size& size : sizes) result.push_back(size.bytes);
  if (n < 2) return result;
  const auto place = [&](std::int64_t bytes) {
    return static_cast<std::size_t>(std::ranges::lower_bound(sizes, bytes, {}, &Size::bytes) - sizes.begin());
  };
  // connected[i]: a step leads over the gap between sizes i and i + 1.
  std::vector<std::int64_t> opened(n + 1, 0);
  for (const SizeStep& step : steps) {
    if (!near(step.low, step.high, share)) continue;
    ++opened[place(step.low)];
    --opened[place(step.high)];
  }
  std::partial_sum(opened.begin(), opened.end(), opened.begin());
  std::set<std::size_t> begins{0, n};  // of groups
  std::vector<std::size_t> gaps;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    if (opened[i] > 0)
      gaps.push_back(i);
    else
      begins.insert(i + 1);
  }
  const auto width = [&](std::size_t i) {
    return static_cast<double>(sizes[i + 1].bytes - sizes[i].bytes) / static_cast<double>(sizes[i + 1].bytes);
  };
  std::ranges::stable_sort(gaps, [&](std::size_t a, std::size_t b) { return width(a) > width(b); });
  for (const std::size_t gap : gaps) {
    const auto end = begins.upper_bound(gap);
    if (!near(sizes[*std::prev(end)].bytes, sizes[*end - 1].bytes, share)) begins.insert(gap + 1);
  }
  for (auto begin = begins.begin(); *begin < n; ++begin) {
    const std::size_t end = *std::next(begin);
    if (end - *begin < 2) continue;
    const std::int64_t one = representative(sizes.subspan(*begin, end - *begin), share, growth);
    if (one > 0)
      std::fill(result.begin() + static_cast<std::ptrdiff_t>(*begin), result.begin() + static_cast<std::ptrdiff_t>(end),
                one);
  }
  return result;
}

}  // namespace skelgen::merge
