#pragma once
// Folding with constant trips. Internal to src/fold.

#include <span>
#include <vector>

#include "fold/fold.h"
#include "strings/runs.h"

namespace skelgen::fold {

/// As the mode has it, all loops with the same trips each time.
Program fixed(std::span<const Symbol> text, Mode mode);
Program fixed(std::span<const Symbol> text, std::vector<strings::Run> runs, Mode mode);

/// Appends what a program expands to whose loops have the same trips each time. False, and some of it appended, if `all`
/// would be more than `most` symbols.
bool expand_into(std::vector<Symbol>& all, std::span<const Node> program, std::size_t most);

}  // namespace skelgen::fold
