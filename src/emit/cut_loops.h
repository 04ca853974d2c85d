#pragma once
// Loops that may be cut.

#include <string>
#include <vector>

#include "emit/counted.h"
#include "emit/timing.h"
#include "skeleton/skeleton.h"

namespace skelgen::emit {

/// A loop that may be cut, as Plan says, and those inside it. All locations execute it and the loops around it, the latter
/// with the same trips each time; so with the same number of iterations between its ends.
struct CutLoop {
  const skeleton::Node* node;
  std::size_t top;                           ///< the node of the program that it is or stands in
  Around around{};                           ///< the loops around it
  std::vector<skeleton::Ends> ends{{1, 0}};  ///< see Phase
  std::vector<CutLoop> inside{};
  /// Of location 0.
  const skeleton::Sequence& trips() const { return node->loop().trips.of(0); }
};

/// Those of the program that stand in no other one. O(nodes), and skeleton::closed of those whose time is worth it.
std::vector<CutLoop> cut_loops(const skeleton::Skeleton& skeleton, const Timing& timing);

/// "the loop of 1,500 trips (93 % of the time) is not run by all ranks": why none is cut, of the one that takes most time.
std::string why_uncut(const skeleton::Skeleton& skeleton, const Timing& timing);

/// The same of all loops with a twentieth of the time in which no `cut` loop is that has half of theirs, by time. O(nodes),
/// and skeleton::closed of these.
std::vector<std::string> why_not_cut(const skeleton::Skeleton& skeleton, const Timing& timing,
                                     const std::vector<CutLoop>& cut);

/// Seconds that each location spends in the iterations of a loop but the first and the last ones that always run.
std::vector<double> later_seconds(const CutLoop& loop, const Timing& timing);

}  // namespace skelgen::emit
