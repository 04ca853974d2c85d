#pragma once
// Calls from different places in the program as different symbols.

#include <cstdint>
#include <functional>

#include "normalize/normalize.h"

namespace skelgen::normalize {

/// The number, >= 0, of a place in the program: of LocationCalls::sites of this location. The same place has the same number
/// on all locations.
using SiteNumber = std::function<std::int64_t(const LocationCalls&, std::uint64_t site)>;

/// The same run (Options::sites), in which calls from different places in the program are different symbols: what stands behind
/// all else in their keys is the place's number. Messages of pools and sites themselves are left behind. O(calls).
Normalized sites_as_symbols(const Normalized& run, const SiteNumber& number);

}  // namespace skelgen::normalize
