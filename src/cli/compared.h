#pragma once
// The two sides of `compare`, and their differences.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace skelgen::cli {

/// A function or phase of a run.
struct RunPart {
  std::string name;
  double seconds = 0;
  std::optional<std::uint64_t> calls{};  ///< of a function
};

/// Computation of a rank, and what others waited for it.
struct RankPart {
  double computing_s = 0, caused_s = 0;
};

/// One side: a trace, a skeleton as it was traced, what `predict --json` or `time --json` printed, or what a skeleton
/// printed with --json.
struct Side {
  std::string kind;                  ///< "trace", "skeleton", "prediction" or "time"
  double seconds = 0;                ///< run time; the median of several runs
  std::vector<double> runs;          ///< of several runs: each
  std::vector<RunPart> functions;    ///< over all ranks, "computation" is one; empty: not known
  std::vector<RunPart> phases;       ///< in order; empty: not known
  std::optional<double> init_s;      ///< MPI_Init, where it is known and no phase's
  std::optional<double> finalize_s;  ///< MPI_Finalize, the same
  int processes = 0;                 ///< number of ranks; 0: not known
  std::string arguments;             ///< of the program; empty: none, or not known
  std::vector<RankPart> ranks;       ///< empty: not known
  bool cpu_time = false;             ///< only time on a processor counts as computation
  std::vector<std::string> notes;    ///< what is left out of it, and why; what its times suffer from
};

/// Throws Error{io, corrupt} for what is nothing of the above or has no run time, and as reading does.
Side read_side(const std::filesystem::path& path);

/// A part on both sides; what one of them does not have is nothing.
struct Change {
  std::string name;
  std::optional<double> before, after;
  std::optional<std::uint64_t> calls_before, calls_after;
  double seconds() const { return after.value_or(0) - before.value_or(0); }
};
/// In the order of `before`, then what only `after` has. Names are different. Nothing if one of them is empty: it is of a
/// side that does not know. O(parts).
std::vector<Change> changes(const std::vector<RunPart>& before, const std::vector<RunPart>& after);
/// Why the two sides are not runs of the same job, what cannot be told apart, or why their difference may be chance: a sentence each.
std::vector<std::string> caveats(const Side& before, const Side& after);
/// The phases, and "init" and "finalize" where both sides have them apart. A loop has the time of the loops in it where the sides do not have
/// the same of these as phases.
std::vector<Change> phase_changes(const Side& before, const Side& after);

/// Seconds by which the medians of two sides' run times may differ by chance: with 95 % confidence, from the spread of the
/// runs (of the one side for both, if the other has one run only). Nothing if neither has several.
std::optional<double> noise(const Side& before, const Side& after);

}  // namespace skelgen::cli
