// skelgen build: trace -> skeleton directory.

#include "build/build.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <sstream>

#include "cli/commands.h"
#include "cli/given.h"
#include "cli/notes.h"
#include "cli/table.h"
#include "emit/memory.h"
#include "emit/timing.h"
#include "predict/skeleton_run.h"

namespace skelgen::cli {
namespace {

struct BuildArguments {
  std::string directory, emit;
  std::optional<std::string> output;
  build::Options wanted;
  std::optional<double> scale;
  std::optional<fold::RunsBy> runs;
  std::optional<std::uint64_t> look_ahead;
  bool json = false, verbose = false, force = false, plan = false;
};

const char* text(fold::RunsBy by) {
  return by == fold::RunsBy::sa_is ? "sa-is" : by == fold::RunsBy::dc3 ? "dc3" : "lyndon";
}

/// What --tolerance changed; null without it.
Json json_of(const std::optional<merge::CountChanges>& changes) {
  if (!changes) return nullptr;
  const auto totals = [](const merge::CountChange& of) {
    return Json{{"calls_changed", of.calls_changed},
                {"bytes_before", of.bytes_before},
                {"bytes_after", of.bytes_after},
                {"largest_change", of.largest_change}};
  };
  Json json{{"share", changes->share}};
  json.update(totals(changes->all));
  json["by_function"] = Json::object();
  for (const auto& [name, of] : changes->by_function) {
    json["by_function"][name] = {{"calls", of.calls}};
    json["by_function"][name].update(totals(of));
  }
  return json;
}

/// The cut loops.
Json json_of(const emit::Plan& plan) {
  Json json = Json::array();
  for (const auto& phase : plan.phases)
    if (phase.loop)
      json.push_back({{"name", phase.name},
                      {"executions", phase.times},
                      {"trips", phase.trips},
                      {"kept", phase.kept},
                      {"weight", phase.weight},
                      {"traced_s", phase.traced_s},
                      {"error", phase.error}});
  return json;
}

Json json_of(const build::Built& built, const std::string& output, std::optional<double> budget_s) {
  Json seconds = Json::object(), peaks = Json::object();
  for (const auto& [name, stage] : build::list(built.diagnostics.stages)) {
    seconds[name] = stage.seconds;
    peaks[name] = stage.peak_bytes;
  }
  const auto memory = emit::buffer_memory(built.result.skeleton);
  Json runs;  // null: a text has nothing to search
  if (!built.provenance.text) {
    const auto& search = built.diagnostics.runs;
    runs = {{"by", text(search.by)}, {"found", search.found}, {"seconds", Json::object()}};
    runs["seconds"][text(search.by)] = search.seconds;
    runs["seconds"][text(fold::RunsBy::lyndon)] = search.lyndon_s;
  }
  Json json{
      {"schema", "skelgen.build/1"},
      {"skeleton", output},
      {"ranks", built.result.skeleton.locations.empty() ? 0 : built.result.skeleton.locations.back().where.rank + 1},
      {"records_in", built.provenance.records_in},
      {"unsuccessful_polls", built.provenance.polls},
      {"merged_statements", built.diagnostics.merged_statements},
      {"folded_statements", built.diagnostics.folded_statements},
      {"argument_values", skeleton::argument_values(built.result.skeleton)},
      {"main_loop",
       {{"body", built.diagnostics.main_loop.body},
        {"trips", built.diagnostics.main_loop.trips},
        {"share", built.diagnostics.main_loop.share}}},
      {"scale", built.result.plan.scale},
      {"normalize", build::text(built.provenance.order)},
      {"exchanges", built.provenance.exchanges},
      {"lossless", build::lossless(built)},
      {"tolerance", json_of(built.diagnostics.changes)},
      {"deadlock_free", built.result.deadlock.checked ? Json(built.result.deadlock.safe) : Json(nullptr)},
      {"buffer_bytes", {{"most", memory.most}, {"all", memory.all}, {"shared", memory.shared}}},
      {"expected_run_s", built.result.plan.expected_run_s},
      {"traced_wall_s", built.result.skeleton.traced_wall_s},
      {"pools", built.result.skeleton.pools.size()},
      {"budget_met", !budget_s || built.result.plan.expected_run_s <= *budget_s},
      {"plan", json_of(built.result.plan)},
      {"uncut", built.result.plan.uncut.empty() ? Json(nullptr) : Json(built.result.plan.uncut)},
      {"not_cut", built.result.plan.not_cut},
      {"opaque_calls", Json::object()},
      {"hints_left_out", built.provenance.hints_left_out},
      {"suspended_calls", built.provenance.suspended},
      {"concurrency", built.provenance.concurrency},
      {"work", nullptr},
      {"runs", runs},
      {"seconds", seconds},
      {"stage_peak_rss_bytes", peaks},
      {"peak_rss_bytes", peak_rss_bytes()}};
  for (const auto& [name, calls] : built.provenance.opaque) json["opaque_calls"][name] = calls;
  if (const auto& work = built.diagnostics.work)
    json["work"] = {{"places", work->places}, {"profiled", work->visited}, {"share", work->share}};
  return json;
}

/// The cut loops of which more is run than K asks for, so that there is enough to measure.
std::string longer_loops(const emit::Plan& plan) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> loops;
  bool all = true;
  for (const auto& phase : plan.phases) {
    if (!phase.raised) continue;
    const auto run = phase.run();
    all = all && run == phase.trips;
    loops.push_back(fmt::format("{} of {} iterations of {}", format_count(run), format_count(phase.trips), phase.name));
  }
  if (loops.empty()) return {};
  std::string text = fmt::format("{}", fmt::join(loops.begin(), loops.begin() + std::min(kNamed, loops.size()), ", "));
  if (loops.size() > kNamed)
    text = all ? fmt::format("all iterations of {} loops", loops.size())
               : fmt::format("{}, and more of {} other loop{}", text, loops.size() - kNamed,
                             loops.size() - kNamed == 1 ? "" : "s");
  return text + " run: fewer are too short to time";
}

void tell_budget(const Context& context, const emit::Plan& plan, double budget_s) {
  if (plan.expected_run_s > budget_s)
    note(context, fmt::format("no K was found for the budget of {}: the shortest skeleton found runs {}",
                              format_seconds(budget_s), format_seconds(plan.expected_run_s)));
}

/// "-0.031 %"
std::string change_text(const merge::CountChange& of) {
  const double before = static_cast<double>(of.bytes_before), after = static_cast<double>(of.bytes_after);
  return fmt::format("{:+.3f} %", before > 0 ? 100 * (after - before) / before : 0);
}

void print_changes(std::ostream& out, const merge::CountChanges& changes) {
  const auto line = [&](const std::string& text) { out << fmt::format("{:<12}{}\n", "", text); };
  if (changes.all.calls_changed == 0)
    return line(fmt::format("no counts within {} of each other could be merged so that the program gets shorter",
                            format_percent(changes.share)));
  Table table({"counts", "calls", "changed", "most", "bytes", "change"});
  const auto row = [&](const std::string& name, const merge::CountChange& of) {
    table.add({name, format_count(of.calls), format_count(of.calls_changed),
               fmt::format("{:.2f} %", 100 * of.largest_change), format_bytes(static_cast<double>(of.bytes_before)),
               change_text(of)});
  };
  for (const auto& [name, of] : changes.by_function) row(name, of);
  row("all calls", changes.all);
  std::ostringstream text;
  table.print(text);
  std::istringstream lines(text.str());
  for (std::string one; std::getline(lines, one);) line(one);
}

/// Says which loop makes the skeleton longer than K asks for because of iterations that always run; empty: none does.
std::string always_run(const emit::Plan& plan, double traced_s) {
  constexpr double kMuchLonger = 1.5, kMuch = 0.2;  // than K asks for; of the run
  if (plan.scale * plan.expected_run_s < kMuchLonger * traced_s) return {};
  const emit::Phase* longest = nullptr;
  for (const auto& phase : plan.phases) {
    const auto run = phase.run();
    const auto wanted = static_cast<double>(phase.trips) / plan.scale, more = static_cast<double>(run) - wanted;
    const auto always = static_cast<double>(run - std::min(run, phase.kept));
    if (!phase.loop || run >= phase.trips || phase.traced_s < kMuch * traced_s || more < (kMuchLonger - 1) * wanted ||
        always < more / 2)
      continue;
    if (!longest || phase.traced_s > longest->traced_s) longest = &phase;
  }
  if (!longest) return {};
  const auto each = longest->ends[0].first + longest->ends[0].last;
  return fmt::format("{} of {} iterations of {} run: {} of each execution always run{}", format_count(longest->run()),
                     format_count(longest->trips), longest->name, format_count(each), each == 1 ? "s" : "");
}

/// What is cut, and what not; with_plan: each loop.
void print_cut(std::ostream& out, const emit::Plan& plan, double traced_s, bool with_plan) {
  constexpr std::size_t kMostReasons = 3;
  constexpr double kWorthALine = 0.01;
  const auto line = [&](const char* name, const std::string& value) { out << fmt::format("{:<12}{}\n", name, value); };
  const auto share = [&](double seconds) { return format_percent(traced_s > 0 ? seconds / traced_s : 0); };
  Table table({"loop", "trips", "run", "weight", "of the run time", "sampling error"});
  for (const auto& phase : plan.phases) {
    if (!phase.loop || phase.run() >= phase.trips) continue;
    table.add({phase.name, format_count(phase.trips), format_count(phase.run()), fmt::format("{:.4g}", phase.weight),
               share(phase.traced_s), fmt::format("{:.2f} %", 100 * phase.error)});
  }
  if (plan.left_out_s > kWorthALine * traced_s)
    line("left out", fmt::format("{} of long computation that all ranks have in common: counted, not spent",
                                 format_seconds(plan.left_out_s)));
  if (plan.cut_s == 0) return;
  line("cut", fmt::format("loops that take {} of the run time", share(plan.cut_s)));
  for (std::size_t i = 0; i < std::min(kMostReasons, plan.not_cut.size()); ++i) line("not cut", plan.not_cut[i]);
  if (!with_plan) return;
  std::ostringstream text;
  table.print(text);
  std::istringstream lines(text.str());
  for (std::string one; std::getline(lines, one);) line("", one);
  line("",
       "(weights are by traced times, in a prediction by measured ones; shares are of the rank that is longest in each "
       "loop and need not add up)");
}

/// "loop 1: 8 statements, 180 trips, 99.2 % of the ranks' time": the cut loop that takes most, by the name that it has in all
/// outputs, where it has at least half of the main loop's time; else the main loop, which has no name. Empty: no loop.
std::string main_loop_text(const build::Built& built) {
  auto main = built.diagnostics.main_loop;
  if (!main.trips) return {};
  const emit::Plan& plan = built.result.plan;
  const emit::Phase* most = nullptr;
  for (const auto& phase : plan.phases)
    if (phase.loop && plan.scale > 1 && (!most || phase.traced_s > most->traced_s)) most = &phase;
  std::string name;
  if (most) {
    const emit::Timing timing(built.result.skeleton);
    const double share = timing.total() > 0 ? timing.total(*most->loop) / timing.total() : 0;
    if (2 * share >= main.share) {
      name = most->name + ": ";
      main = {skeleton::length(most->loop->loop().body), most->trips, share};
    }
  }
  return fmt::format("{}{} statement{}, {} trips, {} of the ranks' time", name, format_count(main.body),
                     main.body == 1 ? "" : "s", format_count(main.trips), format_percent(main.share));
}

/// ranks: of a text for any number.
void print(std::ostream& out, const build::Built& built, const std::string& output, bool with_plan,
           std::optional<std::uint32_t> ranks) {
  const auto line = [&](const char* name, const std::string& value) { out << fmt::format("{:<12}{}\n", name, value); };
  line("skeleton", output);
  line("calls", fmt::format("{} -> {} statements", format_count(built.provenance.records_in),
                            format_count(built.diagnostics.folded_statements)));
  if (const auto text = main_loop_text(built); !text.empty()) line("main loop", text);
  if (built.provenance.polls)
    line("polls",
         fmt::format("{} calls that found nothing are waiting time, not calls", format_count(built.provenance.polls)));
  line("lossless", build::lossless(built) ? "yes: expanding it gives every recorded call"
                   : ranks ? fmt::format("no: made for {} ranks, not traced with them{}", format_count(*ranks),
                                         built.result.skeleton.tolerance > 0
                                             ? ", and approximate: counts that follow from data are their mean"
                                             : "")
                   : built.result.skeleton.edited
                       ? "no: the text was edited or written by hand"
                       : fmt::format("no: counts are within {} of what was recorded, all else is equal",
                                     format_percent(built.result.skeleton.tolerance)));
  if (built.diagnostics.changes) print_changes(out, *built.diagnostics.changes);
  if (built.provenance.order == build::Order::exchange)
    line("order",
         built.provenance.exchanges == 0
             ? "as traced: there are no mutual exchanges by blocking sends and receives"
             : fmt::format("{} exchanges stand as receive, send, wait: not for predictions where ranks wait in a chain",
                           format_count(built.provenance.exchanges)));
  constexpr double kAsLong = 0.9;  // of the traced run
  const bool uncut = built.result.plan.scale > 1 && !built.result.plan.uncut.empty();
  line("scale", fmt::format("{:.6g}{}; estimated run {} (traced {})", built.result.plan.scale,
                            uncut ? " without effect" : "", format_seconds(built.result.plan.expected_run_s),
                            format_seconds(built.result.skeleton.traced_wall_s)));
  if (const auto loops = longer_loops(built.result.plan); !loops.empty())
    line("", loops);
  else if (const auto always = always_run(built.result.plan, built.result.skeleton.traced_wall_s); !always.empty())
    line("", always);
  if (uncut) line("", "no loop is cut: " + built.result.plan.uncut);
  if (uncut && built.result.plan.expected_run_s > kAsLong * built.result.skeleton.traced_wall_s)
    line("",
         "the skeleton runs about as long as the program, and its prediction is valid all the same; for a short one "
         "trace fewer tasks or steps");
  if (built.result.plan.scale > 1) print_cut(out, built.result.plan, built.result.skeleton.traced_wall_s, with_plan);
  const auto memory = emit::buffer_memory(built.result.skeleton);
  line("memory",
       fmt::format("{} of buffers on a rank at most, {} in all{}", format_bytes(static_cast<double>(memory.most)),
                   format_bytes(static_cast<double>(memory.all)),
                   memory.shared > 0
                       ? fmt::format("; sharing saves {}", format_bytes(static_cast<double>(memory.shared)))
                       : ""));
  line("deadlock", !built.result.deadlock.checked  ? "not checked, as the note says"
                   : built.result.deadlock.certain ? "certain, as the note says"
                   : !built.result.deadlock.safe   ? "possible, as the note says"
                   : built.provenance.order == build::Order::exchange
                       ? "none in this order, even with synchronous sends"
                       : "none, even with synchronous sends");
  if (const auto& work = built.diagnostics.work)
    line("work", fmt::format("{} of the computation is profiled", format_percent(work->share)));
  if (!built.result.skeleton.pools.empty())
    line("pools", fmt::format("{}: whoever is free gets the next message", built.result.skeleton.pools.size()));
  double seconds = 0;
  for (const auto& [name, stage] : build::list(built.diagnostics.stages)) seconds += stage.seconds;
  line("built in",
       fmt::format("{} ({} at most)", format_seconds(seconds), format_bytes(static_cast<double>(peak_rss_bytes()))));
}

/// Where time and memory went.
void print_stages(std::ostream& err, const build::Built& built) {
  for (const auto& [name, stage] : build::list(built.diagnostics.stages))
    err << fmt::format("{:<12}{:>10}  {:>10}\n", name, format_seconds(stage.seconds),
                       format_bytes(static_cast<double>(stage.peak_bytes)));
}

/// Without those that say how a trace becomes a program.
void refuse_for_text(const BuildArguments& options) {
  const char* name = options.wanted.fold                                  ? "--fold"
                     : options.runs                                       ? "--runs"
                     : options.wanted.merge != build::Merge::folded       ? "--merge"
                     : options.look_ahead                                 ? "--look-ahead"
                     : options.wanted.normalize != build::Order::strict   ? "--normalize"
                     : options.wanted.wildcards != build::Wildcards::safe ? "--wildcards"
                     : options.wanted.tolerance > 0                       ? "--tolerance"
                     : options.wanted.sites                               ? "--annotate"
                                                                          : nullptr;
  if (name)
    throw Error(Code::usage, fmt::format("{} is for traces, and {} is a text", name, options.directory),
                "leave it out");
}

/// The run that the skeleton there was made of; empty: not known, or no skeleton.
std::string run_of_skeleton(const std::string& directory) {
  if (!predict::is_skeleton(directory)) return {};
  const auto json = Json::parse(std::ifstream(std::filesystem::path(directory) / "skeleton.json"), nullptr, false);
  return json.is_object() && json.contains("run") && json["run"].is_string() ? json["run"].get<std::string>() : "";
}

int build_command(const Context& context, const BuildArguments& options) {
  if (options.scale && options.wanted.budget_s)
    throw Error(Code::usage, "--scale and --budget exclude each other", "give one of them");
  if (options.output && options.output->empty())
    throw Error(Code::usage, "-o: an empty name", "name the skeleton's directory");
  if (options.output && options.emit != "text") require_directory_name(*options.output, "a skeleton");
  build::Options wanted = options.wanted;
  wanted.scale = options.scale.value_or(wanted.scale);
  wanted.runs = options.runs.value_or(wanted.runs);
  if (options.runs && wanted.fold == fold::Mode::stream)
    throw Error(Code::usage, "--runs is for sequences in memory, which --fold stream never has",
                "leave one of them out");
  if (options.look_ahead && wanted.merge == build::Merge::folded)
    throw Error(Code::usage, "--look-ahead is for --merge seed", "give both, or none");
  wanted.look_ahead = options.look_ahead.value_or(wanted.look_ahead);
  if (context.terminal) wanted.progress = &context.err;
  if (wanted.sites && wanted.normalize == build::Order::exchange)
    throw Error(Code::usage, "--annotate says where calls were made that --normalize exchange moves",
                "give one of them");
  const std::filesystem::path from(options.directory);
  const bool of_text = given(options.directory) == Given::text;
  if (of_text) refuse_for_text(options);
  if (!of_text && wanted.ranks && std::filesystem::exists(options.directory))
    throw Error(Code::usage, fmt::format("--ranks is for texts, and {} is a trace", options.directory),
                "make a skeleton for any number of ranks: skelgen generalize");
  auto built = of_text ? build::build_text(from, wanted) : build::build(from, wanted);
  build::require_lossless(built, options.directory);
  print_notes(context, built);
  if (options.wanted.budget_s) tell_budget(context, built.result.plan, *options.wanted.budget_s);
  if (options.emit == "text") {
    if (options.output && options.output != "-")
      build::write_text(*options.output, built);
    else
      text::print(context.out, built.result.skeleton);
    return 0;
  }
  const auto output = options.output ? *options.output
                      : of_text      ? build::default_skeleton_name(from).string()
                                     : build::default_skeleton_name(trace::open(from)).string();
  if (const auto other = options.output ? std::string() : run_of_skeleton(output);
      !other.empty() && other != built.provenance.run && !options.force)
    throw Error(Code::invalid_argument, output, {}, "is the skeleton of another trace",
                "name the new one with -o, or replace that with --force");
  emit::Annotations annotations;
  if (options.wanted.sites)
    annotations =
        build::annotations(context.launch, built.result.sites, [&](const std::string& text) { note(context, text); });
  build::write(output, built, options.force, annotations);
  print_size_note(context, output);
  if (options.verbose) print_stages(context.err, built);
  if (options.json)
    print_json(context.out, json_of(built, output, options.wanted.budget_s));
  else
    print(context.out, built, output, options.plan, wanted.ranks);
  return 0;
}

}  // namespace

