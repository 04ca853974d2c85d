#pragma once
// Programs under the Valgrind tool `skelgen` (wrappers/profile): where it is, the line that starts it, what Valgrind
// says of a program that it could not run to its end.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launch/command_line.h"

namespace skelgen::launch {

/// lib/valgrind beside `executable` (as search_libraries() looks for libraries), which has the tool; nothing where it was
/// not built.
std::optional<std::filesystem::path> search_profile_tool(const std::filesystem::path& executable);
/// The same. Throws Error{unsupported} where the tool was not built, or valgrind is not in PATH.
std::filesystem::path find_profile_tool(const std::filesystem::path& executable);

/// What the tool is to do.
struct ProfileRun {
  std::filesystem::path tool;       ///< find_profile_tool()
  std::filesystem::path directory;  ///< absolute; gets process-PID.work and process-PID.log, what Valgrind says. When
                                    ///< there is a file `stop`, profiles end
};

/// The line with Valgrind before what is started in each section.
std::vector<std::string> under_valgrind(const std::vector<std::string>& words, const CommandLine& line,
                                        const ProfileRun& run);

/// Why the program ended, by Valgrind's log: "Valgrind cannot run the AVX-512 in function axpy", "SIGSEGV ended it in
/// function f". Nothing if it does not say.
std::optional<std::string> ended_by(const std::string& log);

}  // namespace skelgen::launch
