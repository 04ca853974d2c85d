#pragma once
// Folded class programs -> one SPMD program (skeleton.h).

#include "fold/fold.h"
#include "normalize/normalize.h"
#include "skeleton/skeleton.h"

namespace skelgen::merge {

/// `programs[c]` is the folded sequence of symbols of normalized.classes[c]. Values and gaps of every member are
/// attached to the statements of its class's program (one pass over its calls); then the class programs are aligned,
/// one after the other, by dynamic programming over their statements and, inside aligned loops, their bodies;
/// statements that differ only in the peer may be aligned, equal relative peers preferred. Peers become rules of rank
/// and size where one holds for all. O(calls + sum over classes of (statements x statements)).
skeleton::Skeleton into_spmd(const normalize::Normalized& normalized, std::span<const fold::Program> programs);

}  // namespace skelgen::merge
