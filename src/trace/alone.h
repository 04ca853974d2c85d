#pragma once
// Processes of one launcher that each ran alone, because it is another MPI's: what they leave in place of a trace.

namespace skelgen::trace {

/// {"mpi", "launcher", "processes"}; wrappers/runtime/lifecycle.c writes it.
inline constexpr const char* kAloneFile = "alone.json";

}  // namespace skelgen::trace
