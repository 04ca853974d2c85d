#pragma once
// Key figures of a skeleton's program: how far it was folded, and where the time goes.

#include <cstdint>
#include <map>
#include <string>

#include "skeleton/skeleton.h"

namespace skelgen::build {

/// The loop with the greatest share of the traced time of all locations; the outer one of equals. No loop: trips 0.
struct MainLoop {
  std::uint64_t body = 0;   ///< statements in its body
  std::uint64_t trips = 0;  ///< most of any location, in its longest execution
  double share = 0;         ///< of computation and calls, 0..1
};
MainLoop main_loop(const skeleton::Skeleton& skeleton);

/// Statements that are executed, loops unrolled, a statement of several locations counted once: the length of the
/// merged program before folding. O(statements x locations).
std::uint64_t unrolled_length(const skeleton::Skeleton& skeleton);

/// How often all locations together call which function. O(statements x locations).
std::map<std::string, std::uint64_t> calls_by_function(const skeleton::Skeleton& skeleton);

}  // namespace skelgen::build
