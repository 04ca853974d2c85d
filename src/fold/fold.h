#pragma once
// A string of symbols -> a nest of loops with the same expansion.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace skelgen::fold {

using Symbol = std::uint32_t;

/// A symbol or a loop over a sequence.
struct Node {
  Symbol symbol = 0;        ///< if body is empty
  std::uint64_t trips = 1;  ///< of a loop, >= 2; if they vary, the most, >= 1
  std::vector<Node> body;   ///< not empty: this is a loop
  /// Trips each time that the loop is executed in the whole program, in order, if they vary, else empty; 0: left out. So
  /// such a loop cannot stand at another place.
  std::vector<std::uint64_t> each{};
  bool is_loop() const { return !body.empty(); }
  bool operator==(const Node&) const = default;
};
using Program = std::vector<Node>;

enum class Mode {
  /// Zhang 2010, algorithms 3 and 4, made sound: take the longest maximal repetition (length with its partial period;
  /// ties: leftmost, then shortest period); fold its leftmost whole periods; solve the part left of it, one body, and
  /// the part right of it separately by the same rule.
  seed,
  /// The fewest symbols by dynamic programming over all maximal repetitions, each at a few rotations, at all of them in
  /// short texts, where the result is the shortest there is. Never longer than `seed`, and that where it is as short.
  /// Where it saves symbols, loops have trips that vary from one time to the next.
  best
};

/// Symbols of bodies that mode best solves by themselves, as a multiple of the text's length, before it begins to save:
/// on Fibonacci words and their like there are too many.
inline constexpr double kBodyWork = 2;

/// Folds `text`, any symbols (docs/fold.md). An empty text gives an empty program. The runs of the text are computed
/// once. O(n log n) time; about 40n bytes, and 48 per node of the result.
/// Throws Error{invalid_argument} above strings::kMaxLength symbols.
Program fold(std::span<const Symbol> text, Mode mode = Mode::best);

/// Number of symbols in the folded form (brackets and trip counts not counted).
std::size_t length(const Program& program);
/// The string that was folded.
std::vector<Symbol> expand(const Program& program);
/// "3 x { a b } c", symbols as `name` has them: a .. z, then #26, #27, ...; varying trips: "2 x { (3 1) x { a } b }"
std::string print(const Program& program);
std::string print(const Program& program, const std::function<std::string(Symbol)>& name);

}  // namespace skelgen::fold
