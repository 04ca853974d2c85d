#pragma once
// The cost by which forms of a run are compared.

#include <cstddef>
#include <cstdint>

#include "skeleton/skeleton.h"

namespace skelgen::build {

/// Trips of the main loop of a form of a run, if it can be cut.
enum class CutTrips : std::uint8_t {
  none,
  few,  ///< a main loop that is executed fold::kFewestTrips times or more on average, but seldom often
  many  ///< one of which a tenth of the iterations is a quarter or less
};

/// What a form of a run costs. One with a main loop that can be cut costs less than one without, whose skeleton runs as
/// long as the program: a loop at any depth with half of the calls, run equally often by all, as are the loops around. Then
/// the smaller one costs less.
struct Cost {
  std::size_t calls = 0;       ///< statements that are calls
  std::size_t statements = 0;  ///< and loops
  std::size_t tables = 0;
  std::size_t values = 0;
  bool lists = false;  ///< trips vary
  CutTrips cut = CutTrips::none;
  /// As a number of values: fold::kStatement for each call and loop, eight times that beyond fold::kManyStatements of
  /// them, 16 for each table (a list of values or trips, and one where ranks have different ones), and
  /// skeleton::argument_values.
  std::size_t size() const;
  bool operator<(const Cost& other) const;
};
/// `calls`: of all locations. O(statements x locations + values), and skeleton::cuttable of the main loop, which looks at
/// 2^24 calls and takes a loop that needs more for one that cannot be cut.
Cost cost_of(const skeleton::Skeleton& skeleton, std::uint64_t calls);

}  // namespace skelgen::build
