#pragma once
// Starting a program and waiting for it. Everything that starts a program takes a Launcher, so that tests hold the
// seam.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace skelgen::launch {

/// What to start. Nothing of it is interpreted: no shell is involved.
struct Launch {
  std::vector<std::string> command;                              ///< not empty; command[0] is looked up in PATH
  std::vector<std::pair<std::string, std::string>> environment;  ///< set besides the inherited variables
  std::optional<std::filesystem::path> output;  ///< standard output and error go to this file (appended)
  bool output_to_stderr = false;                ///< standard output goes where standard error goes
  std::function<bool()> enough = {};            ///< asked ten times a second; when it says yes, the program is ended
  int end_by = 15;                              ///< the signal that then ends it, SIGTERM
};

/// How it went. Times are nanoseconds of CLOCK_MONOTONIC.
struct Outcome {
  int status = 0;       ///< exit status, or 128 + signal
  int signal = 0;       ///< that ended the program, or 0
  int asked = 0;        ///< SIGINT, SIGTERM, SIGHUP or SIGQUIT if one came while it ran; the last one
  bool enough = false;  ///< Launch::enough said so
  std::uint64_t spawned_ns = 0, ended_ns = 0;
};

using Launcher = std::function<Outcome(const Launch&)>;

/// Starts the program and waits for it. SIGINT, SIGTERM, SIGHUP and SIGQUIT that arrive meanwhile are forwarded to it
/// instead of ending us (those of the terminal reach the whole foreground process group by themselves). Where it ends by
/// one, what it has started and left behind is ended, too: a compiler below make, ranks below a script. Throws
/// Error{Code::launch} when there is no such program, Error{Code::io} when it exists but cannot be executed. To be
/// called from one thread at a time, in a process without other children.
Outcome launch(const Launch& what);

/// True if `program` names a file that can be executed, directly or in PATH; the path found.
std::optional<std::filesystem::path> find_program(const std::string& program);
/// Throws Error{launch} where there is none.
void require_program(const std::string& program);

/// Runs `command` with `launcher`, its output kept in a file in `scratch`; returns the outcome and the text that it
/// wrote.
struct Captured {
  Outcome outcome;
  std::string text;
};
Captured capture(const std::vector<std::string>& command, const std::filesystem::path& scratch,
                 const Launcher& launcher);

/// Last line of `text` that is not blank, without surrounding blanks; empty if there is none.
std::string last_line(const std::string& text);

}  // namespace skelgen::launch
