#pragma once
// Peers as formulas of rank and size.

#include <cstdint>
#include <optional>
#include <span>

#include "skeleton/skeleton.h"

namespace skelgen::merge {

/// The peer that the caller with this rank, in a communicator of this size, names.
struct Peer {
  std::int64_t rank, size, value;
};

/// The first of c, r + c, (r + c) mod p, r ^ c that gives every peer; nothing if there is none or no peer. c of a
/// modular rule is the one nearest 0. O(peers).
std::optional<skeleton::RankRule> find_rule(std::span<const Peer> peers);

}  // namespace skelgen::merge
