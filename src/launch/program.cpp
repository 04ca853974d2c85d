#include "launch/program.h"

#include <fstream>
#include <iterator>

#include "support/error.h"

namespace skelgen::launch {
namespace {

/// The line of a failed run's output that most likely says why: the program's own that is no note, else what Hydra makes of
/// a signal, else the last.
std::string reason(const std::string& output, const std::string& what) {
  for (const std::string& mark : {what + ": ", std::string("EXIT STRING: ")}) {
    const auto at = output.find(mark);
    if (at != std::string::npos) return last_line(output.substr(at, output.find('\n', at) - at));
  }
  return last_line(output);
}

}  // namespace

std::string tool_of_mpi(const std::string& tool, const std::string& mpi) {
  const auto is = [&](const char* name) { return mpi.find(name) != std::string::npos; };
  if (is("SMPI")) return tool == "mpicc" ? "smpicc" : "smpirun";
  const std::string named = tool + (is("MPICH") ? ".mpich" : is("Open MPI") ? ".openmpi" : "");
  return find_program(named) ? named : tool;
}

void run_compiler(const std::vector<std::string>& command, const std::string& compiler, const std::string& what,
                  const std::string& path, const std::filesystem::path& scratch, const Launcher& launcher) {
  if (!find_program(compiler))
    throw Error(Code::launch, compiler, {}, "no such MPI compiler",
                "install it (skelgen doctor) or name another with --cc");
  const auto made = capture(command, scratch, launcher);
  if (made.outcome.status == 0) return;
  if (made.outcome.asked)
    throw Error(Code::mismatch, path, {},
                "its compilation was interrupted (signal " + std::to_string(made.outcome.asked) + ")",
                "start it again");
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
  const auto said = reason({std::istreambuf_iterator<char>(in), {}}, what);
  const auto fail = [&](const std::string& how, const std::string& remedy) {
    throw Error(Code::mismatch, line[0], {}, "the " + what + "'s run " + how, remedy);
  };
  const std::string saying = said.empty() ? "" : ": " + said;
  if (outcome.status != 0 && outcome.asked)
    fail("was interrupted (signal " + std::to_string(outcome.asked) + ")", "start it again");
  if (outcome.status != 0)
    fail("ended with status " + std::to_string(outcome.status) + saying,
         said.find("started with 1;") == std::string::npos
             ? "check the launcher line after --"
             : "check that the launcher is of the MPI whose compiler made the " + what +
                   " (--cc), and how many it starts");
  std::error_code ignored;
  if (!std::filesystem::exists(report, ignored))
    fail("ended with status 0 but reported nothing" + saying,
         "the line after -- must start the program that is added to its end");
}

}  // namespace skelgen::launch
