#pragma once
// When a profiled run has shown enough of a program.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "skeleton/skeleton.h"
#include "work/follower.h"

namespace skelgen::work {

/// Visits after which no more are needed of a place.
inline constexpr std::uint64_t kEnoughVisits = 3;

/// What is missing of a location: each place must be visited three times, or as often as the program comes to it; where its
/// computation varies from iteration to iteration (Compute::samples), for three later iterations of its loop at the top
/// level. Places that together have 1 % of the location's computation may be missing.
class Enough {
 public:
  /// O(statements).
  Enough(const skeleton::Skeleton& skeleton, std::uint32_t location);
  /// place: Follower::place(). O(1), and O(places of a loop) once for each loop at the top level.
  void visit(Place place);
  bool enough() const { return missing_s_ <= most_missing_s_; }

 private:
  struct Wanted {
    std::uint64_t visits = 0;         // still
    double seconds = 0;               // of the place, in the whole run
    Place iterations = kNoPlace;      // also wanted: enough visits of this one
    std::vector<Place> waiting = {};  // that want visits of this one
  };
  bool met(Place place) const;

  std::vector<Wanted> places_;
  double missing_s_ = 0, most_missing_s_ = 0;
};

/// Follows a run that goes on, whose records come to `directory`, until each rank has shown enough: returns true; false where the
/// run ended before (over: set by whoever sees that). Throws what trace::Followed does. Memory: 8 bytes for each call.
bool watch(const std::filesystem::path& directory, const skeleton::Skeleton& skeleton, const std::atomic<bool>& over);

}  // namespace skelgen::work
