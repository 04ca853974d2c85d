#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "build/build.h"
#include "build/forms.h"
#include "cli/measures.h"
#include "cli/text.h"
#include "emit/memory.h"
#include "fold/stream.h"
#include "launch/program.h"
#include "merge/sources.h"
#include "predict/skeleton_run.h"
#include "support/parallel.h"
#include "support/progress.h"
#include "verify/verify.h"

namespace skelgen::build {
namespace {

void require_complete(const trace::Trace& trace) {
  for (const auto& rank : trace.rank_info()) {
    if (!rank.ending.complete)
      throw Error(Code::corrupt, trace.directory().string(), {},
                  "rank " + std::to_string(rank.rank) + " ended before MPI_Finalize: the trace is incomplete",
                  "trace again; skelgen info shows what is there");
    if (rank.ending.dropped)
      throw Error(Code::corrupt, trace.directory().string(), {},
                  "rank " + std::to_string(rank.rank) + " has " + std::to_string(rank.ending.dropped) +
                      " calls that could not be recorded",
                  "see what the traced run said of it, and trace again");
  }
  if (!trace.wall())
    throw Error(Code::corrupt, trace.directory().string(), {}, "a rank did not call MPI_Finalize",
                "trace a run in which all do; skelgen dump shows the last calls of each");
}

/// What the trace knows and the canonical calls do not: how long it took, on which MPI, how fast its processors were.
void annotate(skeleton::Skeleton& skeleton, const trace::Trace& trace) {
  if (const auto wall = trace.wall()) skeleton.traced_wall_s = wall->value;
  const auto ranks = trace.rank_info();
  if (!ranks.empty()) skeleton.mpi_name = ranks.front().mpi_name;
  skeleton.cpu_time = trace.has_cpu_time();
  for (auto& location : skeleton.locations)
    for (const auto& rank : ranks) {
      if (rank.rank != location.where.rank) continue;
      const auto speed = [&](const char* kernel) {
        const auto known = rank.speeds.find(kernel);
        return known == rank.speeds.end() ? 0.0 : known->second;
      };
      location.speed_register = speed("register");
      location.speed_memory = speed("memory");
      location.speed_flops = speed("flops");
    }
}

/// How a sequence of so many calls is folded.
fold::Mode mode_of(std::optional<fold::Mode> wanted, std::uint64_t calls, std::uint64_t most_at_once) {
  return wanted.value_or(calls <= most_at_once ? fold::Mode::best : fold::Mode::stream);
}

/// What only the trace tells and a text is to keep.
void add_notes(Built& built) {
  auto& notes = built.skeleton.notes;
  notes.emplace_back("normalize", text(built.order));
  notes.emplace_back("run", built.run);
  if (built.exchanges > 0) notes.emplace_back("exchanges", std::to_string(built.exchanges));
  if (built.polls > 0) notes.emplace_back("polls", std::to_string(built.polls));
  if (built.suspended > 0) notes.emplace_back("suspended", std::to_string(built.suspended));
  if (!built.concurrency.is_null()) notes.emplace_back("concurrency", built.concurrency.dump());
}

/// built.skeleton from the calls of all locations.
void fold_and_merge(const normalize::Normalized& normalized, const Options& options, Laps& laps, Progress& progress,
                    Built& built) {
  built.runs.by = options.runs;
  progress.stage(options.merge == Merge::folded ? "fold" : "merge");
  if (options.merge == Merge::folded) {
    const auto programs = fold_classes(normalized, options.fold, options.most_at_once, built.runs);
    std::uint64_t longest = 0;
    for (const auto& location : normalized.locations) longest = std::max(longest, location.calls.size());
    const fold::Mode mode = mode_of(options.fold, longest, options.most_at_once);
    built.stages.fold = laps.lap();
    progress.stage("merge");
    built.streamed = !options.fold && mode == fold::Mode::stream;
    auto joint = mode == fold::Mode::best ? joint_form(normalized, programs) : JointForm{};
    built.stopped = joint.stopped;
    if (joint.skeleton) {
      built.skeleton = std::move(*joint.skeleton);
    } else {
      built.skeleton = merge::into_spmd(normalized, programs);
      if (mode == fold::Mode::best) {
        Form form = with_peers_as_values(normalized, std::move(built.skeleton));
        built.skeleton = std::move(form.skeleton);
        built.too_long = form.too_long;
      }
    }
  } else {
    const auto log = merge::merge_logs(normalized, options.look_ahead);
    built.stages.merge = laps.lap();
    progress.stage("fold");
    const fold::Mode mode = mode_of(options.fold, log.text.size(), options.most_at_once);
    built.streamed = !options.fold && mode == fold::Mode::stream;
    const auto folded = mode == fold::Mode::stream ? fold::fold(log.text, mode)
                                                   : fold::fold(log.text, fold::find_runs(log.text, built.runs), mode);
    built.stages.fold = laps.lap();
    built.skeleton = merge::into_spmd(normalized, log, folded);
  }
}

/// normalized: with numbers, and with the calls in the order in which they were made.
metrics::Phases phases_of(const skeleton::Skeleton& skeleton, const emit::Plan& plan,
                          const normalize::Normalized& normalized) {
  const auto calls = emit::calls_before(skeleton, plan);
  metrics::Phases phases;
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    phases.push_back({plan.phases[i].name, calls[i]});
    for (std::size_t l = 0; l < normalized.locations.size(); ++l) {
      const auto& numbers = normalized.locations[l].numbers;
      auto& begin = phases.back().begins[l];
      if (begin > 0 && !numbers.empty()) begin = numbers[begin - 1] + 1;
    }
  }
  return phases;
}

}  // namespace

