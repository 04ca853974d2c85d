#include "cli/compared.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>
#include <string_view>
#include <unordered_map>

#include "build/phases.h"
#include "build/traffic.h"
#include "cli/command.h"
#include "cli/table.h"
#include "metrics/metrics.h"
#include "predict/prediction.h"
#include "predict/skeleton_run.h"
#include "support/read.h"
#include "trace/trace.h"

namespace skelgen::cli {
namespace {

Side of_trace(const std::filesystem::path& path) {
  const auto trace = trace::open(path);
  const auto wall = trace.wall();
  if (!wall)
    throw Error(Code::corrupt, path.string(), {}, "a rank did not call MPI_Finalize: its run time is not known",
                "compare traces of runs that came to their end");
  Side side;
  side.kind = "trace";
  side.seconds = wall->value;
  side.processes = trace.ranks();
  side.cpu_time = trace.has_cpu_time();
  if (const auto blank = trace.command().find(' '); blank != std::string::npos)
    side.arguments = trace.command().substr(blank + 1);
  const auto counted = build::traffic(trace);
  side.functions.push_back({"computation", counted.computation_s});
  if (counted.without_core_s > 0)
    side.functions.push_back({metrics::CriticalPath::kWithoutCore, counted.without_core_s});
  for (const auto& function : counted.functions)
    side.functions.push_back({function.name, function.seconds, function.calls});
  metrics::Options wanted;
  wanted.path = false;
  auto [phases, reason] = build::phases_if_any(trace);
  wanted.phases = std::move(phases);
  if (!reason.empty()) side.notes.push_back("phases are left out: " + reason);
  const auto measured = metrics::measure(trace, wanted);
  for (const auto& said : measured.notes)
    if (said.measured && said.kind != metrics::Note::Kind::clocks) side.notes.push_back(said.text);
  for (const auto& phase : measured.phases) side.phases.push_back({phase.name, phase.seconds});
  if (const auto odd = measured.unmatched.total()) side.notes.push_back(waits_for_nothing(odd));
  for (const auto& rank : measured.waits.per_rank) side.ranks.push_back({0, rank.caused.total()});
  const auto locations = trace.locations();
  for (std::size_t l = 0; l < locations.size(); ++l)
    side.ranks[static_cast<std::size_t>(locations[l].rank)].computing_s += measured.he_sun.per_rank[l].computing_s;
  return side;
}

Side of_skeleton(const std::filesystem::path& path) {
  const auto info = predict::read_skeleton_info(path);
  if (!(info.origin.traced_wall_s > 0))
    throw Error(Code::invalid_argument, path.string(), {}, "the run time of its traced run is not known",
                "compare a skeleton that was built from a trace, or what it predicts");
  Side side;
  side.kind = "skeleton";
  side.seconds = info.origin.traced_wall_s;
  side.processes = info.ranks;
  for (const auto& phase : info.phases) side.phases.push_back({phase.name, phase.seconds});
  return side;
}

/// run: of one launch, or the medians of several.
template <typename Run>
Side of_prediction(const Run& run) {
  Side side;
  side.kind = "prediction";
  side.seconds = run.predicted_s;
  for (const auto& phase : run.phases) side.phases.push_back({phase.name, phase.weight * phase.seconds});
  // The first phase of a skeleton begins with MPI_Init, that of a trace behind it.
  if (!side.phases.empty()) side.phases.front().seconds = std::max(0.0, side.phases.front().seconds - run.init_s);
  side.init_s = run.init_s;
  side.finalize_s = run.finalize_s;
  return side;
}

Side of_times(const Json& json) {
  Side side;
  side.kind = "time";
  side.seconds = json.at("wall_s");
  for (const auto& run : json.at("runs")) side.runs.push_back(run.at("wall_s"));
  const auto possible = [](double seconds) { return seconds >= 0 && std::isfinite(seconds); };
  if (!possible(side.seconds) || !std::ranges::all_of(side.runs, possible)) throw std::out_of_range("wall_s");
  return side;
}

Side of_file(const std::filesystem::path& file) {
  const auto json = Json::parse(read_file(file, "check the name"));
  const std::string schema = json.at("schema");
  if (schema == "skelgen.time/1") return of_times(json);
  if (schema == "skelgen.skeleton/1") return of_prediction(predict::read_skeleton_run(file));
  const auto prediction = predict::read_prediction(file);
  Side side = of_prediction(prediction);
  side.runs = prediction.runs;
  side.processes = prediction.origin.ranks;
  return side;
}

}  // namespace

Side read_side(const std::filesystem::path& path) {
  if (predict::is_skeleton(path)) return of_skeleton(path);
  if (std::filesystem::is_directory(path)) return of_trace(path);
  try {
    return of_file(path);
  } catch (const Error& error) {
    if (error.code() != Code::corrupt) throw;
  } catch (const std::exception&) {
  }
  throw Error(Code::corrupt, path.string(), {}, "cannot be compared",
              "give a trace, a skeleton, or a file that predict --json or time --json printed");
}

std::vector<Change> changes(const std::vector<RunPart>& before, const std::vector<RunPart>& after) {
  if (before.empty() || after.empty()) return {};
  std::vector<Change> all;
  std::unordered_map<std::string_view, std::size_t> known;
  for (const RunPart& part : before) {
    known.emplace(part.name, all.size());
    all.push_back({part.name, part.seconds, {}, part.calls, {}});
  }
  for (const RunPart& part : after) {
    const auto [at, is_new] = known.emplace(part.name, all.size());
    if (is_new) all.push_back({part.name, {}, {}, {}, {}});
    all[at->second].after = part.seconds;
    all[at->second].calls_after = part.calls;
  }
  return all;
}

namespace {

/// One side is a skeleton, whose first phase includes MPI_Init and whose last one MPI_Finalize; phases of traces and
/// predictions do not.
bool phases_differ_in_meaning(const Side& before, const Side& after) {
  return !before.phases.empty() && !after.phases.empty() && (before.kind == "skeleton") != (after.kind == "skeleton");
}

/// "loop 2" of "loop 2.1.3": the loop of the top level that it is in; empty: it is in none.
std::string loop_around(const std::string& phase) {
  const auto dot = phase.find('.');
  return phase.starts_with("loop ") && dot != std::string::npos ? phase.substr(0, dot) : std::string();
}

/// By loop of the top level, the loops in it that are phases of their own.
std::map<std::string, std::set<std::string>> inner_loops(const Side& side) {
  std::map<std::string, std::set<std::string>> inner;
  for (const RunPart& phase : side.phases)
    if (const auto around = loop_around(phase.name); !around.empty()) inner[around].insert(phase.name);
  return inner;
}

/// Loops in which the two sides do not have the same loops as phases of their own: which ones a skeleton cuts is a matter of its scale, and
/// a trace has only those of the top level.
std::set<std::string> loops_taken_whole(const Side& before, const Side& after) {
  std::set<std::string> all;
  if (before.phases.empty() || after.phases.empty()) return all;
  auto first = inner_loops(before), second = inner_loops(after);
  for (const auto* loops : {&first, &second})
    for (const auto& [around, ignored] : *loops)
      if (first[around] != second[around]) all.insert(around);
  return all;
}

/// Those of a side, where these loops have the time of the loops in them.
std::vector<RunPart> phases_with_whole(const std::set<std::string>& loops, const Side& side) {
  std::vector<RunPart> all;
  for (const RunPart& phase : side.phases) {
    const auto around = loop_around(phase.name);
    const auto& name = loops.contains(around) ? around : phase.name;
    const auto at = std::ranges::find(all, name, &RunPart::name);
    if (at == all.end())
      all.push_back({name, phase.seconds});
    else
      at->seconds += phase.seconds;
  }
  return all;
}

}  // namespace

std::vector<std::string> caveats(const Side& before, const Side& after) {
  std::vector<std::string> all;
  if (before.processes && after.processes && before.processes != after.processes)
    all.push_back(fmt::format("different numbers of ranks: {} and {}", before.processes, after.processes));
  if (before.kind == "trace" && after.kind == "trace" && before.arguments != after.arguments)
    all.push_back(fmt::format("different arguments of the program: '{}' and '{}'", before.arguments, after.arguments));
  if (before.kind == "trace" && after.kind == "trace" && before.cpu_time != after.cpu_time)
    all.push_back(fmt::format(
        "only the {} trace was made with --yield: in the other one, time without a core counts as computation or as "
        "time of calls; compare traces made alike",
        before.cpu_time ? "old" : "new"));
  if (phases_differ_in_meaning(before, after))
    all.push_back(
        "phases are left out: those of a skeleton include MPI_Init and MPI_Finalize, those of the other side do not; "
        "compare two skeletons, two traces or two predictions");
  if (const auto loops = loops_taken_whole(before, after); !loops.empty() && !phases_differ_in_meaning(before, after))
    all.push_back(
        fmt::format("the time of the loops inside is part of {}: the two sides do not have the same of these as phases",
                    fmt::join(loops, ", ")));
  if (!noise(before, after))
    all.push_back(
        "one run on each side: their difference may be chance; compare files of skelgen time --runs 5 --json");
  return all;
}

std::vector<Change> phase_changes(const Side& before, const Side& after) {
  if (phases_differ_in_meaning(before, after)) return {};
  const auto loops = loops_taken_whole(before, after);
  auto all = changes(phases_with_whole(loops, before), phases_with_whole(loops, after));
  if (before.init_s && after.init_s) all.insert(all.begin(), {"init", before.init_s, after.init_s, {}, {}});
  if (before.finalize_s && after.finalize_s) all.push_back({"finalize", before.finalize_s, after.finalize_s, {}, {}});
  return all;
}

namespace {

/// Variance of the median of so many values of variance 1, if these are normal: exact for one, within 2 % for odd numbers.
double variance_of_median(double values) {
  constexpr double kMany = std::numbers::pi / 2;  // of many, times their number
  return kMany / (values + kMany - 1);
}

}  // namespace

std::optional<double> noise(const Side& before, const Side& after) {
  if (before.runs.size() < 2 && after.runs.size() < 2) return {};
  const auto& spread = before.runs.size() < 2 ? after : before;
  double variance = 0, weight = 0;  // Welch: of the difference, and for its degrees of freedom
  for (const Side* side : {&before, &after}) {
    const Side& known = side->runs.size() < 2 ? spread : *side;
    const double runs = static_cast<double>(std::max<std::size_t>(1, side->runs.size()));
    const double own = std::pow(predict::standard_deviation(known.runs), 2) * variance_of_median(runs);
    variance += own;
    weight += own * own / static_cast<double>(known.runs.size() - 1);
  }
  if (variance == 0) return 0;
  const int degrees = std::max(1, static_cast<int>(variance * variance / weight));
  return predict::student_t(0.95, degrees) * std::sqrt(variance);
}

}  // namespace skelgen::cli
