#pragma once
// Two platforms with the same hosts and links that differ in speeds, latencies and bandwidths, and those between them.

#include <cstdint>
#include <string>
#include <vector>

#include "network/platform.h"

namespace skelgen::network {

/// Properties of a platform on which a run time depends, one bit each.
using Factors = std::uint8_t;
inline constexpr Factors kComputation = 1, kLatency = 2, kBandwidth = 4, kAllFactors = 7;

/// An attribute with another value.
struct PlatformChange {
  std::string element, attribute;  ///< "link up0", "bandwidth"
  Factors factor = 0;
  std::string before, after;
};

/// Both as SimGrid's XML. Throws Error{mismatch} where elements or attributes other than speeds, latencies and bandwidths
/// differ; the message names the first one. O(length).
class PlatformPair {
 public:
  PlatformPair(const std::string& before, std::string after);
  const std::vector<PlatformChange>& changes() const { return changes_; }
  /// Factors in which they differ.
  Factors differ() const;
  /// The platform whose values are those after in these factors, and those before in the others.
  std::string xml(Factors after) const;

 private:
  std::string after_;
  std::vector<PlatformChange> changes_;
  std::vector<std::size_t> places_;  ///< of the changes: where the value begins in after_
};

/// The hosts of `platform` in subnets as large as those of `like`, with the same links: where `platform` has no network between
/// subnets, one that nothing waits for. Throws Error{mismatch} where both have several subnets and these differ, or one has
/// not as many hosts.
Platform in_subnets_of(const Platform& like, const Platform& platform);

/// The values that differ between two platforms with the same number of subnets, as the user wrote them. Elements are named
/// "hosts" (one subnet) or "subnet 0", "network", "network between subnets".
std::vector<PlatformChange> changes(const Platform& before, const Platform& after);

}  // namespace skelgen::network
