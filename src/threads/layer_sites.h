#pragma once
// Where layers begin and end in the program, for a second run that reads counters there only.

#include <string>

#include "threads/analysis.h"

namespace skelgen::threads {

/// A line for each place in the program whose calls belong to a layer: offset (hexadecimal), number of the layer from 1 on, module; of
/// several the innermost one. What SKELGEN_THREAD_LAYERS names. Layers above 255 share that number.
std::string layer_sites(const Run& run, const Analysis& analysis);

}  // namespace skelgen::threads
