#pragma once
// LoopRuns and iterations of a cut loop that a skeleton runs. Both are numbered over the traced program.

#include <cstdint>
#include <span>
#include <vector>

#include "emit/emit.h"

namespace skelgen::emit {

/// How the loop of a phase is cut.
struct Cut {
  double k = 1;                      ///< of its iterations after the first of an execution about one in k runs
  std::uint64_t least = 1;           ///< of them, at least
  double typical = 1;                ///< see Phase
  skeleton::Ends ends{1, 0};         ///< see Phase; of one location
  std::span<const Chosen> chosen{};  ///< see Phase
  /// Iterations of an execution of so many trips that may be left out, besides the first and the last ones.
  std::uint64_t later(std::uint64_t trips) const {
    return trips > ends.first + ends.last ? trips - ends.first - ends.last : 0;
  }
  /// How many of them run.
  std::uint64_t kept(std::uint64_t trips) const;
};
Cut cut_of(const Plan& plan, const Phase& phase, std::size_t location = 0);

/// An execution that the skeleton runs.
struct LoopRun {
  std::uint64_t first = 0, trips = 1;  ///< number of its first iteration; iterations
  double weight = 1;                   ///< how often the time of the first iteration counts
  std::uint64_t before = 0;            ///< iterations kept in earlier executions
  /// The n-th iteration that is kept, n < cut.kept(trips), and how often its time counts.
  std::uint64_t iteration(const Cut& cut, std::uint64_t n) const;
  double weight_of(const Cut& cut, std::uint64_t n) const;
};

/// By phase of the plan: executions of its loop that run, at location 0, in order; of more than kMostLoopRuns about as many, evenly
/// spread. Phases without a loop have none. O(executions that run + iterations that run of the loops around).
inline constexpr std::uint64_t kMostLoopRuns = 100'000;
using LoopRuns = std::vector<std::vector<LoopRun>>;
LoopRuns loop_runs(const Plan& plan);
/// Of one phase, given those of the phases before it.
std::vector<LoopRun> loop_runs(const Plan& plan, std::size_t phase, const LoopRuns& before);

/// The iterations of a cut loop that run on a location, and how often the time of each counts.
struct Iterations {
  std::uint64_t all = 1;  ///< of the traced program, on the location that has most
  struct Run {
    std::uint64_t number;
    double weight;
  };
  std::vector<Run> run;  ///< in order, without iteration 0
  double first = 1;      ///< how often the time of iteration 0 counts; 0: it does not run
  bool chosen = false;   ///< those of Phase::chosen run
};
/// By location, or the same for all. O(iterations that run) for each.
std::vector<Iterations> iterations(const Plan& plan, const Phase& phase, const std::vector<LoopRun>& executions);

}  // namespace skelgen::emit
