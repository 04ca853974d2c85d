#pragma once
// A trace, or a text, -> a skeleton and what is known of it: the library behind `skelgen build`. Its pipeline.cpp is the diagram of
// ARCHITECTURE.md as code.

#include <filesystem>
#include <iosfwd>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "build/json.h"
#include "build/shape.h"
#include "build/sites.h"
#include "emit/emit.h"
#include "fold/find_runs.h"
#include "fold/fold.h"
#include "fold/shared_loops.h"
#include "merge/merge.h"
#include "merge/tolerance.h"
#include "metrics/metrics.h"
#include "normalize/normalize.h"
#include "skeleton/skeleton.h"
#include "support/stages.h"
#include "text/text.h"
#include "trace/trace.h"
#include "verify/verify.h"
#include "work/attribute.h"

namespace skelgen::build {

/// strict: calls stand as they were traced. exchange: mutual exchanges stand alike on all ranks (normalize::exchange).
enum class Order { strict, exchange };
const char* text(Order order);

/// folded: each class is folded, then the folded programs are merged. seed: the calls are merged, then folded.
enum class Merge { folded, seed };

/// What a receive of any source names: safe: any source where that is proved to be right, else the recorded one; keep:
/// any; recorded: the recorded one.
enum class Wildcards { safe, keep, recorded };

/// Traces with more calls are not measured (it takes longer than to read them): their Provenance::concurrency is empty.
inline constexpr std::uint64_t kMostMeasured = 1 << 20;
/// The times of more calls are read again from the trace where they are needed, not kept (16 bytes a call).
inline constexpr std::uint64_t kMostTimes = 1 << 20;
/// Unless a mode is asked for, longer sequences are folded in mode stream: best takes some 40 bytes a call.
inline constexpr std::uint64_t kMostAtOnce = 1 << 25;
/// Calls of a run, of all classes, one location each, of which more than the first candidate is tried.
inline constexpr std::uint64_t kMostTried = std::uint64_t{1} << 24;

struct Options {
  double scale = 10;
  std::optional<fold::Mode> fold = {};       ///< empty: best, but stream for sequences of more than most_at_once calls
  fold::RunsBy runs = fold::RunsBy::lyndon;  ///< of sequences that are not folded in mode stream
  std::optional<double> budget_s =
      {};  ///< instead of scale: the longest that the skeleton may run on the traced machine
  Order normalize = Order::strict;
  Merge merge = Merge::folded;
  std::uint64_t look_ahead = merge::kLookAhead;  ///< of Merge::seed
  std::uint64_t most_times = kMostTimes, most_at_once = kMostAtOnce, most_tried = kMostTried;
  std::ostream* progress = nullptr;  ///< a terminal that shows which stage is under way, if it takes long
  Wildcards wildcards = Wildcards::safe;
  std::optional<std::uint64_t> most_memory = {};  ///< bytes of a rank's buffers, see emit::share_memory
  bool sites = false;                             ///< Result::sites
  bool traffic = false;                           ///< Result::traffic
  bool phases = false;                            ///< Result::phases
  bool measure = true;                            ///< Provenance::concurrency
  bool work = true;                               ///< the trace's profile (DIR/work) goes to the places of the skeleton
  std::optional<std::uint32_t> ranks = {};        ///< of a text for any number of ranks: how many
  std::vector<std::uint32_t> joined = {};         ///< locations of each run, of several as one (normalize::join)
  double tolerance = 0;                           ///< counts that differ by less than this share become one; 0: none
};

/// With Merge::seed, `merge` is before and after `fold`.
struct Stages {
  Stage read, normalize, fold, merge, verify, plan, measure, emit;
};
/// Each with its name, in the order in which they end.
std::vector<std::pair<const char*, Stage>> list(const Stages& stages);

/// The skeleton, and what follows from it.
struct Result {
  skeleton::Skeleton skeleton;
  emit::Plan plan;
  emit::Deadlock deadlock;
  Sites sites;                                                   ///< of calls of `skeleton`
  std::map<std::pair<Rank, Rank>, verify::PairTraffic> traffic;  ///< of the traced run
  metrics::Phases phases;                                        ///< of `plan`, as phases() gives them
};

/// The run or the text that the skeleton was built from.
struct Provenance {
  std::string run;           ///< trace::Trace::run_id(); empty: not known
  std::string program_mark;  ///< launch::program_mark() of trace::Trace::application(); empty: not known
  Order order = Order::strict;
  std::uint64_t exchanges = 0;   ///< groups of calls that were reordered
  std::uint64_t records_in = 0;  ///< calls of all locations
  std::uint64_t polls = 0;       ///< recorded calls besides these, which found nothing: part of the waiting time
  std::uint64_t suspended = 0;   ///< calls that are not recorded because of MPI_Pcontrol(0)
  std::map<std::string, std::uint64_t> opaque;  ///< calls replayed as their time only
  std::set<std::string> hints_left_out;         ///< keys of hints of info objects that are not replayed
  bool partly_cpu_time = false;         ///< some ranks recorded their processor time, others did not: it is not used
  std::vector<double> original_runs_s;  ///< trace::Trace::runs_s()
  int status = 0;                       ///< trace::Trace::status()
  double core_wait =
      0;  ///< share of the ranks' time in which they waited for a core, where such time counts as computation
  double computation_error = 0;  ///< relative, expected at a number of ranks that was not traced
  Json concurrency;  ///< he_sun_alpha, phi1, phi7, raynal_alpha, serialization of the traced run; see kMostMeasured
  std::optional<skeleton::Places> text;  ///< not of a trace, but of a text: its lines
};

/// How a form of a run is made; forms.h has those that are tried.
struct Candidate {
  /// Which ranks a call names is part of what it is, relative to the caller, or among its values.
  enum class View { peers_relative, peers_as_values } view = View::peers_relative;
  /// Each class by itself (Options::fold), around what all have in common (fold::Around), or all together (fold_jointly).
  enum class Folding { alone, around, jointly } folding = Folding::alone;
  /// Folded classes are aligned, or calls are merged as they were traced and folded then.
  enum class Merging { aligned, in_step } merging = Merging::aligned;
  /// Loops of the top level that run a few times are written out: what begins and ends a program is often no loop, though
  /// the same calls come twice. Of classes that are folded alone.
  bool written_out = false;
  /// Folded classes share loops (fold::share_loops), between runs or between locations. Of classes that are folded alone.
  std::optional<fold::Owners> shared_loops{};
  bool operator==(const Candidate&) const = default;
};

/// How the build went: searches that were left out, the check against the trace, sizes and times of stages.
struct Diagnostics {
  fold::RunSearch runs;   ///< of the sequences that the first candidate folded at once
  Candidate form;         ///< of the skeleton
  bool streamed = false;  ///< a sequence was folded in mode stream because of its length
  bool too_long = false;  ///< other forms of the run were not tried; see kMostTried
  bool stopped = false;   ///< loops that all classes share were looked for no longer; see fold::Joint
  std::optional<merge::CountChanges> changes;  ///< with a tolerance
  /// Of the expanded skeleton from the calls, beyond skeleton.tolerance: checked, not assumed.
  std::optional<verify::Difference> difference;
  std::optional<work::Coverage> work;  ///< of the trace's profile; nothing: it has none, or it was not looked for
  std::uint64_t merged_statements = 0, folded_statements = 0;
  MainLoop main_loop;
  Stages stages;
};

struct Built {
  Result result;
  Provenance provenance;
  Diagnostics diagnostics;
};

/// True if expanding the skeleton gives every recorded call, counts included. False for a text that was edited.
bool lossless(const Built& built);
/// Throws Error{internal} that shows the first difference, if there is one.
void require_lossless(const Built& built, const std::filesystem::path& trace_directory);

/// Throws Error when the trace is incomplete or has a call that cannot be replayed, and Error{internal} when the
/// skeleton breaks an invariant.
Built build(const std::filesystem::path& trace_directory, const Options& options);
/// The same of one that is open; nothing was read then.
Built build(const trace::Trace& trace, const Options& options);

/// The same of a text (text/text.h, docs/text-form.md) instead of a trace: what it says is planned anew. options: only
/// scale, budget_s, most_memory, ranks and progress. One for any number of ranks (generalize/instance.h) needs `ranks`.
/// Throws Error{io} or what text::parse() throws.
Built build_text(const std::filesystem::path& text, const Options& options);
/// Whether a text is one for any number of ranks. Throws what text_of_file() throws.
bool is_for_any_ranks(const std::filesystem::path& text);
/// What is in the file of a text. Throws Error{io}; Error{corrupt} for one that is larger than any text.
std::string text_of_file(const std::filesystem::path& file);

/// Deadlock, plan and what else follows from the skeleton.
void plan(Built& built, const Options& options);

/// The skeleton directory (emit::write), with the concurrency and the order of calls in skeleton.json. Adds to
/// Stages::emit.
void write(const std::filesystem::path& directory, Built& built, bool force = false,
           const emit::Annotations& annotations = {});
/// The text form of what was built; written beside its place first, so that no part of it is ever there.
void write_text(const std::filesystem::path& file, const Built& built);

/// The name that `build` gives a skeleton: APP.skel; of a text NAME.skel.txt or NAME.txt: NAME.skel.
std::filesystem::path default_skeleton_name(const trace::Trace& trace);
std::filesystem::path default_skeleton_name(const std::filesystem::path& text);

}  // namespace skelgen::build
