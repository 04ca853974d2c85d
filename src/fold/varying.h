#pragma once
// Loops whose trip counts differ from one time to the next. Internal to src/fold.

#include <cstdint>
#include <span>
#include <vector>

#include "fold/fold.h"

namespace skelgen::fold {

/// A loop of so many trips on the top level is not given up for a shorter form.
inline constexpr std::uint64_t kManyTrips = 20;

/// A folded form of `text` with loops of varying trips, and calls that some iterations leave out as loops of one trip or
/// none, if it weighs less than `best` (mode best's form of it, with constant trips). A loop of the top level with at
/// least 20 trips and a twentieth of the text stays one; inner loops do not. Otherwise `best`. A few times the cost of
/// folding the text; less where few iterations of its long loops show that nothing can be gained. In texts of more than
/// 2^20 symbols what varies is looked for in 2^18 of them, and all are folded once more. `rounds`: of which each may find
/// one kind of loop that varies.
Program with_varying_trips(std::span<const Symbol> text, Program best, int rounds = 6);

/// Up to four bodies that stand in several loops: those with the most symbols, without those of long loops on the top
/// level; or those with the most loops. `symbols`: of the text.
std::vector<std::vector<Symbol>> repeated_bodies(const Program& program, std::size_t symbols, bool most_loops = false);

}  // namespace skelgen::fold
