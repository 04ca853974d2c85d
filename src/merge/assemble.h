#pragma once
// Aligned class programs -> the merged program with all values. Internal to src/merge.

#include <span>

#include "merge/align.h"
#include "normalize/normalize.h"
#include "skeleton/skeleton.h"

namespace skelgen::merge {

/// alignment.nodes[c] is the program of classes[c]; every location is a member of one class. Attaches what each member
/// did (one pass over its calls). O(calls + statements x locations).
skeleton::Skeleton assemble(const normalize::Normalized& normalized, std::span<const normalize::Class> classes,
                            const Alignment& alignment);

}  // namespace skelgen::merge
