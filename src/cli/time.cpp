// skelgen time: run time from MPI_Init entry to MPI_Finalize exit, nothing recorded.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "build/json.h"
#include "cli/commands.h"
#include "cli/ranks.h"
#include "cli/table.h"
#include "launch/temporary.h"
#include "predict/interval.h"
#include "predict/run_times.h"

namespace skelgen::cli {
namespace {

struct TimeOptions {
  int runs = 1;
  bool json = false;
  launch::Yield yield = launch::Yield::automatic;
};

int time(const Context& context, const TimeOptions& options) {
  const auto ranks = plan_ranks(context, context.launcher, options.yield);
  require_launched_program(context.launcher, ranks.line);
  const auto libraries = launch::find_libraries(context.executable);
  const auto this_host = launch::host_name();
  std::vector<predict::RunTimes> runs;
  std::vector<double> walls;
  bool stopped = false;
  int status = 0, status_if_incomplete = 0;  // of the last run
  for (int i = 1; i <= options.runs && !stopped; ++i) {
    const launch::TemporaryDirectory scratch(launch::scratch_parent(), "time");
    launch::Launch what;
    what.command = context.launcher;
    what.environment =
        launch::environment_of({scratch.path(), "time", "", ranks.yield}, libraries, ranks.line, launch::inherited);
    what.output_to_stderr = options.json;  // stdout belongs to the JSON object
    const auto outcome = context.launch(what);
    require_one_mpi(scratch.path(), ranks.line.program);
    stopped = outcome.asked != 0;
    status = outcome.status;
    if (stopped) status_if_incomplete = interrupted_status(outcome);
    std::vector<predict::RankTimes> times;
    if (status == 0) times = predict::read_rank_times(scratch.path());
    if (stopped && (times.empty() || std::ssize(times) < times.front().ranks)) break;
    if (status != 0) {
      note(context, fmt::format("{}: ended with status {} in run {} of {}; no time is reported", context.launcher[0],
                                status, i, options.runs));
      return status;
    }
    if (times.empty()) require_back_end(ranks.line, libraries);
    if (times.empty()) throw no_rank_seen(ranks.line.program);
    runs.push_back(predict::run_times(times, outcome.spawned_ns, this_host));
    walls.push_back(runs.back().wall_s);
  }
  if (std::ssize(runs) < options.runs)
    note(context, fmt::format("{}: {}{}", context.launcher[0],
                              interrupted(runs.size(), static_cast<std::size_t>(options.runs), "runs"),
                              runs.empty() ? "; no time is reported" : ""));
  if (std::ssize(runs) < options.runs) status = status_if_incomplete;
  if (runs.empty()) return status;
  const double wall = predict::median(walls);
  if (options.json) {
    Json json{{"schema", "skelgen.time/1"}, {"wall_s", wall}, {"runs", Json::array()}};
    for (const auto& run : runs)
      json["runs"].push_back(
          {{"wall_s", run.wall_s}, {"launch_s", run.launch_s}, {"init_s", run.init_s}, {"finalize_s", run.finalize_s}});
    print_json(context.out, json);
    return status;
  }
  Table table({"run", "run time", "launch", "MPI_Init", "MPI_Finalize"});
  for (std::size_t i = 0; i < runs.size(); ++i)
    table.add({std::to_string(i + 1), format_seconds(runs[i].wall_s),
               runs[i].launch_s ? format_seconds(*runs[i].launch_s) : "-", format_seconds(runs[i].init_s),
               format_seconds(runs[i].finalize_s)});
  if (runs.size() > 1) table.add({"median", format_seconds(wall)});
  table.print(context.out);
  return status;
}

}  // namespace

Command add_time(CLI::App& parent) {
  auto* app = parent.add_subcommand("time", "Run an MPI program and measure its run time, nothing recorded");
  set_usage(*app, "time [OPTIONS] -- LAUNCHER... APP ARGS...");
  const auto options = std::make_shared<TimeOptions>();
  app->add_option("--runs", options->runs, "Number of runs; the median is reported")
      ->check(whole_number(1, 100000))
      ->default_str("1")
      ->type_name("N");
  app->add_flag("--json", options->json, "One JSON object on stdout; the program's own output goes to stderr");
  add_yield_option(*app, options->yield);
  app->footer("Times run from MPI_Init entry to MPI_Finalize exit of the slowest rank. Exit status as of trace.");
  return {app, LauncherLine::needed, [=](const Context& context) { return time(context, *options); }};
}

}  // namespace skelgen::cli
