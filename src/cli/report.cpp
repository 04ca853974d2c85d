// skelgen report: a run on one page.

#include "report/report.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "cli/command.h"
#include "cli/pipeline.h"
#include "cli/text.h"
#include "cli/traffic.h"
#include "metrics/metrics.h"
#include "predict/skeleton_run.h"
#include "support/progress.h"
#include "support/replace.h"
#include "trace/trace.h"

namespace skelgen::cli {
namespace {

struct ReportArguments {
  std::string directory, skeleton, prediction, output = "report.html";
};

/// Regions cost time for each pair of a call and a rank; of more pairs they are left out.
constexpr double kMostRegionWork = 1e9;
constexpr std::size_t kRegions = 10;

report::Run run_of(const trace::Trace& trace) {
  report::Run run;
  run.application = trace.application();
  run.command = trace.command();
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
std::vector<double> grouped(const std::map<std::pair<Rank, Rank>, verify::Traffic>& traffic,
                            const report::Groups& groups) {
  std::vector<double> bytes(groups.count() * groups.count());
  for (const auto& [pair, sum] : traffic)
    if (pair.second >= 0 && pair.first != pair.second)
      bytes[groups.of(pair.first) * groups.count() + groups.of(pair.second)] += static_cast<double>(sum.bytes);
  return bytes;
}

/// The loops are the skeleton's. What cannot be replayed has none: the report says why.
void add_structure(report::Report& report, const ReportArguments& options, const report::Groups& groups) {
  try {
    BuildOptions wanted;
    wanted.traffic = true;
    const Built built = build(options.directory, wanted);
    report.structure = report::structure(built.skeleton);
    report.bytes = grouped(built.traffic, groups);
  } catch (const Error& error) {
    report.no_structure = error.what();
  }
}

report::SkeletonSummary skeleton_of(const ReportArguments& options, const report::Run& run) {
  const auto info = predict::read_skeleton_info(options.skeleton);
  if (info.ranks != run.ranks)
    throw Error(Code::mismatch, options.skeleton, {},
                fmt::format("has {} ranks, and {} has {}", info.ranks, options.directory, run.ranks),
                "give a skeleton that was built from this trace");
  report::SkeletonSummary result;
  result.name = info.directory.filename().string();
  result.scale = info.scale;
  result.expected_run_s = info.json.value("expected_run_s", 0.0);
  result.statements = info.json.value("statements", std::uint64_t{0});
  result.lossless = info.json.value("lossless", false);
  result.safe = info.json.value("safe", false);
  const double traced_s = info.json.value("traced_wall_s", 0.0);
  constexpr double kSame = 1e-6;  // rounded when it was written
  result.of_this_run = run.wall_s && std::abs(traced_s - *run.wall_s) <= kSame * std::max(1.0, *run.wall_s);
  return result;
}

/// What `skelgen predict --json` printed.
report::Prediction prediction_of(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw Error(Code::io, file, {}, "cannot be read", "give a file that skelgen predict --json wrote");
  try {
    const auto json = Json::parse(in);
    if (json.at("schema") != "skelgen.predict/1") throw Error(Code::corrupt, "");
    report::Prediction result;
    result.predicted_s = json.at("predicted_s");
    result.confidence = json.at("confidence");
    result.skeleton_s = json.at("skeleton_s");
    result.scale = json.at("scale");
    result.compute = json.at("compute");
    result.runs = json.at("runs").get<std::vector<double>>();
    if (json.at("low_s").is_number()) {
      result.low_s = json.at("low_s").get<double>();
      result.high_s = json.at("high_s").get<double>();
    }
    for (const auto& phase : json.at("phases"))
      result.phases.push_back({phase.at("name"), phase.at("weight"), phase.at("seconds")});
    return result;
  } catch (const std::exception&) {
    throw Error(Code::corrupt, file, {}, "is nothing that skelgen predict --json wrote",
                "make it with: skelgen predict --json SKEL > " + file);
  }
}

int report_command(const Context& context, const ReportArguments& options) {
  report::Report report;
  std::optional<report::Timeline> timeline;
  {
    Progress progress(context.terminal ? &context.err : nullptr);
    progress.stage("read");
    const auto trace = trace::open(options.directory);
    report.run = run_of(trace);
    if (!options.skeleton.empty()) report.skeleton = skeleton_of(options, report.run);
    if (!options.prediction.empty()) report.prediction = prediction_of(options.prediction);
    const auto counted = traffic(trace);
    for (const auto calls : counted.calls_per_rank) report.run.calls += calls;
    report.computation_s = counted.computation_s;
    for (const auto& function : counted.functions)
      report.functions.push_back({function.name, function.calls, function.bytes, function.seconds});
    progress.stage("measure");
    std::vector<int> threads(static_cast<std::size_t>(trace.ranks()));
    for (const auto& where : trace.locations()) ++threads[static_cast<std::size_t>(where.rank)];
    timeline.emplace(threads, report.run.wall_s.value_or(0));
    metrics::Options wanted;
    wanted.halve = true;
    wanted.observer = &*timeline;
    wanted.cuts = true;
    wanted.slack = true;
    wanted.phases = phases_if_any(trace).phases;  // why there are none, add_structure says
    report.regions_left_out =
        static_cast<double>(report.run.calls) * static_cast<double>(trace.locations().size()) > kMostRegionWork;
    if (!report.regions_left_out) wanted.regions = kRegions;
    report.measured = metrics::measure(trace, wanted);
    report.timeline = &*timeline;
    progress.stage("find loops");
    add_structure(report, options, timeline->pairs().groups);
    progress.stage("write");
    write_file(options.output, report::page(report));
  }
  if (!report.no_structure.empty()) note(context, "no loops, phases and bytes in the report: " + report.no_structure);
  context.out << fmt::format("report      {} ({})\n", options.output,
                             format_bytes(static_cast<double>(std::filesystem::file_size(options.output))));
  if (!report.measured.findings.empty()) context.out << "finding     " << report.measured.findings.front().text << '\n';
  return 0;
}

}  // namespace

Command add_report(CLI::App& parent) {
  auto* app = parent.add_subcommand("report", "Write what is known of a run as one HTML page");
  set_usage(*app, "report [OPTIONS] DIR [SKEL]");
  const auto options = std::make_shared<ReportArguments>();
  app->add_option("DIR", options->directory, "Trace directory")->required();
  app->add_option("SKEL", options->skeleton, "Skeleton that was built from it");
  app->add_option("-o,--output", options->output, "File to write")->capture_default_str()->type_name("FILE");
  app->add_option("--prediction", options->prediction, "What skelgen predict --json printed")->type_name("FILE");
  return {app, [=](const Context& context) {
            refuse_launcher(context, *app);
            return report_command(context, *options);
          }};
}

}  // namespace skelgen::cli
