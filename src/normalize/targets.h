#pragma once
// Places in dynamic windows. Internal to src/normalize.

#include <string>

#include "normalize/tables.h"

namespace skelgen::normalize {

/// Values of Role::target that stand for a location's LocationCalls::targets, by index, until all ranks are read: below
/// all displacements.
inline constexpr std::int64_t kFirstTarget = std::int64_t{-1} << 62;

/// Addresses in dynamic windows become places in the buffers that their ranks attached. directory: of the trace, for
/// errors. Throws Error{unsupported} that names the call if the rank has not attached what it names. O(records) where
/// there are such addresses.
void resolve_targets(const std::string& directory, Normalized& run, Tables& tables);

}  // namespace skelgen::normalize
