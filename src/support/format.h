#pragma once
// Numbers and times as text for people.

#include <cstdint>
#include <string>
#include <vector>

namespace skelgen {

std::string format_seconds(double seconds);     ///< "1.234 s", "12.3 ms", "4.56 us"
std::string format_bytes(double bytes);         ///< "512 B", "1.2 kB", "3.4 MB" (powers of 1000)
std::string format_count(std::uint64_t count);  ///< "12,345"
std::string format_percent(double fraction);    ///< "12.3 %"
/// "0, 2-5, 9" of ascending numbers.
std::string format_ranges(const std::vector<int>& numbers);

}  // namespace skelgen
