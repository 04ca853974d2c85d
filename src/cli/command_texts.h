#pragma once
// Examples, files, environment variables and exit status of each command, for its help and its man page.

#include <string>
#include <vector>

namespace skelgen::cli {

/// A name and what it is; of an example the command line and what it does.
struct Named {
  std::string name, text;
};

struct CommandTexts {
  std::vector<Named> examples, files, environment;
  std::string exit_status = "0 done, 1 the operation failed, 2 wrong usage";
};

/// Of the command of this name; "" is skelgen itself. Empty for a name that is no command's.
CommandTexts texts_of(const std::string& command);

}  // namespace skelgen::cli
