#include "trace/cores.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/busy.h"

namespace skelgen::trace {

std::string without_cores(const std::string& who, double waited_s, double whole_s, std::optional<OnCores> on) {
  if (whole_s <= 0 || waited_s <= kBusy * whole_s) return {};
  const auto why =
      !on ? fmt::format("other work used the machine, or the {} are more than its cores: they", who)
      : on->many > on->cores
          ? fmt::format("the {} {} shared {} core{}: they", on->many, who, on->cores, on->cores == 1 ? "" : "s")
      : on->many > 1 ? fmt::format("other work used the machine, or the {} were bound to fewer than its {} cores: they",
                                   who, on->cores)
                     : fmt::format("other work used the machine: the {}", who);
  return fmt::format("{} waited for a core for {:.0f} % of the run", why, 100 * std::min(1.0, waited_s / whole_s));
}

}  // namespace skelgen::trace
