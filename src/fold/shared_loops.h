#pragma once
// Loops of one trip: what is a loop in one program is one in all.

#include <cstdint>
#include <set>
#include <span>

#include "fold/fold.h"

namespace skelgen::fold {

/// Between what loops are shared: the runs of a program, or the locations of a run.
enum class Owners : std::uint8_t { runs, locations };

/// An owner may have a loop, and another owner the same statements once, without a loop: there these statements become a loop of one trip.
/// Shorter bodies come first. "a b c" of a run at 2 ranks, beside "2 x { a b } c" at 3, becomes "1 x { a b } c". So programs of runs in which a
/// loop has 1, 2 and 3 trips are alike. Between locations that is done only where the body stands in fewer loops than somewhere as a
/// loop: beside "2 x { a 2 x { b } }" and the leaf's "4 x { a }", "3 x { a b }" becomes "3 x { a 1 x { b } }", and its a stays.
/// owners: by program, the numbers of its owners. Loops whose trips vary are left as they are. O(nodes x different bodies x their lengths).
void share_loops(std::span<Program> programs, std::span<const std::set<std::uint32_t>> owners,
                 Owners kind = Owners::runs);

}  // namespace skelgen::fold
