#pragma once
// What the second of two traces of a program takes from the first one: where layers begin and end.

#include <string>
#include <vector>

#include "launch/command_line.h"

namespace skelgen::cli {

/// The text of layers.txt, as the capture library reads it, of the trace `first`. Throws Error{invalid_argument} if that has no
/// layers, Error{mismatch} if it is of another program than `words` (`line` is read from them) certainly start, or of what has been
/// built anew since.
std::string layer_places(const std::string& first, const std::vector<std::string>& words,
                         const launch::CommandLine& line);

}  // namespace skelgen::cli
