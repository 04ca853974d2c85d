#pragma once
// Launching templates/calibrate.

#include "cli/ranks.h"
#include "predict/calibration.h"

namespace skelgen::cli {

/// Host and speeds of each rank that `launcher` starts. `compiler` empty: of the launcher's MPI. Throws what compiling and
/// running throw, and Error{mismatch} where the ranks did not find each other.
predict::Speeds measure_speeds(const Context& context, const std::vector<std::string>& launcher,
                               const std::string& compiler, launch::Yield yield);

}  // namespace skelgen::cli
