#include "cli/manual.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cctype>

#include "cli/command_texts.h"
#include "cli/option_text.h"

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

void options_of(const CLI::App& app, std::string& out) {
  for (const auto* option : app.get_options())
    out += ".TP\n.B " + roff(option_names(*option)) + "\n" + roff(option_text(*option)) + "\n";
}

void list(const char* title, const std::vector<Named>& all, std::string& out) {
  if (all.empty()) return;
  out += std::string(".SH ") + title + "\n";
  for (const auto& [name, text] : all) out += ".TP\n.B " + roff(name) + "\n" + roff(text) + "\n";
}

std::string exit_status(const CommandTexts& texts) { return ".SH EXIT STATUS\n" + roff(texts.exit_status) + ".\n"; }

std::string heading(const std::string& name, const std::string& description) {
  std::string upper = name;
  for (auto& letter : upper) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return ".TH " + roff(upper) + " 1 \"\" \"skelgen " SKELGEN_VERSION "\" \"User Commands\"\n.SH NAME\n" + roff(name) +
         " \\- " + roff(description) + "\n";
}

std::string manual_of(const CLI::App& app, const CLI::App& command) {
  const auto name = "skelgen-" + command.get_name();
  const auto texts = texts_of(command.get_name());
  auto out = heading(name, command.get_description());
  out +=
      ".SH SYNOPSIS\n.B " + roff(usage_of(command)) + "\n.SH DESCRIPTION\n" + roff(command.get_description()) + ".\n";
  if (const auto footer = command.get_footer(); footer != app.get_footer()) out += ".P\n" + roff(footer) + "\n";
  out += ".SH OPTIONS\n";
  options_of(command, out);
  list("EXAMPLES", texts.examples, out);
  list("FILES", texts.files, out);
  list("ENVIRONMENT", texts.environment, out);
  return out + exit_status(texts) + ".SH SEE ALSO\n.BR skelgen (1)\n";
}

}  // namespace

std::string manual(const CLI::App& app) {
  const auto texts = texts_of("");
  auto out = heading("skelgen", "performance skeletons of MPI programs");
  out += ".SH SYNOPSIS\n.B " + roff(usage_of(app)) + "\n.SH DESCRIPTION\n" + roff(app.get_description()) +
         "\n.SH OPTIONS\n";
  options_of(app, out);
  out += ".SH COMMANDS\n";
  std::string also;
  for (const auto* command : commands_of(app)) {
    out += ".TP\n.B " + roff(usage_of(*command)) + "\n" + roff(command->get_description()) + ".\n";
    also += (also.empty() ? ".BR " : ",\n.BR ") + roff("skelgen-" + command->get_name()) + " (1)";
  }
  list("EXAMPLES", texts.examples, out);
  list("FILES", texts.files, out);
  list("ENVIRONMENT", texts.environment, out);
  return out + exit_status(texts) + ".SH SEE ALSO\n" + also + "\n";
}

std::vector<std::pair<std::string, std::string>> manuals(const CLI::App& app) {
  std::vector<std::pair<std::string, std::string>> all{{"skelgen.1", manual(app)}};
  for (const auto* command : commands_of(app))
    all.emplace_back("skelgen-" + command->get_name() + ".1", manual_of(app, *command));
  return all;
}

}  // namespace skelgen::cli
