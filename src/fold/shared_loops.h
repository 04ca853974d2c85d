#pragma once
// Loops of one trip: what is a loop in one program is one in all.

#include <cstdint>
#include <set>
#include <span>

#include "fold/fold.h"

namespace skelgen::fold {

/// What is the body of a loop of some owners and of none of others becomes a loop of one trip wherever it stands in programs of the others,
/// shorter bodies first: "a b c" of a run at 2 ranks, beside "2 x { a b } c" at 3, becomes "1 x { a b } c". So programs of runs in which a
/// loop has 1, 2 and 3 trips are alike. What stands inside of more loops than the deepest of those with this body is left as it is.
/// owners: by program, the runs that it belongs to, or the program alone. Loops whose trips vary are left as they are. O(nodes x different bodies x their lengths).
void share_loops(std::span<Program> programs, std::span<const std::set<std::uint32_t>> owners);

}  // namespace skelgen::fold
