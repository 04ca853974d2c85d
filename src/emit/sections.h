#pragma once
// Sections of an emitted program: before its phases, in them and behind them.

#include <cstdint>
#include <vector>

#include "skeleton/skeleton.h"

namespace skelgen::emit {

using Nodes = std::vector<const skeleton::Node*>;

struct Sections {
  std::vector<std::uint32_t> mains;  ///< locations of the ranks' main threads, by rank
  Nodes init, middle, finalize;      ///< up to MPI_Init, between, from MPI_Finalize on
  std::size_t first = 0;             ///< index in the program of middle[0]
};

/// Nodes [begin, end) of the program stand between MPI_Init and MPI_Finalize of all ranks.
struct Running {
  std::size_t begin, end;
};
Running running(const skeleton::Block& program);

/// Throws Error{unsupported} if a location is missing, or for a program that not all ranks begin by MPI_Init and end by
/// MPI_Finalize.
Sections sections(const skeleton::Skeleton& skeleton);

/// What a compiler should get at once: its time grows faster than a function does. At least a node in each.
std::vector<Nodes> parts_of(const Nodes& nodes);

}  // namespace skelgen::emit
