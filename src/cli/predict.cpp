// skelgen predict: compile and launch a skeleton, and say how long the original would run here.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "build/build.h"
#include "build/generalize.h"
#include "cli/commands.h"
#include "cli/given.h"
#include "cli/notes.h"
#include "cli/ranks.h"
#include "cli/scaling.h"
#include "cli/simulated.h"
#include "cli/table.h"
#include "cli/than.h"
#include "launch/cores.h"
#include "launch/temporary.h"
#include "metrics/metrics.h"
#include "predict/concurrency.h"
#include "predict/prediction.h"
#include "predict/skeleton_run.h"

namespace skelgen::cli {
namespace {

struct PredictOptions {
  std::string directory, compute = "auto", compiler;
  Simulated simulated;
  Than than;
  int runs = 0;  // 0: not given
  std::vector<int> ranks;
  double confidence = 0.95;
  launch::Yield yield = launch::Yield::automatic;
  bool json = false;
};

/// The measures of the traced run that build left in skeleton.json.
Json traced_concurrency(const predict::SkeletonInfo& skeleton) {
  Json found{{"he_sun_alpha", nullptr},
             {"phi1", nullptr},
             {"phi7", nullptr},
             {"raynal_alpha", nullptr},
             {"serialization", nullptr}};
  const auto given = skeleton.json.value("concurrency", Json());
  for (auto& [key, value] : found.items())
    if (const auto one = given.find(key); one != given.end() && one->is_number()) value = *one;
  return found;
}

/// Of the skeleton where it ran; null where it did not report its computation.
Json concurrency_here(const std::vector<predict::SkeletonRun>& runs, int ranks, const Json& traced) {
  const auto computing = predict::computing_of(runs);
  if (!computing) return {};
  const Json& serialization = traced.at("serialization");
  const auto all = predict::concurrency_of(
      *computing, ranks, serialization.is_number() ? std::optional(serialization.get<double>()) : std::nullopt);
  return {{"he_sun_alpha", all.he_sun_alpha},
          {"phi1", all.phi1},
          {"phi2", all.phi2},
          {"phi5", all.phi5},
          {"phi6", all.phi6},
          {"phi7", all.phi7},
          {"parallel", all.parallel},
          {"load_balance", all.load_balance},
          {"communication", all.communication},
          {"serialization", all.serialization},
          {"transfer", all.transfer}};
}

/// Of the measures those that need no explanation; empty if none is known. here: null where nothing was measured.
std::string text(const Json& traced, const Json& here) {
  const auto percent = [](const Json& all, const char* key) {
    const auto value = all.find(key);
    return value != all.end() && value->is_number() ? format_percent(value->get<double>()) : std::string();
  };
  const auto now = percent(here, "phi1"), before = percent(traced, "phi1"), balance = percent(here, "load_balance");
  std::string text;
  if (!now.empty()) text += fmt::format("here {} of the ranks' time", now);
  if (!now.empty() && !balance.empty()) text += fmt::format(" (load balance {})", balance);
  if (!before.empty())
    text += fmt::format("{}{}", text.empty() ? "" : "; ",
                        "when traced " + before + (now.empty() ? " of the ranks' time" : ""));
  return text.empty() ? text : fmt::format("computing           {}\n", text);
}

Json json_of(const predict::Processor& processor) {
  const auto name = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  return {{"traced", name(processor.traced)},
          {"here", name(processor.here)},
          {"same", processor.same ? Json(*processor.same) : Json()},
          {"drift", processor.drift},
          {"speeds", processor.ratios}};
}

Json json_of(const predict::Prediction& all, const Json& concurrency, const Json& here, const Json& simulated) {
  Json json{{"schema", "skelgen.predict/1"},
            {"predicted_s", all.predicted_s},
            {"low_s", all.interval ? Json(all.interval->low) : Json()},
            {"high_s", all.interval ? Json(all.interval->high) : Json()},
            {"confidence", all.confidence},
            {"too_uncertain", all.too_uncertain()},
            {"busy", all.busy()},
            {"core_wait", all.core_wait},
            {"interval_parts", Json::array()},
            {"skeleton_s", all.skeleton_s},
            {"scale", all.scale},
            {"compute", all.compute},
            {"runs", all.runs},
            {"phases", Json::array()},
            {"init_s", all.init_s},
            {"finalize_s", all.finalize_s},
            {"ranks", all.origin.ranks},
            {"traced_wall_s", all.origin.traced_wall_s},
            {"checksum", all.origin.checksum},
            {"mpi",
             {{"traced", all.traced_mpi.text()},
              {"here", all.mpi.text()},
              {"same", predict::same_mpi(all.traced_mpi, all.mpi)}}},
            {"processor", json_of(all.processor)},
            {"concurrency", concurrency},
            {"concurrency_here", here}};
  if (!simulated.is_null()) json["simulated"] = simulated;
  for (const auto& part : all.parts)
    json["interval_parts"].push_back({{"name", part.name},
                                      {"deviation", part.deviation},
                                      {"degrees", std::isfinite(part.degrees) ? Json(part.degrees) : Json()},
                                      {"assumed", part.assumed}});
  for (const auto& phase : all.phases)
    json["phases"].push_back({{"name", phase.name}, {"weight", phase.weight}, {"seconds", phase.seconds}});
  return json;
}

std::string text(const std::vector<predict::Part>& parts) {
  std::string text;
  for (const auto& part : parts)
    if (part.deviation >= 0.0005)
      text += fmt::format("{}{} {:.1f} %{}", text.empty() ? "" : ", ", part.name, 100 * part.deviation,
                          part.assumed ? " (assumed)" : "");
  return text;
}

/// Whether it is the traced one, and what is faster or slower now; empty where that is not known.
std::string text(const predict::Processor& processor) {
  if (!processor.same) return {};
  if (!*processor.same)
    return fmt::format("another processor   {} -> {}: {}\n", processor.traced,
                       processor.traced == processor.here ? "others, too" : processor.here,
                       predict::changes(processor));
  const auto now =
      processor.drift == 1 ? std::string() : fmt::format("; computation takes {:+.1f} %", 100 * (processor.drift - 1));
  return fmt::format("same processor      {}, {}{}\n", processor.here, predict::changes(processor), now);
}

void print(std::ostream& out, const predict::Prediction& all, const Json& concurrency, const Json& here,
           const Json& simulated) {
  out << "predicted run time  " << format_seconds(all.predicted_s);
  if (all.interval)
    out << fmt::format("  ({:.4g} to {:.4g} s with {:.4g} % confidence for one run)", all.interval->low,
                       all.interval->high, all.confidence * 100);
  if (all.too_uncertain())
    out << fmt::format("\n                    too uncertain to use: the upper end is {:.2g} times the lower one",
                       all.interval->high / all.interval->low);
  if (all.interval) out << "\ninterval made of:   standard deviations " << text(all.parts);
  if (!simulated.is_null()) out << "\nsimulated on        " << description(simulated);
  const bool whole =
      std::ranges::all_of(all.phases, [](const auto& phase) { return phase.weight == 1 && phase.left_out_s == 0; });
  out << fmt::format("\nfrom                {} launch{} of {}, {}, computation replayed as {}\n", all.runs.size(),
                     all.runs.size() == 1 ? "" : "es", format_seconds(all.skeleton_s),
                     whole ? "the whole program (nothing is left out)" : fmt::format("scale {:.6g}", all.scale),
                     all.compute == "time" ? "traced time" : all.compute);
  if (!predict::same_mpi(all.traced_mpi, all.mpi))
    out << fmt::format("another MPI         {} here, {} when traced: calls take what they take here\n", all.mpi.text(),
                       all.traced_mpi.text());
  out << text(all.processor) << text(concurrency, here) << '\n';
  Table table({"phase", "weight", "measured", "counts as", "of predicted time"});
  const auto share = [&](double seconds) {
    return all.predicted_s > 0 ? format_percent(seconds / all.predicted_s) : std::string("-");
  };
  std::vector<double> times;
  for (const auto& phase : all.phases) times.push_back(phase.weight * phase.seconds);
  const auto shown = largest_rows(times);
  for (const std::size_t i : shown)
    table.add({all.phases[i].name, fmt::format("{:.6g}", all.phases[i].weight), format_seconds(all.phases[i].seconds),
               format_seconds(times[i]), share(times[i])});
  if (shown.size() < times.size()) {
    double measured = 0, counted = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (std::ranges::binary_search(shown, i)) continue;
      measured += all.phases[i].seconds;
      counted += times[i];
    }
    table.add({fmt::format("{} others", times.size() - shown.size()), "", format_seconds(measured),
               format_seconds(counted), share(counted)});
  }
  table.add({"finalize", "1", format_seconds(all.finalize_s), format_seconds(all.finalize_s), share(all.finalize_s)});
  table.print(out);
  std::vector<const char*> notes;
  if (all.runs.size() > 1) notes.push_back("medians of the launches; they need not add up");
  if (std::ranges::any_of(all.phases, [](const auto& phase) { return phase.weight > 1; }))
    notes.push_back("iterations of a cut loop that always run, such as the first, are not in its phase");
  if (!notes.empty()) out << fmt::format("({})\n", fmt::join(notes, "; "));
}

/// Work is trusted if no more of the computation than this is not explained.
constexpr double kMostUnexplained = 0.2;

/// Warns where the work is a guess, where the kernels do not explain it, and where times of the traced processor are used on another one.
void note_work(const Context& context, const predict::SkeletonInfo& skeleton, const predict::Prediction& all) {
  if (all.compute != "work") {
    if (all.processor.same == false && all.processor.ratios.empty())
      note(context,
           "computation takes as long as on the traced processor, which is another one: the trace does not have "
           "that processor's speeds (trace again without SKELGEN_SPEEDS=0)");
    return;
  }
  const auto work = skeleton.json.value("work", Json());
  const auto share = work.is_object() ? work.value("unexplained", Json()) : Json();
  if (work.is_object() && !share.is_number()) {
    note(context,
         "the work is a guess, half of it memory traffic where the working set is large: the trace has a profile, but "
         "not how fast its machine's kernels were (trace the program again)");
  } else if (!share.is_number()) {
    note(context,
         "the work is a guess, half of it memory traffic where the working set is large: the trace has no profile "
         "(skelgen "
         "profile DIR makes one)");
  } else if (share.get<double>() > kMostUnexplained) {
    const auto most = work.value("unexplained_most", Json());
    note(context, fmt::format("do not trust this: the kernels do not explain {} of the computation, most of it {}",
                              format_percent(share.get<double>()),
                              most.is_string() ? most.get<std::string>() : "of unknown kind"));
  }
}

/// The skeleton that is named, or one in `scratch` of the trace or the text that is; ranks: of a text for any number, 0: not given.
predict::SkeletonInfo skeleton_of(const Context& context, const std::string& named,
                                  const std::filesystem::path& scratch, int ranks) {
  const auto is = given(named);
  if (is == Given::skeleton) {
    auto skeleton = predict::read_skeleton_info(named);
    for (const auto& text :
         {metrics::failed(skeleton.origin.status), metrics::traced_without_cores(skeleton.origin.core_wait)})
      if (!text.empty()) note(context, text);
    return skeleton;
  }
  if (std::error_code ignored; !std::filesystem::exists(named, ignored))
    throw Error(Code::io, named, {}, "no such file or directory",
                "give the directory that skelgen build wrote, or one that skelgen trace wrote");
  const bool of_text = is == Given::text;
  build::Options wanted;
  if (ranks && of_text) wanted.ranks = static_cast<std::uint32_t>(ranks);
  auto built = of_text ? build::build_text(named, wanted) : build::build(named, wanted);
  if (!of_text) build::require_lossless(built, named);
  print_notes(context, built);
  build::write(scratch, built);
  print_size_note(context, scratch);
  return predict::read_skeleton_info(scratch);
}

/// Whether ranks had to wait for a core while the skeleton ran: the prediction is too long then. cores: of this machine, if it
/// is known that all ranks were on it.
void note_cores(const Context& context, const predict::Prediction& all, int ranks, std::optional<int> cores) {
  if (!all.busy()) return;
  const bool shared = cores && ranks > *cores;
  note(context, fmt::format("{} during the launches: ranks waited for a core for {:.0f} % of their time; repeat {}",
                            shared  ? fmt::format("{} ranks shared {} core{}", ranks, *cores, *cores == 1 ? "" : "s")
                            : cores ? "other work used the machine"
                                    : "other work used the machine, or the ranks were more than its cores,",
                            100 * all.core_wait, shared ? "with a core for each rank" : "on a quiet machine"));
}

/// Whether ranks that wait give up their core in the launches but did not when traced, or the reverse.
void note_yield(const Context& context, const predict::Origin& origin, bool here) {
  if (!origin.yield || *origin.yield == here) return;
  note(context, here ? "the launches are with --yield, and the program was traced without it: if ranks had to wait for "
                       "a core in the traced run, that time counts as computation; trace with --yield on then"
                     : "the program was traced with --yield, and the launches are without it: ranks that wait keep "
                       "their core, which they gave up then; for runs like the traced one give --yield on");
}

/// Warns where the computation at this number of ranks is little more than a guess.
void note_ranks(const Context& context, const predict::SkeletonInfo& skeleton) {
  if (skeleton.origin.computation_error > generalize::kMostTrusted)
    note(context,
         fmt::format("do not trust this: at {} ranks the computation by the text's formulas is expected to be off by "
                     "{} (standard deviation); trace at more numbers of ranks, or at larger ones",
                     skeleton.ranks, format_percent(skeleton.origin.computation_error)));
}

/// A prediction and what is said beside it.
struct Predicted {
  predict::Prediction all;
  Json concurrency, here, simulated;
  std::optional<ThanResult> than{};
  bool complete = true;  ///< all launches were
};

/// The same context, whose launcher keeps in `last`, which must live as long, what the last program ended with and the last signal that came. ranks: what notes are about,
/// 0: not said.
Context watched(const Context& context, launch::Outcome& last, int ranks = 0) {
  auto all = context;
  if (ranks) all.about = fmt::format("{} rank{}: ", ranks, ranks == 1 ? "" : "s");
  all.launch = [start = context.launch, &last](const launch::Launch& what) {
    const int asked = last.asked;
    last = start(what);
    if (!last.asked) last.asked = asked;
    return last;
  };
  return all;
}

/// Launches the skeleton; before: the one that --than-program names; last: what the last program ended with. Files are written to
/// `scratch`. Where a signal comes after some launches, the prediction is of these, and nothing else is started.
Predicted predict_skeleton(const Context& context, const PredictOptions& options, const predict::SkeletonInfo& skeleton,
                           const std::optional<predict::SkeletonInfo>& before, const std::filesystem::path& scratch,
                           const launch::Outcome& last) {
  const bool simulates = !options.simulated.platform.empty();
  const bool splits = !options.than.platform.empty() || !options.than.program.empty();
  if (simulates && (skeleton.files || (before && before->files))) require_disks(options.simulated.platform);
  const auto platforms = splits ? std::optional(platforms_of(options.than, options.simulated)) : std::nullopt;
  const auto simulated = simulates ? simulated_line(context, options.simulated, options.compiler, skeleton.ranks,
                                                    scratch, platforms ? &platforms->after : nullptr)
                                   : SimulatedLine{predict::launcher_line(skeleton, context.launcher), {}};
  const auto& line = simulated.line;
  launch::require_program(line[0]);
  const auto ranks = plan_ranks(context, line, options.yield);
  require_ranks(ranks.line, skeleton.ranks, options.directory);
  note_ranks(context, skeleton);
  if (predict::tests_wait(skeleton, ranks.line)) note(context, predict::kTestsWait);
  if (ranks.line.mpi != launch::MpiKind::smpi && skeleton.mpi != "SMPI")
    note_yield(context, skeleton.origin, ranks.yield);
  auto environment = launch::environment_of({{}, {}, {}, ranks.yield}, launch::search_libraries(context.executable),
                                            ranks.line, launch::inherited);
  environment.emplace_back("SKEL_COMPUTE", options.compute);
  auto progress = progress_beside_launches(context);
  progress->stage("compile the skeleton");
  const auto program = predict::compile(skeleton, scratch,
                                        predict::compiler_for(skeleton, ranks.line, options.compiler), context.launch);

  const int launches = options.runs ? options.runs : simulates ? 1 : 5;
  std::vector<predict::SkeletonRun> runs;
  for (int i = 0; i < launches && (runs.empty() || !last.asked); ++i) {
    progress->stage(fmt::format("launch {} of {}", i + 1, launches));
    try {
      runs.push_back(predict::run_skeleton(program, line, environment, scratch, context.launch, splits));
    } catch (const launch::FailedRun&) {
      if (!last.asked || runs.empty()) throw;
    }
  }
  std::optional<ThanResult> than;
  const auto split = [&] {
    auto other = program;
    if (before) {
      progress->stage("compile the other skeleton");
      const auto place = scratch / "than";
      std::filesystem::create_directory(place);
      other = predict::compile(*before, place, predict::compiler_for(*before, ranks.line, options.compiler),
                               context.launch);
    }
    than = split_difference(
        *platforms, line, other != program,
        [&](bool after, const std::vector<std::string>& on) {
          progress->stage("launch with factors changed back");
          return predict::run_skeleton(after ? program : other, on, environment, scratch, context.launch, true);
        },
        runs.back(), scratch);
  };
  try {
    if (splits && !last.asked) split();
  } catch (const Error&) {
    if (!last.asked) throw;
  }
  progress.reset();
  const bool complete = std::ssize(runs) == launches && (!splits || than);
  if (!complete)
    note(context, interrupted(runs.size(), static_cast<std::size_t>(launches), "launches") +
                      (splits ? "; the difference to --than is not known" : ""));
  const auto all = predict::combine(skeleton.origin, runs, options.confidence);
  if (!all.interval)
    note(context, all.mpi.name == "SMPI"
                      ? "no interval: simulated launches are all alike, so they do not tell how far runs are apart"
                      : fmt::format("no interval: it needs at least {} launches, {} made", predict::kFewestLaunches,
                                    runs.size()));
  note_cores(context, all, skeleton.ranks, ranks.line.local ? std::optional(launch::usable_cores()) : std::nullopt);
  if (all.mpi.name != "SMPI") note_work(context, skeleton, all);
  const auto concurrency = traced_concurrency(skeleton);
  return {all, concurrency, concurrency_here(runs, skeleton.ranks, concurrency), simulated.json, than, complete};
}

Json json_of(const Predicted& one, const PredictOptions& options) {
  auto json = json_of(one.all, one.concurrency, one.here, one.simulated);
  if (one.than) json["than"] = json_of(*one.than, options.than);
  return json;
}

/// Of a text for any number of ranks: one prediction for each number, and how they compare.
int predict_scaling(const Context& context, const PredictOptions& options) {
  if (options.simulated.platform.empty())
    throw Error(Code::usage, "several --ranks are for --platform", "give one number, and the launcher line after --");
  if (!options.than.platform.empty() || !options.than.program.empty())
    throw Error(Code::usage, "--than is for one number of ranks", "give one number to --ranks");
  if (std::error_code ignored; !std::filesystem::exists(options.directory, ignored))
    throw Error(Code::io, options.directory, {}, "no such file or directory",
                "give the text that skelgen generalize wrote");
  if (given(options.directory) != Given::text)
    throw Error(Code::usage, options.directory, {}, "is no text for any number of ranks",
                "skelgen generalize makes one of traces at several numbers of ranks");
  launch::Outcome last;
  const launch::TemporaryDirectory scratch(launch::scratch_parent(), "predict");
  const auto place = [&](int ranks) { return scratch.path() / std::to_string(ranks); };
  std::vector<predict::SkeletonInfo> skeletons;  // all before the first is launched: what is wrong shows early
  for (const int ranks : options.ranks) {
    if (!std::filesystem::create_directory(place(ranks)))
      throw Error(Code::usage, fmt::format("--ranks has {} twice", ranks), "leave one out");
    skeletons.push_back(
        skeleton_of(watched(context, last, ranks), options.directory, place(ranks) / "built.skel", ranks));
  }
  std::vector<predict::AtRanks> points;
  std::size_t complete = 0;
  Json each = Json::array();
  for (const auto& skeleton : skeletons) {
    if (last.asked) break;
    try {
      const auto one =
          predict_skeleton(watched(context, last, skeleton.ranks), options, skeleton, {}, place(skeleton.ranks), last);
      each.push_back(json_of(one, options));
      points.push_back(predict::at_ranks(one.all, one.here));
      complete += one.complete ? 1 : 0;
    } catch (const Error&) {
      if (!last.asked || points.empty()) throw;
    }
  }
  if (complete < skeletons.size()) note(context, interrupted(complete, skeletons.size(), "numbers of ranks"));
  if (options.json)
    print_json(context.out, {{"schema", "skelgen.scaling/1"},
                             {"scaling", scaling_json(predict::scaling_of(points))},
                             {"predictions", each}});
  else
    print_scaling(context.out, points);
  return complete < skeletons.size() ? interrupted_status(last) : 0;
}

int predict_command(const Context& context, const PredictOptions& options) {
  const bool simulates = !options.simulated.platform.empty();
  if (!simulates && !options.simulated.hostfile.empty())
    throw Error(Code::usage, "--hostfile is for --platform", "the launcher's own option stands after --");
  if (simulates && !context.launcher.empty())
    throw Error(Code::usage, "--platform starts the ranks itself", "leave out -- and what follows");
  if (simulates) require_simulated(options.simulated);
  if (options.ranks.size() > 1) return predict_scaling(context, options);
  if (!options.than.platform.empty() || !options.than.program.empty()) require_than(options.than, options.simulated);
  if (!context.launcher.empty()) launch::require_program(context.launcher[0]);
  const launch::TemporaryDirectory scratch(launch::scratch_parent(), "predict");
  const auto ranks = options.ranks.empty() ? 0 : options.ranks[0];
  const auto skeleton = skeleton_of(context, options.directory, scratch.path() / "built.skel", ranks);
  if (const auto text = metrics::spread(skeleton.origin.original_runs_s); !text.empty()) note(context, text);
  require_launcher_alone(context.launcher, skeleton, "predict " + options.directory);
  if (ranks && ranks != skeleton.ranks)
    throw Error(Code::mismatch, options.directory, {}, fmt::format("is of {} ranks, not {}", skeleton.ranks, ranks),
                fmt::format("trace the program with {}, or give a text that skelgen generalize made of traces with "
                            "several numbers of ranks",
                            ranks));
  const auto before =
      options.than.program.empty()
          ? std::nullopt
          : std::optional(skeleton_of(context, options.than.program, scratch.path() / "other.skel", ranks));
  if (before && before->ranks != skeleton.ranks)
    throw Error(Code::mismatch, options.than.program, {},
                fmt::format("is of {} ranks, not {}", before->ranks, skeleton.ranks), "trace both with as many");
  launch::Outcome last;
  const auto one = predict_skeleton(watched(context, last), options, skeleton, before, scratch.path(), last);
  if (options.json) {
    print_json(context.out, json_of(one, options));
  } else {
    print(context.out, one.all, one.concurrency, one.here, one.simulated);
    if (one.than) print(context.out, *one.than, options.than);
  }
  return one.complete ? 0 : interrupted_status(last);
}

}  // namespace

