#pragma once
// Sources of the messages that receives and probes of MPI_ANY_SOURCE got, and of answers.

#include "normalize/normalize.h"
#include "skeleton/skeleton.h"

namespace skelgen::merge {

/// Fills Call::matched of every statement at which a location named MPI_ANY_SOURCE, and Call::answers. O(calls) if
/// there is one.
void attach_sources(const normalize::Normalized& normalized, skeleton::Skeleton& skeleton);

/// Every receive and probe of MPI_ANY_SOURCE may get any message: Call::any_order where sources were matched. Whether
/// the program means that is for the caller to know.
void keep_wildcards(skeleton::Skeleton& skeleton);

/// Loops that were closed only because whoever came first was taken name the recorded sources again, and are not closed
/// any more. Pools, whose loops are never cut, may still take messages in any order if a run asks for it.
void record_wildcards(skeleton::Skeleton& skeleton);

}  // namespace skelgen::merge
