#pragma once
// A string of symbols -> a nest of loops with the same expansion.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fold/optional_vector.h"
#include "strings/runs.h"

namespace skelgen::fold {

using Symbol = std::uint32_t;

/// A symbol or a loop over a sequence.
struct Node {
  Symbol symbol = 0;            ///< if body is empty
  std::uint64_t trips = 1;      ///< of a loop, >= 2; if they vary, the most, >= 1
  OptionalVector<Node> body{};  ///< not empty: this is a loop
  /// Trips each time that the loop is executed in the whole program, in order, if they vary, else empty; 0: left out. So
  /// such a loop cannot stand at another place.
  OptionalVector<std::uint64_t> each{};
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
  best,
  /// As if the text were not in memory (stream.h): many copies of a short body are collapsed as they come, the rest is
  /// folded in mode best.
  stream
};

/// Symbols of bodies that mode best solves by themselves, as a multiple of the text's length, before it begins to save:
/// on Fibonacci words and their like there are too many.
inline constexpr double kBodyWork = 0.6;

/// Folds `text`, any symbols (docs/fold.md). An empty text gives an empty program.
/// Besides the runs of the text, which are computed once: mode seed takes O(n log n) time at worst, 4 bytes per run and
/// 12 per loop; mode best O(n log n) for the text and a constant times that for bodies, 4n bytes and what seed takes.
/// Loops have the same trips each time. 32 bytes per node of the result.
/// Throws Error{invalid_argument} above strings::kMaxLength symbols, and in mode stream on a symbol above 2^31 - 1.
Program fold(std::span<const Symbol> text, Mode mode = Mode::best);
/// The same, given the runs of the text, which mode stream does not need.
Program fold(std::span<const Symbol> text, std::vector<strings::Run> runs, Mode mode);

/// Number of symbols in the folded form (brackets and trip counts not counted).
std::size_t length(const Program& program);
/// Numbers in lists that a call or a loop is worth: about so many have the length of its C text, of some 150 characters.
inline constexpr std::size_t kStatement = 64;
/// A main loop, at which a skeleton is cut, has so many trips at least, and half of the calls: the first is always run, one
/// of the others stands for them.
inline constexpr std::uint64_t kFewestTrips = 3;
/// Cost of a folded program: kStatement for each symbol and loop, and the numbers in its lists of trips.
std::size_t cost(const Program& program);
/// Appends what a program expands to whose loops have the same trips each time. False, and some of it appended, if `all`
/// would be more than `most` symbols.
bool expand_into(std::vector<Symbol>& all, std::span<const Node> program, std::size_t most);
/// The string that was folded.
std::vector<Symbol> expand(const Program& program);

}  // namespace skelgen::fold
