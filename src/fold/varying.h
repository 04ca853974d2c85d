#pragma once
// Loops whose trip counts differ from one time to the next. Internal to src/fold.

#include <span>

#include "fold/fold.h"

namespace skelgen::fold {

/// A folded form of `text` with loops of varying trips, and calls that some iterations leave out as loops of one trip or
/// none, if it is shorter than `best` (mode best's form of it); a list of
/// trips counts as one symbol if it is constant or arithmetic, else as one and a sixteenth of its period. A loop of the
/// top level with at least 20 trips and a twentieth of the text stays one; inner loops do not. Otherwise, and for texts of more than 2^21 symbols, `best`. A few times the cost of folding the text; less
/// where few iterations of its long loops show that nothing can be gained.
Program with_varying_trips(std::span<const Symbol> text, Program best);

}  // namespace skelgen::fold
