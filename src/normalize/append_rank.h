#pragma once
// Appends one rank's calls, numbered by the rank alone, to the whole run. Internal to src/normalize.

#include "normalize/tables.h"

namespace skelgen::normalize {

/// Adds the locations of `own`, whose symbols, records, arrays and names are numbered by `own` alone, to the tables' run.
/// Numbers are the same as if all locations had been read one after the other with the same tables. O(own's symbols,
/// records and arrays).
void append_rank(Normalized own, Tables& tables, Normalized& run);

}  // namespace skelgen::normalize
