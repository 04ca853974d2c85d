#pragma once
// Where layers begin and end in the program, for a second run that reads counters there only.

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "threads/analysis.h"

namespace skelgen::threads {

/// The name of their file in the second trace.
constexpr const char* kLayersFile = "layers.txt";

/// By module and offset, the places in the program whose calls belong to a layer: its number, from 1 to 255. Of several
/// layers the innermost one; all above 255 share that number.
using LayerSites = std::map<std::pair<std::string, std::uint64_t>, std::size_t>;

/// Adds those of one process.
void add_layer_sites(const Run& run, const Analysis& analysis, LayerSites& sites);

/// A line for each: offset (in hexadecimal digits), layer, module. What SKELGEN_THREAD_LAYERS names.
std::string text_of(const LayerSites& sites);

}  // namespace skelgen::threads
