#pragma once
// Ways to find the runs of a text, and their cost.

#include <cstdint>
#include <span>
#include <vector>

#include "fold/fold.h"
#include "strings/runs.h"

namespace skelgen::fold {

/// lyndon: by Lyndon roots (strings::runs). sa_is, dc3: as Zhang 2010, algorithm 3, has it: suffix array by induced
/// sorting or by the difference cover modulo 3, lcp array, range minima, enumeration of all periods
/// (strings::runs_by_enumeration).
enum class RunsBy { lyndon, sa_is, dc3 };

/// The way to find runs, and the totals over all texts so far.
struct RunSearch {
  RunsBy by = RunsBy::lyndon;
  std::uint64_t found = 0;  ///< runs
  double seconds = 0;       ///< in the way of `by`
  double lyndon_s = 0;      ///< by Lyndon roots; equals `seconds` for RunsBy::lyndon
  /// Adds the numbers of a search in the same way.
  void add(const RunSearch& more);
};

/// All runs of `text`, as strings::runs gives them; adds to search's numbers. In another way than RunsBy::lyndon both
/// ways are taken and compared. Cost as the functions named above. Throws Error{internal} if the ways differ, and
/// Error{invalid_argument} above strings::kMaxLength symbols.
std::vector<strings::Run> find_runs(std::span<const Symbol> text, RunSearch& search);

}  // namespace skelgen::fold
