#pragma once
// Bytes -> an SPMD program of any MPI calls in loops and branches -> its trace, with valid files and live handles, but
// with arguments that a correct program would not have here and there.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "mpi/mpi.h"

namespace skelgen::fuzz {

/// The numbers of a call that no normalization changes: counts, tags, keys, integers.
struct MadeCall {
  const mpi::Function* function;
  std::vector<std::int64_t> plain;
};

struct Made {
  bool polls = false;                        ///< some calls of a rank may be left out, so `calls` says too much
  std::vector<std::vector<MadeCall>> calls;  ///< by rank
};

/// The parameters whose values MadeCall::plain has.
bool is_plain(mpi::Role role);

/// Bytes may be any. Writes a trace of one to four ranks there, replacing what an earlier call wrote.
Made write_program(std::span<const std::uint8_t> bytes, const std::filesystem::path& directory);

}  // namespace skelgen::fuzz
