#pragma once
// What is known of the traced run besides its calls, and how a text keeps it. Internal to src/build.

#include <filesystem>

#include "build/build.h"

namespace skelgen::build {

/// Throws Error{corrupt} if a rank's records are incomplete, or it did not call MPI_Finalize.
void require_complete(const trace::Trace& trace);

/// What the trace knows and the canonical calls do not: how long it took, on which MPI, how fast its processors were.
void annotate(skeleton::Skeleton& skeleton, const trace::Trace& trace);

/// traced: its calls as they were made; normalized: as they stand in the skeleton. Measures the run, if it is wanted.
Provenance provenance_of(const trace::Trace& trace, const normalize::Normalized& traced,
                         const normalize::Normalized& normalized, const Options& options);

/// Skeleton::notes: what only the trace tells and a text is to keep.
using Notes = std::vector<std::pair<std::string, std::string>>;
Notes notes_of(const Provenance& provenance);
/// What notes_of() wrote. Throws Error{corrupt} where a note of this name is none; `file` is for the message.
Provenance provenance_of(const Notes& notes, const std::filesystem::path& file);

}  // namespace skelgen::build
