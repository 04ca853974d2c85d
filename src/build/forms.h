#pragma once
// The forms of a run, of which the cheapest is the skeleton.

#include <optional>
#include <span>
#include <vector>

#include "build/build.h"
#include "build/clock.h"
#include "fold/joint.h"
#include "normalize/normalize.h"
#include "skeleton/skeleton.h"

namespace skelgen::build {

/// Equal sequences of symbols are folded once, in parallel. In mode stream no sequence is in memory as symbols. Adds to
/// the numbers of `runs`, which says how runs are found.
std::vector<fold::Program> fold_classes(const normalize::Normalized& normalized, std::optional<fold::Mode> mode,
                                        std::uint64_t most_at_once, fold::RunSearch& runs);
std::vector<fold::Program> fold_classes(const normalize::Normalized& normalized, fold::Mode mode);

/// How a form of a run is made.
struct Candidate {
  /// Which ranks a call names is part of what it is, relative to the caller, or among its values.
  enum class View { peers_relative, peers_as_values } view;
  /// Each class by itself (Options::fold), around what all have in common (fold_around), or all together (fold_jointly).
  enum class Folding { alone, around, jointly } folding;
  /// Folded classes are aligned, or calls are merged as they were traced and folded then.
  enum class Merging { aligned, in_step } merging = Merging::aligned;
};

/// In the order in which they are tried.
inline constexpr Candidate kCandidates[] = {
    {Candidate::View::peers_relative, Candidate::Folding::alone},
    {Candidate::View::peers_as_values, Candidate::Folding::alone},
    {Candidate::View::peers_relative, Candidate::Folding::around},
    {Candidate::View::peers_as_values, Candidate::Folding::around},
    {Candidate::View::peers_relative, Candidate::Folding::jointly},
    {Candidate::View::peers_as_values, Candidate::Folding::jointly},
};

/// The program of a run: the cheapest of `candidates` (cost.h), the first of equals; the first of kCandidates if they give
/// none. No more are tried once a main loop can be cut and there are fewer than 12 calls, or no lists of trips and
/// 32 calls for each value. A folding that has 100 symbols or more, and less than 32 calls for each, is merged after all
/// others, the shortest of such only, if none of them is good enough or costs less than its symbols do. There is one candidate with Merge::seed, with
/// Options::fold other than best, and where sequences are folded in mode stream. Says in `diagnostics` what was not looked
/// for, and adds to its stages fold and merge.
skeleton::Skeleton shortest_form(const normalize::Normalized& normalized, const Options& options, Clock& clock,
                                 Diagnostics& diagnostics, std::span<const Candidate> candidates = kCandidates);

}  // namespace skelgen::build