Command add_predict(CLI::App& parent) {
  auto* app = parent.add_subcommand("predict", "Run a skeleton here and predict the run time of the original");
  set_usage(*app, "predict [OPTIONS] SKEL|DIR|TEXT [-- LAUNCHER...]");
  const auto options = std::make_shared<PredictOptions>();
  app->add_option("SKEL|DIR|TEXT", options->directory,
                  "Skeleton directory, or a trace directory or text form that a skeleton is built from first")
      ->required();
  app->add_option("--runs", options->runs, "Launches of the skeleton; 5 or more give an interval")
      ->check(whole_number(1, 100000))
      ->default_str("5")
      ->type_name("N");
  app->add_option(
         "--confidence", options->confidence,
         "Probability that one run of the original here lies in the interval. It covers the spread of the original's "
         "runs, of launches and of iterations that stand for others, the machine's drift since it was traced, work "
         "that is a guess, and another MPI; it does not cover another placement of the ranks or other load")
      ->check(CLI::Validator(
          [](std::string& text) {
            double value = 0;
            return CLI::detail::lexical_cast(text, value) && value > 0 && value < 1 ? std::string()
                                                                                    : "not between 0 and 1: " + text;
          },
          ""))
      ->capture_default_str()
      ->type_name("P");
  one_of(
      app->add_option("--compute", options->compute, "Computation as traced time, as work (another machine), or auto"),
      {"time", "work", "auto"})
      ->capture_default_str();
  app->add_option("--cc", options->compiler, "MPI compiler (default: of the launcher's MPI)")->type_name("MPICC");
  app->add_option("--platform", options->simulated.platform,
                  "Run it on a simulated platform (SimGrid): an XML file, homo:HOSTS:SPEED:BANDWIDTH:LATENCY, or "
                  "hetero:HOSTSxSPEED,...:BANDWIDTH:LATENCY[:BANDWIDTH:LATENCY]; one launch, for all are equal")
      ->type_name("P");
  app->add_option("--hostfile", options->simulated.hostfile,
                  "Hosts of the platform for the ranks, a line HOST or HOST:RANKS each")
      ->type_name("FILE");
  app->add_option("--than", options->than.platform,
                  "Also run it on this platform, with the same hosts and links, and split the difference: computation, "
                  "imbalance, "
                  "waiting, latency, bandwidth, by phase and by rank")
      ->type_name("P");
  app->add_option("--than-program", options->than.program,
                  "The same of this skeleton or trace, of as many ranks, there (default: on the same platform)")
      ->type_name("DIR");
  comma_separated(
      app->add_option("--ranks", options->ranks,
                      "Ranks that are expected: others are an error. Of a text for any number of ranks: how many; with "
                      "--platform also several (16,64,256), for speed-up and efficiency"))
      ->check(whole_number(1, 1'000'000'000))
      ->type_name("N,...");
  app->add_flag("--json", options->json, "One JSON object on stdout");
  add_yield_option(*app, options->yield);
  app->footer("The skeleton's program is added to the end of LAUNCHER (default: mpiexec -n RANKS of the traced MPI).");
  return {app, LauncherLine::optional, [=](const Context& context) { return predict_command(context, *options); }};
}

}  // namespace skelgen::cli
