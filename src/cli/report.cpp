// skelgen report: a run on one page.

#include "report/report.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "build/build.h"
#include "build/sites.h"
#include "build/traffic.h"
#include "cli/commands.h"
#include "cli/given.h"
#include "cli/table.h"
#include "metrics/metrics.h"
#include "predict/scaling.h"
#include "predict/skeleton_run.h"
#include "support/progress.h"
#include "support/read.h"
#include "support/replace.h"
#include "threads/analysis.h"
#include "threads/run.h"
#include "trace/started.h"
#include "trace/trace.h"

namespace skelgen::cli {
namespace {

struct ReportOptions {
  std::string directory, skeleton, prediction, model, output = "report.html";
};

report::RunFacts run_of(const trace::Trace& trace) {
  report::RunFacts run;
  run.application = trace.shown_application();
  run.command = trace.command();
  run.started = trace::started(trace.directory());
  run.ranks = trace.ranks();
  if (const auto wall = trace.wall()) run.wall_s = wall->value;
  std::set<std::string> hosts;
  for (const auto& rank : trace.rank_info()) {
    hosts.insert(rank.host);
    run.dropped += rank.ending.dropped;
    run.suspended += rank.ending.suspended;
    if (!rank.ending.complete) run.incomplete.push_back(rank.rank);
  }
  run.hosts.assign(hosts.begin(), hosts.end());
  if (!trace.rank_info().empty()) {
    const auto& first = trace.rank_info().front();
    run.mpi = first.mpi_name + (first.mpi_version.empty() ? "" : " " + first.mpi_version);
    run.simulated = first.clock == "simulated";
  }
  return run;
}

/// Bytes sent between groups of ranks.
std::vector<double> grouped(const std::map<std::pair<Rank, Rank>, verify::PairTraffic>& traffic,
                            const report::Groups& groups) {
  std::vector<double> bytes(groups.count() * groups.count());
  for (const auto& [pair, sum] : traffic)
    if (pair.second >= 0 && pair.first != pair.second)
      bytes[groups.of(pair.first) * groups.count() + groups.of(pair.second)] += static_cast<double>(sum.bytes);
  return bytes;
}

void add_once(std::vector<std::string>& notes, const std::string& text) {
  if (std::ranges::find(notes, text) == notes.end()) notes.push_back(text);
}

/// Source lines of the skeleton's calls, if the trace has sites and this machine can look them up. `notes`: why some have none.
emit::Annotations lines_of(const Context& context, const build::Sites& sites, std::vector<std::string>& notes) try {
  return build::annotations(context.launch, sites, [&](const std::string& text) { add_once(notes, text); });
} catch (const Error& error) {
  if (error.code() != Code::launch) throw;
  notes.push_back("no source lines in the report: addr2line is not here; install binutils");
  return {};
}

/// The loops are the skeleton's, and so are the phases. What cannot be replayed has none: the report says why.
metrics::Phases add_structure(const Context& context, report::Report& report, const trace::Trace& trace,
                              const report::Groups& groups, std::vector<std::string>& notes) {
  build::Built built;
  try {
    built = build::build(trace,
                         {.scale = 1, .sites = trace.has_sites(), .traffic = true, .phases = true, .measure = false});
    build::require_lossless(built, trace.directory());
  } catch (const Error& error) {
    if (error.code() == Code::internal && !built.diagnostics.difference) throw;
    report.no_structure = error.what();
    return {};
  }
  report.structure =
      report::structure(built.result.skeleton, built.result.plan,
                        trace.has_sites() ? lines_of(context, built.result.sites, notes) : emit::Annotations());
  report.bytes = grouped(built.result.traffic, groups);
  for (const auto& [pair, sum] : built.result.traffic)
    if (pair.first == pair.second) report.bytes_of_no_pair += static_cast<double>(sum.bytes);
  return std::move(built.result.phases);
}

/// Whether it was built from a run that took as long.
bool is_of(const predict::Origin& origin, const report::RunFacts& run) {
  constexpr double kSame = 1e-6;  // rounded when it was written
  return run.wall_s && std::abs(origin.traced_wall_s - *run.wall_s) <= kSame * std::max(1.0, *run.wall_s);
}

predict::SkeletonInfo skeleton_of(const ReportOptions& options, const report::RunFacts& run) {
  static_cast<void>(
      given(options.skeleton));  // throws for a file inside a skeleton or trace, with the directory to give
  auto info = predict::read_skeleton_info(options.skeleton);
  if (info.ranks != run.ranks)
    throw Error(Code::mismatch, options.skeleton, {},
                fmt::format("has {} ranks, and {} has {}", info.ranks, options.directory, run.ranks),
                "give a skeleton that was built from this trace");
  return info;
}

report::SkeletonSummary summary_of(const predict::SkeletonInfo& info, const report::RunFacts& run) {
  report::SkeletonSummary result;
  result.name = info.directory.filename().string();
  result.scale = info.scale;
  result.expected_run_s = info.expected_run_s;
  result.statements = info.statements;
  result.lossless = info.lossless;
  result.safe = info.safe;
  result.of_this_run = is_of(info.origin, run);
  result.traced_s = info.origin.traced_wall_s;
  result.cut = info.cut;
  result.not_cut = info.not_cut;
  return result;
}

/// Reads --prediction. Where it has several numbers of ranks, the one with as many ranks as the traced run is the run's prediction, unless
/// the skeleton that was given is another one.
void add_predictions(report::Report& report, const ReportOptions& options,
                     const std::optional<predict::SkeletonInfo>& skeleton) {
  auto all = predict::read_predictions(options.prediction);
  const auto is_of_another = [&](const predict::Origin& origin) {
    return skeleton && !origin.checksum.empty() && origin.checksum != skeleton->origin.checksum;
  };
  if (all.size() > 1) {
    for (const auto& one : all)
      if (one.all.origin.ranks == report.run.ranks && !is_of_another(one.all.origin)) report.prediction = one.all;
    report.scaling = std::move(all);
    return;
  }
  const auto& origin = all.front().all.origin;
  const auto refuse = [&](const std::string& what) {
    throw Error(Code::mismatch, options.prediction, {}, what, "predict with a skeleton that was built from this trace");
  };
  if (origin.ranks && origin.ranks != report.run.ranks)
    refuse(fmt::format("is of {} ranks, and {} has {}", origin.ranks, options.directory, report.run.ranks));
  if (is_of_another(origin)) refuse("is of another skeleton than " + options.skeleton);
  report.prediction = std::move(all.front().all);
}

/// Reads run times from the output of `model --json`.
std::vector<report::Replayed> replayed_of(const ReportOptions& options, const report::RunFacts& run) {
  const auto text = read_file(options.model, "give a file that skelgen model --json printed");
  std::vector<report::Replayed> all;
  int ranks = 0;
  try {
    const auto json = Json::parse(text);
    if (json.at("schema") == "skelgen.model_scaling/1")
      throw Error(Code::invalid_argument, options.model, {}, "is of several numbers of ranks, which are not drawn",
                  "give skelgen model one number, or a prediction of several to --prediction");
    if (json.at("schema") != "skelgen.model/1") throw std::invalid_argument("schema");
    ranks = json.at("ranks");
    all.push_back({"as measured", json.at("replay").at("run_s")});
    const auto changes = json.value("what_if", Json::object());
    for (const auto& [key, seconds] : changes.items()) {
      all.push_back({key, seconds.get<double>()});
      std::ranges::replace(all.back().name, '_', ' ');
    }
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {
    throw Error(Code::corrupt, options.model, {}, "was not written by skelgen model --json",
                "skelgen model --what-if --json DIR --net NET.json makes one");
  }
  if (ranks != run.ranks)
    throw Error(Code::mismatch, options.model, {},
                fmt::format("is of {} ranks, and {} has {}", ranks, options.directory, run.ranks),
                "give skelgen model this trace");
  return all;
}

/// Of the process whose threads wait most; nothing where no threads were recorded.
std::optional<report::ProcessThreads> threads_of(const std::string& directory) {
  std::optional<report::ProcessThreads> result;
  double most = -1;
  const auto files = threads::thread_files(directory);
  for (const auto& file : files) {
    const auto run = threads::read_file(file);
    const auto analysis = threads::analyse(run);
    double waiting = 0;
    for (const auto& thread : analysis.threads) waiting += thread.waiting_s + thread.hand_over_s;
    if (waiting <= most) continue;
    most = waiting;
    result = {fmt::format("process {} on {}", run.pid, run.host) +
                  (files.size() > 1 ? fmt::format(", of {} that which waits most", files.size()) : std::string()),
              run.clock,
              {},
              threads::svg(run, analysis, false),
              threads::svg(run, analysis, true)};
    for (std::size_t t = 0; t < run.threads.size(); ++t) {
      const auto& account = analysis.threads[t];
      result->rows.push_back({run.threads[t].name, account.compute_s, account.off_processor_s, account.waiting_s,
                              account.hand_over_s, account.call_s});
    }
  }
  return result;
}

int report_command(const Context& context, const ReportOptions& options) {
  require_writable_output(options.output);
  report::Report report;
  std::optional<report::Timeline> timeline;
  std::string html;
  std::vector<std::string> notes;
  {
    const auto shown = progress_beside_launches(context);  // of addr2line
    Progress& progress = *shown;
    progress.stage("read");
    const auto trace = trace::open(options.directory);
    report.run = run_of(trace);
    report.version = SKELGEN_VERSION;
    std::optional<predict::SkeletonInfo> skeleton;
    if (!options.skeleton.empty()) skeleton = skeleton_of(options, report.run);
    if (skeleton) report.skeleton = summary_of(*skeleton, report.run);
    if (report.skeleton && !report.skeleton->of_this_run)
      note(context, fmt::format("{} was built from another trace than {}; the report says so", options.skeleton,
                                options.directory));
    if (!options.prediction.empty()) add_predictions(report, options, skeleton);
    if (report.prediction && report.prediction->origin.traced_wall_s > 0)
      report.prediction_of_this_run = is_of(report.prediction->origin, report.run);
    if (report.prediction && report.prediction_of_this_run == false)
      note(context, fmt::format("{} was predicted from another trace than {}; the report says so", options.prediction,
                                options.directory));
    if (!options.model.empty()) report.replayed = replayed_of(options, report.run);
    const auto counted = build::traffic(trace);
    for (const auto calls : counted.calls_per_rank) report.run.calls += calls;
    report.computation_s = counted.computation_s;
    report.without_core_s = counted.without_core_s;
    for (const auto& function : counted.functions)
      report.functions.push_back({function.name, function.calls, function.bytes, function.seconds});
    std::vector<int> threads(static_cast<std::size_t>(trace.ranks()));
    for (const auto& where : trace.locations()) ++threads[static_cast<std::size_t>(where.rank)];
    timeline.emplace(threads, report.run.wall_s.value_or(0));
    progress.stage("find loops");
    metrics::Options wanted;
    wanted.phases = add_structure(context, report, trace, timeline->pairs().groups, notes);
    progress.stage("measure");
    wanted.halve = true;
    wanted.observer = &*timeline;
    wanted.cuts = true;
    wanted.own_unit = true;
    wanted.slack = true;
    wanted.windows = metrics::kUsualWindows;
    report.measured = metrics::measure(trace, wanted);
    build::add_lines(context.launch, report.measured.findings, [&](const std::string& text) { add_once(notes, text); });
    report.timeline = &*timeline;
    progress.stage("threads");
    report.threads = threads_of(options.directory);
    progress.stage("write");
    html = report::page(report);
    write_output(context, options.output, html);
  }
  for (const auto& text : notes) note(context, text);
  if (!report.no_structure.empty()) note(context, "no loops, phases and bytes in the report: " + report.no_structure);
  if (options.output == "-") return 0;
  context.out << fmt::format("report      {} ({})\n", options.output, format_bytes(static_cast<double>(html.size())));
  // The wait for cores makes others doubtful; then the first that is certain all the same is shown, too.
  const auto& findings = report.measured.findings;
  if (!findings.empty()) context.out << "finding     " << findings.front().text << '\n';
  if (!findings.empty() && findings.front().cause == metrics::Finding::Cause::without_core) {
    const auto certain = std::find_if(findings.begin() + 1, findings.end(), [&](const auto& finding) {
      return !metrics::doubtful(finding, report.measured.notes);
    });
    if (certain != findings.end()) context.out << "            " << certain->text << '\n';
  }
  return 0;
}

}  // namespace

Command add_report(CLI::App& parent) {
  auto* app = parent.add_subcommand("report", "Write what is known of a run as one HTML page");
  set_usage(*app, "report [OPTIONS] DIR [SKEL]");
  const auto options = std::make_shared<ReportOptions>();
  app->add_option("DIR", options->directory, "Trace directory")->required();
  app->add_option("SKEL", options->skeleton, "Skeleton that was built from it");
  app->add_option("-o,--output", options->output, "File to write, - for stdout")
      ->capture_default_str()
      ->type_name("FILE");
  app->add_option("--prediction", options->prediction,
                  "What skelgen predict --json printed, of one number of ranks or of several")
      ->type_name("FILE");
  app->add_option("--model", options->model, "What skelgen model --what-if --json printed")->type_name("FILE");
  return {app, LauncherLine::none, [=](const Context& context) { return report_command(context, *options); }};
}

}  // namespace skelgen::cli
