#pragma once
// Waits of MPI ranks for other threads of their process.

#include <filesystem>

#include "trace/trace.h"

namespace skelgen::threads {

/// For trace::OpenOptions, from what `trace --threads` recorded beside the ranks: of each process the waits of the thread that
/// began first. Empty where no threads were recorded. Throws as read_file(). O(n log n) for n events of threads.
trace::ThreadWaits rank_waits(const std::filesystem::path& directory);

}  // namespace skelgen::threads
