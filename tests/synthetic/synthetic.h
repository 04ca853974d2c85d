#pragma once
// Traces of SPMD programs that were never run: any number of ranks and calls, written through trace::Writer call by call,
// so that memory does not grow with their number. The same arguments give the same bytes.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace skelgen::synthetic {

enum class Kind {
  nests,      ///< nested loops of collectives and of messages around a ring, one inside the other
  noise,      ///< collectives in random order (the same on all ranks): nothing repeats
  wavefront,  ///< NPB LU: sweeps over a grid of ranks, plane by plane, both ways; nine kinds of rank
  halo        ///< exchange with the neighbours on a grid of ranks, then a sum: nine kinds of rank
};
std::optional<Kind> kind_of(std::string_view name);

struct Options {
  Kind kind = Kind::wavefront;
  int ranks = 16;
  /// Calls of a rank that has all neighbours, about: whole iterations, at least one. 324,355 of a wavefront gives what
  /// NPB LU makes in class C: 250 iterations of 160 planes.
  std::uint64_t records = 324355;
  /// Two columns of counters: "PAPI_TOT_INS", three for each ns of the gap, and "PAPI_L3_TCM", a number below 1,000.
  bool counters = false;
  std::uint64_t seed = 1;  ///< of computation and durations, which vary by a tenth, and of noise
};

/// Writes the whole trace directory, ranks in parallel. Returns the number of calls. Throws Error{io},
/// Error{invalid_argument} for less than one rank.
std::uint64_t write(const std::filesystem::path& directory, const Options& options);

/// Rows of the grid that the ranks form, the largest divisor of `ranks` up to its root: rank = column * rows + row.
int grid_rows(int ranks);

}  // namespace skelgen::synthetic
