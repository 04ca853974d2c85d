#pragma once
// The same loop may have been folded with one iteration more in one class than in another.

#include <span>
#include <vector>

#include "fold/fold.h"
#include "merge/align.h"
#include "merge/class_program.h"
#include "normalize/normalize.h"

namespace skelgen::merge {

/// Class programs and their alignment.
struct Alignment {
  std::vector<ClassProgram> nodes;
  std::vector<Aligned> merged;
};

/// Aligns the programs. Where a call before or after a loop completes an iteration for some classes only (a class that
/// does nothing but `allreduce` folds `a (s a)^9` to `a^10`), their loop has more trips, and a loop with different
/// trips cannot be scaled. Takes such surplus iterations (at most 3) out of top-level loops, to the front or the back,
/// wherever that makes the trips equal without making the merged program longer; not where a loop inside has trips that
/// vary. Expansions stay the same. O(alignment) if all trips are equal, a few alignments more for each loop where they
/// are not, until 2e8 pairs of statements have been compared in all.
Alignment with_equal_trips(const normalize::Normalized& normalized, std::span<const fold::Program> programs);

}  // namespace skelgen::merge
