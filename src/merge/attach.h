#pragma once
// What the members of a class did at each statement of its program: values, computation, durations.

#include <cstdint>
#include <vector>

#include "merge/choices.h"
#include "merge/class_program.h"
#include "normalize/normalize.h"

namespace skelgen::merge {

/// One argument of a leaf: the sequences and which member has which.
struct ClassArgument {
  Choices choices;
  std::vector<std::uint32_t> of_member;
};

struct Attached {
  std::vector<std::vector<ClassArgument>> arguments;  ///< [node][parameter]; empty for loops
  /// Totals over all executions, [member * nodes + node]. before_s of a loop: computation before its first iterations;
  /// between_s: before its later ones. Together they are all gaps of the member except its tail gap.
  std::vector<double> before_s, between_s, duration_s;
};

/// Walks every member's calls through the program. Throws Error{internal} if they are not the program's expansion.
/// O(calls), without allocations per call.
Attached attach(const normalize::Normalized& normalized, const normalize::Class& members, const ClassProgram& program);

}  // namespace skelgen::merge
