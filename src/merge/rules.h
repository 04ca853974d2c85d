#pragma once
// Peers as formulas of rank and size.

#include <cstdint>
#include <optional>
#include <span>

#include "normalize/normalize.h"
#include "skeleton/skeleton.h"

namespace skelgen::merge {

/// The peer that the caller with this rank, in a communicator of this size, names.
struct Peer {
  std::int64_t rank, size, value;
};

/// The first of c, r + c, (r + c) mod p, r ^ c that gives every peer; nothing if there is none or no peer. c of a
/// modular rule is the one nearest 0. O(peers).
std::optional<skeleton::RankRule> find_rule(std::span<const Peer> peers);

/// The same for what a call's locations name in the communicators or windows that they use there: in all that had the
/// slot, since which one a statement used is not known. O(values).
std::optional<skeleton::RankRule> find_rule(const normalize::Normalized& normalized,
                                            std::span<const std::uint32_t> where, const skeleton::Call& call,
                                            const skeleton::Argument& peers);

}  // namespace skelgen::merge