const char* text(Order order) { return order == Order::exchange ? "exchange" : "strict"; }

std::vector<fold::Program> fold_classes(const normalize::Normalized& normalized, std::optional<fold::Mode> wanted,
                                        std::uint64_t most_at_once, fold::RunSearch& runs) {
  std::vector<fold::Program> programs(normalized.classes.size());
  std::vector<fold::RunSearch> searches(programs.size(), {.by = runs.by});
  parallel_for(programs.size(), [&](std::size_t c) {
    const auto& calls = normalized.locations[normalized.classes[c].members.front()].calls;
    const fold::Mode mode = mode_of(wanted, calls.size(), most_at_once);
    const bool all = mode != fold::Mode::stream;
    const std::size_t at_once = all ? calls.size() : std::size_t{1} << 16;
    std::vector<fold::Symbol> text;
    text.reserve(std::min(calls.size(), at_once));
    fold::Stream stream;
    for (const auto call : calls) {
      if (text.size() == at_once) {
        stream.push(text);
        text.clear();
      }
      text.push_back(normalized.records[call].symbol);
    }
    if (!all) stream.push(text);
    programs[c] = all ? fold::fold(text, fold::find_runs(text, searches[c]), mode) : std::move(stream).finish();
  });
  for (const auto& search : searches) runs.add(search);
  return programs;
}

std::vector<fold::Program> fold_classes(const normalize::Normalized& normalized, fold::Mode mode) {
  fold::RunSearch runs;
  return fold_classes(normalized, mode, kMostAtOnce, runs);
}

void plan(Built& built, const Options& options) {
  if (options.most_memory) emit::share_memory(built.skeleton, *options.most_memory);
  built.deadlock = emit::check_deadlock(built.skeleton, built.text ? &*built.text : nullptr);
  built.skeleton.tests_go_on = built.deadlock.tests_go_on;
  built.plan = options.budget_s ? emit::plan_budget(built.skeleton, *options.budget_s)
                                : emit::plan_scale(built.skeleton, options.scale);
  built.merged_statements = unrolled_length(built.skeleton);
  built.folded_statements = skeleton::length(built.skeleton.program);
  built.main_loop = main_loop(built.skeleton);
}

Built build(const std::filesystem::path& trace_directory, const Options& options) {
  Laps laps;
  std::optional<trace::Trace> trace;
  {
    Progress progress(options.progress);
    progress.stage("read");
    trace = trace::open(trace_directory);
  }
  const Stage read = laps.lap();
  Built built = build(*trace, options);
  built.stages.read = read;
  return built;
}

