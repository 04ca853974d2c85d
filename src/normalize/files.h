#pragma once
// Numbering of files in place of their names. Internal to src/normalize.

#include "normalize/normalize.h"

namespace skelgen::normalize {

/// Numbers the files that calls name by their first appearance, so that runs which do the same have the same numbers
/// whatever the names are; an array that stands for a name holds the number afterwards. Fills Normalized::scratch.
/// O(records).
void number_files(Normalized& run);

}  // namespace skelgen::normalize
