#pragma once
// The middle of numbers.

#include <algorithm>
#include <vector>

namespace skelgen {

/// Of an even number of values the larger one of the two in the middle; of none 0. O(n).
inline double upper_median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, half);
  return *half;
}

}  // namespace skelgen
