#pragma once
// Folded stretches of a string, one behind the other.

#include "fold/fold.h"

namespace skelgen::fold {

/// Appends what follows `program`. A loop that was cut where `next` begins, with less than two of its periods between both
/// parts, becomes one again; only loops of the top level of both are looked at. Trips must not vary. O(nodes near the border, and the loop's period).
void append(Program& program, Program next);

}  // namespace skelgen::fold
