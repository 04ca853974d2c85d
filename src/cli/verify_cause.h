#pragma once
// Likely causes of a difference between a replay and its trace.

#include <cstdint>
#include <string>

#include "mpi/mpi.h"

namespace skelgen::cli {

/// Facts besides the calls from which a cause is derived. A text is empty if the fact is unknown.
struct Evidence {
  std::string traced_run,
      built_from_run;          ///< numbers of runs: of the trace, of the one that the skeleton was built from
  bool of_no_trace = false;    ///< built from a text that was edited or written by hand
  std::string edited_file;     ///< that is not as this skelgen writes it: skeleton.c (with tables.h), skel.c, skel.h
  std::string built_by, here;  ///< versions of skelgen
  std::string traced_mpi, replayed_mpi;  ///< "MPICH 4.0.2"
  std::uint64_t matched_otherwise = 0;   ///< messages of MPI_ANY_SOURCE that came from another rank than traced
  std::string poll;  ///< the call that differs, if it does in an outcome that depends on timing only: "MPI_Testsome"
  std::string directory, skeleton;  ///< as the user named them
};

/// `name` is for programs: edited_text, other_trace, edited_file (skeleton.c), other_version, edited_file (skel.c,
/// skel.h), other_mpi, other_order, other_moment, defect. `text` says what was found, `remedy` what to do.
struct Cause {
  std::string name, text, remedy;
};

/// The call's outcome depends on timing.
bool polls(const mpi::Function& function);

/// The first that the evidence shows, in that order; a defect of skelgen if it shows none.
Cause cause_of(const Evidence& evidence);

}  // namespace skelgen::cli
