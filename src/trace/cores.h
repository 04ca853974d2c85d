#pragma once

#include <string>

namespace skelgen::trace {

/// "other work used the machine, or the ranks are more than its cores: they waited for a core for 40 % of the run", who: "ranks".
/// Empty where that is at most a twentieth of whole_s, which is the time of all of them together.
std::string without_cores(const std::string& who, double waited_s, double whole_s);

}  // namespace skelgen::trace
