#include <cmath>

#include "skeleton/skeleton.h"

namespace skelgen::skeleton {

std::uint64_t sampled_iteration(std::uint64_t row, std::uint64_t rows, std::uint64_t trips) {
  return row == 0 ? 0 : 1 + (2 * row - 1) * (trips - 1) / (2 * (rows - 1));
}

double deviation(const Samples::OfLocation& samples) {
  const auto n = static_cast<double>(samples.seconds.size());
  if (n < 2) return 0;
  double sum = 0, squares = 0;
  for (const double s : samples.seconds) sum += s;
  for (const double s : samples.seconds) squares += (s - sum / n) * (s - sum / n);
  return std::sqrt(squares / n);
}

}  // namespace skelgen::skeleton
