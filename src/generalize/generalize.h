#pragma once
// Skeletons of one program at several numbers of ranks -> the text of one for any number (docs/generalize.md).
//
// The runs are one skeleton whose locations are the ranks of all of them (normalize::join, merge): so statements are
// aligned by what aligns those of ranks, and who executes a statement, trips and arguments are values at (p, r). Here each
// of them becomes an expression of p, r and what follows from them (Basis), exact at every one of these places.

#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "generalize/basis.h"
#include "skeleton/skeleton.h"

namespace skelgen::generalize {

/// Computation that is expected to be off by more, relative, is little more than a guess.
inline constexpr double kMostTrusted = 0.5;

/// A grid of ranks that coordinates of rules come from.
struct Grid {
  /// found: of a Cartesian communicator; none, planes and spaces: tried, the larger dimension first or last.
  enum class Kind : std::uint8_t { none, found, plane, plane_last, space, space_last } kind = Kind::none;
  bool operator==(const Grid&) const = default;
};
const char* text(Grid::Kind kind);

/// A rule that the traces do not decide alone.
struct Doubt {
  std::string what;  ///< "count of MPI_Send"
  std::string why;   ///< "512 / p also fits"
};

struct Generalized {
  std::string text;  ///< what instance.h reads
  std::string grid;  ///< "px x py = dims(p, 2, 0) x dims(p, 2, 1)"; empty: none is used
  std::uint64_t statements = 0;
  std::uint64_t rules = 0;      ///< that depend on p or r
  std::uint64_t confirmed = 0;  ///< of these, found alike without any one of the traces
  double cost = 0;              ///< of all rules (description length)
  std::vector<Doubt> doubts;
  std::vector<std::string> needs;  ///< conditions: at numbers of ranks where one is 0 the text is refused
  /// Largest difference between a count and the mean that takes its place, as a share of the count; 0: all counts have rules.
  double tolerance = 0;
  double growth_error = 0;  ///< relative, of the computation at numbers of ranks that were left out
  /// By how much the slowest ranks compute longer than the text says, relative, where all ranks together compute as it says; on average
  /// over the computation.
  double imbalance = 0;
  /// Of both, as `computation_error` in the text says it.
  double computation_error() const { return std::hypot(growth_error, imbalance); }
};

/// Searches of earlier calls for the same numbers of ranks: making one takes longer than all that is asked of it.
struct Known {
  std::optional<Basis> basis;
  std::deque<Basis> lists;    ///< over elements of lists
  std::uint64_t reached = 0;  ///< statements of the last call that have rules, if it threw
  bool guessed = false;       ///< a rule was found that Trips::confirmed does not take
  std::vector<Rule> of_all;   ///< of values that all traces have
};
using KnownByGrid = std::map<Grid::Kind, Known>;

/// Which rules for numbers of trips are taken: those that are found without one of the traces, too, or all.
enum class Trips : std::uint8_t { confirmed, any };

/// Counts of a collective may follow from the program's data, so that no rule gives them. exact: such a program is refused. means: the mean
/// over all ranks of a run takes the place of each count (Generalized::tolerance), and blocks lie behind each other in the buffers.
enum class Counts : std::uint8_t { exact, means };

/// united: the skeleton of the locations of all runs, those of the first one first. ranks: how many each run has, ascending.
/// Throws Error{mismatch} that names the first statement and argument without a rule, with what it is where; Error{unsupported} for
/// threads, pools, intercommunicators and reordered exchanges, for which no rule is sought.
Generalized generalize(const skeleton::Skeleton& united, std::span<const std::uint32_t> ranks, Grid grid, Trips trips,
                       Counts counts, KnownByGrid& known);

/// Gives buffers that the same arguments name the same slots on all locations: a slot is the number of the first statement's
/// argument that names it, or of one that names the same buffer on another location. So a rank at an edge, which has fewer
/// buffers, does not number the others otherwise. Changes nothing where that would make two buffers of a location one, and
/// for programs that step over buffers or name places in dynamic windows. apart: what no location names by the same address is
/// another buffer, though it overlaps: parts of the stack that have nothing to do with each other. O(statements x locations).
void name_buffers_alike(skeleton::Skeleton& united, bool apart = false);

/// Each place in a buffer that arguments name becomes a buffer of its own, as normalize::Areas::addresses says it of calls. Steps over
/// buffers stay steps.
void places_as_buffers(skeleton::Skeleton& skeleton);

/// The grids that may be tried for a skeleton, the best first: that of its Cartesian communicator, or none and guesses.
std::vector<Grid> grids_of(const skeleton::Skeleton& united, std::span<const std::uint32_t> ranks);

}  // namespace skelgen::generalize
