#pragma once
// Counts of messages that differ by little become one.

#include <cstdint>
#include <map>
#include <string>

#include "merge/clusters.h"
#include "normalize/normalize.h"
#include "skeleton/skeleton.h"

namespace skelgen::merge {

/// Bytes of a call: of the first buffer that it names with a count and a datatype (what it sends, or receives if it only
/// receives); a persistent request's where it is made.
struct CountChange {
  std::uint64_t calls = 0, calls_changed = 0;
  std::uint64_t bytes_before = 0, bytes_after = 0;  ///< of all calls
  double largest_change = 0;                        ///< of a count, as a share of itself
};

struct CountChanges {
  double share = 0;
  CountChange all;                                 ///< over all calls of all locations
  std::map<std::string, CountChange> by_function;  ///< those that have a changed call
};

/// Where otherwise equal calls (of one statement, on all its locations) have counts that differ by less than `share` of
/// the greater one (0 < share < 1), one count takes their place: their mean, so that bytes are kept, or with
/// Growth::never the least of them. Every count changes by at most `share` of itself, 0 stays 0. Both sides of a message
/// and all members of a collective change alike, so receives stay large enough and collectives agree; where buffered
/// sends are involved, nothing grows. Only counts of calls that sent, received or met are changed (numbers of requests
/// and the like never), and only where the statements then have fewer numbers: a table whose values stay different
/// stays as it is. Buffers grow where counts do. Sets skeleton.tolerance if anything changed.
/// `normalized` is what the skeleton was made of. O(statements x locations + values of tables + calls of changed
/// statements).
CountChanges merge_counts(const normalize::Normalized& normalized, skeleton::Skeleton& skeleton, double share,
                          Growth growth = Growth::allowed);

}  // namespace skelgen::merge
