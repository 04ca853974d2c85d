// skelgen netbench: start-up time and bandwidth of the network between the ranks, pattern by pattern.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/commands.h"
#include "cli/ranks.h"
#include "cli/table.h"
#include "emit/embedded.h"
#include "launch/program.h"
#include "launch/temporary.h"
#include "network/model.h"
#include "support/replace.h"

namespace skelgen::cli {
namespace {

namespace fs = std::filesystem;

struct NetbenchOptions {
  std::string output, compiler;
  double seconds = 100;
  std::int64_t largest = 16 << 20;
  launch::Yield yield = launch::Yield::automatic;
  bool pairs = false, json = false;
};

constexpr std::int64_t kLargest = 64 << 20;  // templates/netbench/netbench.c: MEMORY

fs::path compile(const Context& context, const std::string& compiler, const fs::path& scratch) {
  std::ofstream(scratch / "netbench.c") << emit::embedded("netbench/netbench.c");
  const auto program = fs::absolute(scratch / "netbench");
  launch::run_compiler({compiler, "-std=c11", "-O2", "-o", program.string(), (scratch / "netbench.c").string(), "-lm"},
                       compiler, "netbench", "netbench.c", scratch, context.launch);
  return program;
}

bool keeps_points(const NetbenchOptions& options) { return !options.output.empty() && options.output != "-"; }

/// Points of an earlier run into the same file that was ended early; what stands behind the last whole one is cut off.
std::size_t points_done(const Context& context, const fs::path& file, const NetbenchOptions& options,
                        std::optional<int> ranks) {
  if (!fs::exists(file)) return 0;
  const auto done = network::read_points(file);
  if (done.largest != options.largest || (ranks && *ranks != done.ranks))
    throw Error(Code::mismatch, file.string(), {},
                fmt::format("has points of a run of {} ranks with messages up to {} bytes", done.ranks, done.largest),
                "measure with these, or remove the file");
  fs::resize_file(file, done.bytes);
  const auto listed = network::listed(done);
  note(context,
       fmt::format("{} of {} points were measured before ({}); the rest follows", listed, done.all, file.string()));
  return listed;
}

network::Points measure(const Context& context, const NetbenchOptions& options) {
  const auto ranks = plan_ranks(context, context.launcher, options.yield);
  launch::require_program(context.launcher[0]);
  const launch::TemporaryDirectory scratch(launch::scratch_parent(), "netbench");
  const bool kept = keeps_points(options);
  const auto points = fs::absolute(kept ? fs::path(options.output + ".points") : scratch.path() / "points");
  const auto done = points_done(context, points, options, ranks.line.ranks);
  const auto program =
      compile(context, options.compiler.empty() ? launch::compiler_of(ranks.line) : options.compiler, scratch.path());
  const auto environment = launch::environment_of(
      {{}, {}, {}, ranks.yield}, launch::search_libraries(context.executable), ranks.line, launch::inherited);
  const auto report = fs::absolute(scratch.path() / "report");
  try {
    const auto progress = progress_beside_launches(context);
    progress->stage(fmt::format("measure for about {:.0f} s", options.seconds));
    launch::run_reporting(context.launcher,
                          {program.string(), fmt::format("{}", options.seconds), std::to_string(options.largest),
                           options.pairs ? "1" : "0", std::to_string(done), points.string(), report.string()},
                          "netbench", environment, scratch.path(), context.launch);
  } catch (const Error&) {
    std::error_code ignored;
    if (kept && fs::exists(points, ignored))
      note(context, points.string() + " keeps what was measured; the same command goes on from there");
    throw;
  }
  if (std::string said; std::getline(std::ifstream(report), said) && said == R"({"ranks":1})")
    throw Error(Code::mismatch, context.launcher[0], {}, "starts one rank, or each by itself; a network needs two",
                "start more ranks, with launcher and compiler (--cc) of one MPI");
  auto result = network::read_points(points);
  if (const auto listed = network::listed(result); listed != result.all)
    throw Error(Code::mismatch, points.string(), {}, fmt::format("has {} of {} points", listed, result.all),
                "remove it and measure again");
  return result;
}

double microseconds(double seconds) { return seconds * 1e6; }

Json json_of(const network::Line& line) {
  return {{"from", line.from},
          {"to", line.to},
          {"t0_us", microseconds(line.t0_s)},
          {"us_per_byte", microseconds(line.s_per_byte)}};
}

/// "spare", "ideal" or "congested".
const char* state_of(const network::States& states, double bytes) {
  return bytes < states.ideal_from                                  ? "spare"
         : states.congested_from && bytes >= *states.congested_from ? "congested"
                                                                    : "ideal";
}

const network::Curve* curve_of(const network::Model& model, const std::string& pattern, int ranks) {
  for (const auto& curve : model.curves)
    if (curve.pattern == pattern && curve.ranks == ranks) return &curve;
  return nullptr;
}

Json json_of(const network::Points& points, const network::Model& model) {
  Json json{{"schema", "skelgen.netbench/1"}, {"ranks", points.ranks}, {"mpi", points.mpi},
            {"points", Json::array()},        {"fits", Json::array()}, {"states", Json::array()}};
  for (const auto& point : points.points) {
    const auto* curve = curve_of(model, point.pattern, point.ranks);
    const auto bytes = static_cast<double>(point.bytes);
    json["points"].push_back({{"pattern", point.pattern},
                              {"ranks", point.ranks},
                              {"bytes", point.bytes},
                              {"seconds", point.seconds},
                              {"least_s", point.least_s},
                              {"spread", point.spread},
                              {"samples", point.samples},
                              {"mb_per_s", bytes / point.seconds / 1e6},
                              {"state", curve ? Json(state_of(curve->states, bytes)) : Json()}});
    if (point.from >= 0) json["points"].back().update(Json{{"from", point.from}, {"to", point.to}});
  }
  for (const auto& curve : model.curves) {
    Json one{{"pattern", curve.pattern},
             {"ranks", curve.ranks},
             {"t0_us", microseconds(curve.fit.all.t0_s)},
             {"us_per_byte", microseconds(curve.fit.all.s_per_byte)},
             {"r2", curve.fit.r2},
             {"residual", curve.fit.residual},
             {"lines", Json::array()}};
    for (const auto& line : curve.fit.lines) one["lines"].push_back(json_of(line));
    json["fits"].push_back(std::move(one));
    const double shortest = curve.samples.front().bytes, longest = curve.samples.back().bytes;
    const auto& states = curve.states;
    json["states"].push_back({{"pattern", curve.pattern},
                              {"ranks", curve.ranks},
                              {"spare", states.ideal_from > shortest ? Json{shortest, states.ideal_from} : Json()},
                              {"ideal", Json{states.ideal_from, states.congested_from.value_or(longest)}},
                              {"congested", states.congested_from ? Json{*states.congested_from, longest} : Json()},
                              {"best_mb_per_s", states.best_bytes_per_s / 1e6}});
  }
  if (const auto& is = model.loggp)
    json["loggp"] = {{"L_us", microseconds(is->latency_s)},
                     {"o_s_us", microseconds(is->send_s)},
                     {"o_r_us", microseconds(is->receive_s)},
                     {"g_us", microseconds(is->gap_s)},
                     {"G_us_per_byte", microseconds(is->per_byte_s)}};
  return json;
}

std::string length(double bytes) { return format_bytes(bytes); }

void print(std::ostream& out, const network::Model& model) {
  Table table({"pattern", "ranks", "t0, us", "1/r_inf, ns/B", "ranges", "residual", "best MB/s", "ideal from",
               "congested from"});
  for (const auto& curve : model.curves) {
    const auto& states = curve.states;
    table.add({curve.pattern, std::to_string(curve.ranks), fmt::format("{:.2f}", microseconds(curve.fit.all.t0_s)),
               fmt::format("{:.3f}", curve.fit.all.s_per_byte * 1e9), std::to_string(curve.fit.lines.size()),
               format_percent(curve.fit.residual), fmt::format("{:.0f}", states.best_bytes_per_s / 1e6),
               length(states.ideal_from), states.congested_from ? length(*states.congested_from) : "-"});
  }
  table.print(out);
  if (const auto& is = model.loggp)
    out << fmt::format("LogGP  L {:.2f} us, o_s {:.2f} us, o_r {:.2f} us, g {:.2f} us, G {:.4f} ns/B\n",
                       microseconds(is->latency_s), microseconds(is->send_s), microseconds(is->receive_s),
                       microseconds(is->gap_s), is->per_byte_s * 1e9);
}

int netbench(const Context& context, const NetbenchOptions& options) {
  if (options.output == "-" && options.json)
    throw Error(Code::usage, "-o - and --json both write to standard output", "give one of them");
  if (!options.output.empty()) require_writable_output(options.output);
  const auto points = measure(context, options);
  const auto model = network::model_of(points);
  if (const auto why = network::misfit(model); !why.empty()) note_spoilt(context, why);
  const auto json = json_of(points, model);
  if (!options.output.empty()) write_output(context, options.output, json.dump(2) + "\n");
  if (keeps_points(options)) fs::remove(options.output + ".points");
  if (options.output == "-") return 0;
  if (options.json)
    print_json(context.out, json);
  else
    print(context.out, model);
  return 0;
}

}  // namespace

Command add_netbench(CLI::App& parent) {
  auto* app =
      parent.add_subcommand("netbench", "Measure start-up times and bandwidths of the network between the ranks");
  set_usage(*app, "netbench [OPTIONS] -- LAUNCHER...");
  const auto options = std::make_shared<NetbenchOptions>();
  app->add_option("-o,--output", options->output, "File for the result; - for stdout")->type_name("NET.json");
  app->add_option("--seconds", options->seconds, "Time for all measurements together")
      ->check(positive_number())
      ->capture_default_str()
      ->type_name("SECONDS");
  app->add_option("--largest", options->largest, "Longest message")
      ->check(whole_number(8, static_cast<std::uint64_t>(kLargest)))
      ->capture_default_str()
      ->type_name("BYTES");
  app->add_flag("--pairs", options->pairs,
                "A ping-pong of every pair of ranks, too, where some are nearer than others");
  app->add_option("--cc", options->compiler, "MPI compiler (default: mpicc of the launcher's MPI)")->type_name("MPICC");
  app->add_flag("--json", options->json, "One JSON object on stdout");
  add_yield_option(*app, options->yield);
  app->footer("The program that measures is added to the end of LAUNCHER.");
  return {app, LauncherLine::needed, [=](const Context& context) { return netbench(context, *options); }};
}

}  // namespace skelgen::cli
