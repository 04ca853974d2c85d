#include "cli/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <numeric>
#include <ostream>
#include <utility>

#include "cli/completion.h"
#include "cli/manual.h"
#include "cli/option_text.h"
#include "launch/program.h"
#include "support/replace.h"

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

/// Letters to insert, remove or replace until `a` is `b`.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// "did you mean --scale?" or `otherwise`, where no word is close.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& words, const std::string& otherwise) {
  const std::size_t letters = word.size() - std::min(word.size(), word.find_first_not_of('-'));
  const std::size_t close = std::min<std::size_t>(2, letters / 2);
  const auto near = std::ranges::min_element(words, {}, [&](const std::string& one) { return distance(word, one); });
  return near != words.end() && distance(word, *near) <= close ? "did you mean " + *near + "?" : otherwise;
}

/// The error for words that no option or argument takes.
[[noreturn]] void refuse(const std::string& word, const Command& command, bool separated, const std::string& help) {
  const auto name = command.app->get_name();
  if (word.starts_with("-"))
    throw Error(Code::usage, name, {}, "has no option " + word.substr(0, word.find('=')),
                did_you_mean(word.substr(0, word.find('=')), long_options(*command.app), "see " + help));
  const std::string remedy = name == "build"    ? "name the skeleton with -o"
                             : name == "report" ? "give a prediction with --prediction"
                             : command.launcher != LauncherLine::none && !separated ? "put the command after --"
                                                                                    : "see " + help;
  throw Error(Code::usage, name, {}, "unexpected argument '" + word + "'", remedy);
}

/// Throws Error{usage} if something, or nothing, stands behind `--` against what the command wants.
void check_launcher(const Context& context, const Command& command) {
  const std::string name = command.app->get_name(), line = "skelgen " + name + " -- mpiexec -n 4";
  if (command.launcher == LauncherLine::none && !context.launcher.empty())
    throw Error(Code::usage, "skelgen " + name + " starts no program", "leave out -- and what follows");
  if (!context.launcher.empty() && context.launcher[0].starts_with('-')) {
    const auto option = context.launcher[0].substr(0, context.launcher[0].find('='));
    if (command.app->get_option_no_throw(option))
      throw Error(Code::usage, option + " stands after --", "options of skelgen stand before it");
    throw Error(Code::usage, "the launcher is missing: " + option + " stands after --", "put it there, as in " + line);
  }
  if (command.launcher != LauncherLine::needed || !context.launcher.empty()) return;
  if (const auto* threads = command.app->get_option_no_throw("--threads"); threads && threads->count() > 0)
    throw Error(Code::usage, "no program to run", "put it after --: skelgen " + name + " --threads -- ./app");
  if (name == "trace" || name == "time" || name == "profile")
    throw Error(Code::usage, "no program to run", "put it after --: " + line + " ./app");
  throw Error(Code::usage, "no launcher", "put it after --, without a program: " + line);
}

/// The first word of the launcher line that is an option of this command; empty: none is.
std::string own_option(const std::vector<std::string>& launcher, const CLI::App& command) {
  const auto options = long_options(command);
  for (const auto& word : launcher)
    if (const auto name = word.substr(0, word.find('=')); std::ranges::find(options, name) != options.end())
      return name;
  return {};
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
  for (const auto add :
       {add_trace, add_profile, add_time, add_info, add_dump, add_build, add_generalize, add_predict, add_verify,
        add_metrics, add_report, add_compare, add_calibrate, add_netbench, add_model, add_threads, add_doctor})
    commands.push_back(add(app));
  for (const auto& command : commands) command.app->group("Commands");

  bool unused = false;
  std::string directory;
  const std::pair<const char*, std::string (*)(const CLI::App&)> texts[] = {{"man", manual},
                                                                            {"bash-completion", bash_completion},
                                                                            {"zsh-completion", zsh_completion},
                                                                            {"fish-completion", fish_completion}};
  for (const auto& [name, text] : texts) {
    const auto option = "--" + std::string(name);
    app.add_flag(option, unused,
                 option == "--man" ? "Print the man page" : "Print a script by which that shell completes commands");
    if (arguments.size() != 1 || arguments[0] != option) continue;
    context.out << text(app);
    return 0;
  }
  app.add_option("--man-pages", directory, "Write the man pages of all commands into a directory")->type_name("DIR");
  if (arguments.size() == 2 && arguments[0] == "--man-pages") {
    std::filesystem::create_directories(arguments[1]);
    for (const auto& [name, text] : manuals(app)) write_file(std::filesystem::path(arguments[1]) / name, text);
    return 0;
  }

  std::vector<std::string> words(arguments.begin(), separator);
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
  const auto name = command_of(arguments);
  const std::string help = name.empty() ? "skelgen --help" : "skelgen " + name + " --help";
  const auto named = std::ranges::find(commands, name, [](const Command& c) { return c.app->get_name(); });
  if (!name.empty() && named == commands.end()) {
    std::vector<std::string> names;
    for (const auto& command : commands) names.push_back(command.app->get_name());
    throw Error(Code::usage, name, {}, "no such command", did_you_mean(name, names, "see skelgen --help"));
  }
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
    const auto left = named == commands.end() ? std::vector<std::string>() : named->app->remaining();
    if (!left.empty()) refuse(left.front(), *named, separator != arguments.end(), help);
    if (named == commands.end() && problem.get_name() == "RequiredError")
      throw Error(Code::usage, "no command", "see " + help);
    const bool behind = problem.get_name() == "RequiredError" && context.launcher.size() > 1;
    throw Error(Code::usage, first_line(problem.what()),
                behind ? "what skelgen reads stands before --; see " + help : "see " + help);
  }
  const auto chosen = std::find_if(commands.begin(), commands.end(), [](const Command& c) { return c.app->parsed(); });
  if (separator != arguments.end() && context.launcher.empty())
    throw Error(Code::usage, "no command after --", "see " + help);
  check_launcher(context, *chosen);
  try {
    return chosen->run(context);
  } catch (const launch::FailedRun& error) {
    if (const auto own = own_option(context.launcher, *chosen->app); !own.empty())
      throw launch::FailedRun(error.path(), error.text(), own + " is an option of skelgen: put it before --",
                              error.output());
    throw;
  }
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
