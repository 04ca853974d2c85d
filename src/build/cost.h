#pragma once
// The cost by which forms of a run are compared.

#include <cstddef>
#include <cstdint>

#include "skeleton/skeleton.h"

namespace skelgen::build {

/// Size of a form as a number of values: kStatement (fold.h) for each call and loop, 16 for each table, and the
/// numbers that say arguments, trips and arrays; twice that if no main loop can be cut: one on the top level, run
/// equally often by all, ten times or more, with half of the calls. Tables are lists of values or trips, and one where
/// ranks have different ones.
struct Cost {
  std::size_t calls = 0;       ///< statements that are calls
  std::size_t statements = 0;  ///< and loops
  std::size_t tables = 0;
  std::size_t values = 0;
  bool lists = false;  ///< trips vary
  bool cut = false;    ///< a main loop can be cut
  std::size_t all() const;
};
/// `calls`: of all locations. O(statements x locations).
Cost cost_of(const skeleton::Skeleton& skeleton, std::uint64_t calls);

}  // namespace skelgen::build
