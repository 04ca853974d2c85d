#include "launch/program.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "support/error.h"

namespace skelgen::launch {
namespace {

/// The last lines of `text`, at most so many, without blanks behind them.
std::string last_lines(const std::string& text, std::size_t most) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return {};
  auto begin = end;
  for (std::size_t lines = 0; begin > 0; --begin)
    if (text[begin - 1] == '\n' && ++lines == most) break;
  return text.substr(begin, end - begin + 1);
}

constexpr std::size_t kShownLines = 15;  ///< of a failed run

/// Open MPI's launcher draws frames of such lines around what it says.
bool is_frame(const std::string& line) { return line.size() >= 40 && line.find_first_not_of('-') == std::string::npos; }

/// The line of a failed run's output that most likely says why: the last of the program's own that is no note, else what
/// Hydra makes of a signal or SimGrid of an exception, else the first sentence in a frame, else the last line that has letters.
std::string reason(const std::string& output, const std::string& what) {
  std::string own, signal, framed, last;
  enum class Frame { none, open, read } frame = Frame::none;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    line = last_line(line);
    if (frame == Frame::none && is_frame(line)) {
      frame = Frame::open;
      continue;
    }
    if (frame == Frame::open) {
      if (line.empty() || is_frame(line))
        frame = Frame::read;
      else
        framed += (framed.empty() ? "" : " ") + line;
    }
    if (const auto at = line.find(what + ": "); at != std::string::npos) own = line.substr(at);
    if (const auto at = line.find("EXIT STRING: "); at != std::string::npos) signal = line.substr(at);
    if (const auto at = line.find("Uncaught exception "); at != std::string::npos) signal = line.substr(at);
    if (std::ranges::any_of(line, [](unsigned char c) { return std::isalpha(c) != 0; })) last = line;
  }
  while (framed.ends_with(':') || framed.ends_with('.')) framed.pop_back();
  return !own.empty() ? own : !signal.empty() ? signal : !framed.empty() ? framed : last;
}

}  // namespace

std::string tool_of_mpi(const std::string& tool, const std::string& mpi) {
  const auto is = [&](const char* name) { return mpi.find(name) != std::string::npos; };
  if (is("SMPI")) return tool == "mpicc" ? "smpicc" : "smpirun";
  const std::string named = tool + (is("MPICH") ? ".mpich" : is("Open MPI") ? ".openmpi" : "");
  return find_program(named) ? named : tool;
}

std::string compiler_of(const CommandLine& line) {
  const std::string mpi = line.mpi == MpiKind::smpi      ? "SMPI"
                          : line.mpi == MpiKind::openmpi ? "Open MPI"
                          : line.mpi == MpiKind::mpich   ? "MPICH"
                                                         : "";
  const auto compiler = tool_of_mpi("mpicc", mpi);
  const auto launcher = find_program(line.launcher);
  if (!launcher || line.launcher.empty()) return compiler;
  // One that is named by its path, or comes first in PATH by a module, is not Debian's: what stands beside it is.
  const auto folder = launcher->parent_path();
  for (const auto& name : {compiler, std::string("mpicc")})
    if (const auto beside = folder / name; find_program(beside.string()))
      return find_program(name) == beside ? name : beside.string();
  return compiler;
}

void run_compiler(const std::vector<std::string>& command, const std::string& compiler, const std::string& what,
                  const std::string& path, const std::filesystem::path& scratch, const Launcher& launcher) {
  if (!find_program(compiler))
    throw Error(Code::launch, compiler, {}, "MPI compiler not found",
                "is the MPI module loaded? skelgen doctor lists what is here; --cc names another compiler");
  const auto made = capture(command, scratch, launcher);
  if (made.outcome.asked)
    throw Error(Code::mismatch, path, {},
                "its compilation was interrupted (signal " + std::to_string(made.outcome.asked) + ")",
                "start it again");
  if (made.outcome.status == 0) return;
  if (made.text.find(std::generic_category().message(ENOSPC)) != std::string::npos)
    throw Error(Code::io, scratch.string(), {}, "no space left for the " + what + "'s program",
                "free space there, or set TMPDIR to a folder that has some");
  // The first line with "error" says more than make's own last one.
  const auto error = made.text.find("error");
  auto line = last_line(made.text);
  if (error != std::string::npos) line = last_line(made.text.substr(0, made.text.find('\n', error)));
  throw Error(Code::mismatch, path, {}, "the " + what + " does not compile with " + compiler + ": " + line,
              "name the MPI compiler of the target with --cc");
}

void run_reporting(const std::vector<std::string>& line, const std::vector<std::string>& program,
                   const std::string& what, const Environment& environment, const std::filesystem::path& scratch,
                   const Launcher& launcher) {
  const std::filesystem::path report = program.back(), log = scratch / "run.log";
  std::filesystem::remove(report);
  std::filesystem::remove(log);
  Launch start;
  start.command = line;
  start.command.insert(start.command.end(), program.begin(), program.end());
  start.environment = environment;
  start.output = log;
  const auto outcome = launcher(start);
  std::ifstream in(log);
  const std::string output{std::istreambuf_iterator<char>(in), {}};
  const auto said = reason(output, what);
  const auto fail = [&](const std::string& how, const std::string& remedy) {
    const auto shown = last_lines(output, kShownLines);
    throw FailedRun(line[0], "the " + what + "'s run " + how, remedy, shown == said ? std::string() : shown);
  };
  const std::string saying = said.empty() ? "" : ": " + said;
  std::error_code ignored;
  const bool reported = std::filesystem::exists(report, ignored);
  if (outcome.asked && (outcome.status != 0 || !reported))
    fail("was interrupted (signal " + std::to_string(outcome.asked) + ")", "start it again");
  if (outcome.status != 0)
    fail("ended with status " + std::to_string(outcome.status) + saying,
         said.find("not enough slots") != std::string::npos ? "add --oversubscribe behind " + line[0]
         : said.find("started with 1 rank instead of") == std::string::npos
             ? "check the launcher line after --"
             : "the launcher and the compiler of the " + what +
                   " must be of one MPI (--cc), and the launcher must start its number of ranks");
  if (!reported)
    fail("ended with status 0 but reported nothing" + saying,
         "the line after -- must start the program that is added to its end");
}

}  // namespace skelgen::launch
