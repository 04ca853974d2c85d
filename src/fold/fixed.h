#pragma once
// Folding with constant trips. Internal to src/fold.

#include <span>

#include "fold/fold.h"

namespace skelgen::fold {

/// As the mode has it, all loops with the same trips each time.
Program fixed(std::span<const Symbol> text, Mode mode);

}  // namespace skelgen::fold
