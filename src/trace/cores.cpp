#include "trace/cores.h"

#include <fmt/format.h>

#include <algorithm>

namespace skelgen::trace {

std::string without_cores(const std::string& who, double waited_s, double whole_s) {
  constexpr double kMuch = 0.05;
  if (whole_s <= 0 || waited_s <= kMuch * whole_s) return {};
  return fmt::format(
      "other work used the machine, or the {} are more than its cores: they waited for a core for {:.0f} % of the run",
      who, 100 * std::min(1.0, waited_s / whole_s));
}

}  // namespace skelgen::trace
