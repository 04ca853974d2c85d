#pragma once
// Communication layers of synchronisation loops: IdentifyCL and LocateCL (Cheng, Wang, Zhang & Zhang 2004).

#include <cstddef>
#include <span>
#include <vector>

namespace skelgen::threads {

/// Relations between n loops, as matrices: tied[i][j] is that of loops i and j. docs/theory/threads.md defines them.
struct Relations {
  using Pairs = std::vector<std::vector<bool>>;
  Pairs tied;        ///< one produces what the other consumes; symmetric
  Pairs concurrent;  ///< there is a moment at which both run; symmetric
  Pairs nests;       ///< j is nested in i
  explicit Relations(std::size_t n)
      : tied(n, std::vector<bool>(n)), concurrent(n, std::vector<bool>(n)), nests(n, std::vector<bool>(n)) {}
  std::size_t size() const { return tied.size(); }
};

using Layer = std::vector<std::size_t>;  ///< loops, ascending

/// IdentifyCL of the loops `of`, ascending: the largest sets of them in which all pairs are tied and run concurrently, the maximal
/// cliques of that graph. A loop without a partner is a set of its own. Sorted. Exponential in the worst case (3^(n/3) sets), in the number
/// of sets times n^2 otherwise.
std::vector<Layer> identify_layers(const Relations& relations, std::span<const std::size_t> of);

/// LocateCL: for each level, from 1 on, its layers. Of the layers of the loops that are left, a level has those in which no loop nests
/// another one that is left; their loops leave. Where there are none (the paper's algorithm does not end there: each layer has a loop that nests
/// one of another layer), the level has the layers of the loops that nest none. So each loop is on one level only, in one layer or more.
std::vector<std::vector<Layer>> locate_layers(const Relations& relations);

}  // namespace skelgen::threads
