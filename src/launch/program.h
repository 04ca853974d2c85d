#pragma once
// C programs of ours: compiling them with the target's MPI, launching them, finding what they reported.

#include <filesystem>
#include <string>
#include <vector>

#include "launch/command_line.h"
#include "launch/launch.h"
#include "launch/preload.h"
#include "support/error.h"

namespace skelgen::launch {

/// A program that was started and failed: the message, and the last lines that it wrote.
class FailedRun : public Error {
 public:
  FailedRun(const std::string& launcher, std::string text, std::string remedy, std::string output)
      : Error(Code::mismatch, launcher, {}, std::move(text), std::move(remedy)), output_(std::move(output)) {}
  const std::string& output() const { return output_; }  ///< to be shown above the message; empty: it says all

 private:
  std::string output_;
};

/// "mpicc" or "mpiexec" of the MPI called `mpi`: Debian's mpicc.mpich where it is installed, for the plain name
/// belongs to whichever MPI was installed last; else the plain name.
std::string tool_of_mpi(const std::string& tool, const std::string& mpi);

/// The MPI compiler that belongs to the launcher of `line`: of the same kind by name, beside it where there is one, since
/// several MPIs may be installed; else the mpicc beside it; else the one in PATH.
std::string compiler_of(const CommandLine& line);

/// Runs `command`, which compiles with `compiler`, and keeps its output in `scratch`. `what`: of the program, for
/// messages ("skeleton"); `path`: where its sources are. Throws Error{launch} without the compiler, Error{mismatch} with
/// the line that says what is wrong.
void run_compiler(const std::vector<std::string>& command, const std::string& compiler, const std::string& what,
                  const std::string& path, const std::filesystem::path& scratch, const Launcher& launcher);

/// Launches `line program` once, with `environment` added; the program's last argument is a file in `scratch` that it
/// writes a report into, and what it says of itself begins with `what` and a colon. Throws FailedRun where its status
/// is not 0 or there is no report.
void run_reporting(const std::vector<std::string>& line, const std::vector<std::string>& program,
                   const std::string& what, const Environment& environment, const std::filesystem::path& scratch,
                   const Launcher& launcher);

}  // namespace skelgen::launch
