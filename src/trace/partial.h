#pragma once

#include <filesystem>

namespace skelgen::trace {

/// Throws Error{io} where `directory` is not a trace but holds one: skelgen trace writes there until the program has ended, in run-1, run-2.
void refuse_partial(const std::filesystem::path& directory);

}  // namespace skelgen::trace
