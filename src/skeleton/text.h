#pragma once
// Small pieces of the text form that print, check and messages share.

#include <cstdint>
#include <span>
#include <string>

#include "skeleton/skeleton.h"

namespace skelgen::skeleton {

/// Ascending numbers as ranges: "0..3,7,8..14/2" (the last: 8, 10, 12, 14).
std::string ranges(std::span<const std::uint32_t> numbers);

/// A time >= 0 with 4 significant digits and a unit that suits it: "0 s", "12.5 us", "1.25 s".
std::string seconds(double value);

/// Several times with one unit, repeats counted: "{1.25, 1.3 x 3} us"; a single value if all read the same.
std::string seconds(std::span<const double> values);

/// "rank+1", "(rank-1)%size", "rank^4", "3".
std::string text(const RankRule& rule);

/// One value of a parameter of this role: "b0+800", "world", "MPI_DOUBLE", "any", "100".
/// Arrays up to 8 values are written out, "(1, 2)"; longer ones as "#id".
std::string value(const Skeleton& skeleton, const mpi::Parameter& parameter, std::int64_t value);

}  // namespace skelgen::skeleton
