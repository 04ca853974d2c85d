#pragma once
// When a traced run began.

#include <filesystem>
#include <string>

namespace skelgen::trace {

/// When rank 0 came out of MPI_Init, "2026-01-31T12:00:00Z", as the meta.json of the trace says; empty if it does not.
std::string started(const std::filesystem::path& trace);

}  // namespace skelgen::trace
