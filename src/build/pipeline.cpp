// The diagram of ARCHITECTURE.md as code: a trace becomes a skeleton.

#include "build/forms.h"
#include "build/phases.h"
#include "build/provenance.h"
#include "build/stage_clock.h"
#include "merge/sources.h"
#include "text/text.h"
#include "threads/rank_waits.h"
#include "work/fit.h"
#include "work/run.h"

namespace skelgen::build {
namespace {

normalize::Options kept(const Options& options) {
  normalize::Options kept{.sites = options.sites, .numbers = options.phases};
  if (options.normalize == Order::strict) kept.most_times = options.most_times;
  return kept;
}

void choose_sources(skeleton::Skeleton& skeleton, Wildcards wildcards) {
  if (wildcards == Wildcards::keep) merge::keep_wildcards(skeleton);
  if (wildcards == Wildcards::recorded) merge::record_wildcards(skeleton);
  skeleton.recorded_order = wildcards == Wildcards::recorded;
}

/// What the trace's profile says of the skeleton's computation, if it has one.
std::optional<work::Coverage> give_work(const trace::Trace& trace, const Options& options,
                                        skeleton::Skeleton& skeleton) {
  const auto directory = trace.directory() / work::kDirectory;
  // Calls of exchanges do not stand where they were made.
  if (!options.work || options.normalize == Order::exchange || !std::filesystem::is_directory(directory)) return {};
  const auto run = work::open_run(directory);
  const auto attributed = work::attribute(skeleton, run.calls, run.profiles);
  work::give_work(skeleton, attributed);
  work::fit_works(skeleton);
  return work::coverage(skeleton, attributed);
}

/// Where the program relies on buffers, a larger message may no longer fit.
merge::CountChanges merge_counts(const normalize::Normalized& normalized, skeleton::Skeleton& skeleton,
                                 double tolerance) {
  const bool safe = emit::check_deadlock(skeleton).safe;
  return merge::merge_counts(normalized, skeleton, tolerance, safe ? merge::Growth::allowed : merge::Growth::never);
}

}  // namespace

Built build(const trace::Trace& trace, const Options& options) {
  Built built;
  auto& [result, provenance, diagnostics] = built;
  StageClock clock(options.progress);

  require_complete(trace);
  clock.enter("normalize", diagnostics.stages.normalize);
  const auto traced = normalize::classes(trace, kept(options));
  std::optional<normalize::Normalized> reordered;
  if (options.normalize == Order::exchange) reordered = normalize::exchange(traced);
  const auto& normalized = reordered ? *reordered : traced;

  result.skeleton = shortest_form(normalized, options, clock, diagnostics);  // fold, merge
  annotate(result.skeleton, trace);
  diagnostics.work = give_work(trace, options, result.skeleton);
  choose_sources(result.skeleton, options.wildcards);
  if (options.tolerance > 0) diagnostics.changes = merge_counts(normalized, result.skeleton, options.tolerance);

  clock.enter("verify", diagnostics.stages.verify);
  skeleton::check(result.skeleton);
  diagnostics.difference = verify::lossless(traced, result.skeleton);
  if (!diagnostics.difference) text::check_calls(result.skeleton);
  if (options.traffic) result.traffic = verify::traffic(traced);
  if (options.sites) result.sites = sites_of(trace, traced, result.skeleton);

  clock.enter("plan", diagnostics.stages.plan);
  plan(built, options);
  if (options.phases) result.phases = phases_of(result.skeleton, result.plan, traced);

  clock.enter("measure", diagnostics.stages.measure);
  provenance = provenance_of(trace, traced, normalized, options);
  result.skeleton.notes = notes_of(provenance);
  clock.leave();
  return built;
}

namespace {

/// Where only processor time counts as computation, a rank computes while it waits for its own threads, too.
trace::Trace open(const std::filesystem::path& directory) {
  auto trace = trace::open(directory);
  if (!trace.has_cpu_time()) return trace;
  auto waits = threads::rank_waits(directory);
  return waits.empty() ? trace : trace::open(directory, {.thread_waits = std::move(waits)});
}

}  // namespace

Built build(const std::filesystem::path& trace_directory, const Options& options) {
  Stage read;
  std::optional<StageClock> clock(options.progress);
  clock->enter("read", read);
  const auto trace = open(trace_directory);
  clock->leave();
  clock.reset();  // the next one writes to the same stream
  Built built = build(trace, options);
  built.diagnostics.stages.read = read;
  return built;
}

}  // namespace skelgen::build
