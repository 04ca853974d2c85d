#pragma once

#include <numeric>
#include <span>

namespace skelgen::metrics {

/// Of all values; 0 of none.
inline double sum(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

}  // namespace skelgen::metrics
