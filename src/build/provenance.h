#pragma once
// Provenance of a skeleton: facts about the traced run beside its calls, and the notes by which a text form keeps them. Internal to src/build.

#include <filesystem>

#include "build/build.h"

namespace skelgen::build {

/// Throws Error{corrupt} if a rank's records are incomplete, or it did not call MPI_Finalize.
void require_complete(const trace::Trace& trace);

/// metrics::core_wait_share() where waits for a core count as computation; else 0.
double counted_core_wait(const trace::Trace& trace);

/// Copies the run time, the name of the MPI and the speeds of the processors from the trace to the skeleton.
void annotate(skeleton::Skeleton& skeleton, const trace::Trace& trace);

/// traced: its calls as they were made; normalized: as they stand in the skeleton. Measures the run, if it is wanted.
Provenance provenance_of(const trace::Trace& trace, const normalize::Normalized& traced,
                         const normalize::Normalized& normalized, const Options& options);

/// Skeleton::notes: what only the trace tells and a text is to keep.
using Notes = std::vector<std::pair<std::string, std::string>>;
Notes notes_of(const Provenance& provenance);
/// The inverse of notes_of(). Throws Error{corrupt} if the value of a note cannot be read; the message names `file`.
Provenance provenance_of(const Notes& notes, const std::filesystem::path& file);

}  // namespace skelgen::build
