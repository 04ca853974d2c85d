#include "cli/completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "cli/option_text.h"

namespace skelgen::cli {
namespace {

bool is_positional(const CLI::Option& option) { return option.get_lnames().empty(); }

std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> all;
  for (const auto& name : option.get_snames()) all.push_back("-" + name);
  for (const auto& name : option.get_lnames()) all.push_back("--" + name);
  return all;
}

/// In single quotes, for each of these shells.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("’") : std::string(1, c);
  return out + "'";
}

/// Of a description that stands in brackets of zsh's _arguments.
std::string for_brackets(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::vector<std::string> names;
  std::string cases;
  for (const auto* command : commands_of(app)) {
    names.push_back(command->get_name());
    std::string values;
    for (const auto* option : command->get_options()) {
      if (is_positional(*option) || !takes_value(*option)) continue;
      const auto words = option_words(*option);
      values += fmt::format("        {}) {} ;;\n", fmt::join(spellings(*option), "|"),
                            !words.empty()        ? fmt::format("values=\"{}\"", fmt::join(words, " "))
                            : takes_path(*option) ? "values=FILES"
                                                  : "values=NONE");
    }
    cases += fmt::format("    {})\n      words=\"{}\"\n", command->get_name(), fmt::join(long_options(*command), " "));
    if (!values.empty()) cases += "      case $before in\n" + values + "      esac\n";
    cases += "      ;;\n";
  }
  return fmt::format(R"(# bash completion of skelgen
_skelgen() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words= values= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${{COMP_WORDS[i]}} == -- ]]; then
      COMPREPLY=($(compgen -c -f -- "$word"))
      return
    fi
  done
  case ${{COMP_WORDS[1]}} in
{}    *) words="{} {}" ;;
  esac
  compopt -o filenames 2> /dev/null
  if [[ $values == FILES ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  elif [[ $values == NONE ]]; then
    COMPREPLY=()
  elif [[ -n $values ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$word"))
  elif [[ $word == -* || $COMP_CWORD == 1 ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}}
complete -F _skelgen skelgen
)",
                     cases, fmt::join(names, " "), fmt::join(long_options(app), " "));
}

std::string zsh_completion(const CLI::App& app) {
  std::string commands, cases;
  for (const auto* command : commands_of(app)) {
    commands += fmt::format("    {}\n", quoted(command->get_name() + ":" + command->get_description()));
    cases += fmt::format("    {})\n      _arguments \\\n", command->get_name());
    for (const auto* option : command->get_options()) {
      if (is_positional(*option)) continue;
      const auto words = option_words(*option);
      const std::string value = !takes_value(*option) ? ""
                                : !words.empty()      ? fmt::format(":value:({})", fmt::join(words, " "))
                                : takes_path(*option) ? ":file:_files"
                                                      : ":value: ";
      for (const auto& name : spellings(*option))
        cases += fmt::format("        {} \\\n", quoted(name + "[" + for_brackets(option_text(*option)) + "]" + value));
    }
    cases += "        '*:file:_files' ;;\n";
  }
  return fmt::format(R"(#compdef skelgen
_skelgen() {{
  local -a subcommands # not "commands": zsh keeps the programs in PATH in an array of that name
  subcommands=(
{}  )
  if (( ${{words[(I)--]}} && ${{words[(I)--]}} < CURRENT )); then
    shift $(( ${{words[(I)--]}} )) words
    (( CURRENT = ${{#words}} ))
    _normal
    return
  fi
  if (( CURRENT == 2 )); then
    _describe command subcommands
    return
  fi
  local command=${{words[2]}}
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
_skelgen "$@"
)",
                     commands, cases);
}

std::string fish_completion(const CLI::App& app) {
  std::string out = "# fish completion of skelgen\n", names;
  for (const auto* command : commands_of(app)) {
    const auto& name = command->get_name();
    out += fmt::format("complete -c skelgen -n __fish_use_subcommand -f -a {} -d {}\n", name,
                       quoted(command->get_description()));
    for (const auto* option : command->get_options()) {
      if (is_positional(*option)) continue;
      const auto words = option_words(*option);
      out += fmt::format("complete -c skelgen -n '__fish_seen_subcommand_from {}'", name);
      for (const auto& letter : option->get_snames()) out += " -s " + letter;
      for (const auto& word : option->get_lnames()) out += " -l " + word;
      if (!words.empty())
        out += fmt::format(" -x -a '{}'", fmt::join(words, " "));
      else if (takes_value(*option))
        out += takes_path(*option) ? " -r -F" : " -x";
      out += " -d " + quoted(option_text(*option)) + "\n";
    }
  }
  return out;
}

}  // namespace skelgen::cli
