#pragma once
// A string of symbols -> a nest of loops with the same expansion.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace skelgen::fold {

using Symbol = std::uint32_t;

/// A symbol or a loop over a sequence.
struct Node {
  Symbol symbol = 0;        ///< if body is empty
  std::uint64_t trips = 1;  ///< of a loop, >= 2
  std::vector<Node> body;   ///< not empty: this is a loop
  bool is_loop() const { return !body.empty(); }
  bool operator==(const Node&) const = default;
};
using Program = std::vector<Node>;

enum class Mode { seed };

/// Folds `text`. Mode seed is the longest-first rule of SEEDS (Zhang 2010, algorithms 3 and 4, made sound): take the
/// longest maximal repetition (length with its partial period; ties: leftmost, then shortest period); fold its leftmost
/// whole periods; solve the part left of it, one body, and the part right of it separately by the same rule. Runs are
/// computed once; O(n log n).
Program fold(std::span<const Symbol> text, Mode mode = Mode::seed);

/// Number of symbols in the folded form (brackets and trip counts not counted).
std::size_t length(const Program& program);
/// The string that was folded.
std::vector<Symbol> expand(const Program& program);
/// "3 x { a b } c": symbols printed by `name` (default: a..z, then #27).
std::string print(const Program& program);

}  // namespace skelgen::fold
