#include "cli/ranks.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "launch/cores.h"
#include "launch/program.h"
#include "launch/program_file.h"
#include "trace/alone.h"

namespace skelgen::cli {

void add_yield_option(CLI::App& app, launch::Yield& choice) {
  using enum launch::Yield;
  add_choice(
      app, "--yield", choice, {{"auto", automatic}, {"on", on}, {"off", off}},
      "Let waiting ranks offer their core to others (MPICH over UCX, Open MPI), which helps where there are more ranks "
      "than cores and may cost time beside other work; auto: when more local ranks than cores are started");
}

Ranks plan_ranks(const Context& context, const std::vector<std::string>& launcher, launch::Yield choice) {
  Ranks ranks{launch::parse_command_line(launcher, launch::host_name()), false};
  const int cores = launch::usable_cores();
  ranks.yield = launch::needs_yield(ranks.line, cores, choice);
  if (ranks.yield && choice == launch::Yield::automatic)
    note(context, std::to_string(*ranks.line.ranks) + " ranks on " + std::to_string(cores) +
                      " cores: waiting ranks yield (libskelyield.so); --yield off leaves them spinning");
  return ranks;
}

void require_launched_program(const std::vector<std::string>& words, const launch::CommandLine& line) {
  if (line.is_launcher && line.executables.empty() && !line.programs_in_file)
    throw Error(Code::usage, "the line after -- starts no program",
                fmt::format("put it behind the launcher, as in {} -n 4 ./app", line.launcher));
  if (const auto missing = launch::missing_program(words, line); !missing.empty())
    throw Error(Code::invalid_argument, missing);
}

void require_ranks(const launch::CommandLine& line, int ranks, const std::string& directory) {
  if (line.is_launcher && line.ranks && *line.ranks != ranks)
    throw Error(Code::mismatch, directory, {},
                fmt::format("is of {} ranks, and the launcher line starts {}", ranks, *line.ranks),
                fmt::format("start {}, trace the program with {}, or use a text that skelgen generalize made of traces "
                            "with several numbers of ranks",
                            ranks, *line.ranks));
}

void require_launcher_alone(const std::vector<std::string>& launcher, const predict::SkeletonInfo& skeleton,
                            const std::string& command) {
  const auto line = launch::parse_command_line(launcher, launch::host_name());
  const auto at = launch::find_marked(launcher, line, skeleton.program_mark);
  if (!at) return;
  const auto alone = std::vector(launcher.begin(), launcher.begin() + static_cast<std::ptrdiff_t>(*at));
  throw Error(Code::usage,
              fmt::format("the line after -- starts {}, the program that was traced",
                          std::filesystem::path(launcher[*at]).filename().string()),
              fmt::format("leave it out, skelgen adds the skeleton (skelgen {}{}{})", command,
                          alone.empty() ? "" : " -- ", fmt::join(alone, " ")));
}

void require_one_mpi(const std::filesystem::path& directory, const std::string& program) {
  std::ifstream in(directory / trace::kAloneFile);
  if (!in) return;
  const auto alone = Json::parse(in, nullptr, /*allow_exceptions=*/false);
  const auto mpi = alone.is_object() ? alone.value("mpi", "") : "";
  throw Error(Code::unsupported, program, {},
              fmt::format("{} processes each ran alone: the program is {}'s, the launcher {}'s",
                          alone.is_object() ? alone.value("processes", 0) : 0, mpi,
                          alone.is_object() ? alone.value("launcher", "") : ""),
              "start it with " + launch::tool_of_mpi("mpiexec", mpi));
}

void require_back_end(const launch::CommandLine& line, const launch::Libraries& libraries) {
  const auto [name, mpi] = line.mpi == launch::MpiKind::mpich     ? std::pair("mpich", "MPICH")
                           : line.mpi == launch::MpiKind::openmpi ? std::pair("openmpi", "Open MPI")
                                                                  : std::pair("smpi", "SMPI");
  if (line.mpi == launch::MpiKind::unknown) return;
  const auto library = libraries.capture.parent_path() / fmt::format("libskeltrace-{}.so", name);
  if (std::filesystem::exists(library)) return;
  throw Error(Code::unsupported, library.string(), {},
              fmt::format("is not there: this skelgen was built without {}", mpi),
              "install its compiler and headers, and build skelgen again");
}

std::string interrupted(std::size_t done, std::size_t wanted, const char* what) {
  return wanted == 1 ? "interrupted" : fmt::format("interrupted; {} of {} {} were done", done, wanted, what);
}

Error no_rank_seen(const std::string& program) {
  if (const auto why = launch::why_no_mpi(program); !why.empty())
    return Error(Code::unsupported, program, {}, "no rank called MPI_Init under the capture library", why);
  return Error(
      Code::unsupported, program, {}, "no rank called MPI_Init under the capture library",
      "likely causes: not an MPI program, no rank came to MPI_Finalize, linked statically, LD_PRELOAD "
      "unset on the way (env -i, a script, another host), set-user-id, an MPI library that the program loads by "
      "itself (as Julia does), or no room for a record");
}

}  // namespace skelgen::cli
