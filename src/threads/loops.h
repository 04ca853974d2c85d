#pragma once
// The loops of each thread, found by folding the sequence of its events.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "threads/match.h"

namespace skelgen::threads {

constexpr std::uint32_t kNoLoop = 0xffffffff;

/// Once through a loop, from entering to leaving it.
struct Activation {
  std::uint32_t first = 0, last = 0;      ///< events, both inside
  std::vector<std::uint32_t> iterations;  ///< the first event of each, ascending
  bool begins_inside = false;             ///< the first iteration was entered in the middle
  bool ends_inside = false;               ///< the last one was left in the middle
  /// Iterations from the beginning of the body to its end.
  std::span<const std::uint32_t> whole() const;
  std::uint32_t end_of_whole() const { return ends_inside ? iterations.back() : last + 1; }
};

/// A loop of a thread, or the thread itself.
struct Loop {
  std::uint32_t thread = 0;
  std::uint32_t parent = kNoLoop;  ///< index into Loops::all; kNoLoop: this is the thread
  std::string code;                ///< equal for loops whose bodies are the same calls, of whatever thread
  std::vector<Activation> activations;
  std::uint64_t trips() const;  ///< whole iterations of all activations
};

struct Loops {
  std::vector<Loop> all;  ///< by thread, a loop before those that are nested in it, then in order of execution
  std::vector<std::vector<std::uint32_t>> owner;  ///< of each thread's events: the innermost loop around it
};

/// Folds each thread's events: what is equal of two events of the same statement is action, site and object; where a statement has more
/// objects than it has events for two each, they do not count. Left out of the text, and given to the loop of what stands before them, are
/// what a matter of time decides (waits for conditions and futexes) and data signals. Of the ways of src/fold the one is taken that costs
/// least: best, around anchors (trips may vary), jointly. Events beside a loop that are the end, or the beginning, of its body belong to it.
Loops find_loops(const Run& run, const Matching& matching);

}  // namespace skelgen::threads
