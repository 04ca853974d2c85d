#pragma once
// Which repetitions mode best takes. Internal to src/fold.

#include <cstdint>
#include <span>
#include <vector>

#include "strings/runs.h"
#include "strings/symbols.h"

namespace skelgen::fold {

using strings::Index;

/// A part of a folded text: the symbols [begin, end) as they are, or (trips > 0) a body, `trips` times.
struct Part {
  Index begin, end;  // of a loop: where its body stands in the text
  std::uint64_t trips = 0;
  std::uint32_t body = 0;  // of a loop: index into Cheapest::bodies
};

/// Folded forms of the text and of each different body in it.
struct Cheapest {
  std::vector<std::vector<Part>> bodies;
  std::uint32_t whole = 0;  ///< index of the text
  std::uint64_t cost = 0;   ///< of the text: symbols in its folded form
};

/// The fewest symbols, by dynamic programming over the runs of the text (docs/fold.md). `work`: how many symbols' worth
/// of bodies may be solved, as a multiple of the text's length; what is beyond it is folded at one phase, then not at all.
Cheapest cheapest(std::span<const strings::Symbol> text, const std::vector<strings::Run>& runs, double work);

}  // namespace skelgen::fold
