#pragma once
// C programs of ours: compiling them with the target's MPI, launching them, finding what they reported.

#include <filesystem>
#include <string>
#include <vector>

#include "launch/launch.h"
#include "launch/preload.h"

namespace skelgen::launch {

/// "mpicc" or "mpiexec" of the MPI called `mpi`: Debian's mpicc.mpich where it is installed, for the plain name
/// belongs to whichever MPI was installed last; else the plain name.
std::string tool_of_mpi(const std::string& tool, const std::string& mpi);

/// Runs `command`, which compiles with `compiler`, and keeps its output in `scratch`. `what`: of the program, for
/// messages ("skeleton"); `path`: where its sources are. Throws Error{launch} without the compiler, Error{mismatch} with
/// the line that says what is wrong.
void run_compiler(const std::vector<std::string>& command, const std::string& compiler, const std::string& what,
                  const std::string& path, const std::filesystem::path& scratch, const Launcher& launcher);

/// Launches `line program` once, with `environment` added; the program's last argument is a file in `scratch` that it
/// writes a report into, and what it says of itself begins with `what` and a colon. Throws Error{mismatch} that has what
/// it said where its status is not 0 or there is no report.
void run_reporting(const std::vector<std::string>& line, const std::vector<std::string>& program,
                   const std::string& what, const Environment& environment, const std::filesystem::path& scratch,
                   const Launcher& launcher);

}  // namespace skelgen::launch
