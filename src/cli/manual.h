#pragma once
// Man pages, made from the options that the parser knows and the commands' texts: they cannot say anything else.

#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace skelgen::cli {

/// skelgen(1) in man's macros.
std::string manual(const CLI::App& app);

/// File names and texts of skelgen(1) and of a page for each command, skelgen-COMMAND(1).
std::vector<std::pair<std::string, std::string>> manuals(const CLI::App& app);

}  // namespace skelgen::cli
