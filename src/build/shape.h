#pragma once
// Key figures of a skeleton's program: how far it was folded, and where the time goes.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

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
/// merged program before folding. O(statements + executions of loops whose trip count changes).
std::uint64_t unrolled_length(const skeleton::Skeleton& skeleton);

/// Visits each call of a block that location l executes executions[l] times, with how often all locations make it.
/// O(statements x locations).
void visit_calls(const skeleton::Block& block, const std::vector<std::uint64_t>& executions,
                 const std::function<void(const skeleton::Call&, std::uint64_t)>& visit);

/// How often all locations together call which function. O(statements x locations).
std::map<std::string, std::uint64_t> calls_by_function(const skeleton::Skeleton& skeleton);

}  // namespace skelgen::build
