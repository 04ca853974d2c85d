// skelgen info: what is in a trace or a skeleton.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>
#include <set>

#include "build/traffic.h"
#include "cli/commands.h"
#include "cli/given.h"
#include "cli/table.h"
#include "metrics/metrics.h"
#include "predict/skeleton_run.h"
#include "support/printable.h"
#include "trace/started.h"
#include "trace/trace.h"

namespace skelgen::cli {
namespace {

struct InfoOptions {
  std::string directory;
  bool json = false;
};

struct Totals {
  int threads = 0;  ///< that call MPI, of all ranks
  std::uint64_t calls = 0, bytes_on_disk = 0, dropped = 0, suspended = 0, least = 0, median = 0, most = 0;
  std::vector<int> incomplete;
  std::string mpi_name, mpi_version, clock;
  std::set<std::string> hosts;
};

Totals totals_of(const trace::Trace& trace, const build::Traffic& traffic) {
  Totals totals;
  for (const auto& rank : trace.rank_info()) {
    totals.threads += rank.threads;
    totals.bytes_on_disk += rank.bytes;
    totals.hosts.insert(rank.host);
    totals.dropped += rank.ending.dropped;
    totals.suspended += rank.ending.suspended;
    if (!rank.ending.complete) totals.incomplete.push_back(rank.rank);
  }
  if (!trace.rank_info().empty()) {
    totals.mpi_name = trace.rank_info().front().mpi_name;
    totals.mpi_version = trace.rank_info().front().mpi_version;
    totals.clock = trace.rank_info().front().clock;
  }
  auto calls = traffic.calls_per_rank;
  std::sort(calls.begin(), calls.end());
  totals.calls = std::accumulate(calls.begin(), calls.end(), std::uint64_t{0});
  if (!calls.empty()) {
    totals.least = calls.front();
    totals.median = calls[(calls.size() - 1) / 2];
    totals.most = calls.back();
  }
  return totals;
}

/// Notes on what makes the times of the run unreliable, without the note on incomplete ranks, which `info` prints by itself.
std::vector<metrics::Note> warnings(const trace::Trace& trace, const build::Traffic& traffic) {
  auto all =
      metrics::notes(trace, traffic.without_core_s, traffic.call_s + traffic.computation_s + traffic.without_core_s);
  std::erase_if(all, [](const auto& note) { return note.kind == metrics::Note::Kind::incomplete; });
  return all;
}

Json json_of(const trace::Trace& trace, const build::Traffic& traffic, const Totals& totals) {
  const auto wall = trace.wall();
  Json json{
      {"schema", "skelgen.info/1"},
      {"kind", "trace"},
      {"application", trace.application()},
      {"command", trace.command()},
      {"started", trace::started(trace.directory())},
      {"hosts", totals.hosts},
      {"ranks", trace.ranks()},
      {"threads", totals.threads},
      {"calls_total", totals.calls},
      {"calls_per_rank", {{"min", totals.least}, {"median", totals.median}, {"max", totals.most}}},
      {"bytes_on_disk", totals.bytes_on_disk},
      {"bytes_per_call",
       totals.calls ? Json(static_cast<double>(totals.bytes_on_disk) / static_cast<double>(totals.calls)) : Json()},
      {"wall_s", wall ? Json(wall->value) : Json()},
      {"clock", totals.clock},
      {"computation_s", traffic.computation_s},
      {"without_core_s", traffic.without_core_s},
      {"calls_s", traffic.call_s},
      {"mpi", {{"name", totals.mpi_name}, {"version", totals.mpi_version}}},
      {"functions", Json::array()},
      {"dropped", totals.dropped},
      {"suspended", totals.suspended},
      {"incomplete_ranks", totals.incomplete}};
  json["warnings"] = Json::array();
  for (const auto& warning : warnings(trace, traffic)) json["warnings"].push_back(warning.text);
  for (const auto& function : traffic.functions)
    json["functions"].push_back(
        {{"name", function.name}, {"calls", function.calls}, {"seconds", function.seconds}, {"bytes", function.bytes}});
  return json;
}

void print(std::ostream& out, const trace::Trace& trace, const build::Traffic& traffic, const Totals& totals) {
  const auto line = [&](const char* name, const std::string& value) { out << fmt::format("{:<12}{}\n", name, value); };
  for (const auto& warning : warnings(trace, traffic)) line("warning", warning.text);
  line("program", trace.shown_application());
  line("command", trace.command());
  if (const auto started = trace::started(trace.directory()); !started.empty()) line("started", started);
  constexpr std::size_t kMostHosts = 4;
  line("hosts",
       fmt::format(
           "{}{}",
           fmt::join(
               totals.hosts.begin(),
               std::next(totals.hosts.begin(), static_cast<std::ptrdiff_t>(std::min(kMostHosts, totals.hosts.size()))),
               ", "),
           totals.hosts.size() > kMostHosts ? fmt::format(" and {} more", totals.hosts.size() - kMostHosts) : ""));
  line("ranks", fmt::format("{}, {} {}", trace.ranks(), totals.mpi_name, totals.mpi_version));
  const bool threaded = totals.threads > std::ssize(trace.rank_info());
  if (threaded) line("threads", fmt::format("{} call MPI; times in the table are sums over them", totals.threads));
  const std::string time = totals.clock == "simulated" ? " of simulated time" : "";
  line("run time", trace.wall()
                       ? format_seconds(trace.wall()->value) + time + " from MPI_Init entry to MPI_Finalize exit"
                       : "unknown: a rank did not reach MPI_Finalize");
  line("calls", fmt::format("{}; per rank {} to {}", format_count(totals.calls), format_count(totals.least),
                            format_count(totals.most)));
  const double per_call =
      totals.calls ? static_cast<double>(totals.bytes_on_disk) / static_cast<double>(totals.calls) : 0;
  line("on disk",
       format_bytes(static_cast<double>(totals.bytes_on_disk)) +
           (totals.incomplete.empty() ? fmt::format(", {:.1f} bytes a call", per_call) : ", with room for more calls"));
  if (totals.dropped) line("lost", format_count(totals.dropped) + " calls could not be recorded");
  if (totals.suspended) line("suspended", format_count(totals.suspended) + " calls between MPI_Pcontrol(0) and (1)");
  if (!totals.incomplete.empty())
    line("incomplete", "rank " + format_ranges(totals.incomplete) +
                           " ended before MPI_Finalize; info, dump, metrics and report read it, build does not");
  const double all = traffic.call_s + traffic.computation_s + traffic.without_core_s;
  const auto share = [&](double seconds) { return all > 0 ? format_percent(seconds / all) : std::string("-"); };
  out << '\n';
  Table table({"", "calls", threaded ? "time (all threads)" : "time (all ranks)", "share", "bytes"});
  table.add({"computation", "", format_seconds(traffic.computation_s), share(traffic.computation_s), ""});
  if (traffic.without_core_s > 0)
    table.add({std::string(metrics::CriticalPath::kWithoutCore) + " between calls", "",
               format_seconds(traffic.without_core_s), share(traffic.without_core_s), ""});
  for (const auto& f : traffic.functions)
    table.add({f.name, format_count(f.calls), format_seconds(f.seconds), share(f.seconds),
               f.bytes ? format_bytes(static_cast<double>(f.bytes)) : ""});
  table.print(out);
}

/// What the skeleton repeats of the run, how long it takes, and what it leaves out. Marks and speeds are in --json only.
void print(std::ostream& out, const predict::SkeletonInfo& skeleton) {
  const auto line = [&](const char* name, const std::string& value) {
    out << fmt::format("{:<12}{}\n", name, printable(value));
  };
  const auto& origin = skeleton.origin;
  for (const auto& warning : {metrics::failed(origin.status), metrics::traced_without_cores(origin.core_wait),
                              metrics::spread(origin.original_runs_s)})
    if (!warning.empty()) line("warning", warning);
  line("ranks", fmt::format("{}{}", skeleton.ranks, skeleton.mpi.empty() ? "" : ", traced with " + skeleton.mpi));
  line("run time", origin.traced_wall_s > 0 ? format_seconds(origin.traced_wall_s) + " when traced" : "not known");
  line("scale", fmt::format("{:.6g}; the skeleton runs {} where it was traced", skeleton.scale,
                            format_seconds(skeleton.expected_run_s)));
  for (std::size_t i = 0; i < std::min<std::size_t>(3, skeleton.not_cut.size()); ++i)
    line("not cut", skeleton.not_cut[i]);
  line("program",
       fmt::format("{} statement{}", format_count(skeleton.statements), skeleton.statements == 1 ? "" : "s"));
  line("lossless", skeleton.lossless  ? "yes: expanding it gives every recorded call"
                   : !skeleton.edited ? fmt::format("no: counts are within {} of what was recorded",
                                                    format_percent(skeleton.tolerance))
                                      : "no: of a text that was edited, written by hand, or made for other ranks");
  if (skeleton.normalize == "exchange") line("order", "blocking exchanges stand as receive, send, wait");
  line("deadlock",
       skeleton.safe ? "none, even with synchronous sends" : "possible, or not checked; skelgen build says why");
  if (skeleton.shared_memory) line("buffers", "those that are only written share memory");
  if (skeleton.tests_go_on) line("tests", "those of incomplete sends may come later");
  if (skeleton.files) line("files", "opened by MPI");
  if (origin.yield.value_or(false)) line("traced with", "--yield: only time on a core counts as computation");
  const auto concurrency = skeleton.json.value("concurrency", Json());
  const auto computing = concurrency.is_object() ? concurrency.value("phi1", Json()) : Json();
  if (computing.is_number())
    line("computation", fmt::format("{} of the ranks' time", format_percent(computing.get<double>())));
  if (origin.computation_error > 0)
    line(computing.is_number() ? "" : "computation",
         fmt::format("by formulas, expected to be off by {} (standard deviation)",
                     format_percent(origin.computation_error)));
  const auto work = skeleton.json.value("work", Json());
  const auto unexplained = work.is_object() ? work.value("unexplained", Json()) : Json();
  line("work", unexplained.is_number()
                   ? format_percent(unexplained.get<double>()) + " of the computation is not explained"
               : work.is_object() ? "profiled, without the speeds of the traced processor"
                                  : "not profiled");
  if (const auto version = skeleton.json.value("version", Json()); version.is_string())
    line("made by", fmt::format("skelgen {}{}", version.get<std::string>(),
                                skeleton.compiler.empty() ? "" : ", to be compiled with " + skeleton.compiler));
  const auto phases = skeleton.json.value("phases", Json::array());
  if (phases.empty()) return;
  out << '\n';
  Table table({"phase", "trips", "of these run", "weight", "time when traced"});
  for (const auto& phase : phases)
    table.add({phase.value("name", ""), format_count(phase.value("trips", std::uint64_t{1})),
               format_count(phase.value("run", phase.value("kept", std::uint64_t{1}))),
               fmt::format("{:.6g}", phase.value("weight", 1.0)), format_seconds(phase.value("traced_s", 0.0))});
  table.print(out);
}

int skeleton_info(const Context& context, const InfoOptions& options) {
  const auto skeleton = predict::read_skeleton_info(options.directory);
  Json json{{"schema", "skelgen.info/1"}, {"kind", "skeleton"}};
  for (const auto& [key, value] : skeleton.json.items())
    if (key != "schema") json[key] = value;
  if (options.json) {
    print_json(context.out, json);
    return 0;
  }
  print(context.out, skeleton);
  return 0;
}

int info(const Context& context, const InfoOptions& options) {
  if (given(options.directory) == Given::skeleton) return skeleton_info(context, options);
  const auto trace = trace::open(options.directory);
  const auto counted = build::traffic(trace);
  const auto totals = totals_of(trace, counted);
  if (options.json)
    print_json(context.out, json_of(trace, counted, totals));
  else
    print(context.out, trace, counted, totals);
  return 0;
}

}  // namespace

Command add_info(CLI::App& parent) {
  auto* app = parent.add_subcommand("info", "Say what is in a trace or a skeleton");
  set_usage(*app, "info [OPTIONS] DIR");
  const auto options = std::make_shared<InfoOptions>();
  app->add_option("DIR", options->directory, "Trace or skeleton directory")->required();
  app->add_flag("--json", options->json, "One JSON object on stdout");
  return {app, LauncherLine::none, [=](const Context& context) { return info(context, *options); }};
}

}  // namespace skelgen::cli
