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
  std::string status_one = "the operation failed";  ///< what exit status 1 means
};

/// Of the command of this name; "" is skelgen itself. Empty for a name that is no command's.
CommandTexts texts_of(const std::string& command);

}  // namespace skelgen::cli
