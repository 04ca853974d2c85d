#include "cli/verify_cause.h"

#include <fmt/format.h>

#include "cli/table.h"

namespace skelgen::cli {
namespace {

bool differ(const std::string& one, const std::string& other) { return !one.empty() && !other.empty() && one != other; }

}  // namespace

bool polls(const mpi::Function& function) {
  return function.find(mpi::Role::flag) >= 0 || function.find(mpi::Role::index) >= 0 ||
         function.find(mpi::Role::indices) >= 0;
}

Cause cause_of(const Evidence& known) {
  const std::string again = "build the skeleton again from this trace";
  if (known.of_no_trace)
    return {"edited_text", "the skeleton was built from a text that was edited or written by hand",
            "build one from the trace itself to have its calls"};
  if (differ(known.traced_run, known.built_from_run))
    return {"other_trace", "the skeleton was built from another trace", "give that trace, or " + again};
  if (known.edited_file == "skeleton.c")
    return {"edited_file", "skeleton.c or tables.h was edited after it was built", again};
  if (differ(known.built_by, known.here))
    return {"other_version",
            fmt::format("the skeleton was built by skelgen {}, this is {}", known.built_by, known.here), again};
  if (!known.edited_file.empty())
    return {"edited_file", fmt::format("{} was edited, or written by another version of skelgen", known.edited_file),
            again};
  if (differ(known.traced_mpi, known.replayed_mpi))
    return {"other_mpi", fmt::format("traced with {}, replayed with {}", known.traced_mpi, known.replayed_mpi),
            "compare with the MPI of the trace: its launcher after --, its compiler by --cc"};
  if (known.matched_otherwise > 0)
    return {"other_order",
            fmt::format("{} receives of MPI_ANY_SOURCE got messages of other ranks than in the trace, which may be why",
                        format_count(known.matched_otherwise)),
            "build the skeleton again with --wildcards recorded"};
  if (!known.poll.empty())
    return {"other_moment", fmt::format("the outcome of {} depends on timing", known.poll),
            "verify once more; what differs each time is a defect of skelgen: report it"};
  return {"defect", "this is a defect of skelgen",
          fmt::format("report it with {}, {} and what verify printed", known.directory, known.skeleton)};
}

}  // namespace skelgen::cli
