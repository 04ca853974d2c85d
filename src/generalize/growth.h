#pragma once
// How a time grows with the number of ranks: c * p^a * log2(p)^b, the normal form of Calotoiu et al., "Using Automated
// Performance Modeling to Find Scalability Bugs in Complex Codes" (SC 2013), with one term.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skelgen::generalize {

struct Growth {
  double seconds = 0;  ///< c >= 0
  double power = 0;    ///< a
  int logarithm = 0;   ///< b
  /// In seconds. log2(1) counts as 0.
  double at(std::uint32_t ranks) const;
};

/// A growth and how far it was off.
struct FittedGrowth {
  Growth growth;
  double error = 0;  ///< the largest relative error at a number of ranks that was left out of the fit; of one number: 0
};

/// The growth that predicts best what is left out: for each a, b of a small set (a: multiples of 1/4 and 1/3 from -3 to 3,
/// b: 0, 1), c is fitted to all points but one and compared with that one; the sum of squared relative errors decides, the
/// simplest of nearly equal ones wins. points: (ranks, seconds >= 0), different ranks, not empty. O(points^2).
FittedGrowth fit_growth(std::span<const std::pair<std::uint32_t, double>> points);

/// Computing time of each rank at one statement. Rank r takes level + by_rank * r. With a spread this is multiplied by a factor: the ranks
/// that execute the statement, in ascending order, are cut into as many equal parts as there are factors; a factor is that of the middle of
/// its part, and is linear in between.
struct RankTimes {
  Growth level;
  Growth by_rank{};              ///< seconds of any sign; 0: none
  std::vector<double> spread{};  ///< >= 0; empty: 1
  bool differs() const { return by_rank.seconds != 0 || !spread.empty(); }
  /// In seconds, >= 0. Of the i-th of n ranks that compute, which is rank r of all.
  double at(std::uint32_t ranks, std::uint32_t r, std::size_t i, std::size_t n) const;
};

/// Computing times at one statement in one run: of each rank that executes it, the mean over its executions. Ascending by rank.
struct RunTimes {
  std::uint32_t ranks = 0;                                ///< of the run
  std::vector<std::pair<std::uint32_t, double>> seconds;  ///< (rank, seconds >= 0), not empty
  double mean() const;
};

inline constexpr double kMostError = 1e6;  ///< of lines computation_error

/// Times of ranks and how far they were off.
struct FittedTimes {
  RankTimes times;
  double error = 0;  ///< the largest relative error of the mean over the ranks where a run was left out; of one run: 0
  double cost = 0;   ///< what decided: squared relative errors at numbers of ranks that were left out, times a price
  double uneven =
      0;  ///< by how much the slowest rank computes longer than said here, relative, in the run where it is most
};

/// The simplest of these that predicts well what is left out, ranks and the slowest of them: the same time on all ranks; times that grow
/// evenly with the rank; the mean with the factors of the largest run (at most 64). runs: of different numbers of ranks, not empty, not all
/// zero. O(runs^3 + times x runs).
FittedTimes fit_times(std::span<const RunTimes> runs);

/// "1.25e-05 * p^-1 * log2(p)", "0.25 + 0.001 * p^-1 * r", "0.25 spread (0.9, 1, 1.1)"
std::string text(const RankTimes& times);
std::string text(const Growth& growth);
/// The inverse. at: "FILE:LINE", for errors. Throws Error{corrupt}.
RankTimes parse_times(std::string_view text, const std::string& at);

}  // namespace skelgen::generalize
