#include "cli/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/manual.h"
#include "support/printable.h"

namespace skelgen::cli {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// CLI11 knows neither the program's name in front of a subcommand's nor what stands behind `--`.
class UsageFormatter : public CLI::Formatter {
 public:
  explicit UsageFormatter(std::string line) : line_(std::move(line)) {}
  std::string make_usage(const CLI::App*, std::string) const override { return "Usage: skelgen " + line_ + "\n"; }

 private:
  std::string line_;
};

std::string command_of(const std::vector<std::string>& arguments) {
  for (const auto& word : arguments) {
    if (word == "--") break;
    if (!word.starts_with('-')) return word;
  }
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
  for (const auto add : {add_trace, add_time, add_info, add_dump, add_build, add_predict, add_verify, add_metrics,
                         add_report, add_compare, add_calibrate, add_doctor})
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
    const bool known =
        std::any_of(commands.begin(), commands.end(), [&](const Command& c) { return c.app->get_name() == name; });
    if (!name.empty() && !known) throw Error(Code::usage, name, {}, "no such command", "see skelgen --help");
    const auto starts = {"trace", "time", "predict", "verify", "calibrate"};
    const bool launches = std::find(starts.begin(), starts.end(), name) != starts.end();
    if (launches && separator == arguments.end() && dynamic_cast<const CLI::ExtrasError*>(&problem))
      throw Error(Code::usage, name + ": there are words too many", "write the program to run behind --: " + help);
    throw Error(Code::usage, first_line(problem.what()), "see " + help);
  }
  const auto chosen = std::find_if(commands.begin(), commands.end(), [](const Command& c) { return c.app->parsed(); });
  if (separator != arguments.end() && context.launcher.empty())
    throw Error(Code::usage, "nothing stands behind --", "see " + help);
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

void require_launcher(const Context& context, const CLI::App& app) {
  if (!context.launcher.empty()) return;
  const std::string line = "skelgen " + app.get_name() + " -- mpiexec -n 4";
  if (app.get_name() == "trace" || app.get_name() == "time")
    throw Error(Code::usage, "the program to run is missing", "write it behind --: " + line + " ./app");
  throw Error(Code::usage, "the launcher is missing", "write it without a program behind --: " + line);
}

void refuse_launcher(const Context& context, const CLI::App& app) {
  if (!context.launcher.empty())
    throw Error(Code::usage, "skelgen " + app.get_name() + " starts nothing", "leave out -- and what follows");
}

void set_usage(CLI::App& app, const std::string& line) {
  const auto formatter = std::make_shared<UsageFormatter>(line);
  formatter->column_width(34);
  app.formatter(formatter);
}

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return CLI::Validator(
      [=](std::string& text) {
        std::uint64_t value = 0;
        const auto end = text.data() + text.size();
        const auto [at, problem] = std::from_chars(text.data(), end, value);
        if (problem == std::errc() && at == end && value >= least && value <= most) return std::string();
        return fmt::format("must be a whole number >= {}{}, not {}", least,
                           most == UINT64_MAX ? "" : fmt::format(" and <= {}", most), text);
      },
      "");
}

namespace {

template <typename Good>
CLI::Validator number(Good good, std::string wanted) {
  return CLI::Validator(
      [=](std::string& text) {
        double value = 0;
        return CLI::detail::lexical_cast(text, value) && std::isfinite(value) && good(value)
                   ? std::string()
                   : fmt::format("must be a number {}, not {}", wanted, text);
      },
      "");
}

}  // namespace

CLI::Validator number_from(double least) {
  return number([=](double value) { return value >= least; }, fmt::format(">= {}", least));
}

CLI::Validator positive_number() {
  return number([](double value) { return value > 0; }, "> 0");
}

CLI::Validator share() {
  return number([](double value) { return value >= 0 && value < 1; }, ">= 0 and < 1");
}

void print_json(std::ostream& out, const Json& json) {
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << std::endl;
}

void note(const Context& context, const std::string& text) {
  context.err << "skelgen: " << printable(text) << std::endl;
}

}  // namespace skelgen::cli