Built build(const trace::Trace& trace, const Options& options) {
  Built built;
  built.order = options.normalize;
  built.run = trace.run_id();
  Laps laps;
  Progress progress(options.progress);
  require_complete(trace);
  progress.stage("normalize");
  const bool reorder = options.normalize == Order::exchange;
  normalize::Options kept{.sites = options.sites, .numbers = options.phases};
  if (!reorder) kept.most_times = options.most_times;
  const auto strict = normalize::classes(trace, kept);
  std::optional<normalize::Normalized> reordered;
  if (reorder) reordered = normalize::exchange(strict);
  const auto& normalized = reordered ? *reordered : strict;
  built.stages.normalize = laps.lap();
  fold_and_merge(normalized, options, laps, progress, built);
  annotate(built.skeleton, trace);
  if (options.wildcards == Wildcards::keep) merge::keep_wildcards(built.skeleton);
  if (options.wildcards == Wildcards::recorded) merge::record_wildcards(built.skeleton);
  built.skeleton.recorded_order = options.wildcards == Wildcards::recorded;
  if (options.tolerance > 0) {
    // Where the program relies on buffers, a larger message may no longer fit.
    const bool safe = emit::check_deadlock(built.skeleton).safe;
    built.changes = merge::merge_counts(normalized, built.skeleton, options.tolerance,
                                        safe ? merge::Growth::allowed : merge::Growth::never);
  }
  built.stages.merge.add(laps.lap());

  progress.stage("verify");
  skeleton::check(built.skeleton);
  built.difference = verify::lossless(strict, built.skeleton);
  if (!built.difference) text::check_calls(built.skeleton);
  if (options.traffic) built.traffic = verify::traffic(strict);
  if (options.sites) built.sites = sites_of(trace, strict, built.skeleton);
  built.stages.verify = laps.lap();

  progress.stage("plan");
  plan(built, options);
  if (options.phases) built.phases = phases_of(built.skeleton, built.plan, strict);
  built.stages.plan = laps.lap();

  for (const auto& location : strict.locations) built.records_in += location.calls.size();
  for (const auto& rank : trace.rank_info()) built.polls += rank.ending.calls - rank.ending.dropped;
  built.polls -= std::min(built.polls, built.records_in);
  built.exchanges = normalized.exchanges;
  built.opaque = normalized.opaque;
  built.hints_left_out = normalized.hints_left_out;
  for (const auto& rank : trace.rank_info()) built.suspended += rank.ending.suspended;
  built.partly_cpu_time =
      !trace.has_cpu_time() && std::ranges::any_of(trace.rank_info(), [](const trace::RankInfo& rank) {
        return std::ranges::find(rank.columns, "cpu_ns") != rank.columns.end();
      });
  progress.stage("measure");
  if (options.measure && built.records_in <= kMostMeasured) built.concurrency = concurrency(metrics::measure(trace));
  built.stages.measure = laps.lap();
  add_notes(built);
  return built;
}

metrics::Phases phases(const trace::Trace& trace) {
  require_complete(trace);
  const auto normalized = normalize::classes(trace, {.most_times = kMostTimes, .numbers = true});
  Built built;
  Laps laps;
  Progress progress(nullptr);
  fold_and_merge(normalized, {}, laps, progress, built);
  annotate(built.skeleton, trace);
  return phases_of(built.skeleton, emit::plan_scale(built.skeleton, 1), normalized);
}

PhasesOrReason phases_if_any(const trace::Trace& trace) {
  try {
    return {phases(trace), {}};
  } catch (const Error& error) {
    if (error.code() == Code::internal) throw;
    return {{}, error.what()};
  }
}

std::vector<std::pair<const char*, Stage>> list(const Stages& s) {
  return {{"read", s.read},     {"normalize", s.normalize}, {"fold", s.fold},       {"merge", s.merge},
          {"verify", s.verify}, {"plan", s.plan},           {"measure", s.measure}, {"emit", s.emit}};
}

bool lossless(const Built& built) {
  return !built.difference && !built.skeleton.edited && built.skeleton.tolerance == 0;
}

