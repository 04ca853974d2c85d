#pragma once
// Peers as formulas of rank and size.

#include <cstdint>
#include <optional>
#include <span>

#include "normalize/normalize.h"
#include "skeleton/skeleton.h"

namespace skelgen::merge {

using mpi::Peer;

/// The first of c, r + c, (r + c) mod p, r ^ c, transposed(c), r / c, r mod c that gives every peer that is a rank. If some
/// peers are no ranks, a neighbour in the communicators' grid, or one of these that gives MPI_PROC_NULL there (r + c does
/// where it is no rank), comes before: the emitted program can only use such a one. Else a neighbour comes last. Nothing if
/// there is none or no peer is a rank. c of a modular rule, and of a neighbour, is the one nearest 0; that of rows the least.
/// O(peers x divisors of p).
std::optional<skeleton::RankRule> find_rule(std::span<const Peer> peers);

/// The same for what a call's locations name in the communicators or windows that they use there: in all that had the
/// slot, since which one a statement used is not known. O(values).
std::optional<skeleton::RankRule> find_rule(const normalize::Normalized& normalized,
                                            std::span<const std::uint32_t> where, const skeleton::Call& call,
                                            const skeleton::Argument& peers);

}  // namespace skelgen::merge
