// skelgen verify: re-trace the skeleton at scale 1 and compare with the trace, call by call.

#include "verify/verify.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "build/generalize.h"
#include "build/sites.h"
#include "cli/commands.h"
#include "cli/given.h"
#include "cli/ranks.h"
#include "cli/table.h"
#include "cli/verify_cause.h"
#include "emit/emit.h"
#include "launch/temporary.h"
#include "normalize/normalize.h"
#include "predict/skeleton_run.h"
#include "trace/trace.h"

namespace skelgen::cli {
namespace {

struct VerifyOptions {
  std::string directory, skeleton, compiler;
  launch::Yield yield = launch::Yield::automatic;
  bool json = false;
};

/// The lines in source files of the call that differs, as far as they are known.
struct Lines {
  std::string expected, actual;
};

Json json_of(const verify::Context& context, const std::string& line) {
  const auto list = [](const std::vector<verify::Context::Call>& calls) {
    Json all = Json::array();
    for (const auto& [index, text] : calls) all.push_back({{"index", index}, {"call", text}});
    return all;
  };
  return {{"index", context.index},
          {"before", list(context.before)},
          {"after", list(context.after)},
          {"handles", context.handles},
          {"line", line.empty() ? Json() : Json(line)}};
}

Json json_of(const verify::Report& report, const predict::SkeletonInfo& skeleton, const Lines& lines,
             const std::optional<Cause>& cause) {
  Json json{{"schema", "skelgen.verify/1"},    {"identical", report.identical},         {"tolerance", nullptr},
            {"normalize", skeleton.normalize}, {"calls_checked", report.calls_checked}, {"first_difference", nullptr}};
  if (skeleton.tolerance > 0)
    json["tolerance"] = {{"share", skeleton.tolerance},
                         {"within", report.within_tolerance()},
                         {"calls_changed", report.counts_changed},
                         {"largest_change", report.largest_change}};
  if (const auto& difference = report.first_difference)
    json["first_difference"] = {{"rank", difference->rank},
                                {"index", difference->index},
                                {"expected", difference->expected},
                                {"actual", difference->actual},
                                {"expected_context", json_of(difference->expected_context, lines.expected)},
                                {"actual_context", json_of(difference->actual_context, lines.actual)}};
  json["bytes_matrix_identical"] = report.bytes_matrix_identical;
  json["wildcards"] = {{"by_recorded_source", report.by_recorded_source},
                       {"matched_otherwise", report.matched_otherwise}};
  json["opaque_skipped"] = report.opaque_skipped;
  json["cause"] = cause ? Json{{"name", cause->name}, {"text", cause->text}, {"remedy", cause->remedy}} : Json();
  return json;
}

std::string identical_text(const verify::Report& report, double tolerance) {
  if (report.identical) return "yes";
  if (!report.within_tolerance()) return "no";
  return fmt::format("no, but within the tolerance of {}: {} calls have other counts, by {:.2f} % at most",
                     format_percent(tolerance), format_count(report.counts_changed), 100 * report.largest_change);
}

/// The call that differs among its neighbours, and what it names.
std::string context_text(const char* side, const std::string& differs, const verify::Context& context,
                         const std::string& line) {
  std::string text = fmt::format("{}{}\n", side, line.empty() ? "" : fmt::format(", {}", line));
  for (const auto& [index, call] : context.before) text += fmt::format("  {:>10}  {}\n", index, call);
  text += fmt::format("> {:>10}  {}\n", context.index, differs);
  for (const auto& handle : context.handles) text += fmt::format("  {:>10}    {}\n", "", handle);
  for (const auto& [index, call] : context.after) text += fmt::format("  {:>10}  {}\n", index, call);
  return text;
}

std::string mpi_of(const trace::Trace& trace) {
  const auto& first = trace.rank_info().front();
  return fmt::format("{} {}", first.mpi_name, first.mpi_version);
}

/// A text in skeleton.json, which others may have written; empty: it has none.
std::string word(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Cause cause_of(const VerifyOptions& options, const predict::SkeletonInfo& skeleton, const trace::Trace& original,
               const trace::Trace& replay, const verify::Report& report) {
  Evidence known{.traced_run = original.run_id(),
                 .built_from_run = word(skeleton.json, "run"),
                 .of_no_trace = skeleton.edited,
                 .edited_file = emit::edited_file(options.skeleton),
                 .built_by = word(skeleton.json, "version"),
                 .here = SKELGEN_VERSION,
                 .traced_mpi = mpi_of(original),
                 .replayed_mpi = mpi_of(replay),
                 .matched_otherwise = report.matched_otherwise,
                 .poll = {},
                 .directory = options.directory,
                 .skeleton = options.skeleton};
  const auto& difference = report.first_difference;
  if (difference && difference->outcome_only && polls(*difference->expected_context.function))
    known.poll = difference->expected_context.function->name;
  return cause_of(known);
}

/// Where the call that differs stands, if `of` has sites.
std::string line_of(const Context& context, const trace::Trace& of, const verify::Context& differs) {
  if (!of.has_sites() || !differs.function) return {};
  const auto calls = normalize::classes(of, {.sites = true});
  const auto location = std::ranges::find(calls.locations, differs.where, &normalize::LocationCalls::where);
  return location == calls.locations.end()
             ? std::string()
             : build::line_of(context.launch, of, *location, static_cast<std::size_t>(differs.index));
}

/// A text against a trace, call by call as it says what is called, without a run. Of one for any number of ranks: at that of
/// the trace.
int verify_text(const Context& context, const VerifyOptions& options) {
  if (!context.launcher.empty())
    throw Error(Code::usage, fmt::format("{} is a text, which is compared without a run", options.skeleton),
                "leave out -- and what follows");
  const auto trace = trace::open(options.directory, {.allow_incomplete = false});
  const auto traced = normalize::classes(trace);
  std::uint64_t calls = 0;
  for (const auto& location : traced.locations) calls += location.calls.size();
  const auto text = build::text_of_file(options.skeleton);
  auto difference = build::difference(traced, text, options.skeleton);
  // The rules of a text may be for other ways of telling buffers apart.
  if (difference)
    for (const auto& [areas, other] : build::with_other_areas(trace, traced))
      if (difference && !build::difference(other, text, options.skeleton, areas)) difference.reset();
  const double tolerance =
      difference ? 0 : build::skeleton_at(text, options.skeleton, static_cast<std::uint32_t>(trace.ranks())).tolerance;
  if (options.json) {
    Json json{{"schema", "skelgen.verify/1"},
              {"identical", !difference && tolerance == 0},
              {"calls_checked", difference ? Json() : Json(calls)},
              {"tolerance", tolerance > 0 ? Json{{"share", tolerance}} : Json()},
              {"first_difference", nullptr}};
    if (difference)
      json["first_difference"] = {{"rank", difference->rank},
                                  {"index", difference->index},
                                  {"expected", difference->expected},
                                  {"actual", difference->actual}};
    print_json(context.out, json);
  } else {
    context.out << fmt::format("identical      {}\n",
                               difference      ? "no"
                               : tolerance > 0 ? fmt::format("no, but counts are within {} of those traced, and all "
                                                             "else is equal",
                                                             format_percent(tolerance))
                                               : "yes");
    if (!difference) context.out << fmt::format("calls checked  {}, as the text says them\n", format_count(calls));
  }
  if (!difference) return 0;
  throw Error(Code::mismatch, options.skeleton, {},
              fmt::format("rank {}, call {}: expected {}, got {}", difference->rank, difference->index,
                          difference->expected, difference->actual));
}

int verify_command(const Context& context, const VerifyOptions& options) {
  if (given(options.skeleton) == Given::text) return verify_text(context, options);
  const auto original = trace::open(options.directory, {.allow_incomplete = false});
  const auto skeleton = predict::read_skeleton_info(options.skeleton);
  if (skeleton.ranks != original.ranks())
    throw Error(
        Code::mismatch, options.skeleton, {},
        fmt::format("a skeleton of {} ranks, but {} has {}", skeleton.ranks, options.directory, original.ranks()),
        "give the trace that it was built from");
  require_launcher_alone(context.launcher, skeleton, fmt::format("verify {} {}", options.directory, options.skeleton));
  const auto line = predict::launcher_line(skeleton, context.launcher);
  launch::require_program(line[0]);
  const auto libraries = launch::find_libraries(context.executable);
  const auto ranks = plan_ranks(context, line, options.yield);
  require_ranks(ranks.line, skeleton.ranks, options.skeleton);
  if (predict::tests_wait(skeleton, ranks.line)) note(context, predict::kTestsWait);
  const launch::TemporaryDirectory scratch(launch::scratch_parent(), "verify");
  const auto replayed = scratch.path() / "replay.trace";
  std::filesystem::create_directory(replayed);
  auto progress = progress_beside_launches(context);
  progress->stage("compile the skeleton");
  const auto program = predict::compile(skeleton, scratch.path(),
                                        predict::compiler_for(skeleton, ranks.line, options.compiler), context.launch,
                                        /*optimize=*/false);
  auto environment =
      launch::environment_of({.out = replayed, .mode = "record", .counters = {}, .yield = ranks.yield, .sites = true},
                             libraries, ranks.line, launch::inherited);
  environment.emplace_back("SKEL_SCALE", "1");
  environment.emplace_back("SKEL_WILDCARDS", "recorded");
  environment.emplace_back("SKEL_COMPUTE", "time");  // the processor's speeds need not be measured
  progress->stage("trace the skeleton");
  predict::run_skeleton(program, line, environment, scratch.path(), context.launch);

  progress->stage("compare");
  const auto replay = trace::open(replayed, {.allow_incomplete = false});
  // What stands in canonical order in the skeleton is compared in canonical order.
  auto expected = normalize::classes(original);
  if (skeleton.normalize == "exchange") expected = normalize::exchange(expected);
  const auto report = verify::compare(expected, normalize::classes(replay),
                                      {skeleton.tolerance, skeleton.shared_memory, skeleton.tests_go_on});
  progress.reset();
  Lines lines;
  std::optional<Cause> cause;
  if (!report.within_tolerance()) cause = cause_of(options, skeleton, original, replay, report);
  if (const auto& difference = report.first_difference)
    // Sites are in recorded order, which is not that of exchanges.
    lines = {
        skeleton.normalize == "exchange" ? std::string() : line_of(context, original, difference->expected_context),
        line_of(context, replay, difference->actual_context)};
  if (options.json) {
    print_json(context.out, json_of(report, skeleton, lines, cause));
  } else {
    context.out << fmt::format(
        "identical      {}\ncalls checked  {}{}\nnot replayed   {}{}\nbytes matrix   {}\n",
        identical_text(report, skeleton.tolerance), format_count(report.calls_checked),
        skeleton.normalize == "exchange" ? ", with exchanges as receive, send, wait" : "",
        format_count(report.opaque_skipped),
        report.opaque_skipped > 0 ? " calls, known by name only: the skeleton spends their time" : "",
        report.bytes_matrix_identical ? "identical" : "different");
    if (const auto& difference = report.first_difference)
      context.out << fmt::format("\nfirst difference, of rank {}\n", difference->rank)
                  << context_text("trace", difference->expected, difference->expected_context, lines.expected)
                  << context_text("skeleton", difference->actual, difference->actual_context, lines.actual);
  }
  if (!cause) return 0;
  const auto& difference = report.first_difference;
  const std::string what = difference ? fmt::format("rank {}, call {}: expected {}, got {}", difference->rank,
                                                    difference->index, difference->expected, difference->actual)
                                      : "the replay differs from the trace";
  throw Error(Code::mismatch, options.skeleton, {}, fmt::format("{} ({})", what, cause->text), cause->remedy);
}

}  // namespace

Command add_verify(CLI::App& parent) {
  auto* app =
      parent.add_subcommand("verify", "Trace a skeleton at scale 1 and compare with the original trace, call by call");
  set_usage(*app, "verify [OPTIONS] DIR SKEL [-- LAUNCHER...]");
  const auto options = std::make_shared<VerifyOptions>();
  app->add_option("DIR", options->directory, "Trace directory that the skeleton was built from")->required();
  app->add_option("SKEL", options->skeleton,
                  "Skeleton directory; or a text, also one for any number of ranks, which is compared without a run")
      ->required();
  app->add_option("--cc", options->compiler, "MPI compiler (default: of the launcher's MPI)")->type_name("MPICC");
  app->add_flag("--json", options->json, "One JSON object on stdout");
  add_yield_option(*app, options->yield);
  app->footer(
      "Exit status 1 when a call differs, for a skeleton built with --tolerance by more than a count within it; the "
      "first difference is shown.");
  return {app, LauncherLine::optional, [=](const Context& context) { return verify_command(context, *options); }};
}

}  // namespace skelgen::cli