void require_lossless(const Built& built, const std::filesystem::path& trace_directory) {
  if (!built.difference) return;
  const auto& d = *built.difference;
  throw Error(Code::internal, trace_directory.string(), {},
              "the skeleton does not repeat the trace: rank " + std::to_string(d.rank) + ", call " +
                  std::to_string(d.index) + ": expected " + d.expected + ", got " + d.actual,
              "please report this with the trace");
}

std::string explanation(const Built& built) {
  const auto& text = built.deadlock.explanation;
  if (built.deadlock.calls.empty()) return text;
  const auto places = built.text ? *built.text : text::places_in_text(built.skeleton);
  std::set<std::uint32_t> lines;
  for (const auto* call : built.deadlock.calls) lines.insert(places.line(*call));
  lines.erase(0);
  if (lines.empty()) return text;
  return fmt::format("{} (line{} {} of {})", text, lines.size() > 1 ? "s" : "", fmt::join(lines, ", "),
                     built.text ? places.file : "--emit text");
}

void tell(const Context& context, const Built& built) {
  if (built.partly_cpu_time)
    note(context,
         "only some ranks recorded their time on a processor, so it is not used; give SKELGEN_CPU_TIME=1 to all ranks");
  if (built.streamed)
    note(context, "ranks with more than " + format_count(kMostAtOnce) +
                      " calls were folded in one pass (--fold stream): loops whose trips vary were not looked for; "
                      "--fold best takes more memory and time" +
                      (built.runs.by == fold::RunsBy::lyndon
                           ? ""
                           : "; nor were their repetitions searched, in which --runs would say how"));
  if (built.too_long)
    note(context,
         "ranks that differ, or calls that differ in the ranks that they name, and more than " +
             format_count(kMostFoldedAgain) +
             " calls (of each kind of rank once): loops over neighbours of one's own and roots that change were "
             "not looked for; fewer time steps might give a shorter program");
  if (built.stopped)
    note(context, "loops that many problems of different size share were looked for in " +
                      format_count(fold::kMostJointWork) +
                      " steps and no longer; fewer time steps might give a shorter program");
  if (!built.text && built.records_in > kMostMeasured)
    note(context, "a trace of more than " + format_count(kMostMeasured) +
                      " calls: concurrency is left out; skelgen metrics measures it");
  std::string opaque;
  for (const auto& [name, calls] : built.opaque)
    opaque += (opaque.empty() ? "" : ", ") + name + " (" + format_count(calls) + ")";
  if (!opaque.empty()) note(context, "replayed as their time only: " + opaque);
  if (!built.hints_left_out.empty())
    note(context, fmt::format("hints that are not replayed: {}", fmt::join(built.hints_left_out, ", ")));
  if (built.suspended)
    note(context, "MPI_Pcontrol(0) stopped the recording: " + format_count(built.suspended) +
                      " calls are left out, their time is computation");
  if (!built.deadlock.checked)
    note(context, "the program is not checked for deadlocks: " + built.deadlock.explanation);
  else if (!built.deadlock.safe)
    note(context,
         fmt::format("the program is unsafe: {}: {}",
                     built.deadlock.clash     ? "collective calls that meet differ"
                     : built.deadlock.certain ? "it hangs with every MPI"
                                              : "it relies on buffered sends or on collective calls that do not wait",
                     explanation(built)));
}

void write(const std::filesystem::path& directory, Built& built, bool force) {
  Laps laps;
  emit::Options options;
  options.compiler = launch::tool_of_mpi("mpicc", built.skeleton.mpi_name);
  options.safe = built.deadlock.safe;
  options.force = force;
  options.annotations = built.annotations;
  options.extra_json = Json{
      {"normalize", text(built.order)},
      {"version", SKELGEN_VERSION},
      {"run", built.run},
      {"concurrency",
       built.concurrency}}.dump();
  emit::write(directory, built.skeleton, built.plan, options);
  built.stages.emit.add(laps.lap());
}

void tell_size(const Context& context, const std::filesystem::path& directory) {
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

std::filesystem::path default_skeleton_name(const trace::Trace& trace) {
  const auto& name = trace.application();
  return (name.empty() ? std::string("app") : name) + ".skel";
}

}  // namespace skelgen::build
