#pragma once
// The text of an option in help, man pages and completion, in one notation.

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace skelgen::cli {

/// "-o, --output DIR"; of a positional "DIR".
std::string option_names(const CLI::Option& option);

/// "--output", all of a command's.
std::vector<std::string> long_options(const CLI::App& app);

/// Its description, with "(default: X)", "(with --a)" and "(not with --b, --c)" where that is so.
std::string option_text(const CLI::Option& option);

/// The words that it takes ("auto", "on", "off"); empty if it takes anything else.
std::vector<std::string> option_words(const CLI::Option& option);

/// Whether it takes a value, and whether that is the name of a file or directory.
bool takes_value(const CLI::Option& option);
bool takes_path(const CLI::Option& option);

/// The commands of skelgen.
std::vector<const CLI::App*> commands_of(const CLI::App& app);

/// `text` in lines of at most `width` columns, those behind the first one indented by so many blanks.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

}  // namespace skelgen::cli
