#pragma once
// Appends calls that are numbered by themselves, one rank's or a run's, to others. Internal to src/normalize.

#include "normalize/tables.h"

namespace skelgen::normalize {

/// Adds the locations of `own`, whose symbols, records, arrays and names are numbered by `own` alone, to the tables' run.
/// Numbers are the same as if all locations had been read one after the other with the same tables. What is no part of a
/// location, and pools, are left out. O(own's symbols, records and arrays).
void append_rank(Normalized own, Tables& tables, Normalized& run);

}  // namespace skelgen::normalize
