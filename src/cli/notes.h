#pragma once
// Notes on stderr about a skeleton that was built: limits that were reached, calls that are not replayed, deadlocks.

#include <filesystem>

#include "build/build.h"
#include "cli/command.h"

namespace skelgen::cli {

/// Notes on stderr: calls that are not replayed, what was not looked for, and who waits for whom in a program that may
/// hang.
void print_notes(const Context& context, const build::Built& built);

/// Sources with more bytes take compilers long.
inline constexpr std::uintmax_t kLargeSource = 8 << 20;
/// A note on stderr if the directory's skeleton.c, with tables.h, is so large that compilers take long.
void print_size_note(const Context& context, const std::filesystem::path& directory);

}  // namespace skelgen::cli
