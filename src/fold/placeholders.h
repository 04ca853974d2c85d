#pragma once
// Loops whose trips come to light when the program around them is walked as it is executed. Internal to src/fold.

#include "fold/fold.h"

namespace skelgen::fold {

/// The symbol of a loop that is such a one until settled(); its trips are added to `each`.
inline constexpr Symbol kPlaceholder = 1;

inline bool is_placeholder(const Node& node) { return node.is_loop() && node.symbol == kPlaceholder; }

/// Placeholders, also inside others, become what their lists of trips say: loops whose trips vary or do not, their bodies,
/// nothing.
Program settled(Program program);

}  // namespace skelgen::fold
