#include "cli/notes.h"

#include <fmt/format.h>

#include <set>

#include "build/forms.h"
#include "metrics/metrics.h"
#include "support/format.h"
#include "text/text.h"

namespace skelgen::cli {
namespace {

/// Who waits for whom where the program may hang, and in which lines of the text that it was built from, or that
/// `--emit text` gives.
std::string explanation(const build::Built& built) {
  const auto& text = built.result.deadlock.explanation;
  if (built.result.deadlock.calls.empty()) return text;
  const auto places = built.provenance.text ? *built.provenance.text : text::places_in_text(built.result.skeleton);
  std::set<std::uint32_t> lines;
  for (const auto* call : built.result.deadlock.calls) lines.insert(places.line(*call));
  lines.erase(0);
  if (lines.empty()) return text;
  return fmt::format("{} (line{} {} of {})", text, lines.size() > 1 ? "s" : "", fmt::join(lines, ", "),
                     built.provenance.text ? places.file : "--emit text");
}

}  // namespace

void print_notes(const Context& context, const build::Built& built) {
  if (const auto text = metrics::failed(built.provenance.status); !text.empty()) note(context, text);
  if (const auto text = metrics::traced_without_cores(built.provenance.core_wait); !text.empty()) note(context, text);
  if (built.provenance.partly_cpu_time)
    note(context,
         "only some ranks recorded their time on a processor, so it is not used; give SKELGEN_CPU_TIME=1 to all ranks");
  if (built.diagnostics.streamed)
    note(
        context,
        "ranks with more than " + format_count(build::kMostAtOnce) +
            " calls were folded in one pass (--fold stream); --fold best may find shorter loops, and takes more memory "
            "and time" +
            (built.diagnostics.runs.by == fold::RunsBy::lyndon
                 ? ""
                 : "; --runs had no effect on them: this way of folding searches no repetitions"));
  if (built.diagnostics.too_long)
    note(
        context,
        "an irregular program of more than " + format_count(build::kMostTried) +
            " calls (of each kind of rank once): loops over neighbours of one's own, roots that change and loops whose "
            "trips vary were not looked for; fewer time steps might give a shorter program");
  if (built.diagnostics.stopped)
    note(context, "loops that many problems of different size share were looked for in " +
                      format_count(build::kMostJointWork) +
                      " steps and no longer; fewer time steps might give a shorter program");
  if (!built.provenance.text && built.provenance.records_in > build::kMostMeasured)
    note(context, "a trace of more than " + format_count(build::kMostMeasured) +
                      " calls: concurrency is left out; skelgen metrics measures it");
  std::string opaque;
  for (const auto& [name, calls] : built.provenance.opaque)
    opaque += (opaque.empty() ? "" : ", ") + name + " (" + format_count(calls) + ")";
  if (!opaque.empty()) note(context, "replayed as their time only: " + opaque);
  if (!built.provenance.hints_left_out.empty())
    note(context, fmt::format("hints that are not replayed: {}", fmt::join(built.provenance.hints_left_out, ", ")));
  if (skeleton::has(built.result.skeleton.program, mpi::Kind::cancel))
    note(context,
         "MPI_Cancel is replayed with its recorded outcome; where a message comes before a cancellation that it missed "
         "when "
         "traced, the skeleton stops and says so");
  if (built.provenance.suspended)
    note(context, "MPI_Pcontrol(0) stopped the recording: " + format_count(built.provenance.suspended) +
                      " calls are left out, their time is computation");
  if (!built.result.deadlock.checked)
    note(context, "the program is not checked for deadlocks: " + built.result.deadlock.explanation);
  else if (!built.result.deadlock.safe)
    note(context, fmt::format("the program is unsafe: {}: {}",
                              built.result.deadlock.clash ? "collective calls that meet differ"
                              : built.result.deadlock.certain
                                  ? "it hangs with every MPI"
                                  : "it relies on buffered sends or on collective calls that do not wait",
                              explanation(built)));
}

void print_size_note(const Context& context, const std::filesystem::path& directory) {
  std::uintmax_t bytes = 0;
  bool tables = false;
  for (const auto* file : {"skeleton.c", "tables.h"}) {
    std::error_code none;
    const auto own = std::filesystem::file_size(directory / file, none);
    if (none) continue;
    bytes += own;
    tables = file != std::string_view("skeleton.c");
  }
  if (bytes > kLargeSource)
    note(context, (tables ? "skeleton.c and tables.h have " : "skeleton.c has ") + format_count(bytes >> 20) +
                      " MB, which may take a compiler long: what the program does varies too much for a shorter one; "
                      "trace fewer time steps, or try --tolerance");
}

}  // namespace skelgen::cli
