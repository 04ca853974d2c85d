#include "report/model.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/scaling.h"
#include "report/sentences.h"
#include "report/tables.h"
#include "support/format.h"

namespace skelgen::report {
namespace {

/// Launches of a prediction that are drawn.
constexpr std::size_t kMostLaunches = 1000, kMostReasons = 3;

/// The length that shares of the run are of: its time, or what was measured of it.
double length_of(const Report& report) {
  return report.run.wall_s.value_or(report.timeline->column_s() * static_cast<double>(report.timeline->columns()));
}

Json fact(const char* label, const std::string& value, const std::string& note = {}, const std::string& mark = {}) {
  return {{"label", label}, {"value", value}, {"note", note}, {"mark", mark.empty() ? Json() : Json(mark)}};
}

Json facts(const Report& report) {
  const RunFacts& run = report.run;
  const auto& pop = report.measured.pop;
  Json list = Json::array();
  list.push_back(fact("Run time", run.wall_s ? format_seconds(*run.wall_s) : "unknown",
                      run.wall_s ? "from MPI_Init to MPI_Finalize" : "a rank did not reach MPI_Finalize"));
  list.push_back(fact("Ranks", format_count(static_cast<std::uint64_t>(run.ranks)), run.mpi));
  list.push_back(fact("Parallel efficiency", pop.parallel ? format_percent(*pop.parallel) : "undefined",
                      "of ranks x run time is computation", grade(pop.parallel)));
  if (report.prediction) {
    const auto& interval = report.prediction->interval;
    const std::string place = elsewhere(*report.prediction);
    list.push_back(
        fact("Predicted", format_seconds(report.prediction->predicted_s),
             (interval ? fmt::format("{} to {}", format_seconds(interval->low), format_seconds(interval->high))
                       : std::string("without an interval")) +
                 (place.empty() ? "" : ", " + place) +
                 (report.prediction->too_uncertain() ? ", too uncertain to use" : "")));
  } else
    list.push_back(fact("MPI calls", format_count(run.calls), "of all ranks together"));
  return list;
}

Json warnings(const Report& report) {
  const RunFacts& run = report.run;
  Json list = Json::array();
  if (!run.incomplete.empty())
    list.push_back(
        fmt::format("{} ended before MPI_Finalize: what follows is about the part of the run that was "
                    "recorded, and how long ranks waited for a core is not known.",
                    run.incomplete.size() == 1 ? "Rank " + format_ranges(run.incomplete)
                                               : format_count(run.incomplete.size()) + " ranks"));
  if (run.dropped) list.push_back(format_count(run.dropped) + " calls could not be recorded.");
  if (run.suspended)
    list.push_back(format_count(run.suspended) +
                   " calls between MPI_Pcontrol(0) and (1) are not recorded; their time counts as computation.");
  if (run.hosts.size() > 1 && !run.simulated)
    list.push_back(
        "Clocks of different machines are set by the end of MPI_Init only, so times between machines may be wrong by a "
        "millisecond or more, and by more the longer the run is: so may waits for ranks of other machines, what "
        "follows "
        "from them, and the critical path.");
  for (const auto& note : report.measured.notes)
    if (note.kind != metrics::Note::Kind::clocks && note.kind != metrics::Note::Kind::incomplete)
      list.push_back(note.text + ".");
  if (const auto odd = report.measured.unmatched.total())
    list.push_back(format_count(odd) +
                   " calls wait for something that the trace does not have; they are measured as if "
                   "they depended on nobody.");
  return list;
}

/// The first three with what to do, but none that may be due to missing cores; the others in a list.
void add_findings(const Report& report, Json& json) {
  constexpr std::size_t kFirst = 3, kMost = 12;
  const double length = length_of(report);
  Json first = Json::array(), more = Json::array();
  bool any_doubt = false;
  const auto& all = report.measured.findings;
  for (std::size_t i = 0; i < std::min(all.size(), kMost); ++i) {
    const double share = length > 0 ? all[i].cost_s / length : 0;
    const auto where = report.structure ? where_it_computes(all[i], *report.structure) : std::string();
    std::size_t known = 0;  // an earlier one of the same computation
    while (known < i && !(can_move(all[i]) && can_move(all[known]) && all[known].ranks == all[i].ranks)) ++known;
    const Json one{
        {"number", i + 1},
        {"title", title(all[i])},
        {"cost", format_seconds(all[i].cost_s)},
        {"share", format_percent(share)},
        {"width", width(share)},
        {"text", all[i].text},
        {"where", where.empty() ? Json() : Json(where)},
        {"advice", known < i ? fmt::format("The same computation as in \"{}\": what helps there helps here, too.",
                                           title(all[known]))
                             : advice(all[i], report.measured.notes)}};
    const bool doubt = metrics::doubtful(all[i], report.measured.notes);
    any_doubt |= doubt;
    (first.size() < kFirst && !doubt ? first : more).push_back(one);
  }
  json["no_findings"] = all.empty();
  json["findings"] = first;
  json["more_findings"] = more.empty() ? Json()
                                       : Json{{"list", more},
                                              {"count", more.size()},
                                              {"doubtful", any_doubt},
                                              {"only", first.empty()},
                                              {"several", more.size() != 1}};
}

Json efficiency(const char* name, const metrics::Measure& value, const char* meaning, int level) {
  return {{"name", name},
          {"value", value ? format_percent(*value) : "undefined"},
          {"width", width(value.value_or(0))},
          {"meaning", meaning},
          {"mark", grade(value)},
          {"level", level}};
}

Json efficiencies(const Report& report) {
  const auto& pop = report.measured.pop;
  return {
      efficiency("Parallel efficiency", pop.parallel, "computation of all ranks / (ranks x run time)", 0),
      efficiency("Load balance", pop.load_balance, "mean computation of the ranks / that of the busiest one", 1),
      efficiency("Communication", pop.communication, "computation of the busiest rank / run time", 1),
      efficiency("Serialization", pop.serialization,
                 "busiest rank / longest chain of computation: less than 100 % where ranks compute in turns, or "
                 "work changes from step to step",
                 2),
      efficiency("Transfer", pop.transfer,
                 "that chain / run time: less than 100 % where the calls themselves take time, or ranks wait for cores",
                 2)};
}

Json concurrency(const Report& report) {
  const auto number = [](const metrics::Measure& value) { return value ? fmt::format("{:.4f}", *value) : "undefined"; };
  const auto row = [&](const char* name, const metrics::Measure& value, const std::string& meaning) {
    return Json{{"name", name}, {"value", number(value)}, {"meaning", meaning}};
  };
  const auto& h = report.measured.he_sun;
  const auto& r = report.measured.raynal;
  const auto& m = report.measured.charron_bost;
  return {row("He-Sun alpha", h.alpha, "0 sequential, 1 fully concurrent, by time"),
          row("Phi_1", h.phi1, "efficiency: computing / (computing + blocked)"),
          row("Phi_7", h.phi7, "balance of the ranks' computation, by its mean deviation"),
          row("Raynal alpha", r.alpha, "0 sequential, 1 fully concurrent, by events"),
          row("Fidge beta", r.beta, "of the same events, against their number instead of ranks x height"),
          row("Charron-Bost m", m.m,
              m.reason.empty() ? "of the same events, by the states that the run may pass through" : m.reason)};
}

/// A line from the earliest to the latest of the times, in percent of its length.
Json scale(const predict::Prediction& prediction, const std::optional<double>& traced_s) {
  auto [low, high] = prediction.interval.value_or(predict::Interval{prediction.predicted_s, prediction.predicted_s});
  for (const double run : prediction.runs) {
    low = std::min(low, run);
    high = std::max(high, run);
  }
  if (traced_s) {
    low = std::min(low, *traced_s);
    high = std::max(high, *traced_s);
  }
  const double margin = std::max(0.1 * (high - low), 0.01 * high), length = high - low + 2 * margin;
  const auto at = [&, low = low](double seconds) {
    return fmt::format("{:.2f}%", length > 0 ? 100 * (seconds - low + margin) / length : 50);
  };
  Json json{{"predicted", at(prediction.predicted_s)}, {"runs", Json::array()}};
  for (std::size_t i = 0; i < std::min(kMostLaunches, prediction.runs.size()); ++i)
    json["runs"].push_back(at(prediction.runs[i]));
  if (prediction.interval) {
    const auto& [from, to] = *prediction.interval;
    json["interval"] = {{"x", at(from)}, {"width", width(length > 0 ? (to - from) / length : 0) + "%"}};
  }
  if (traced_s) json["traced"] = at(*traced_s);
  return json;
}

/// Why it takes longer or shorter than on the platform of `predict --than`: a row for each part that matters.
Json than(const predict::Split& split) {
  const double difference = split.after_s - split.before_s;
  const auto [parts, cancel] = predict::causes_of(split.all);
  const double most = parts.empty() ? 0 : std::abs(split.all.*parts[0].seconds);
  Json rows = Json::array();
  for (const auto& part : parts) {
    const double seconds = split.all.*part.seconds;
    rows.push_back({{"name", part.name},
                    {"seconds", (seconds < 0 ? "-" : "") + format_seconds(std::abs(seconds))},
                    {"share", cancel ? std::string("-") : fmt::format("{:.1f} %", 100 * seconds / difference)},
                    {"width", width(std::abs(seconds) / most)}});
  }
  return {{"seconds", format_seconds(std::abs(difference))},
          {"word", difference < 0 ? "shorter" : "longer"},
          {"before", format_seconds(split.before_s)},
          {"place", split.before},
          {"percent", format_percent(split.before_s > 0 ? std::abs(difference) / split.before_s : 0)},
          {"causes", parts.empty() ? Json() : Json{{"rows", rows}}}};
}

Json prediction(const Report& report) {
  const predict::Prediction& all = *report.prediction;
  Json json{
      {"predicted", format_seconds(all.predicted_s)},
      {"skeleton", format_seconds(all.skeleton_s)},
      {"scale_factor", fmt::format("{:.6g}", all.scale)},
      {"compute", all.compute == "time" ? "traced time" : all.compute},
      {"launches", fmt::format("{} launch{}", all.runs.size(), all.runs.size() == 1 ? "" : "es")},
      {"several", all.runs.size() > 1},
      {"scale", scale(all, report.run.wall_s)},
      {"other_run", !report.prediction_of_this_run},
      {"too_uncertain", all.too_uncertain()},
      {"no_interval", all.mpi.name == "SMPI" ? "There is no interval: simulated launches are all alike, so they do "
                                               "not tell how far runs are apart."
                                             : "An interval needs at least 5 launches."},
      {"phases", Json::array()}};
  if (all.interval)
    json["interval"] = {{"low", format_seconds(all.interval->low)},
                        {"high", format_seconds(all.interval->high)},
                        {"confidence", fmt::format("{:.4g} %", 100 * all.confidence)}};
  if (const auto place = elsewhere(all); !place.empty()) json["elsewhere"] = place;
  if (all.busy()) json["busy"] = format_percent(all.core_wait);
  if (all.than) json["than"] = than(*all.than);
  if (report.run.wall_s && *report.run.wall_s > 0) {
    json["traced"] = format_seconds(*report.run.wall_s);
    json["ratio"] = fmt::format("{:.2f}", all.predicted_s / *report.run.wall_s);
    json["without_cores"] = std::ranges::any_of(report.measured.notes, &metrics::Note::waited_for_cores);
  }
  for (std::size_t i = 0; i < std::min(kMostPhases, all.phases.size()); ++i) {
    const auto& phase = all.phases[i];
    json["phases"].push_back(
        {{"name", phase.name},
         {"weight", fmt::format("{:.6g}", phase.weight)},
         {"measured", format_seconds(phase.seconds)},
         {"counts", format_seconds(phase.weight * phase.seconds)},
         {"width", width(all.predicted_s > 0 ? phase.weight * phase.seconds / all.predicted_s : 0)}});
  }
  json["finalize"] = {{"seconds", format_seconds(all.finalize_s)},
                      {"width", width(all.predicted_s > 0 ? all.finalize_s / all.predicted_s : 0)}};
  if (all.phases.size() > kMostPhases) json["left_out"] = format_count(all.phases.size() - kMostPhases);
  return json;
}

/// Run times by the replay, with bars of which the longest is the whole width.
Json replayed(const std::vector<Replayed>& all) {
  double longest = 0;
  for (const auto& one : all) longest = std::max(longest, one.run_s);
  Json rows = Json::array();
  for (const auto& one : all)
    rows.push_back({{"name", one.name},
                    {"seconds", format_seconds(one.run_s)},
                    {"change", &one == &all.front() || !(all.front().run_s > 0)
                                   ? std::string()
                                   : fmt::format("{:+.1f} %", 100 * (one.run_s / all.front().run_s - 1))},
                    {"width", width(longest > 0 ? one.run_s / longest : 0)}});
  return {{"rows", rows}};
}

Json threads(const ProcessThreads& all) {
  constexpr std::size_t kMost = 64;
  Json rows = Json::array();
  for (std::size_t i = 0; i < std::min(kMost, all.rows.size()); ++i) {
    const auto& row = all.rows[i];
    rows.push_back({{"name", row.name},
                    {"computes", format_seconds(row.computes_s)},
                    {"off", format_seconds(row.off_s)},
                    {"waits", format_seconds(row.waits_s)},
                    {"hand_over", format_seconds(row.hand_over_s)},
                    {"calls", format_seconds(row.calls_s)}});
  }
  return {{"process", all.process},
          {"clock", all.clock},
          {"rows", rows},
          {"too_large", all.whole.empty()},
          {"left_out", all.rows.size() > kMost ? Json(format_count(all.rows.size() - kMost)) : Json()}};
}

/// Which loops the skeleton cuts; null if none.
Json plan(const SkeletonSummary& skeleton) {
  if (skeleton.cut.empty()) return nullptr;
  const auto share = [&](double seconds) { return skeleton.traced_s > 0 ? seconds / skeleton.traced_s : 0; };
  Json loops = Json::array();
  for (std::size_t i = 0; i < std::min(kMostPhases, skeleton.cut.size()); ++i) {
    const auto& loop = skeleton.cut[i];
    loops.push_back({{"name", loop.name},
                     {"trips", format_count(loop.trips)},
                     {"run", format_count(loop.run)},
                     {"weight", fmt::format("{:.4g}", loop.weight)},
                     {"share", format_percent(share(loop.traced_s))},
                     {"error", fmt::format("{:.2f} %", 100 * loop.error)},
                     {"width", width(share(loop.traced_s))},
                     {"run_width", width(share(loop.traced_s) / std::max(1.0, loop.weight))}});
  }
  return {
      {"loops", loops},
      {"left_out", skeleton.cut.size() > kMostPhases ? Json(format_count(skeleton.cut.size() - kMostPhases)) : Json()}};
}

Json skeleton(const SkeletonSummary& skeleton) {
  Json not_cut = Json::array();
  for (std::size_t i = 0; i < std::min(kMostReasons, skeleton.not_cut.size()); ++i)
    not_cut.push_back(skeleton.not_cut[i]);
  return {{"plan", plan(skeleton)},
          {"not_cut", not_cut},
          {"name", skeleton.name},
          {"scale", fmt::format("{:.6g}", skeleton.scale)},
          {"statements", format_count(skeleton.statements)},
          {"expected", format_seconds(skeleton.expected_run_s)},
          {"lossless", skeleton.lossless ? "yes" : "no"},
          {"safe", skeleton.safe ? "yes" : "no: like the program, it relies on buffers"},
          {"other_run", !skeleton.of_this_run}};
}

}  // namespace

std::string width(double share) { return fmt::format("{:.2f}", 100 * std::clamp(share, 0.0, 1.0)); }

Json model(const Report& report) {
  const RunFacts& run = report.run;
  Json json{{"application", run.application.empty() ? "MPI program" : run.application},
            {"command", run.command},
            {"started", run.started.empty() ? Json() : Json(run.started)},
            {"version", report.version},
            {"ranks", of_ranks(static_cast<std::uint64_t>(run.ranks))},
            {"unit", unit_of(report.timeline->rows())},
            {"threads", !report.timeline->rows().are_ranks()},
            {"mpi", run.mpi},
            {"facts", facts(report)},
            {"what_ran", what_ran(report)},
            {"how_well", how_well(report)},
            {"warnings", warnings(report)}};
  constexpr std::size_t kHosts = 8;
  std::string hosts;
  for (std::size_t i = 0; i < std::min(kHosts, run.hosts.size()); ++i) hosts += (i ? ", " : "") + run.hosts[i];
  if (run.hosts.size() > kHosts) hosts += fmt::format(" and {} more", format_count(run.hosts.size() - kHosts));
  json["hosts"] = hosts;
  add_findings(report, json);
  json["spent"] = spent(report);
  json["functions"] = functions(report);
  if (report.structure)
    json["structure"] = structure(report);
  else
    json["no_structure"] = report.no_structure;
  json["pairs"] = pairs(report);
  json["efficiencies"] = efficiencies(report);
  json["phases"] = phases(report);
  json["concurrency"] = concurrency(report);
  json["path"] = path(report);
  json["waits"] = waits(report);
  json["quiet"] = few_ranks(report);
  json["concurrency_over_time"] = concurrency_over_time(report);
  if (report.skeleton) json["skeleton"] = skeleton(*report.skeleton);
  if (report.prediction) json["prediction"] = prediction(report);
  if (!report.scaling.empty()) json["scaling"] = scaling(report.scaling);
  if (!report.replayed.empty()) json["replayed"] = replayed(report.replayed);
  if (report.threads) json["own_threads"] = threads(*report.threads);
  return json;
}

}  // namespace skelgen::report
