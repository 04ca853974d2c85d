#pragma once
// The memory that a skeleton takes for its messages.

#include <cstddef>
#include <cstdint>
#include <string>

#include "skeleton/skeleton.h"

namespace skelgen::emit {

/// Bytes of buffers, before the run known to the byte but for 64 of each buffer.
struct BufferMemory {
  std::uint64_t most = 0, all = 0;  ///< of the rank that takes most; of all ranks
  std::uint64_t shared = 0;         ///< of all ranks: what LocationData::shared saves, not part of the others
};
BufferMemory buffer_memory(const skeleton::Skeleton& skeleton);

/// A location's sizes as the runtime reads them: `slots` numbers, those that it does not have 0.
std::string buffer_row(const skeleton::LocationData& location, std::size_t slots);

/// Sets LocationData::shared of every rank whose buffers take more than `most` bytes: those that MPI calls only ever
/// write (receives, results), so that nobody misses what was there, become one. MPI_IN_PLACE reads. O(arguments) and
/// the slots that one of them names. Throws Error{unsupported} if a rank still takes more, naming it and what it needs.
void share_memory(skeleton::Skeleton& skeleton, std::uint64_t most);

}  // namespace skelgen::emit
