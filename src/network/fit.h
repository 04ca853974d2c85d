#pragma once
// Lines through measured times: start-up time and time per byte (Hockney 1994; Liu 2000), by ranges of message length,
// since an MPI changes its protocol with the length (eager, rendezvous).

#include <cstddef>
#include <span>
#include <vector>

namespace skelgen::network {

/// A time at a message length. seconds > 0.
struct Sample {
  double bytes, seconds;
};

/// seconds = t0_s + bytes * s_per_byte, for from <= bytes <= to. s_per_byte >= 0; t0_s may be negative in a range that
/// does not begin at the shortest length.
struct Line {
  double from = 0, to = 0, t0_s = 0, s_per_byte = 0;
  double at(double bytes) const { return t0_s + bytes * s_per_byte; }
};

struct Fit {
  Line all;                 ///< one line for all lengths: t0 and 1 / r_inf of Hockney's and Liu's model
  std::vector<Line> lines;  ///< by range of length, ascending; those of neighbours do not overlap
  double r2 = 0;            ///< coefficient of determination of `lines`, of the times' logarithms
  double residual = 0;      ///< median of |measured - fitted| / measured, of `lines`

  /// Time of a message by the line whose range it is in or nearest to; never below 0. O(log lines).
  double at(double bytes) const;
};

/// A line by weighted least squares on relative residuals, in which samples far from the others (Tukey's biweight, 4.7
/// median absolute deviations) do not count. Requires a sample. O(n) for each of at most 50 iterations.
Line fit_line(std::span<const Sample> samples);

/// Samples sorted by length. The borders are where they reduce the absolute relative residuals most; another range must
/// pay twice for its three parameters by the Bayesian information criterion (Schwarz 1978), and has at least kFewestInRange samples.
/// Throws Error{invalid_argument} for fewer than two lengths. O(n^3 most) time for n samples; 10 ms for 50.
inline constexpr std::size_t kFewestInRange = 4;
Fit fit(std::span<const Sample> samples, std::size_t most = 4);

}  // namespace skelgen::network
