#pragma once
// Attribution of a profiled run's computation to the places of a skeleton.

#include <cstdint>
#include <filesystem>
#include <vector>

#include "normalize/normalize.h"
#include "skeleton/skeleton.h"
#include "work/follower.h"
#include "work/profile.h"

namespace skelgen::work {

/// What a location did at a place, over all its visits there.
struct Visits {
  std::uint64_t times = 0;
  std::vector<double> counts;  ///< by feature, in total; empty: nothing was counted
};

/// A profiled run in the places of a skeleton of the same program.
struct Attributed {
  std::vector<std::string> features;
  std::vector<std::vector<Visits>> visits;         ///< [location of the skeleton][place]
  std::vector<Follower::Differences> differences;  ///< [location]
  std::vector<double> total;                       ///< by feature, over all gaps of all ranks that were counted
  std::uint64_t gaps = 0;                          ///< of all ranks
};

/// Throws Error{unsupported} where several threads of a rank call MPI: which of them computed is not told apart.
void require_one_thread(const skeleton::Skeleton& skeleton);

/// run: the profiled run's calls, with numbers (normalize::Options), in the order in which they were made; profiles: by
/// rank. Gaps of polls that normalization left out count at the next call that it kept. A rank's calls behind its last
/// gap are not looked at; gaps behind its last call count in `total` only. Throws as require_one_thread(); Error{mismatch}
/// where the run has other ranks than the skeleton, or ranks' profiles have other features. O(calls + numbers in the
/// profiles), memory 8 bytes for each call of a rank, its profile and a number for each feature and place that was visited.
Attributed attribute(const skeleton::Skeleton& skeleton, const normalize::Normalized& run,
                     const std::vector<std::filesystem::path>& profiles);

/// Gives the places of the skeleton their work (skeleton::Compute::work), on average over the visits. Places that do not
/// compute get none, nor do the smallest ones, which together have 0.1 % of the computation. Locations whose work at a
/// place differs by no more than it does by chance (2 % of a count, and of what a cache of any size misses) are one
/// group, with the mean of their work. Counts are rounded to four digits. Skeleton::features becomes those that occur.
/// O(places x locations x groups of a place x features).
void give_work(skeleton::Skeleton& skeleton, const Attributed& attributed);

/// How much of the skeleton's computation, but for that before MPI_Init, the profiled run says something of.
struct Coverage {
  std::uint64_t places = 0, visited = 0;  ///< places that compute, over all locations; those that were visited
  double share = 0;  ///< of the computation of all locations, in visited places; 1 if there is none
};
Coverage coverage(const skeleton::Skeleton& skeleton, const Attributed& attributed);

}  // namespace skelgen::work
