#pragma once
// What a skeleton that was read from a text must fulfil beyond check(), so that C can be made of it; traced ones do.
// Internal to src/skeleton.

#include <optional>

#include "skeleton/parse.h"

namespace skelgen::skeleton {

/// Iterations of a loop that is executed so often, as far as a table of trips has values; nothing if they are more than
/// `most`, or if an execution has less than no trips.
std::optional<std::uint64_t> iterations(const Sequence& trips, std::uint64_t times, double most);

/// After how many occurrences sequences that repeat themselves after a and b occurrences do so together; at most `most`.
std::uint64_t common_period(std::uint64_t a, std::uint64_t b, std::uint64_t most);

/// Throws Error{corrupt} if all locations together make more than `most` calls and iterations. Before check(), whose sums
/// would overflow.
void refuse_too_many_calls(const Skeleton& skeleton, const Places& places, double most);

/// Drops samples that do not fit to the trips of the loops around them (somebody changed these): the means stay.
void fit_samples(Skeleton& skeleton);

/// Gives every buffer that a call names at least the bytes that the call needs, as far as datatypes are predefined. O(statements
/// x locations) and the values of tables and common periods, at most 2^26 of these. Throws Error{corrupt} where a
/// buffer needs more than 2^40 bytes, and where there are more values.
void fit_buffers(Skeleton& skeleton, const Places& places);

/// Throws Error{corrupt} where a call cannot stand in a program: handles that were not made before, in the order of the
/// statements; numbers that a parameter cannot have; arrays of another length than the call reads; calls that are not
/// replayed.
void check_calls(const Skeleton& skeleton, const Places& places);

}  // namespace skelgen::skeleton
