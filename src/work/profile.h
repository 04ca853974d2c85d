#pragma once
// Profiles that the Valgrind tool wrote (docs/profile.md): what the computation of a rank consists of, gap by gap.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/units.h"

namespace skelgen::work {

/// How often what has this number (Profile::features) was done.
struct Count {
  std::uint32_t feature;
  double times;
  bool operator==(const Count&) const = default;
};

/// A rank's profile but for its gaps.
struct Profile {
  std::optional<Rank> rank;           ///< in MPI_COMM_WORLD; nothing: the process did not come to it
  std::vector<std::string> features;  ///< "instructions", ..., then "load_reuse_0", ..., "store_reuse_0", ...
  std::uint64_t gaps = 0;
  bool whole = false;  ///< false: the process was killed; its last gaps may be missing
};

/// Buckets of reuse distances (wrappers/profile/reuse.h): for each `load_reuse_B` and `store_reuse_B`.
inline constexpr std::uint32_t kReuseBuckets = 160, kNeverTouched = kReuseBuckets - 1;
/// The least distance of bucket b < kNeverTouched, in different cache lines; that of the last one is beyond all others.
std::uint64_t reuse_distance(std::uint32_t bucket);

/// Share of the accesses, "load" or "store", that a fully associative cache of so many lines misses (it throws out what was
/// not used for longest); 0 without accesses. counts: by feature. Linear within a bucket.
double miss_ratio(std::span<const std::string> features, std::span<const double> counts, const std::string& kind,
                  double lines);

/// Reads a profile: visit(counts) for each gap in order, counts by feature ascending, what is 0 left out. Throws Error{io};
/// Error{corrupt} with the line that no profile has. O(numbers), memory O(numbers of gaps that are different).
Profile read_profile(const std::filesystem::path& file, const std::function<void(std::span<const Count>)>& visit);

}  // namespace skelgen::work
