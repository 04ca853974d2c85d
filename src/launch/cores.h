#pragma once
// The cores that this process may use, and how busy others keep them.

#include <functional>
#include <optional>
#include <string>

namespace skelgen::launch {

/// Number of cores that this process may run on, 1 or more. One system call.
int usable_cores();

/// Share of their time in which the cores worked between two readings of /proc/stat, 0..1; usable: whether a core counts, by its number.
/// Nothing where the readings do not say it.
std::optional<double> busy_share(const std::string& before, const std::string& after,
                                 const std::function<bool(int)>& usable);

/// Share (0..1) of the usable cores' time that other processes used while this one slept for 0.25 s. Nothing if /proc/stat cannot be read. Blocks
/// for 0.25 s.
std::optional<double> load_by_others();

}  // namespace skelgen::launch
