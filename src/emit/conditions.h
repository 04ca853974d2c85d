#pragma once
// C conditions for sets of ranks.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skelgen::emit {

/// A condition on the variable `who` that holds for `some` (not empty) of `all` and no others of them: "rank == 0", "rank <= 5",
/// "rank % 8 == 0", of a grid "rank % 8 >= 1" or "rank % 8 < 7 && rank >= 8"; empty if there is none that is that short.
/// Both ascending. O(all).
std::string rank_condition(const std::vector<std::uint32_t>& all, const std::vector<std::uint32_t>& some,
                           std::string_view who = "rank");

}  // namespace skelgen::emit
