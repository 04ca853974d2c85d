#pragma once
// Launcher lines: how many ranks, where, of which program. The line itself is never changed.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace skelgen::launch {

enum class MpiKind { unknown, mpich, openmpi, smpi };

struct CommandLine {
  std::string program;  ///< best guess of the traced program as written; the launcher itself if it has no operand
  std::size_t program_index = 0;  ///< where it stands in the line
  /// Where what the launcher starts stands in each of its `:` sections, behind wrappers that certainly start another
  /// program of the line, but not behind interpreters: ascending.
  std::vector<std::size_t> executables;
  std::optional<int> ranks;          ///< sum of -n/-np/--np over all `:` sections, if every section has one
  bool is_launcher = false;          ///< the first word is a known MPI launcher (mpiexec, mpirun, srun, ...)
  bool local = true;                 ///< no host list that names another machine
  bool exports_environment = false;  ///< has Open MPI's -x
  bool programs_in_file = false;     ///< -configfile or -app: the launcher reads there what it starts
  MpiKind mpi = MpiKind::unknown;    ///< by the launcher's own name, following symbolic links
  std::string launcher;              ///< its name as written; empty if there is none
};

/// Reads `LAUNCHER... APP ARGS...`. Interpreters and wrappers before the program (env A=1, taskset -c 0, python3, sh)
/// are looked through where that is certain. `this_host` is what counts as local besides localhost. Never fails: what
/// is not understood stays at its default.
CommandLine parse_command_line(const std::vector<std::string>& words, const std::string& this_host);

/// Base name of the program fit for a file name: path and extension .x/.exe/.out kept, other characters than
/// [A-Za-z0-9._-] become '_'.
std::string application_name(const CommandLine& line);

/// Of a program's file name, without its path: 16 hexadecimal digits by which it can be recognized, and not read (FNV-1a).
std::string program_mark(const std::string& program);

/// Index of a word of the launcher line that starts the program of this mark: of what a known launcher starts, else any word.
std::optional<std::size_t> find_marked(const std::vector<std::string>& words, const CommandLine& line,
                                       const std::string& mark);

/// Name of this machine as gethostname gives it.
std::string host_name();

}  // namespace skelgen::launch
