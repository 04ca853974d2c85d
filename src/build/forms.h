#pragma once
// The same run in several forms, of which the shortest is the skeleton.

#include <optional>
#include <span>
#include <vector>

#include "build/build.h"
#include "build/clock.h"
#include "fold/fold.h"
#include "fold/joint.h"
#include "normalize/normalize.h"
#include "skeleton/skeleton.h"

namespace skelgen::build {

/// Equal sequences of symbols are folded once, in parallel. In mode stream no sequence is in memory as symbols. Adds to
/// the numbers of `runs`, which says how runs are found.
std::vector<fold::Program> fold_classes(const normalize::Normalized& normalized, std::optional<fold::Mode> mode,
                                        std::uint64_t most_at_once, fold::RunSearch& runs);
std::vector<fold::Program> fold_classes(const normalize::Normalized& normalized, fold::Mode mode);

/// A merged program of fewer statements is not folded again, or of half as many with trips that vary.
inline constexpr std::size_t kShortProgram = 24;
/// Calls of a run that is folded again: of all classes, one location each.
inline constexpr std::uint64_t kMostFoldedAgain = std::uint64_t{1} << 20;

/// Programs of fewer statements are not folded jointly.
inline constexpr std::size_t kLongProgram = 500;

/// The classes' programs folded once more, together (fold::fold_jointly), if the longest of `programs`, which is what
/// each gave by itself, has kLongProgram statements or more and none of them has more than half of that then; nothing
/// otherwise, also where one has a loop on the top level of ten trips and half of its calls, or there are pools.
fold::Joint fold_together(const normalize::Normalized& normalized, std::span<const fold::Program> programs,
                          std::uint64_t most_work = fold::kMostJointWork);

struct JointForm {
  std::optional<skeleton::Skeleton> skeleton;
  bool stopped = false;  ///< it might be shorter, or there might be one: fold::Joint
};
/// The run merged from what fold_together() makes of `programs`, which are its classes', or, if that has fewer
/// statements, from what it makes of the run with peers and roots as values. Nothing if fold_together() gives nothing.
JointForm joint_form(const normalize::Normalized& normalized, std::span<const fold::Program> programs);

struct Form {
  skeleton::Skeleton skeleton;
  bool too_long = false;  ///< it might be shorter, but has too many calls for that to be found out
};

/// `folded` is what normalize's symbols gave; mode best. Other forms of the run:
/// - roots as values, if calls differ in their roots only: taken if it has fewer statements, and a main loop that can be
///   cut where `folded` has one;
/// - then, where arguments and trips are not regular and the program is not short or no loop can be cut: peers and roots
///   as values, loops over neighbours of one's own, whose number and names vary from rank to rank and time to time; first
///   around the calls that all ranks make equally often, or where all calls are such, around those that are no messages;
///   at last around these with peers as they were. The first is taken that has at most half of the statements, three
///   quarters where there are tables of trips already, or a main loop that can be cut where `folded` has none, in at most
///   twice as many.
/// A main loop is on the top level, run equally often by all, ten times or more, with half of the calls; one that can be
/// cut is not given up for peers as values in one of fewer trips.
Form with_peers_as_values(const normalize::Normalized& normalized, skeleton::Skeleton folded,
                          std::uint64_t most_calls = kMostFoldedAgain);

/// The program of a run: its classes folded, then merged in the shortest form, or with Merge::seed its calls merged, then
/// folded. Says in `diagnostics` what was not looked for, and adds to its stages fold and merge.
skeleton::Skeleton shortest_form(const normalize::Normalized& normalized, const Options& options, Clock& clock,
                                 Diagnostics& diagnostics);

}  // namespace skelgen::build
