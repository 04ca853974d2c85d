#pragma once
// The file online.json, which stays in place of the records of a run that was measured while it was recorded.

#include <filesystem>
#include <vector>

#include "build/online.h"
#include "cli/command.h"

namespace skelgen::cli {

inline constexpr const char* kOnlineFile = "online.json";

/// True if `directory` has one.
bool is_online(const std::filesystem::path& directory);

/// What online.json has of a run that was measured with these speeds of its ranks.
Json online_json(const build::Online& online, const std::vector<double>& rho);

/// Leaves online.json in place of the records. Throws as Online::replace_records().
void keep(const build::Online& online, const std::vector<double>& rho);

/// The object of `metrics --json` that online.json has. Throws Error{io}, Error{corrupt}; Error{invalid_argument} if
/// `rho` is not empty and not what the run was measured with.
Json read_online(const std::filesystem::path& directory, const std::vector<double>& rho);

}  // namespace skelgen::cli
