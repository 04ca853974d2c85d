#pragma once
// The cores that this process may use, and how busy others keep them.

#include <functional>
#include <optional>
#include <string>

namespace skelgen::launch {

/// At least 1.
int usable_cores();

/// Share of their time in which the cores worked between two readings of /proc/stat, 0..1; usable: whether a core counts, by its number.
/// Nothing where the readings do not say it.
std::optional<double> busy_share(const std::string& before, const std::string& after,
                                 const std::function<bool(int)>& usable);

/// Of the cores that this process may use, during a quarter of a second in which it sleeps: what others use. Nothing where the kernel does
/// not say it.
std::optional<double> load_by_others();

}  // namespace skelgen::launch
