#pragma once
// How a time grows with the number of ranks: c * p^a * log2(p)^b, the normal form of Calotoiu et al., "Using Automated
// Performance Modeling to Find Scalability Bugs in Complex Codes" (SC 2013), with one term.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

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

/// "1.25e-05 * p^-1 * log2(p)"
std::string text(const Growth& growth);
/// The inverse. at: "FILE:LINE", for errors. Throws Error{corrupt}.
Growth parse_growth(std::string_view text, const std::string& at);

}  // namespace skelgen::generalize
