#pragma once
// Is a skeleton the same as what was traced? Expanded on paper (lossless), and re-traced at scale 1 (compare).

#include <cstdint>
#include <optional>
#include <string>

#include "normalize/normalize.h"
#include "skeleton/skeleton.h"
#include "support/units.h"

namespace skelgen::verify {

/// The first call that differs: `index` counts the location's calls from 0. Texts are like "MPI_Send(count=4, dest=1,
/// ...)", "(no call)" behind the end.
struct Difference {
  Rank rank = 0;
  std::uint64_t index = 0;
  std::string expected, actual;
};

/// Expands the skeleton for every location and compares with its canonical calls: function, every recorded argument,
/// order; also that computation is conserved. Nothing if equal. O(calls).
std::optional<Difference> lossless(const normalize::Normalized& normalized, const skeleton::Skeleton& skeleton);

/// Result of comparing two runs call by call.
struct Report {
  bool identical = false;
  std::uint64_t calls_checked = 0;             ///< over all locations, up to the first difference of each
  std::optional<Difference> first_difference;  ///< of the lowest location that has one
  bool bytes_matrix_identical = false;         ///< bytes sent between every pair of ranks
};

/// Compares canonical records of a traced run with those of another, usually the re-traced skeleton. Counts of polls
/// are not compared.
Report compare(const normalize::Normalized& expected, const normalize::Normalized& actual);

}  // namespace skelgen::verify
