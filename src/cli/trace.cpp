// skelgen trace: run a program under the capture library.

#include "trace/trace.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "build/traffic.h"
#include "cli/commands.h"
#include "cli/layer_places.h"
#include "cli/online.h"
#include "cli/ranks.h"
#include "cli/rho.h"
#include "cli/table.h"
#include "cli/trace_place.h"
#include "launch/cores.h"
#include "launch/interrupted.h"
#include "launch/temporary.h"
#include "metrics/metrics.h"
#include "support/printable.h"
#include "support/replace.h"
#include "threads/layer_sites.h"
#include "trace/file.h"

namespace skelgen::cli {
namespace {

namespace fs = std::filesystem;

struct TraceOptions {
  std::string output, counters, at_layers;
  int runs = 1;
  bool sites = false, online = false, threads = false;
  std::string rho;
  launch::Yield yield = launch::Yield::automatic;
};

std::string default_name(const launch::CommandLine& line, std::time_t now) {
  std::tm local{};
  localtime_r(&now, &local);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
  return "skelgen-" + launch::application_name(line) + "-" + stamp + ".trace";
}

/// Number of the batch job, or of this process: in no two names of traces that begin at the same time.
std::string job_number() {
  for (const char* name : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"})
    if (const auto job = launch::inherited(name); !job.empty())
      return job.substr(0, job.find_first_not_of("0123456789"));
  return std::to_string(getpid());
}

/// The place of the default name, or where another trace has that, of the name with the job's and with this process's
/// number.
std::unique_ptr<TracePlace> default_place(fs::path& target) {
  const auto stem = (target.parent_path() / target.stem()).string();
  for (const auto& name : {target.string(), stem + "-" + job_number() + ".trace"}) {
    target = name;
    try {
      auto place = std::make_unique<TracePlace>(target);
      if (std::error_code ignored; !fs::exists(target, ignored)) return place;
    } catch (const Error& error) {
      if (error.code() != Code::invalid_argument) throw;
    }
  }
  target = stem + "-" + std::to_string(getpid()) + ".trace";
  return std::make_unique<TracePlace>(target);
}

/// What one launch left behind.
struct Run {
  fs::path directory;
  int number = 1;  ///< of the launch
  int status = 0;
  bool seen = false, clean = false;
  double wall_s = 0;
  std::string summary{};      ///< ranks, calls, size; what is incomplete
  bool unrecorded = false;    ///< the program ended, and nothing of it can be read
  std::uint64_t dropped = 0;  ///< calls
  bool measured = false;      ///< all ranks ended by MPI_Finalize, where they say how long they had no core
  std::string disturbance{};  ///< that ranks had no core for much of it; empty: not known
  bool cut = false;           ///< ranks ended before MPI_Finalize, and what they recorded can be read
  bool unfinished = false;    ///< the program failed or was killed before all ranks reached MPI_Finalize
};

bool has_records(const fs::path& directory) {
  return std::ranges::any_of(fs::directory_iterator(directory), [](const fs::directory_entry& entry) {
    return trace::rank_of_file(entry.path().filename().string()) && entry.file_size() > 0;
  });
}

/// Sums over the thread files that one launch of the program has written.
struct ThreadsRecord {
  std::string summary;            ///< one line for the user
  std::uint64_t cut_threads = 0;  ///< whose records end early or are missing
};

/// Numbers of the recorded threads, processes and events, and the clock that counted work.
ThreadsRecord record_of_threads(const fs::path& directory) {
  const auto files = threads::thread_files(directory);
  std::size_t count = 0, incomplete = 0;
  std::uint64_t events = 0, cut_threads = 0, early_dropped = 0;
  double bytes = 0, core_wait_s = 0, observed_s = 0;
  std::string clock, problem;
  for (const auto& file : files) try {
      const auto one = threads::summarize(file);
      count += one.threads;
      events += one.events;
      cut_threads += one.cut_threads;
      early_dropped += one.early_dropped;
      bytes += static_cast<double>(one.bytes);
      incomplete += !one.complete;
      core_wait_s += one.core_wait_s;
      observed_s += one.observed_s;
      clock = one.clock;
      if (problem.empty() && !one.without_counter.empty())
        problem = fmt::format(", as PAPI_TOT_CYC is not available here ({})", one.without_counter);
    } catch (const Error& error) {
      return {error.what()};
    }
  // Only a complete file says how many it has.
  const auto counted = incomplete == files.size() ? std::string() : format_count(events) + " events, ";
  auto text = fmt::format("{} threads in {} process{}, {}{}; work is {}{}", count, files.size(),
                          files.size() == 1 ? "" : "es", counted, format_bytes(bytes), clock, problem);
  if (cut_threads)
    text += fmt::format("; the records of {} thread{} end early or are missing, as there was no room for more",
                        format_count(cut_threads), cut_threads == 1 ? "" : "s");
  if (const auto missing = threads::early_calls_missing(early_dropped); !missing.empty()) text += "; " + missing;
  if (incomplete) text += fmt::format("; processes that did not end by exit: {}", incomplete);
  if (const auto disturbance = threads::without_cores(core_wait_s, observed_s); !disturbance.empty())
    text += "; " + disturbance;
  return {text, cut_threads};
}

/// Whether a process made calls in a layer of the first trace; true also where a file does not say it.
bool has_layers(const fs::path& directory) try {
  return std::ranges::any_of(threads::thread_files(directory),
                             [](const fs::path& file) { return !threads::summarize(file).no_layers; });
} catch (const Error&) {
  return true;
}

Error no_layer_met(const std::string& first) {
  return Error(Code::mismatch, first, {},
               "no call was made in its layers: it is of another program, or of another build",
               "trace without --at-layers, and give that trace");
}

Error no_thread_seen(const std::string& program) {
  return Error(Code::unsupported, program, {}, "no thread was created under the capture library",
               "likely causes: a program of one thread, linked statically, LD_PRELOAD unset on the way (env -i, a "
               "script, another host), set-user-id, or no room for a record");
}

constexpr const char* kMoreRoom = "free space there or choose another place with -o, and trace again";

Error threads_cut(const std::string& shown) {
  return Error(Code::mismatch, shown, {}, "not all that threads did could be recorded", kMoreRoom);
}

/// online: the trace has no records.
void inspect(Run& run, const trace::Trace& trace, bool online) {
  std::uint64_t calls = 0, bytes = 0, dropped = 0;
  std::vector<int> incomplete, present;
  for (const auto& rank : trace.rank_info()) {
    calls += rank.ending.calls;
    bytes += rank.bytes;
    dropped += rank.ending.dropped;
    present.push_back(rank.rank);
    if (!rank.ending.complete) incomplete.push_back(rank.rank);
  }
  if (!incomplete.empty() && !online) {  // only a complete file says how many calls it has
    const auto counted = build::traffic(trace).calls_per_rank;
    calls = std::accumulate(counted.begin(), counted.end(), std::uint64_t{0});
  }
  std::vector<int> missing;
  for (int r = 0; r < trace.ranks(); ++r)
    if (!std::binary_search(present.begin(), present.end(), r)) missing.push_back(r);
  run.dropped = dropped;
  run.clean = run.status == 0 && incomplete.empty() && missing.empty() && dropped == 0 && trace.wall().has_value();
  if (trace.wall()) run.wall_s = trace.wall()->value;
  run.measured = trace.wall().has_value();
  run.disturbance = metrics::without_cores(trace);
  run.summary =
      fmt::format("{} rank{}, {} calls, {}", trace.ranks(), trace.ranks() == 1 ? "" : "s", format_count(calls),
                  online ? "measured while it ran" : format_bytes(static_cast<double>(bytes)));
  if (run.clean) run.summary += ", " + format_seconds(run.wall_s);
  if (dropped) run.summary += fmt::format("; {} calls could not be recorded", format_count(dropped));
  if (!incomplete.empty())
    run.summary += fmt::format("; incomplete (ended before MPI_Finalize): rank {}", format_ranges(incomplete));
  if (incomplete.empty() && missing.empty() && !trace.wall()) run.summary += "; a rank did not call MPI_Finalize";
  if (!missing.empty()) run.summary += fmt::format("; missing: rank {}", format_ranges(missing));
  run.cut = !incomplete.empty() && missing.empty() && !online;
  run.unfinished = run.status != 0 && !trace.wall();
}

/// The trace says that its run failed.
void note_status(const fs::path& directory, int status) {
  if (status != 0 && fs::exists(directory / "meta.json")) trace::note_status(directory, status);
}

/// Whether it is a trace of a run in which all ranks reached MPI_Finalize, or was measured online.
bool is_whole(const fs::path& directory) try {
  return is_online(directory) || trace::open(directory).wall().has_value();
} catch (const Error&) {
  return false;
}

/// cores: of this machine.
Run finished(const fs::path& directory, const launch::Outcome& outcome, int cores) {
  Run run{.directory = directory, .status = outcome.status, .seen = has_rank_files(directory)};
  if (!run.seen) return run;
  try {
    const trace::OpenOptions how{.allow_incomplete = true, .allow_missing = true};
    const auto trace = trace::open(directory, how);
    inspect(run, trace, false);
    note_status(directory, run.status);
    if (fs::exists(directory / "meta.json") && trace::note_cores(trace, launch::host_name(), cores) &&
        !run.disturbance.empty())
      run.disturbance = metrics::without_cores(trace::open(directory, how));
  } catch (const Error& error) {
    // From here on the exit status is the launcher's, and what was recorded is kept: a broken file is only reported.
    run.summary = error.what();
    run.unrecorded = !fs::exists(directory / "meta.json") && !has_records(directory);
    run.unfinished = run.status != 0;
  }
  return run;
}

/// The same of a run that was measured meanwhile. Where that failed, the records are kept as far as they are there.
Run finished(const Context& context, const fs::path& directory, const launch::Outcome& outcome, build::Online& online,
             const std::vector<double>& rho, int cores) {
  online.finish();
  Run run{.directory = directory, .status = outcome.status, .seen = has_rank_files(directory)};
  if (!run.seen) return run;
  if (!online.problem().empty()) {
    note(context, fmt::format("not measured while it ran: {}", online.problem()));
    if (!online.gave_back()) return finished(directory, outcome, cores);
    throw Error(Code::mismatch, context.launcher[0], {}, "its run was not measured, and its records are gone",
                "trace it without --online");
  }
  inspect(run, online.ended(), true);
  note_status(directory, run.status);
  try {
    keep(online, rho);
  } catch (const Error& error) {
    note(context, error.what());
    if (!online.gave_back()) return finished(directory, outcome, cores);
    note(context, fmt::format("what {} would have is printed instead", kOnlineFile));
    print_json(context.out, online_json(online, rho));
  }
  return run;
}

/// A run that failed, else the clean run of median time (of two the faster), else the first.
const Run& typical(std::vector<Run>& runs) {
  if (runs.back().status != 0) return runs.back();
  const auto clean = std::stable_partition(runs.begin(), runs.end(), [](const Run& run) { return run.clean; });
  if (clean == runs.begin()) return runs.front();
  const auto middle = runs.begin() + (clean - runs.begin() - 1) / 2;
  std::nth_element(runs.begin(), middle, clean, [](const Run& a, const Run& b) { return a.wall_s < b.wall_s; });
  return *middle;
}

/// "; interrupted in run 5 of 40; kept run 2 of the 4 complete ones".
std::string interrupted_in(int run, int runs, const Run& kept, std::size_t complete) {
  auto text = runs > 1 ? fmt::format("; interrupted in run {} of {}", run, runs) : std::string();
  if (kept.clean && runs > 1)
    text += complete == 1 ? fmt::format("; kept run {}, the only complete one", kept.number)
                          : fmt::format("; kept run {} of the {} complete ones", kept.number, complete);
  return text;
}

int trace(const Context& context, const TraceOptions& options) {
  require_directory_name(options.output, "a trace");
  const int cores = launch::usable_cores();
  const auto ranks = plan_ranks(context, context.launcher, options.yield);
  require_launched_program(context.launcher, ranks.line);
  for (std::size_t i = ranks.line.program_index + 1; i + 1 < context.launcher.size(); ++i)
    if ((context.launcher[i] == "-o" || context.launcher[i] == "--output") &&
        context.launcher[i + 1].ends_with(".trace"))
      note(context, fmt::format("{} {} stands behind the program, which gets it: options of skelgen stand before --",
                                context.launcher[i], context.launcher[i + 1]));
  const auto given = fs::absolute(options.output.empty() ? default_name(ranks.line, context.now()) : options.output)
                         .lexically_normal();
  auto target = given.has_filename() ? given : given.parent_path();  // "x.trace/"
  if (std::error_code problem; !fs::is_directory(target.parent_path(), problem))
    throw Error(Code::io, target.parent_path().string(), {}, "no such directory",
                "make it or choose another place with -o");
  launch::require_writable(target.parent_path());
  const auto libraries =
      options.threads ? launch::search_libraries(context.executable) : launch::find_libraries(context.executable);
  std::vector<double> rho;
  if (!options.rho.empty()) rho = read_rho(options.rho, ranks.line.ranks);
  if (std::error_code unknown; !options.at_layers.empty() && fs::equivalent(options.at_layers, target, unknown))
    throw Error(Code::usage, "-o", {}, "names the trace of --at-layers, which would be replaced",
                "give the second trace a name of its own");
  const auto layers =
      options.at_layers.empty() ? std::string() : layer_places(options.at_layers, context.launcher, ranks.line);

  const auto place = options.output.empty() ? default_place(target) : std::make_unique<TracePlace>(target);
  std::error_code unknown;
  const bool replaces = fs::exists(target, unknown) && !fs::is_empty(target, unknown);
  const auto shown = options.output.empty() ? target.filename().string() : options.output;
  std::vector<Run> runs;
  std::uint64_t cut_threads = 0;
  int stopped = 0, status = 0;  // the run that was interrupted, 0: none was; of the last one
  const auto note_no_trace = [&] {
    const bool slots = ranks.line.mpi == launch::MpiKind::openmpi && ranks.line.ranks.value_or(0) > cores &&
                       std::ranges::find(context.launcher, "--oversubscribe") == context.launcher.end();
    note(context, fmt::format("{}: {} before any rank called MPI_Init; no trace was written{}", context.launcher[0],
                              stopped ? "interrupted" : fmt::format("ended with status {}", status),
                              slots && !stopped ? "; if it has not enough slots, add --oversubscribe behind it" : ""));
  };
  const auto left_behind = [&](const fs::path& run) {
    return fmt::format("what was recorded is in {}: move it away before the next trace of that name", run.string());
  };
  // Of a run that was interrupted or failed.
  const auto leave = [&](const Run& run, const std::string& details) {
    place->leave(run.directory);
    note(context, fmt::format("{}: {}; the earlier trace stays, {}{}", shown,
                              stopped ? "interrupted" : "the program failed", left_behind(run.directory), details));
  };
  std::optional<launch::SaidWhenInterrupted> interrupted;
  for (int i = 1; i <= options.runs; ++i) {
    const auto directory = place->begin_run(i);
    launch::Launch what;
    what.command = context.launcher;
    launch::Capture capture{directory,     "record",       options.counters, ranks.yield,
                            options.sites, options.online, options.threads};
    if (!layers.empty()) {
      capture.layers = directory / threads::kLayersFile;
      write_file(capture.layers, layers);
    }
    what.environment = launch::environment_of(capture, libraries, ranks.line, launch::inherited);
    std::optional<build::Online> online;
    if (options.online) online.emplace(directory, rho, cores);
    interrupted.emplace(
        fmt::format("skelgen: {}: interrupted; {}", printable(shown), printable(left_behind(directory))));
    const auto outcome = context.launch(what);
    auto run =
        online ? finished(context, directory, outcome, *online, rho, cores) : finished(directory, outcome, cores);
    run.number = i;
    status = run.status;
    if (outcome.asked) stopped = i;
    if (stopped && !run.clean && std::ranges::any_of(runs, &Run::clean)) break;
    if (!run.measured && launch::needs_yield(ranks.line, cores, launch::Yield::automatic))
      run.disturbance = metrics::shared_cores(*ranks.line.ranks, cores, ranks.yield);
    if (options.threads && !threads::thread_files(directory).empty()) {
      const auto record = record_of_threads(directory);
      cut_threads = record.cut_threads;
      note(context, fmt::format("{}: {}", shown, record.summary));
      if (outcome.asked)
        note(context, fmt::format("{}: ended by SIG{}; what was recorded until then is kept", shown,
                                  sigabbrev_np(outcome.asked)));
      const bool misses = !layers.empty() && run.status == 0 && !has_layers(directory);
      if (!run.seen && replaces && (stopped || (run.status != 0 && is_whole(target)))) {
        leave(run, "");
      } else if (!run.seen) {
        place->keep(directory);
        interrupted.reset();
      }
      if (misses) throw no_layer_met(options.at_layers);
      if (!run.seen && run.status == 0 && cut_threads) throw threads_cut(shown);
      if (!run.seen) return run.status;
    }
    if (!run.seen) {
      require_one_mpi(directory, ranks.line.program);
      if (stopped) {
        note_no_trace();
        return run.status;
      }
      if (run.status == 0 && options.threads) throw no_thread_seen(ranks.line.program);
      if (run.status == 0) require_back_end(ranks.line, libraries);
      if (run.status == 0) throw no_rank_seen(ranks.line.program);
      note_no_trace();
      return run.status;
    }
    if (options.runs > 1) note(context, fmt::format("run {} of {}: {}", i, options.runs, run.summary));
    runs.push_back(run);
    if (run.status != 0 || stopped) break;  // this one is worth seeing, more of them are not
  }
  const Run& kept = typical(runs);
  if (kept.unrecorded && kept.status == 0)
    throw Error(Code::mismatch, target.string(), {}, "the run could not be recorded", kMoreRoom);
  if (kept.unrecorded) {
    note_no_trace();
    return status;
  }
  std::vector<double> times;
  for (const Run& run : runs)
    if (run.clean) times.push_back(run.wall_s);
  if (replaces && (stopped ? !kept.clean : kept.unfinished && is_whole(target))) {
    leave(kept, fmt::format(" ({}){}", kept.summary,
                            stopped ? "" : fmt::format("; {} ended with status {}", context.launcher[0], kept.status)));
    return status;
  }
  if (kept.clean && times.size() > 1) trace::note_runs(kept.directory, times);
  place->keep(kept.directory);
  interrupted.reset();
  if (const auto text = metrics::spread(times, !kept.disturbance.empty()); !text.empty()) note(context, text);
  if (kept.status == 0 && kept.dropped > 0) throw Error(Code::mismatch, shown, {}, kept.summary, kMoreRoom);
  note(context,
       fmt::format("{}: {}{}{}{}{}{}", shown, kept.summary,
                   kept.cut ? "; info, dump, metrics and report read it, build does not" : "",
                   stopped ? interrupted_in(stopped, options.runs, kept, times.size()) : "",
                   replaces ? "; an earlier trace was there and is replaced" : "",
                   kept.status ? fmt::format("; {} ended with status {}", context.launcher[0], kept.status) : "",
                   kept.disturbance.empty() ? "" : "; " + kept.disturbance));
  if (kept.status == 0 && cut_threads) throw threads_cut(shown);
  return status;
}

}  // namespace

Command add_trace(CLI::App& parent) {
  auto* app = parent.add_subcommand("trace", "Run an MPI program and record its calls");
  set_usage(*app, "trace [OPTIONS] -- LAUNCHER... APP ARGS...");
  const auto options = std::make_shared<TraceOptions>();
  app->add_option(
         "-o,--output", options->output,
         "Directory of the trace (default: skelgen-APP-YYYYmmdd-HHMMSS.trace, with the job's number where that exists)")
      ->type_name("DIR");
  auto* online = app->add_flag("--online", options->online,
                               "Measure the run while it goes on and keep the measures, not the records");
  app->add_option("--rho", options->rho, "JSON file with the relative speed of each rank's processor")
      ->needs(online)
      ->type_name("FILE");
  app->add_option("--counters", options->counters,
                  "PAPI events to read at every call, comma-separated (see skelgen doctor)")
      ->excludes(online)
      ->type_name("LIST");
  app->add_flag("--sites", options->sites,
                "Record where in the program each call is made, for report, verify and build --annotate; takes "
                "microseconds a call from Fortran")
      ->excludes(online);
  auto* threads =
      app->add_flag("--threads", options->threads,
                    "Record what threads do to each other, too: locks, waits, barriers, pipes, OpenMP; also "
                    "of programs without MPI")
          ->excludes(online);
  app->add_option("--at-layers", options->at_layers,
                  "With --threads, of a program that was traced so into DIR: count work only where the layers that "
                  "skelgen threads found begin and end")
      ->needs(threads)
      ->type_name("DIR");
  app->add_option("--runs", options->runs,
                  "Trace this many times and keep, of the runs that are complete, the one of median time")
      ->check(whole_number(1, 1000))
      ->excludes(online)
      ->excludes(threads)
      ->default_str("1")
      ->type_name("N");
  add_yield_option(*app, options->yield);
  app->footer(
      "The line after -- is started unchanged. Exit status: the launcher's; 125 if skelgen failed, 127 if there is no "
      "such launcher.");
  return {app, LauncherLine::needed, [=](const Context& context) { return trace(context, *options); }};
}

}  // namespace skelgen::cli
