#pragma once
// Timeline of what each rank did, in a number of cells that does not grow with the run.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "metrics/metrics.h"
#include "report/flows.h"
#include "report/groups.h"
#include "support/units.h"

namespace skelgen::report {

/// What a rank does with its time: it computes, is inside calls for messages, in collective calls or in others (one-sided,
/// files), waits there for another rank, or waits for a core between calls, where the trace says so.
enum class Spending : std::uint8_t {
  computing,
  messages,
  collectives,
  other,
  waits_for_message,
  waits_in_collective,
  waits_for_core
};
inline constexpr std::size_t kSpendings = 7;
using Spent = std::array<double, kSpendings>;  ///< seconds

/// In which of them the time inside a call is that is not spent waiting.
Spending spending_of(const mpi::Function& function);

/// Seconds that rank groups wait for each other, and the messages between them; by [of * count + for].
struct Pairs {
  Groups groups;
  std::vector<double> messages;  ///< from, to
  std::vector<double> waited_s;  ///< who waits, for whom
};

/// Watches a run. Rows are groups of locations, columns stretches of time that double when the run is longer than all of
/// them. O(1 + the columns that it spans) time per call, O(cells + locations) memory.
class Timeline : public metrics::Observer {
 public:
  static constexpr std::size_t kMostRows = 128, kMostCells = 98304, kMostColumns = 32768, kMostPairs = 64;

  /// threads: that call MPI, by rank; some may have none. length_s: of the run, about; 0: not known.
  Timeline(const std::vector<int>& threads, double length_s, std::size_t most_cells = kMostCells);

  void spent(Location where, double until_s, double computing_s, double blocked_s,
             const mpi::Function& function) override;
  void waited(Location where, Location cause, double metrics::Waits::*what_for, double from_s, double to_s) override;
  void message(Location from, double sent_s, Location to, double received_s) override;

  const Rows& rows() const { return rows_; }
  double column_s() const { return column_s_; }
  std::size_t columns() const;  ///< up to the last one in which something was
  /// Seconds, of all locations of the row together.
  Spent cell(std::size_t row, std::size_t column) const;
  /// Of all threads of each rank together.
  const std::vector<Spent>& by_rank() const { return by_rank_; }
  /// Locations that left anything to be seen.
  std::size_t seen() const { return static_cast<std::size_t>(std::ranges::count(seen_, true)); }
  const Flows& flows() const { return flows_; }
  const Pairs& pairs() const { return pairs_; }

 private:
  void add(std::size_t row, Spending what, double from_s, double to_s, double sign);
  void reach(double until_s);

  Rows rows_;
  std::size_t columns_;
  double column_s_;
  double end_s_ = 0;
  std::vector<Spent> cells_;  // [row * columns_ + column]
  std::vector<Spent> by_rank_;
  std::vector<Spending> last_;  // by location: where its last call was
  std::vector<bool> seen_;      // by location
  Flows flows_;
  Pairs pairs_;
};

/// A stretch of time in which few ranks compute.
struct FewRanks {
  double from_s = 0, to_s = 0;
  double computing = 0;                ///< locations, on average
  double lost_s = 0;                   ///< time that locations do not compute, of all together
  std::optional<std::size_t> busiest;  ///< row that computes most there
  std::optional<Spending> instead;     ///< what the others do most; nothing: they are done with MPI
};
/// Stretches of columns in which less than half as many locations compute as on average, from when half of them are
/// there on; those that lose most first, at most `most`. O(cells).
std::vector<FewRanks> few_ranks(const Timeline& timeline, std::size_t most);

}  // namespace skelgen::report
