#pragma once
// The forms of a run, of which the cheapest is the skeleton.

#include <optional>
#include <span>
#include <vector>

#include "build/build.h"
#include "build/stage_clock.h"
#include "fold/find_runs.h"
#include "fold/fold.h"
#include "fold/joint.h"
#include "normalize/normalize.h"
#include "skeleton/skeleton.h"

namespace skelgen::build {

/// Steps after which classes are folded together no further; see Diagnostics::stopped.
inline constexpr std::uint64_t kMostJointWork = fold::kMostJointWork;

/// Equal sequences of symbols are folded once, in parallel. In mode stream no sequence is in memory as symbols. Adds to
/// the numbers of `runs`, which says how runs are found.
std::vector<fold::Program> fold_classes(const normalize::Normalized& normalized, std::optional<fold::Mode> mode,
                                        std::uint64_t most_at_once, fold::RunSearch& runs);
std::vector<fold::Program> fold_classes(const normalize::Normalized& normalized, fold::Mode mode);

/// In the order in which they are tried.
inline constexpr Candidate kCandidates[] = {
    {Candidate::View::peers_relative, Candidate::Folding::alone},
    {Candidate::View::peers_as_values, Candidate::Folding::alone},
    {Candidate::View::peers_relative, Candidate::Folding::around},
    {Candidate::View::peers_as_values, Candidate::Folding::around},
    {Candidate::View::peers_relative, Candidate::Folding::jointly},
    {Candidate::View::peers_as_values, Candidate::Folding::jointly},
};

/// The program of a run: the cheapest of `candidates` (not empty; cost.h), the first of equals; the first of kCandidates if
/// they give none. A further candidate, merging the calls as they were traced, is tried behind the first one if all locations make the
/// same calls but for peers and roots and the first form has more statements than any location's own program. No more are tried once one is good enough: regular, or of few calls. What
/// does not fold takes long to merge: of such candidates only the shortest is merged, behind all others and if it may be
/// the cheapest. One candidate is tried with Merge::seed, with Options::fold other than best, and where sequences are
/// folded in mode stream; the first one above Options::most_tried calls. Says in `diagnostics` which one was taken and
/// what was not looked for, and adds to its stages fold and merge. Time: each class is folded twice alone (fold.h), twice
/// around (around.h), twice jointly (joint.h). Memory: that of two folded candidates, one of them as skeleton, and with
/// peers as values a second copy of the run (normalize::ranks_as_values).
skeleton::Skeleton shortest_form(const normalize::Normalized& normalized, const Options& options, StageClock& clock,
                                 Diagnostics& diagnostics, std::span<const Candidate> candidates = kCandidates);

}  // namespace skelgen::build
