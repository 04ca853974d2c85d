#pragma once
// Clusters of numbers that differ little; one number stands for each. Internal to src/merge.

#include <cstdint>
#include <span>
#include <vector>

namespace skelgen::merge {

/// A size of messages in bytes, > 0.
struct Size {
  std::int64_t bytes;
  double weight;      ///< how many messages have it
  std::int64_t unit;  ///< what stands for it must be a multiple of this
};

/// Two sizes that one statement has; low < high.
struct SizeStep {
  std::int64_t low, high;
};

/// True if the larger one is larger by less than `share` of itself.
inline bool near(std::int64_t low, std::int64_t high, double share) {
  return static_cast<double>(high) - static_cast<double>(low) < share * static_cast<double>(high);
}

enum class Growth { allowed, never };

/// For each size (ascending, different) what stands for it: at most `share` off, between the least and the greatest
/// size that the same number stands for, which differ by less than `share` of the greatest; never less for a greater
/// size. A size is given up only together with others that a step (of near sizes) connects it with. Groups that are too
/// wide are cut at their widest gaps. The number is the mean by weight where multiples allow it; with Growth::never the
/// least size. A group without a fitting multiple stays as it is. O(n log n + steps).
std::vector<std::int64_t> representatives(std::span<const Size> sizes, std::span<const SizeStep> steps, double share,
                                          Growth growth);

}  // namespace skelgen::merge
