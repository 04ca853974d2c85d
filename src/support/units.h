#pragma once
// Times of a trace and who made a call. Where a time is a plain double, its name ends with its unit (`mean_s`). Seconds
// are doubles: a trace's sums stay exact to 1e-9 of its length.

#include <compare>
#include <cstdint>

namespace skelgen {

using Rank = std::int32_t;  ///< a rank in MPI_COMM_WORLD unless a comment says otherwise

/// Wall-clock time or a difference of two, in seconds.
struct Seconds {
  double value = 0;
  auto operator<=>(const Seconds&) const = default;
  friend Seconds operator-(Seconds a, Seconds b) { return {a.value - b.value}; }
};

/// Who made a call: a thread of a rank. Threads are numbered from 0 in the order of their first MPI call.
struct Location {
  Rank rank = 0;
  std::int32_t thread = 0;
  auto operator<=>(const Location&) const = default;
};

}  // namespace skelgen
