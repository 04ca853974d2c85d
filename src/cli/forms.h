#pragma once
// The same run in several forms, of which the shortest is the skeleton.

#include <optional>
#include <span>
#include <vector>

#include "fold/fold.h"
#include "normalize/normalize.h"
#include "skeleton/skeleton.h"

namespace skelgen::cli {

/// A merged program of fewer statements is not folded again.
inline constexpr std::size_t kShortProgram = 24;
/// Calls of a run that is folded again: of all classes, one location each.
inline constexpr std::uint64_t kMostFoldedAgain = std::uint64_t{1} << 20;

/// Programs of fewer statements are not folded jointly.
inline constexpr std::size_t kLongProgram = 500;

/// The classes' programs folded once more, together (fold::fold_jointly), if the longest of `programs`, which is what
/// each gave by itself, has kLongProgram statements or more and none of them has more than half of that then; nothing
/// otherwise, also where one has a loop on the top level of ten trips and half of its calls, or there are pools.
std::optional<std::vector<fold::Program>> fold_together(const normalize::Normalized& normalized,
                                                        std::span<const fold::Program> programs);

struct Form {
  skeleton::Skeleton skeleton;
  bool too_long = false;  ///< it might be shorter, but has too many calls for that to be found out
};

/// The run folded and merged with peers as values, in mode best: loops over neighbours of one's own, whose number and
/// names vary from rank to rank and time to time; first around the calls that all ranks make equally often, or where all
/// calls are such, around those that are no messages. Only if it has at most half of the statements of `folded`, which
/// is what normalize's symbols gave, and keeps its main loop, if it has one (on the top level, run equally often by all,
/// ten times or more, with half of the calls); else `folded`.
Form with_peers_as_values(const normalize::Normalized& normalized, skeleton::Skeleton folded,
                          std::uint64_t most_calls = kMostFoldedAgain);

}  // namespace skelgen::cli
