#include "cli/ranks.h"

#include <CLI/CLI.hpp>

namespace skelgen::cli {

void add_yield_option(CLI::App& app, launch::Yield& choice) {
  using enum launch::Yield;
  add_choice(app, "--yield", choice, {{"auto", automatic}, {"on", on}, {"off", off}},
             "Let waiting ranks give up their core; auto: when more local ranks than cores are started");
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

Error no_rank_seen(const std::string& program) {
  return Error(Code::unsupported, program, {}, "no rank called MPI_Init under the capture library",
               "likely causes: not an MPI program, no rank came to MPI_Finalize, linked statically, LD_PRELOAD "
               "unset on the way (env -i, a script, another host), set-user-id, or no room for a record");
}

}  // namespace skelgen::cli
