#include "cli/manual.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace skelgen::cli {
namespace {

/// Backslashes, hyphens and leading dots or quotes mean something to roff.
std::string roff(const std::string& text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (line_start && (c == '.' || c == '\''))
      out += std::string("\\&") + c;
    else
      out += c;
    line_start = c == '\n';
  }
  return out;
}

std::string usage_of(const CLI::App& app) {
  const auto formatter = app.get_formatter();
  auto line = formatter->make_help(&app, "", CLI::AppFormatMode::Normal);
  const auto begin = line.find("Usage: ");
  return begin == std::string::npos ? app.get_name() : line.substr(begin + 7, line.find('\n', begin) - begin - 7);
}

std::string option_names(const CLI::Option& option) {
  std::string names;
  const auto add = [&](const std::string& name) { names += (names.empty() ? "" : ", ") + name; };
  for (const auto& name : option.get_snames()) add("-" + name);
  for (const auto& name : option.get_lnames()) add("--" + name);
  if (names.empty()) return option.get_name(true);
  const bool takes_value = option.get_items_expected_max() > 0;
  return takes_value && !option.get_type_name().empty() ? names + " " + option.get_type_name() : names;
}

void options_of(const CLI::App& app, std::string& out) {
  for (const auto* option : app.get_options()) {
    out += ".TP\n.B " + roff(option_names(*option)) + "\n" + roff(option->get_description());
    if (!option->get_default_str().empty()) out += " [" + roff(option->get_default_str()) + "]";
    out += "\n";
  }
}

}  // namespace

std::string manual(const CLI::App& app) {
  std::string out = ".TH SKELGEN 1 \"\" \"skelgen " SKELGEN_VERSION
                    "\" \"User Commands\"\n.SH NAME\nskelgen \\- performance skeletons of MPI programs\n";
  out += ".SH SYNOPSIS\n.B " + roff(usage_of(app)) + "\n.SH DESCRIPTION\n" + roff(app.get_description()) +
         "\n.SH OPTIONS\n";
  options_of(app, out);
  out += ".SH COMMANDS\n";
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    out += ".SS " + roff(usage_of(*command)) + "\n" + roff(command->get_description()) + ".\n";
    options_of(*command, out);
    if (const auto footer = command->get_footer(); footer != app.get_footer()) out += ".P\n" + roff(footer) + "\n";
  }
  out +=
      ".SH EXIT STATUS\n0 done, 1 the operation failed or a comparison did not hold, 2 wrong usage. trace and time "
      "return the launcher's status, 125 when skelgen "
      "itself fails before the launch, 127 when there is no such launcher.\n";
  return out;
}

std::string bash_completion(const CLI::App& app) {
  const auto long_options = [](const CLI::App& of) {
    std::string words;
    for (const auto* option : of.get_options())
      for (const auto& name : option->get_lnames()) words += (words.empty() ? "--" : " --") + name;
    return words;
  };
  std::string names, cases;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names += (names.empty() ? "" : " ") + command->get_name();
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command->get_name(), long_options(*command));
  }
  return fmt::format(R"(# bash completion of skelgen
_skelgen() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} words i
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${{COMP_WORDS[i]}} == -- ]]; then
      COMPREPLY=($(compgen -c -f -- "$word"))
      return
    fi
  done
  case ${{COMP_WORDS[1]}} in
{}    *) words="{} {}" ;;
  esac
  if [[ $word == -* || $COMP_CWORD == 1 ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}}
complete -F _skelgen skelgen
)",
                     cases, names, long_options(app));
}

}  // namespace skelgen::cli
