#pragma once
// Computation that varies -> tables of whole numbers from which the skeleton spends what the traced run spent in the
// iteration that it stands for. Sums are conserved: the tables are scaled so that all iterations that run together
// compute, each as often as it counts, what the traced run computed there, on each rank.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emit/counted.h"
#include "emit/emit.h"
#include "emit/loop_runs.h"
#include "emit/timing.h"
#include "skeleton/skeleton.h"

namespace skelgen::emit {

/// How often the location at this position passes a place in this iteration of the cut loop around it.
using Passes = std::function<std::uint64_t(std::size_t at, std::uint64_t iteration)>;

/// The computation of one place: by location a table of rows x columns numbers. If the place is in a cut loop, row 0 is
/// that loop's very first iteration, the others stand for equal parts of the later ones, or, where these would not give each
/// iteration that runs its own row, each for one that runs and those nearest to it; else there is one row. The
/// columns stand for equal parts of the `passes` times (at most) that the place is passed in an iteration, or in the
/// whole program if there is one row. With `passes_per_execution` above 1 pass n of each execution of the inner loop has its own column.
struct Table {
  struct OfLocation {
    std::vector<int> numbers;  ///< [row * columns + column]
    double unit_s = 0;         ///< of a number
    std::uint64_t passes = 1;
  };
  std::uint64_t rows = 1, columns = 1, passes_per_execution = 1;
  std::vector<long> begin;  ///< of each row, an iteration, for the K of the plan; empty: equal parts of the later ones
  std::vector<OfLocation> of;  ///< by position in Node::where
};

/// The table of a place. On each location the first iteration computes what it computed itself, and all that run,
/// each as often as it counts, together what all iterations computed, up to rounding. loop: the innermost
/// cut loop around the place, by position, or the same for all; empty: it is in none. sampled: likewise, the iterations of
/// `loop` that compute.samples has, one for each row, ascending from 0. occurrences: of the place, by position, in the whole program; passes: in an iteration,
/// asked for only of cut loops. At most `most` (>= 2) numbers for each location. An empty `of` if that cannot be: no
/// samples, not one for each pass of a sampled iteration, samples that do not show where the time is spent, or more than
/// kMostKept iterations that run. passes_per_execution: of the innermost loop around the place, 1 if not constant. Where at most `most` / 4 columns are
/// needed for that, each pass of an execution has its own column, so computation in some passes only stays in these. O(iterations that run + numbers) for each location.
inline constexpr std::uint64_t kMostKept = std::uint64_t{1} << 24;
Table tabulate(const skeleton::Compute& compute, const std::vector<std::uint64_t>& occurrences, const Passes& passes,
               const std::vector<Iterations>& loop, const std::vector<std::vector<std::uint64_t>>& sampled,
               std::size_t most, std::uint64_t passes_per_execution = 1);

class Varying {
 public:
  /// Finds the places whose variation matters most and shares kNumbers among them.
  Varying(const skeleton::Skeleton& skeleton, const Timing& timing, const Plan& plan);

  /// "compute_varying(&varying[2], i); /* 1.2 ms to 1.3 ms on average */" for the computation before the node, or
  /// between its iterations, skel_compute_long where it is long; empty if the mean has to do. `iteration`: C expression
  /// of the number of the innermost cut loop's iteration.
  /// work: Values::work().
  std::string spend(const skeleton::Node& node, bool between, const std::string& iteration, const std::string& work);
  /// True if the place has a table that is chosen by the iteration of a cut loop.
  bool counts(const skeleton::Node& node, bool between) const;

  /// Declarations for the head of the program, and the numbers for its end; empty without varying computation.
  std::string declarations() const;
  std::string numbers() const;
  bool has_short() const { return has_short_; }              ///< compute_varying is called
  bool has_short_works() const { return has_short_works_; }  ///< compute_varying_as is

 private:
  struct Place {
    const skeleton::Node* node;
    bool between;
    std::size_t phase;  ///< of the innermost cut loop around, or a plain one
    Around around;      ///< that loop, or the one of the top level, and those between it and the node
    double weight;      ///< standard deviation times occurrences, over all locations
  };
  void find(const skeleton::Node& loop, std::size_t phase, const Around& around);
  void find(const skeleton::Node& node, bool between, std::size_t phase, const Around& around);
  Table table(const Place& place, std::size_t most);

  const skeleton::Skeleton& skeleton_;
  const Timing& timing_;
  const Plan& plan_;
  std::vector<Place> places_;
  std::map<const skeleton::Node*, std::size_t> phase_of_;  ///< of cut loops
  std::vector<std::vector<Iterations>> iterations_;        ///< by phase; see tabulate()
  struct Written {
    Table table;
    std::vector<std::uint32_t> where;
    std::uint64_t later;  ///< iterations of the cut loop after the first; 0: it is in none
  };
  std::map<std::pair<const skeleton::Node*, bool>, Written> tables_;  ///< node and between
  bool has_short_ = false, has_short_works_ = false;
  std::vector<const Written*> written_;  ///< in order of their numbers in the program
};

/// Numbers that a program's tables hold at most, about.
inline constexpr std::size_t kNumbers = 24000;

}  // namespace skelgen::emit
