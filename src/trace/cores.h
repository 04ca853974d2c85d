#pragma once

#include <optional>
#include <string>

namespace skelgen::trace {

/// How many there were on a machine of how many cores.
struct OnCores {
  int many = 0, cores = 0;
};

/// "the 8 ranks shared 2 cores: they waited for a core for 40 % of the run", or that other work used the machine; where the
/// numbers are not known, either. who: "ranks". Empty where that is at most kBusy of whole_s, which is the time of all of
/// them together.
std::string without_cores(const std::string& who, double waited_s, double whole_s, std::optional<OnCores> on = {});

}  // namespace skelgen::trace
