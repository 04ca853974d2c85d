#include "support/format.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

namespace skelgen {

std::string format_seconds(double seconds) {
  const double size = std::fabs(seconds);
  constexpr double kNothing = 1e-12;  // what differences of times leave of nothing
  if (size >= 1 || size < kNothing) return fmt::format("{:.3f} s", seconds);
  if (size >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} us", seconds * 1e6);
}

std::string format_bytes(double bytes) {
  if (std::fabs(bytes) < 1000) return fmt::format("{:.0f} B", bytes);
  const char* units[] = {"kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  for (bytes /= 1000; std::fabs(bytes) >= 999.95 && unit + 1 < std::size(units); bytes /= 1000) ++unit;
  return fmt::format("{:.1f} {}", bytes, units[unit]);
}

std::string format_count(std::uint64_t count) {
  auto digits = std::to_string(count);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

std::string format_percent(double fraction) { return fmt::format("{:.1f} %", fraction * 100); }

std::string format_ranges(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(numbers[i]);
    if (last > i) text += (last == i + 1 ? ", " : "-") + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace skelgen