Command add_build(CLI::App& parent) {
  auto* app = parent.add_subcommand("build", "Make a skeleton program from a trace or from the text form of one");
  set_usage(*app, "build [OPTIONS] DIR");
  const auto options = std::make_shared<BuildArguments>();
  app->add_option("DIR", options->directory,
                  "Trace directory, or a text that --emit text wrote or that was written by hand")
      ->required();
  app->add_option("-o,--output", options->output,
                  "Directory of the skeleton (default: APP.skel in the working directory, APP being the traced "
                  "program's name or the text's); with --emit text: the file, - for stdout")
      ->type_name("SKEL");
  app->add_option("--ranks", options->wanted.ranks,
                  "Of a skeleton for any number of ranks (skelgen generalize): how many")
      ->check(whole_number(1, std::uint64_t{1} << 20))
      ->type_name("N");
  app->add_option("--scale", options->scale, "Run main loops K times shorter (default: 10)")
      ->check(number_from(1))
      ->type_name("K");
  app->add_flag("--plan", options->plan, "Print which loops are cut, and how");
  app->add_option("--budget", options->wanted.budget_s, "Choose K so that the skeleton runs at most S seconds")
      ->check(positive_number())
      ->type_name("S");
  add_choice(
      *app, "--fold", options->wanted.fold,
      {{"best", fold::Mode::best}, {"seed", fold::Mode::seed}, {"stream", fold::Mode::stream}},
      "How loops are found: best: fewest statements; seed: longest repetition first; stream: in one pass, in little "
      "memory (default: best; stream for more than 2^25 calls)");
  add_choice(*app, "--runs", options->runs,
             {{"lyndon", fold::RunsBy::lyndon}, {"sa-is", fold::RunsBy::sa_is}, {"dc3", fold::RunsBy::dc3}},
             "How repetitions are found, with the same result: lyndon: by Lyndon roots; sa-is, dc3: by a suffix "
             "array made in this way, as in the 2010 paper, to compare times in --json (default: lyndon)");
  add_choice(
      *app, "--merge", options->wanted.merge, {{"folded", build::Merge::folded}, {"seed", build::Merge::seed}},
      "folded: fold each class of equal ranks, then merge; seed: merge call by call, then fold (default: folded)");
  app->add_option("--look-ahead", options->look_ahead,
                  fmt::format("Calls that --merge seed looks ahead for a partner (default: {})", merge::kLookAhead))
      ->check(whole_number(1))
      ->type_name("M");
  add_choice(
      *app, "--normalize", options->wanted.normalize,
      {{"strict", build::Order::strict}, {"exchange", build::Order::exchange}},
      "strict: calls as traced; exchange: blocking exchanges as receive, send, wait on all ranks (default: strict)");
  add_choice(
      *app, "--wildcards", options->wanted.wildcards,
      {{"auto", build::Wildcards::safe}, {"keep", build::Wildcards::keep}, {"recorded", build::Wildcards::recorded}},
      "Receives of any source: auto: any where that is proved right, else the recorded one; keep: any; "
      "recorded: the recorded one (default: auto)");
  auto* memory =
      app->add_option("--max-memory", options->wanted.most_memory,
                      "Let buffers that are only written share their memory on ranks whose buffers take more "
                      "than this; 64MB, 1GB")
          ->transform(CLI::AsSizeValue(true).description(""))
          ->type_name("BYTES");
  app->add_option("--tolerance", options->wanted.tolerance,
                  "Merge counts of otherwise equal calls that differ by less than this share, and say what changed; "
                  "0: lossless (default: 0)")
      ->check(share())
      ->type_name("SHARE");
  auto* emit =
      app->add_option("--emit", options->emit,
                      "Write the intermediate form as text, to stdout or to the file of -o, instead of a directory")
          ->check(CLI::IsMember({"text"}).description(""))
          ->type_name("text")
          ->excludes(memory);
  app->add_flag(
         "--annotate", options->wanted.sites,
         "Names and lines of the program's source files beside the statements, from a trace with --sites; without "
         "it the skeleton has no text of the program")
      ->excludes(emit);
  app->add_flag("--force", options->force,
                "Replace a skeleton in which somebody edited or left something and, without -o, one of another trace")
      ->excludes(emit);
  app->add_flag("--verbose", options->verbose, "Time and memory of each stage on stderr")->excludes(emit);
  app->add_flag("--json", options->json, "One JSON object on stdout")->excludes(emit);
  return {app, LauncherLine::none, [=](const Context& context) { return build_command(context, *options); }};
}

}  // namespace skelgen::cli
