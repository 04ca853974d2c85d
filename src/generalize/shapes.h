#pragma once
// How lists that many places have are made, as far as it shows without rules for their values.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace skelgen::generalize {

using List = std::span<const std::int64_t>;

/// Some elements, and behind them a block again and again: "a b  c d c d c d".
struct Repeated {
  std::size_t head, block;
};
/// The shortest one that all lists are: each has the block once, one of them more often. lists: not empty. O(elements) for a few
/// dozens of shapes.
std::optional<Repeated> repeated(std::span<const List> lists);

/// The same of an element and another one behind it again and again, which some lists do not have: "a", "a b", "a b b". So little
/// says not much: what has another shape, too, has that.
std::optional<Repeated> first_and_rest(std::span<const List> lists);

/// Runs of equal values, each run as long, and from one to the next the value rises by as much, doubles or halves:
/// "8 8 8 4 4 4 2 2 2".
struct Progression {
  enum class Step : std::uint8_t { none, add, twice, half };  ///< none: one run
  Step step = Step::none;
  std::int64_t difference = 0;            ///< of add
  std::vector<std::int64_t> first, last;  ///< values, by list
  std::vector<std::int64_t> times, runs;  ///< length of a run, how many runs; by list
};
/// The same sequence of progressions for all lists; nothing if they are not made of at most kMostProgressions. O(elements).
std::optional<std::vector<Progression>> progressions(std::span<const List> lists);
inline constexpr std::size_t kMostProgressions = 8;

}  // namespace skelgen::generalize
