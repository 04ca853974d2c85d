#pragma once
// A class's folded program as a list of nodes in preorder, so that values can be kept in arrays by node number.

#include <cstdint>
#include <vector>

#include "fold/fold.h"

namespace skelgen::merge {

struct ClassNode {
  fold::Symbol symbol = 0;            ///< of a leaf
  std::uint64_t trips = 0;            ///< of a loop, the most if they vary; 0: a leaf
  std::uint32_t end = 0;              ///< number of the first node behind this one and its body
  std::uint64_t executions = 1;       ///< in the whole program, over all enclosing loops
  std::uint64_t iterations = 0;       ///< of a loop, over all executions
  std::uint64_t entered = 0;          ///< executions of a loop that have iterations
  std::vector<std::uint64_t> each{};  ///< trips at each execution of a loop, if they vary
  bool is_loop() const { return trips > 0; }
};

/// The body of loop i is nodes i + 1 to end of i; sibling of j is nodes[j].end.
using ClassProgram = std::vector<ClassNode>;

/// Throws Error{internal} for a loop of no trips or more than 2^32 nodes.
ClassProgram class_program(const fold::Program& program);

}  // namespace skelgen::merge
