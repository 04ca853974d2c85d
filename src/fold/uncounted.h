#pragma once
// Loops whose trips are counted while the program around them is walked in order of execution. Internal to src/fold.

#include "fold/fold.h"

namespace skelgen::fold {

/// The symbol of such a loop until settled(); each execution adds its trips to Node::each.
inline constexpr Symbol kUncounted = 1;

inline bool is_uncounted(const Node& node) { return node.is_loop() && node.symbol == kUncounted; }

/// Uncounted loops, nested ones too, become loops of constant or varying trips by their lists of trips; their bodies where
/// all trips are 1; nothing where all are 0.
Program settled(Program program);

}  // namespace skelgen::fold
