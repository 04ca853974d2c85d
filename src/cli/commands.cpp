#include "cli/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>

#include "cli/manual.h"

namespace skelgen::cli {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string command_of(const std::vector<std::string>& arguments) {
  for (const auto& word : arguments) {
    if (word == "--") break;
    if (!word.starts_with('-')) return word;
  }
  return {};
}

/// Throws Error{usage} if something, or nothing, stands behind `--` against what the command wants.
void check_launcher(const Context& context, const Command& command) {
  const std::string name = command.app->get_name(), line = "skelgen " + name + " -- mpiexec -n 4";
  if (command.launcher == LauncherLine::none && !context.launcher.empty())
    throw Error(Code::usage, "skelgen " + name + " starts nothing", "leave out -- and what follows");
  if (command.launcher != LauncherLine::needed || !context.launcher.empty()) return;
  if (name == "trace" || name == "time" || name == "profile")
    throw Error(Code::usage, "the program to run is missing", "write it behind --: " + line + " ./app");
  throw Error(Code::usage, "the launcher is missing", "write it without a program behind --: " + line);
}

}  // namespace

int run(const std::vector<std::string>& arguments, Context context) {
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  if (separator != arguments.end()) context.launcher.assign(separator + 1, arguments.end());

  CLI::App app{
      "Performance skeletons of MPI programs: trace a run, fold it, emit a small program that predicts its time.",
      "skelgen"};
  app.set_version_flag("--version", "skelgen " SKELGEN_VERSION);
  app.require_subcommand(1);
  set_usage(app, "COMMAND [OPTIONS] ...");
  app.footer(
      "skelgen COMMAND --help describes a command. Exit status: 0 done, 1 failed, 2 wrong usage; trace and time return "
      "the launcher's.");
  std::vector<Command> commands;
  for (const auto add : {add_trace, add_profile, add_time, add_info, add_dump, add_build, add_predict, add_verify,
                         add_metrics, add_report, add_compare, add_calibrate, add_doctor})
    commands.push_back(add(app));

  bool man = false, completion = false;
  app.add_flag("--man", man, "Print the man page");
  app.add_flag("--bash-completion", completion, "Print a completion function for bash");
  if (arguments.size() == 1 && (arguments[0] == "--man" || arguments[0] == "--bash-completion")) {
    context.out << (arguments[0] == "--man" ? manual(app) : bash_completion(app));
    return 0;
  }

  std::vector<std::string> words(arguments.begin(), separator);
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
  const auto name = command_of(arguments);
  const std::string help = name.empty() ? "skelgen --help" : "skelgen " + name + " --help";
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    context.out << (chosen.empty() ? app.help() : chosen.front()->help());
    return 0;
  } catch (const CLI::CallForVersion& version) {
    context.out << version.what() << '\n';
    return 0;
  } catch (const CLI::ParseError& problem) {
    const auto named = std::ranges::find(commands, name, [](const Command& c) { return c.app->get_name(); });
    if (!name.empty() && named == commands.end())
      throw Error(Code::usage, name, {}, "no such command", "see skelgen --help");
    const bool launches = named != commands.end() && named->launcher != LauncherLine::none;
    if (dynamic_cast<const CLI::ExtrasError*>(&problem)) {
      std::vector<std::string> left;
      for (const CLI::App* sub : app.get_subcommands()) left = sub->remaining();
      const auto option = std::ranges::find_if(left, [](const std::string& word) { return word.starts_with("--"); });
      if (option != left.end()) throw Error(Code::usage, name, {}, "has no option " + *option, "see " + help);
      if (launches && separator == arguments.end())
        throw Error(Code::usage, name, {}, "the launcher and the program are not behind --",
                    "write them there: " + help);
    }
    throw Error(Code::usage, first_line(problem.what()), "see " + help);
  }
  const auto chosen = std::find_if(commands.begin(), commands.end(), [](const Command& c) { return c.app->parsed(); });
  if (separator != arguments.end() && context.launcher.empty())
    throw Error(Code::usage, "nothing stands behind --", "see " + help);
  check_launcher(context, *chosen);
  return chosen->run(context);
}

int exit_status(Code code, const std::vector<std::string>& arguments) {
  if (code == Code::usage) return 2;
  const auto name = command_of(arguments);
  if (name != "trace" && name != "time") return 1;
  if (code == Code::launch) return 127;
  // What is found out after the launch (ranks missing, files broken) is a failed operation, not a failed start.
  return code == Code::mismatch || code == Code::corrupt ? 1 : 125;
}

}  // namespace skelgen::cli
