#pragma once
// The two sorters behind suffix_array.h. Internal to src/strings.

#include <span>

#include "strings/symbols.h"

namespace skelgen::strings {

/// suffixes: as long as text; receives its suffix array. Symbols are below `alphabet`, which is O(n).
void sort_by_induction(std::span<const Symbol> text, std::span<Index> suffixes, Symbol alphabet);
void sort_by_difference_cover(std::span<const Symbol> text, std::span<Index> suffixes, Symbol alphabet);

}  // namespace skelgen::strings
