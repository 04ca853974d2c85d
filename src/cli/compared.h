#pragma once
// What `compare` knows of one side, and how two sides differ.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace skelgen::cli {

/// A function, phase or rank of a run.
struct Part {
  std::string name;
  double seconds = 0;
  std::optional<std::uint64_t> calls{};  ///< of a function
};

/// One side: a trace, a skeleton as it was traced, what `predict --json` or `time --json` printed, or what a skeleton
/// printed with --json.
struct Side {
  std::string kind;             ///< "trace", "skeleton", "prediction" or "time"
  double seconds = 0;           ///< run time; the median of several runs
  std::vector<double> runs;     ///< of several runs: each
  std::vector<Part> functions;  ///< over all ranks, "computation" is one
  std::vector<Part> phases;     ///< in order
  std::vector<Part> computing;  ///< by rank
  std::vector<Part> delays;     ///< by rank: what others waited for it
  std::size_t ranks = 1;        ///< functions: how many ranks share the time
};

/// Throws Error{io, corrupt} for what is nothing of the above, and as reading does.
Side read_side(const std::filesystem::path& path);

/// A part on both sides; what one of them does not have is nothing.
struct Change {
  std::string name;
  std::optional<double> before, after;
  std::optional<std::uint64_t> calls_before, calls_after;
  double seconds() const { return after.value_or(0) - before.value_or(0); }
};
/// In the order of `before`, then what only `after` has.
std::vector<Change> changes(const std::vector<Part>& before, const std::vector<Part>& after);

/// Seconds by which the run times of two sides may differ by chance: with 95 % confidence, from the spread of the runs (of
/// the one side for both, if the other has one run only). Nothing if neither has several.
std::optional<double> noise(const Side& before, const Side& after);

}  // namespace skelgen::cli
