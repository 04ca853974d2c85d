#pragma once
// The man page and the shell completion, both made from the options that the parser knows: they cannot say anything
// else.

#include <string>

namespace CLI {
class App;
}

namespace skelgen::cli {

/// skelgen(1) in man's macros.
std::string manual(const CLI::App& app);

/// A completion function for bash.
std::string bash_completion(const CLI::App& app);

}  // namespace skelgen::cli
