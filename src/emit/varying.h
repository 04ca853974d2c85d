#pragma once
// Computation that varies -> tables of whole numbers from which the skeleton spends what the traced run spent in the
// iteration that it stands for. Sums are conserved: the tables are scaled so that all kept iterations together compute
// kept / (trips - 1) of what the traced run computed there, on each rank.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emit/emit.h"
#include "emit/timing.h"
#include "skeleton/skeleton.h"

namespace skelgen::emit {

/// The computation of one place: by location a table of `rows` x `columns` numbers. Row 0 is the first iteration of the
/// loop of the top level if that loop is cut, the others stand for equal parts of the kept ones; else there is one row.
/// A row's columns stand for equal parts of its at most `count` occurrences.
struct Table {
  struct OfLocation {
    std::vector<int> numbers;  ///< [row * columns + column]
    double unit_s = 0;         ///< of a number
  };
  std::uint64_t rows = 1, columns = 1, count = 1;
  std::vector<OfLocation> of;  ///< by position in Node::where
};

/// The loop of the top level that a place is in. kept = 0: it is not cut.
struct Cut {
  std::uint64_t trips = 1, kept = 0;
};

/// occurrences: of the place, by position, in the whole program. At most `most` numbers for each location (>= 2). An
/// empty `of` if there are no samples or the locations' rows differ.
Table tabulate(const skeleton::Compute& compute, const std::vector<std::uint64_t>& occurrences, const Cut& loop,
               std::size_t most);

class Varying {
 public:
  /// Finds the places whose variation matters most and shares kNumbers among them.
  Varying(const skeleton::Skeleton& skeleton, const Timing& timing, const Plan& plan);

  /// "compute_varying(&varying[2], i); /* 1.2 ms to 1.3 ms on average */" for the computation before the node, or
  /// between its iterations; empty if the mean has to do. `iteration`: the C variable that says which iteration of the
  /// cut loop it is.
  std::string spend(const skeleton::Node& node, bool between, const std::string& iteration);
  /// True if the place has a table that is chosen by the iteration of a cut loop.
  bool counts(const skeleton::Node& node, bool between) const;

  /// Declarations for the head of the program, and the numbers for its end; empty without varying computation.
  std::string declarations() const;
  std::string numbers() const;
  bool empty() const { return tables_.empty(); }

 private:
  struct Place {
    const skeleton::Node* node;
    bool between;
    Cut loop;
    double weight;  ///< standard deviation times occurrences, over all locations
  };
  void find(const skeleton::Block& block, const Cut& loop);
  void find(const skeleton::Node& node, bool between, const Cut& loop);
  std::vector<std::uint64_t> occurrences(const skeleton::Node& node, bool between) const;

  const skeleton::Skeleton& skeleton_;
  const Timing& timing_;
  std::vector<Place> places_;
  std::map<std::pair<const skeleton::Node*, bool>, Cut> chosen_;
  std::size_t most_ = 0;  ///< numbers for each location at a place
  struct Written {
    Table table;
    std::vector<std::uint32_t> where;
    Cut loop;
  };
  std::vector<Written> tables_;
};

/// Numbers that a program's tables hold at most, about.
inline constexpr std::size_t kNumbers = 24000;

}  // namespace skelgen::emit
