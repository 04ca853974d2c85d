#pragma once
// What each rank did when, in a number of cells that does not grow with the run.

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
/// files), or waits there for another rank.
enum class Spending : std::uint8_t { computing, messages, collectives, other, waits_for_message, waits_in_collective };
inline constexpr std::size_t kSpendings = 6;
using Spent = std::array<double, kSpendings>;  ///< seconds

/// In which of them the time inside a call is that is not spent waiting.
Spending spending_of(const mpi::Function& function);

/// Seconds that rank groups wait for each other, and the messages between them; by [of * count + for].
struct Pairs {
  Groups groups;
  std::vector<double> messages;  ///< from, to
  std::vector<double> waited_s;  ///< who waits, for whom
};

/// Watches a run. Rows are groups of ranks, columns stretches of time that double when the run is longer than all of them.
/// O(1) time per call, O(cells) memory and the length of what one call spans.
class Timeline : public metrics::Observer {
 public:
  static constexpr std::size_t kMostRows = 128, kMostCells = 98304, kMostColumns = 32768, kMostPairs = 64;

  /// ranks: of the run; some may have no location. length_s: of the run, about; 0: not known.
  Timeline(std::size_t ranks, double length_s, std::size_t most_cells = kMostCells);

  void spent(Location where, double until_s, double computing_s, double blocked_s,
             const mpi::Function& function) override;
  void waited(Location where, Location cause, double metrics::Waits::*what_for, double from_s, double to_s) override;
  void message(Location from, double sent_s, Location to, double received_s) override;

  const Groups& rows() const { return rows_; }
  double column_s() const { return column_s_; }
  std::size_t columns() const;  ///< up to the last one in which something was
  /// Seconds, of all ranks of the row together.
  Spent cell(std::size_t row, std::size_t column) const;
  const std::vector<Spent>& by_rank() const { return by_rank_; }
  /// Of the ranks, those that left anything to be seen.
  std::size_t seen() const;
  const Flows& flows() const { return flows_; }
  const Pairs& pairs() const { return pairs_; }

 private:
  void add(std::size_t row, Spending what, double from_s, double to_s, double sign);
  void reach(double until_s);

  Groups rows_;
  std::size_t columns_;
  double column_s_;
  double end_s_ = 0;
  std::vector<std::array<float, kSpendings>> cells_;  // [row * columns_ + column]
  std::vector<Spent> by_rank_;
  std::vector<Spending> last_;  // by rank: where its last call was
  Flows flows_;
  Pairs pairs_;
};

/// A stretch of time in which few ranks compute.
struct Quiet {
  double from_s = 0, to_s = 0;
  double computing = 0;                ///< ranks, on average
  double lost_s = 0;                   ///< time that ranks do not compute, of all together
  std::optional<std::size_t> busiest;  ///< row that computes most there
  std::optional<Spending> instead;     ///< what the others do most; nothing: they are not in MPI any more
};
/// Stretches of columns in which less than half as many ranks compute as on average, from when half of the ranks are
/// there on; those that lose most first, at most `most`. O(cells).
std::vector<Quiet> quiet(const Timeline& timeline, std::size_t most);

}  // namespace skelgen::report
