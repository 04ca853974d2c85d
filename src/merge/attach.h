#pragma once
// Values, computation and durations of a class's members at each statement of its program.

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

/// What one member computed at each place in some iterations of the loops of the top level. Place i is the computation
/// before node i, place nodes + i the one between the iterations of loop i.
struct MemberSamples {
  std::vector<std::uint32_t> begin;  ///< [place], one more at the end: where the place's samples start
  std::vector<float> seconds;        ///< in order of occurrence
  std::vector<std::uint32_t> row;    ///< of the sample; rows are skel_iteration_sampled's (skel_sampling.h)
};

struct Attached {
  std::vector<std::vector<ClassArgument>> arguments;  ///< [node][parameter], then Record::order; empty for loops
  std::vector<double> gap_s;    ///< computation at each place (see MemberSamples) in total, [member * 2 nodes + place]
  std::vector<double> counted;  ///< at each place in total, [(member * 2 nodes + place) * counters + counter]
  std::vector<double> duration_s;      ///< time in the calls in total, [member * nodes + node]
  std::vector<MemberSamples> samples;  ///< [member]
  std::vector<double> compute_s;       ///< [member]: all gaps except the tail gap
};

/// Iterations of a loop of the top level that are sampled: all, as far as kMostRows and kSampledCalls allow; 0 if that
/// would be only one. `calls`: of all locations together. A sampled call takes 8 bytes until the merged program is
/// made, 20 while its member is walked.
inline constexpr std::uint64_t kMostRows = 1024;
inline constexpr double kSampledCalls = 1 << 25;
std::uint64_t sampled_rows(std::uint64_t trips, std::uint64_t calls);

/// Walks every member's calls through the program. Throws Error{internal} if they are not the program's expansion.
/// `calls`: of all locations together. O(calls), without allocations per call.
Attached attach(const normalize::Normalized& normalized, const normalize::Class& members, const ClassProgram& program,
                std::uint64_t calls);

}  // namespace skelgen::merge
