#pragma once
// Computation that varies -> tables of whole numbers from which the skeleton spends what the traced run spent in the
// iteration that it stands for. Sums are conserved: the tables are scaled so that all kept iterations together compute,
// times the weight of their phase, what the traced run computed there, on each rank.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "emit/counted.h"
#include "emit/emit.h"
#include "emit/timing.h"
#include "skeleton/skeleton.h"

namespace skelgen::emit {

/// How the loop of the top level that a place is in is cut. kept = 0: it is not.
struct Cut {
  std::uint64_t trips = 1, kept = 0;
  double typical = 1;  ///< see Phase
  /// What the kept iterations stand for of what all later ones computed.
  double share() const { return static_cast<double>(kept) / (static_cast<double>(trips - 1) * typical); }
};

/// How often the location at this position passes a place in this iteration of the loop of the top level around it.
using Passes = std::function<std::uint64_t(std::size_t at, std::uint64_t iteration)>;

/// The computation of one place: by location a table of rows x columns numbers. Row 0 is the first iteration of the
/// loop of the top level if that loop is cut, the others stand for equal parts of the later ones; else there is one
/// row. The columns stand for equal parts of the `passes` times (at most) that the place is passed in an iteration, or
/// in the whole program if there is one row.
struct Table {
  struct OfLocation {
    std::vector<int> numbers;  ///< [row * columns + column]
    double unit_s = 0;         ///< of a number
    std::uint64_t passes = 1;
  };
  std::uint64_t rows = 1, columns = 1;
  std::vector<OfLocation> of;  ///< by position in Node::where
};

/// The table of a place. On each location the kept iterations together compute loop.share() of what all
/// iterations after the first computed, the first one what it computed itself, up to rounding. occurrences: of the
/// place, by position, in the whole program; passes: in an iteration, asked for only if the loop is cut. At most `most`
/// (>= 2) numbers for each location. An empty `of` if that cannot be: no samples, not one for each pass of a sampled
/// iteration, samples that do not show where the time is spent, or more than kMostKept kept iterations. O(kept + numbers)
/// for each location.
inline constexpr std::uint64_t kMostKept = std::uint64_t{1} << 24;
Table tabulate(const skeleton::Compute& compute, const std::vector<std::uint64_t>& occurrences, const Passes& passes,
               const Cut& loop, std::size_t most);

class Varying {
 public:
  /// Finds the places whose variation matters most and shares kNumbers among them.
  Varying(const skeleton::Skeleton& skeleton, const Timing& timing, const Plan& plan);

  /// "compute_varying(&varying[2], i); /* 1.2 ms to 1.3 ms on average */" for the computation before the node, or
  /// between its iterations, skel_compute_long where it is long; empty if the mean has to do. `iteration`: the C
  /// variable that says which iteration of the cut loop it is.
  std::string spend(const skeleton::Node& node, bool between, const std::string& iteration);
  /// True if the place has a table that is chosen by the iteration of a cut loop.
  bool counts(const skeleton::Node& node, bool between) const;

  /// Declarations for the head of the program, and the numbers for its end; empty without varying computation.
  std::string declarations() const;
  std::string numbers() const;
  bool has_short() const { return has_short_; }  ///< compute_varying is called

 private:
  struct Place {
    const skeleton::Node* node;
    bool between;
    Cut loop;
    Around around;
    double weight;  ///< standard deviation times occurrences, over all locations
  };
  void find(const skeleton::Block& block, const Cut& loop, const Around& around);
  void find(const skeleton::Node& node, bool between, const Cut& loop, const Around& around);

  const skeleton::Skeleton& skeleton_;
  const Timing& timing_;
  std::vector<Place> places_;
  struct Written {
    Table table;
    std::vector<std::uint32_t> where;
    Cut loop;
  };
  std::map<std::pair<const skeleton::Node*, bool>, Written> tables_;  ///< node and between
  bool has_short_ = false;
  std::vector<const Written*> written_;  ///< in order of their numbers in the program
};

/// Numbers that a program's tables hold at most, about.
inline constexpr std::size_t kNumbers = 24000;

}  // namespace skelgen::emit
