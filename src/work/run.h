#pragma once
// A profiled run, which `skelgen profile` adds to a trace: DIR/work, itself a trace directory, with a profile for each rank.

#include <filesystem>
#include <vector>

#include "normalize/normalize.h"

namespace skelgen::work {

/// Its name in the directory of the trace.
inline constexpr const char* kDirectory = "work";

/// A file of this name in the directory of a run under way ends its profiles.
inline constexpr const char* kStop = "stop";

/// "rank-000003.work"
std::string profile_name(Rank rank);

/// True if it is the profile of a rank, or what a process of a run under way writes.
bool is_of_profile(const std::string& file_name);

/// Gives the profiles of processes (process-PID.work, of those that were killed .work.partial) the names of their ranks
/// and removes all else that begins with process-. Throws Error{mismatch} where a rank below `ranks` has no profile or
/// two.
void name_profiles(const std::filesystem::path& directory, int ranks);

/// How many processes have written their profile to its end.
int whole_profiles(const std::filesystem::path& directory);

struct Run {
  normalize::Normalized calls;                  ///< with numbers, in the order in which they were made
  std::vector<std::filesystem::path> profiles;  ///< by rank
};
/// Reads one that name_profiles() has named. Throws as trace::open() and normalize::classes().
Run open_run(const std::filesystem::path& directory);

}  // namespace skelgen::work
