#pragma once
// Shell completion, made from the options that the parser knows: commands, options, the words that options take, and
// behind `--` any command.

#include <string>

namespace CLI {
class App;
}

namespace skelgen::cli {

std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

}  // namespace skelgen::cli
