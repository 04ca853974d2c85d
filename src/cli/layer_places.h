#pragma once
// Source places where layers begin and end, taken from a first trace for `trace --at-layers`, the second one.

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
