#include "cli/option_text.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <sstream>

namespace skelgen::cli {
namespace {

/// The name of an option's value, nothing where only its type is known. No check has a description: the parser would add it.
std::string value_name(const CLI::Option& option) {
  const auto name = option.get_type_name();
  constexpr std::array<std::string_view, 6> kTypes{"TEXT", "INT", "UINT", "FLOAT", "BOOLEAN", "ENUM"};
  return std::ranges::find(kTypes, name) == kTypes.end() ? name : std::string();
}

std::string names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const auto* option : options) names.push_back("--" + option->get_lnames().at(0));
  std::ranges::sort(names);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::vector<std::string> long_options(const CLI::App& app) {
  std::vector<std::string> all;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) all.push_back("--" + name);
  return all;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::string option_names(const CLI::Option& option) {
  std::string names;
  const auto add = [&](const std::string& name) { names += (names.empty() ? "" : ", ") + name; };
  for (const auto& name : option.get_snames()) add("-" + name);
  for (const auto& name : option.get_lnames()) add("--" + name);
  if (names.empty()) return option.get_name(true);
  const auto value = takes_value(option) ? value_name(option) : std::string();
  return value.empty() ? names : names + " " + value;
}

std::string option_text(const CLI::Option& option) {
  std::string text = option.get_description();
  if (const auto& standard = option.get_default_str();
      !standard.empty() && text.find("(default: ") == std::string::npos)
    text += " (default: " + standard + ")";
  if (!option.get_needs().empty()) text += " (with " + names_of(option.get_needs()) + ")";
  if (!option.get_excludes().empty()) text += " (not with " + names_of(option.get_excludes()) + ")";
  return text;
}

std::vector<std::string> option_words(const CLI::Option& option) {
  std::vector<std::string> words;
  const auto value = value_name(option);
  if (!takes_value(option) || (value.find('|') == std::string::npos && value != "text")) return words;
  std::istringstream in(value);
  for (std::string word; std::getline(in, word, '|');) words.push_back(word);
  return words;
}

bool takes_path(const CLI::Option& option) {
  constexpr std::array<std::string_view, 6> kPaths{"DIR", "FILE", "SKEL", "RHO.json", "NET.json", "MPICC"};
  return takes_value(option) && std::ranges::find(kPaths, value_name(option)) != kPaths.end();
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t column = 0;
  std::istringstream words(text);
  for (std::string word; words >> word; column += word.size()) {
    if (column > 0 && column + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      column = 0;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += word;
  }
  return out;
}

}  // namespace skelgen::cli
