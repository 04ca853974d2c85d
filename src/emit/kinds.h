#pragma once
// Kept iterations of a cut loop whose iterations are not alike: some of each kind, each for as many as it stands for. Of
// evenly spread ones, which kinds are met how often is a matter of chance where few are kept.

#include <vector>

#include "emit/costs.h"
#include "emit/loop_runs.h"
#include "skeleton/skeleton.h"

namespace skelgen::emit {

struct Kinds {
  std::vector<Chosen> chosen{};  ///< see Phase; empty: all iterations are of one kind, or evenly spread ones do
  /// Traced seconds, in the loop's own phase, of a kept iteration, on average, in relation to those of any.
  double longer = 1;
  double error_s = 0;  ///< see Phase::error, in seconds
};

/// Of a cut loop, of whose executions those that run are given. Iterations are of one kind if all locations take about as long in them
/// (computation as sampled, else its mean; calls with their means), and move about as many bytes; kinds are as many as make all iterations of one lie, on average, within
/// kAlike of each other, or as their kept iterations allow. Deterministic. O(nodes x iterations x locations + samples), but see
/// kMostCompared.
/// outermost: the loop stands in no other one. trips: of all its executions in the original, at location 0. cut: without chosen ones.
/// inside: loops that are cut themselves.
Kinds kinds(const skeleton::Node& loop, bool outermost, std::uint64_t trips, const std::vector<LoopRun>& executions,
            const Cut& cut, const std::vector<skeleton::Ends>& ends, const CutInside& inside = {});
/// In relation to the time of an iteration.
inline constexpr double kAlike = 0.05;
/// Loops with more iterations have one kind, and those of which more are kept: even ones meet all kinds often enough.
inline constexpr std::uint64_t kMostCompared = 20'000;
inline constexpr std::uint64_t kMostChosen = 256;

}  // namespace skelgen::emit
