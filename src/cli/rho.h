#pragma once
// The relative speeds of the ranks' processors, from a file.

#include <optional>
#include <string>
#include <vector>

namespace skelgen::cli {

/// An array of numbers, or an object whose "rho" is one: relative speed per rank, above 0 and at most 1. Throws
/// Error{io}, Error{corrupt}, and Error{invalid_argument} where a speed is none or there is not one for each of `ranks`.
std::vector<double> read_rho(const std::string& file, std::optional<int> ranks);

}  // namespace skelgen::cli
