// skelgen metrics: concurrency measures, critical path, efficiencies of a trace.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "build/json.h"
#include "build/phases.h"
#include "build/sites.h"
#include "cli/commands.h"
#include "cli/measures.h"
#include "cli/online.h"
#include "cli/rho.h"
#include "cli/table.h"
#include "support/printable.h"
#include "threads/rank_waits.h"
#include "trace/trace.h"

namespace skelgen::cli {
namespace {

struct MetricsOptions {
  std::string directory, rho_file;
  std::size_t regions = 0;
  std::string region, cone;  // RANK:CALL
  double unit_s = 0;
  bool no_phases = false, thread_waits = false, json = false;
};

/// Where the time between a rank's calls went.
struct BetweenCalls {
  Rank rank;
  double computing_s = 0, waiting_s = 0, hand_over_s = 0;
};

/// Of all ranks' first threads, with OpenOptions::thread_waits.
std::vector<BetweenCalls> between_calls(const trace::Trace& trace) {
  struct Sum : trace::Visitor {
    BetweenCalls sum;
    void event(const trace::Event& event) override {
      sum.computing_s += (event.cpu - event.thread_wait).value;
      sum.waiting_s += (event.thread_wait - event.hand_over).value;
      sum.hand_over_s += event.hand_over.value;
    }
  };
  std::vector<BetweenCalls> result;
  for (const auto& rank : trace.rank_info()) {
    Sum visitor;
    visitor.sum.rank = rank.rank;
    trace.visit({rank.rank, 0}, visitor);
    result.push_back(visitor.sum);
  }
  return result;
}

void print(std::ostream& out, const std::vector<BetweenCalls>& ranks) {
  Table table({"between MPI calls", "computing", "waiting for own threads", "hand-over"});
  for (const auto& [rank, computing_s, waiting_s, hand_over_s] : ranks)
    table.add({fmt::format("  rank {}", rank), format_seconds(computing_s), format_seconds(waiting_s),
               format_seconds(hand_over_s)});
  table.print(out);
}

std::string number(const metrics::Measure& measure) {
  return measure ? fmt::format("{:.4f}", *measure) : std::string("undefined");
}

/// Of the ranks that could be later, and those that could not.
void print_slack(std::ostream& out, const metrics::CriticalPath& path) {
  constexpr std::size_t kOfEach = 3;
  std::vector<std::size_t> ranks;
  for (std::size_t rank = 0; rank < path.slack_by_rank.size(); ++rank)
    if (path.slack_by_rank[rank].mean_s) ranks.push_back(rank);
  std::ranges::stable_sort(ranks, std::greater<>(), [&](std::size_t rank) { return *path.slack_by_rank[rank].mean_s; });
  if (ranks.size() < 2) return;
  out << "slack: how long one rank can be delayed without making the run longer\n";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (i >= kOfEach && i + kOfEach < ranks.size()) continue;
    const auto& slack = path.slack_by_rank[ranks[i]];
    out << fmt::format("  {:<26}{:>10}  on average, {} at least\n", fmt::format("rank {}", ranks[i]),
                       format_seconds(*slack.mean_s), format_seconds(*slack.least_s));
  }
}

/// What depends on receives, and what the measures would be if nothing did.
void print_sends(std::ostream& out, const metrics::Metrics& all) {
  const metrics::Sends& sends = all.sends;
  if (sends.synchronous + sends.waiting == 0) return;
  const auto bytes = [](double number) { return format_count(static_cast<std::uint64_t>(number)) + " bytes"; };
  out << fmt::format("sends that depended on their receives: {} synchronous, {} others",
                     format_count(sends.synchronous), format_count(sends.waiting));
  if (sends.waiting_bytes) out << fmt::format("; all from {} on do", bytes(*sends.waiting_bytes));
  if (sends.buffered_bytes) out << fmt::format("; up to {} none has to", bytes(*sends.buffered_bytes));
  out << fmt::format("\n  if sends never waited: He-Sun alpha {} instead of {}, serialization {} instead of {}\n",
                     number(all.unwaited.alpha), number(all.he_sun.alpha), number(all.unwaited.serialization),
                     number(all.pop.serialization));
}

void print_phases(std::ostream& out, const metrics::Metrics& all) {
  if (all.phases.size() < 2) return;
  Table phases({"phases", "time", "of all", "alpha", "parallel", "load balance", "communication", "serialization",
                "transfer", "critical path"});
  for (std::size_t i = 0; i < all.phases.size(); ++i) {
    const auto& [name, seconds, share, pop, alpha] = all.phases[i];
    phases.add({"  " + name, format_seconds(seconds), share ? format_percent(*share) : "-", number(alpha),
                number(pop.parallel), number(pop.load_balance), number(pop.communication), number(pop.serialization),
                number(pop.transfer), format_seconds(all.critical_path.by_phase[i].second)});
  }
  phases.print(out);
}

/// Measures of one call's region and cone.
void print_call(std::ostream& out, const metrics::Metrics& all) {
  const auto row = [&](const char* name, const metrics::Measure& value) {
    out << fmt::format("  {:<26}{:>10}\n", name, number(value));
  };
  if (const auto& region = all.region) {
    out << fmt::format("region that ends in call {} of rank {}, {} (He-Sun)\n", region->of.call, region->of.rank,
                       region->function);
    row("alpha", region->alpha);
    row("Phi_1", region->phi1);
    row("Phi_2", region->phi2);
    row("Phi_3", region->phi3);
    row("Phi_4", region->phi4);
    Table vectors({"  location", "W", "U"});
    for (std::size_t i = 0; i < region->w.size(); ++i)
      vectors.add({fmt::format("  {}", i), format_seconds(region->w[i]), format_seconds(region->u[i])});
    vectors.print(out);
  }
  if (const auto& cone = all.cone) {
    out << fmt::format("cone of call {} of rank {}, {} (Raynal)\n", cone->of.call, cone->of.rank, cone->function);
    row("alpha", cone->alpha);
    row("Fidge beta", cone->beta);
    Table vectors({"  location", "V", "W", "theta_1", "theta_2", "theta_3"});
    for (std::size_t i = 0; i < cone->v.size(); ++i)
      vectors.add({fmt::format("  {}", i), fmt::format("{:.0f}", cone->v[i]), fmt::format("{:.0f}", cone->w[i]),
                   fmt::format("{:.0f}", cone->theta1[i]), fmt::format("{:.4f}", cone->theta2[i]),
                   fmt::format("{:.4f}", cone->theta3[i])});
    vectors.print(out);
  }
}

/// The least concurrent windows of time, those beside each other together.
void print_windows(std::ostream& out, const metrics::Windows& windows) {
  constexpr double kLow = 0.5;  // of the mean of all windows
  constexpr std::size_t kMost = 5;
  double sum = 0;
  std::size_t known = 0;
  for (const auto& alpha : windows.alpha)
    if (alpha) sum += *alpha, ++known;
  struct Stretch {
    std::size_t from, to;
    double alpha;  // mean
  };
  std::vector<Stretch> low;
  for (std::size_t i = 0; i < windows.alpha.size(); ++i) {
    const auto& alpha = windows.alpha[i];
    if (!alpha || *alpha >= kLow * sum / static_cast<double>(known)) continue;
    if (low.empty() || low.back().to != i) low.push_back({i, i, 0});
    auto& [from, to, mean] = low.back();
    mean = (mean * static_cast<double>(to - from) + *alpha) / static_cast<double>(to - from + 1);
    ++to;
  }
  if (low.empty()) return;
  std::ranges::stable_sort(low, std::greater<>(), [](const Stretch& all) { return all.to - all.from; });
  out << fmt::format(
      "when few ranks computed: alpha of windows of {} below half of their mean ({:.4f}), longest first\n",
      format_seconds(windows.length_s), sum / static_cast<double>(known));
  for (std::size_t i = 0; i < std::min(kMost, low.size()); ++i) {
    const auto at = [&](std::size_t window) { return format_seconds(windows.length_s * static_cast<double>(window)); };
    out << fmt::format("  {:<26}{:>10}\n", fmt::format("{} to {}", at(low[i].from), at(low[i].to)),
                       number(low[i].alpha));
  }
}

void print(std::ostream& out, const metrics::Metrics& all) {
  const auto& h = all.he_sun;
  const auto& r = all.raynal;
  for (const auto& note : all.notes) out << "note: " << note.text << '\n';
  for (const bool doubt : {false, true}) {
    bool first = true;
    for (const auto& finding : all.findings) {
      if (metrics::doubtful(finding, all.notes) != doubt) continue;
      if (std::exchange(first, false))
        out << (doubt ? "findings that may come from ranks that waited for a core\n"
                      : "findings, and the estimated gain from fixing each\n");
      out << fmt::format("  {:>9}  {}\n", format_seconds(finding.cost_s), printable(finding.text));
    }
  }
  out << "concurrency\n";
  const auto row = [&](const char* name, const std::string& value, const char* meaning) {
    out << fmt::format("  {:<26}{:>10}  {}\n", name, value, meaning);
  };
  row("He-Sun alpha", number(h.alpha), "0 sequential, 1 fully concurrent, by time");
  row("Phi_1", number(h.phi1), "efficiency: computing / (computing + blocked)");
  row("Phi_7", number(h.phi7), "balance of the ranks' computation, by its mean deviation");
  row("Raynal alpha", number(r.alpha),
      ("0 sequential, 1 fully concurrent, by events" +
       (r.unit_s ? fmt::format(": computing {} is one", format_seconds(*r.unit_s)) : std::string()))
          .c_str());
  row("Fidge beta", number(r.beta), "of the same events, against their number instead of ranks x height");
  row("Charron-Bost m", number(all.charron_bost.m),
      all.charron_bost.reason.empty() ? "of the same events, by the states that the run may pass through"
                                      : all.charron_bost.reason.c_str());
  print_sends(out, all);
  out << "efficiencies (POP)\n";
  row("parallel", number(all.pop.parallel), "load balance x communication");
  row("load balance", number(all.pop.load_balance), "mean computation of the ranks / that of the busiest one");
  row("communication", number(all.pop.communication), "serialization x transfer");
  row("serialization", number(all.pop.serialization), "busiest rank / longest chain of computation");
  row("transfer", number(all.pop.transfer), "that chain / run time");
  if (!all.critical_path.by_rank.empty())
    out << fmt::format("critical path  {}\n", format_seconds(all.critical_path.seconds));
  const auto share = [&](double seconds) {
    return all.critical_path.seconds > 0 ? format_percent(seconds / all.critical_path.seconds) : std::string("-");
  };
  for (std::size_t i = 0; i < std::min<std::size_t>(10, all.critical_path.by_function.size()); ++i) {
    const auto& [name, seconds] = all.critical_path.by_function[i];
    row(name.c_str(), share(seconds), format_seconds(seconds).c_str());
  }
  for (const auto& half : all.critical_path.halved)
    if (half.gain_s > 1e-3 * all.critical_path.seconds)
      out << fmt::format("  halving {} would make the run {} shorter\n",
                         half.rank ? fmt::format("the computation of rank {}", *half.rank) : half.function,
                         format_seconds(half.gain_s));
  print_slack(out, all.critical_path);
  print_phases(out, all);
  print_windows(out, all.windows);
  const auto& waits = all.waits;
  out << fmt::format("waiting for other ranks  {}\n", format_seconds(waits.all.total()));
  row("late sender", format_seconds(waits.all.late_sender_s), "receives that began before the message was sent");
  row("late receiver", format_seconds(waits.all.late_receiver_s), "sends that waited for their receive");
  row("imbalance", format_seconds(waits.all.imbalance_s), "collectives: a rank had more to compute");
  row("collective", format_seconds(waits.all.collective_s), "collectives: a rank came late for other reasons");
  const auto most = [&](const char* what, metrics::Waits metrics::WaitStates::PerRank::*waited) {
    const auto total = [=](const auto& rank) { return (rank.*waited).total(); };
    const auto rank = std::ranges::max_element(waits.per_rank, {}, total);
    if (rank != waits.per_rank.end() && total(*rank) > 0)
      row(what, fmt::format("rank {}", rank - waits.per_rank.begin()), format_seconds(total(*rank)).c_str());
  };
  most("most for", &metrics::WaitStates::PerRank::caused);
  most("root cause of most", &metrics::WaitStates::PerRank::root);
  row("not waiting", format_seconds(waits.transfer_s), "inside calls: messages under way, files, the calls themselves");
  print_call(out, all);
  if (all.regions.empty()) return;
  out << "regions of the lowest alpha\n";
  Table regions({"  rank", "ends at call", "in", "start", "computing", "blocked", "alpha", "waits for"});
  for (const auto& region : all.regions)
    regions.add({fmt::format("  {}", region.rank), format_count(region.call), region.function,
                 format_seconds(region.start_s), format_seconds(region.computing_s), format_seconds(region.blocked_s),
                 number(region.alpha), region.waits_for ? fmt::format("rank {}", *region.waits_for) : "-"});
  regions.print(out);
}

void note_unmatched(const Context& context, const MetricsOptions& options, const metrics::Unmatched& unmatched) {
  if (const auto odd = unmatched.total()) note(context, options.directory + ": " + waits_for_nothing(odd));
}

/// Of a run that was measured while it was recorded: what was measured then.
int show_online(const Context& context, const MetricsOptions& options) {
  if (options.regions || options.unit_s > 0 || !options.region.empty() || !options.cone.empty() || options.thread_waits)
    throw Error(Code::invalid_argument, options.directory, {},
                "was measured while it ran, without regions, units and waits for threads",
                "trace the run without --online for them");
  const auto json =
      read_online(options.directory, options.rho_file.empty() ? std::vector<double>() : read_rho(options.rho_file, {}));
  const auto measured = metrics_of(json);
  note_unmatched(context, options, measured.unmatched);
  if (options.json)
    print_json(context.out, json);
  else
    print(context.out, measured);
  return 0;
}

/// Of "RANK:CALL"; nothing for any other text.
std::optional<metrics::CallOf> call_of(const std::string& text) {
  const auto colon = text.find(':');
  const auto number = [&](const std::string& digits, auto& value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() && !digits.empty();
  };
  metrics::CallOf call;
  if (colon == std::string::npos || !number(text.substr(0, colon), call.rank) ||
      !number(text.substr(colon + 1), call.call))
    return {};
  return call;
}

CLI::Validator rank_and_call() {
  return CLI::Validator(
      [](std::string& text) {
        return call_of(text) ? std::string() : "must be RANK:CALL, two numbers that skelgen dump prints, not " + text;
      },
      "");
}

/// Simulated hosts have one clock.
bool clocks_differ(const trace::Trace& trace) {
  const auto ranks = trace.rank_info();
  return std::ranges::any_of(
      ranks, [&](const auto& rank) { return rank.host != ranks.front().host && rank.clock != "simulated"; });
}

int metrics_command(const Context& context, const MetricsOptions& options) {
  if (is_online(options.directory)) return show_online(context, options);
  trace::OpenOptions how;
  if (options.thread_waits) {
    how.thread_waits = threads::rank_waits(options.directory);
    if (how.thread_waits.empty())
      throw Error(Code::invalid_argument, options.directory, {}, "no threads were recorded here",
                  "trace with --threads, or leave --thread-waits out");
  }
  const auto trace = trace::open(options.directory, how);
  metrics::Options wanted;
  wanted.regions = options.regions;
  wanted.windows = metrics::kUsualWindows;
  wanted.region = call_of(options.region);
  wanted.cone = call_of(options.cone);
  wanted.unit_s = options.unit_s;
  wanted.own_unit = true;
  wanted.halve = true;
  wanted.cuts = true;
  wanted.slack = true;
  if (!options.rho_file.empty()) wanted.rho = read_rho(options.rho_file, trace.ranks());
  auto [phases, reason] = options.no_phases ? build::PhasesOrReason() : build::phases_if_any(trace);
  wanted.phases = std::move(phases);
  auto measured = metrics::measure(trace, wanted);
  build::add_lines(context.launch, measured.findings, [&](const std::string& text) { note(context, text); });
  if (clocks_differ(trace))
    note(context, options.directory +
                      ": clocks of different hosts are set by the end of MPI_Init only: waits between "
                      "ranks of different hosts may be wrong by a millisecond or more");
  if (!reason.empty()) note(context, "phases are left out: " + reason);
  note_unmatched(context, options, measured.unmatched);
  const auto between = options.thread_waits ? between_calls(trace) : std::vector<BetweenCalls>();
  if (!options.json) {
    print(context.out, measured);
    if (!between.empty()) print(context.out, between);
    return 0;
  }
  auto json = cli::json_of(measured);
  for (const auto& [rank, computing_s, waiting_s, hand_over_s] : between)
    json["thread_waits"].push_back(
        {{"rank", rank}, {"computing_s", computing_s}, {"waiting_s", waiting_s}, {"hand_over_s", hand_over_s}});
  print_json(context.out, json);
  return 0;
}

Json json_of(const metrics::Pop& pop) {
  return {{"parallel", pop.parallel},
          {"load_balance", pop.load_balance},
          {"communication", pop.communication},
          {"serialization", pop.serialization},
          {"transfer", pop.transfer}};
}

Json json_of(const metrics::CriticalPath::Slack& slack) {
  return {{"mean_s", slack.mean_s}, {"least_s", slack.least_s}};
}

Json slack_json(const metrics::CriticalPath& path) {
  Json ranks = Json::array();
  for (const auto& slack : path.slack_by_rank) ranks.push_back(json_of(slack));
  const auto named = [](const auto& all) {
    Json list = Json::array();
    for (const auto& [name, slack] : all) {
      list.push_back({{"name", name}});
      list.back().update(json_of(slack));
    }
    return list;
  };
  return {{"by_rank", ranks}, {"by_function", named(path.slack_by_function)}, {"by_phase", named(path.slack_by_phase)}};
}

const char* kind_of(metrics::Finding::Cause cause) {
  using Cause = metrics::Finding::Cause;
  switch (cause) {
    case Cause::late_sender:
      return "late_sender";
    case Cause::late_receiver:
      return "late_receiver";
    case Cause::imbalance:
      return "imbalance";
    case Cause::late_to_collective:
      return "late_to_collective";
    case Cause::uneven_work:
      return "uneven_work";
    case Cause::in_turns:
      return "in_turns";
    case Cause::changing_work:
      return "changing_work";
    case Cause::function:
      return "function";
    case Cause::without_core:
      return "without_core";
  }
  return "";
}

const char* kind_of(metrics::Note::Kind kind) {
  switch (kind) {
    case metrics::Note::Kind::failed:
      return "failed";
    case metrics::Note::Kind::shared_cores:
      return "shared_cores";
    case metrics::Note::Kind::disturbed:
      return "disturbed";
    case metrics::Note::Kind::clocks:
      return "clocks";
    case metrics::Note::Kind::incomplete:
      return "incomplete";
  }
  return "";
}

/// The one of that name. No name is behind the last one.
template <class Kind>
Kind kind_named(const std::string& name) {
  for (int kind = 0; *kind_of(static_cast<Kind>(kind)); ++kind)
    if (kind_of(static_cast<Kind>(kind)) == name) return static_cast<Kind>(kind);
  throw std::out_of_range(name);
}

Json json_of(const metrics::Waits& waits) {
  return {{"late_sender_s", waits.late_sender_s},
          {"late_receiver_s", waits.late_receiver_s},
          {"imbalance_s", waits.imbalance_s},
          {"collective_s", waits.collective_s}};
}

Json json_of(const metrics::RegionMeasures& region) {
  return {{"rank", region.of.rank}, {"call", region.of.call},  {"function", region.function}, {"w", region.w},
          {"u", region.u},          {"weight", region.weight}, {"volume", region.volume},     {"height", region.height},
          {"alpha", region.alpha},  {"phi1", region.phi1},     {"phi2", region.phi2},         {"phi3", region.phi3},
          {"phi4", region.phi4}};
}

Json json_of(const metrics::ConeMeasures& cone) {
  return {{"rank", cone.of.rank},
          {"call", cone.of.call},
          {"function", cone.function},
          {"v", cone.v},
          {"w", cone.w},
          {"weight", cone.weight},
          {"volume", cone.volume},
          {"height", cone.height},
          {"alpha", cone.alpha},
          {"beta", cone.beta},
          {"theta1", cone.theta1},
          {"theta2", cone.theta2},
          {"theta3", cone.theta3},
          {"theta1_relative", cone.theta1_relative}};
}

Json json_of(const metrics::WaitStates& waits) {
  Json result = json_of(waits.all), ranks = Json::array();
  for (const auto& rank : waits.per_rank) {
    ranks.push_back(json_of(static_cast<const metrics::Waits&>(rank)));
    ranks.back()["caused_s"] = rank.caused.total();
    ranks.back()["root_s"] = rank.root.total();
  }
  result["transfer_s"] = waits.transfer_s;
  result["per_rank"] = ranks;
  return result;
}

metrics::Finding finding_of(const Json& json) {
  return {json.at("cost_s").get<double>(), json.at("text").get<std::string>(),
          kind_named<metrics::Finding::Cause>(json.at("kind").get<std::string>())};
}

metrics::Note note_of(const Json& json) {
  return {kind_named<metrics::Note::Kind>(json.at("kind").get<std::string>()), json.at("text").get<std::string>(),
          json.value("measured", true), json.value("computing", false), json.value("without_core_s", 0.0)};
}

}  // namespace

Json json_of(const metrics::Metrics& all) {
  const auto& h = all.he_sun;
  const auto& r = all.raynal;
  Json ranks = Json::array(), phi3 = Json::array(), regions = Json::array(), functions = Json::array(),
       halved = Json::array();
  for (const auto& rank : h.per_rank) {
    ranks.push_back({{"rank", rank.where.rank},
                     {"thread", rank.where.thread},
                     {"computing_s", rank.computing_s},
                     {"blocked_s", rank.blocked_s},
                     {"phi3", rank.phi3}});
    phi3.push_back(rank.phi3);
  }
  for (const auto& region : all.regions)
    regions.push_back({{"rank", region.rank},
                       {"call", region.call},
                       {"function", region.function},
                       {"start_s", region.start_s},
                       {"computing_s", region.computing_s},
                       {"blocked_s", region.blocked_s},
                       {"alpha", region.alpha},
                       {"phi1", region.phi1},
                       {"waits_for", region.waits_for}});
  for (const auto& half : all.critical_path.halved)
    halved.push_back({{"rank", half.rank},
                      {"function", half.rank ? Json("computation") : Json(half.function)},
                      {"gain_s", half.gain_s}});
  for (const auto& [name, seconds] : all.critical_path.by_function)
    functions.push_back({{"name", name}, {"seconds", seconds}});
  Json findings = Json::array();
  Json phases = Json::array(), by_phase = Json::array();
  for (const auto& phase : all.phases) {
    phases.push_back(
        {{"name", phase.name}, {"seconds", phase.seconds}, {"share", phase.share}, {"alpha", phase.alpha}});
    phases.back().update(json_of(phase.pop));
  }
  for (const auto& [name, seconds] : all.critical_path.by_phase)
    by_phase.push_back({{"name", name}, {"seconds", seconds}});
  constexpr auto function = metrics::Finding::Cause::function;
  const auto text_or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  for (const auto& finding : all.findings)
    findings.push_back({{"cost_s", finding.cost_s},
                        {"text", finding.text},
                        {"kind", kind_of(finding.cause)},
                        {"rank", finding.ranks.size() == 1 ? Json(finding.ranks.front()) : Json()},
                        {"ranks", finding.ranks},
                        {"function", finding.cause == function ? Json(finding.function) : Json()},
                        {"waiting_in", text_or_null(finding.cause == function ? std::string() : finding.function)},
                        {"phase", text_or_null(finding.phase)},
                        {"line", text_or_null(finding.line)},
                        {"more_in_all", finding.more_in_all},
                        {"less", finding.less},
                        {"longer_in", text_or_null(finding.longer_in)},
                        {"gain_s", finding.gain_s},
                        {"moved_gain_s", finding.moved_gain_s}});
  Json notes = Json::array();
  for (const auto& note : all.notes)
    notes.push_back({{"kind", kind_of(note.kind)},
                     {"text", note.text},
                     {"measured", note.measured},
                     {"computing", note.computing},
                     {"without_core_s", note.without_core_s}});
  Json path;  // null where it was not looked for
  if (!all.critical_path.by_rank.empty())
    path = {{"seconds", all.critical_path.seconds},
            {"by_rank", all.critical_path.by_rank},
            {"by_function", functions},
            {"by_phase", by_phase},
            {"halved", halved},
            {"slack", slack_json(all.critical_path)}};
  return {{"schema", "skelgen.metrics/1"},
          {"notes", notes},
          {"findings", findings},
          {"he_sun",
           {{"alpha", h.alpha},
            {"wt", h.wt},
            {"vol", h.vol},
            {"ht", h.ht},
            {"phi1", h.phi1},
            {"phi2", h.phi2},
            {"phi3", phi3},
            {"phi4", h.phi4},
            {"phi5", h.phi5},
            {"phi6", h.phi6},
            {"phi7", h.phi7},
            {"phi5_rho", h.phi5_rho},
            {"phi6_rho", h.phi6_rho},
            {"phi7_rho", h.phi7_rho},
            {"phi6_balanced", h.phi6_balanced},
            {"per_rank", ranks}}},
          {"raynal",
           {{"alpha", r.alpha},
            {"unit_s", r.unit_s},
            {"weight", r.weight},
            {"volume", r.volume},
            {"height", r.height},
            {"beta", r.beta},
            {"theta4", r.theta4},
            {"theta4_relative", r.theta4_relative},
            {"theta5", r.theta5},
            {"theta6", r.theta6}}},
          {"charron_bost",
           {{"m", all.charron_bost.m},
            {"reason", all.charron_bost.reason.empty() ? Json() : Json(all.charron_bost.reason)}}},
          {"pop", json_of(all.pop)},
          {"if_sends_never_waited",
           {{"alpha", all.unwaited.alpha},
            {"ht", all.unwaited.ht},
            {"raynal_alpha", all.unwaited.raynal_alpha},
            {"height", all.unwaited.height},
            {"serialization", all.unwaited.serialization},
            {"transfer", all.unwaited.transfer}}},
          {"sends",
           {{"synchronous", all.sends.synchronous},
            {"waiting", all.sends.waiting},
            {"buffered_bytes", all.sends.buffered_bytes},
            {"waiting_bytes", all.sends.waiting_bytes}}},
          {"phases", phases},
          {"windows", {{"length_s", all.windows.length_s}, {"alpha", all.windows.alpha}}},
          {"critical_path", path},
          {"waits", json_of(all.waits)},
          {"regions", regions},
          {"region", all.region ? json_of(*all.region) : Json()},
          {"cone", all.cone ? json_of(*all.cone) : Json()},
          {"unmatched",
           {{"sends", all.unmatched.sends},
            {"receives", all.unmatched.receives},
            {"collectives", all.unmatched.collectives},
            {"unfinished", all.unmatched.unfinished},
            {"circular", all.unmatched.circular}}}};
}

metrics::Metrics metrics_of(const Json& json) {
  metrics::Metrics all;
  for (const auto& finding : json.at("findings")) all.findings.push_back(finding_of(finding));
  for (const auto& note : json.at("notes")) all.notes.push_back(note_of(note));
  const auto &he_sun = json.at("he_sun"), &raynal = json.at("raynal"), &pop = json.at("pop"), &waits = json.at("waits");
  all.he_sun.alpha = he_sun.at("alpha").get<metrics::Measure>();
  all.he_sun.phi1 = he_sun.at("phi1").get<metrics::Measure>();
  all.he_sun.phi7 = he_sun.at("phi7").get<metrics::Measure>();
  all.raynal.alpha = raynal.at("alpha").get<metrics::Measure>();
  all.raynal.unit_s = raynal.at("unit_s").get<std::optional<double>>();
  all.raynal.beta = raynal.at("beta").get<metrics::Measure>();
  all.charron_bost.reason = json.at("charron_bost").at("reason").get<std::string>();
  all.pop = {pop.at("parallel").get<metrics::Measure>(), pop.at("load_balance").get<metrics::Measure>(),
             pop.at("communication").get<metrics::Measure>(), pop.at("serialization").get<metrics::Measure>(),
             pop.at("transfer").get<metrics::Measure>()};
  const auto& unwaited = json.at("if_sends_never_waited");
  all.unwaited.alpha = unwaited.at("alpha").get<metrics::Measure>();
  all.unwaited.serialization = unwaited.at("serialization").get<metrics::Measure>();
  const auto& sends = json.at("sends");
  all.sends = {sends.at("synchronous").get<std::uint64_t>(), sends.at("waiting").get<std::uint64_t>(),
               sends.at("buffered_bytes").get<metrics::Measure>(), sends.at("waiting_bytes").get<metrics::Measure>()};
  const auto waits_at = [](const Json& at) {
    return metrics::Waits{at.at("late_sender_s").get<double>(), at.at("late_receiver_s").get<double>(),
                          at.at("imbalance_s").get<double>(), at.at("collective_s").get<double>()};
  };
  all.waits.all = waits_at(waits);
  all.waits.transfer_s = waits.at("transfer_s").get<double>();
  for (const auto& rank : waits.at("per_rank")) {
    auto& one = all.waits.per_rank.emplace_back();
    one.add(waits_at(rank));
    one.caused.collective_s = rank.at("caused_s").get<double>();  // of what kind is not told
    one.root.collective_s = rank.at("root_s").get<double>();
  }
  const auto count_at = [&](const char* key) { return json.at("unmatched").at(key).get<std::uint64_t>(); };
  all.unmatched = {count_at("sends"), count_at("receives"), count_at("collectives"), count_at("unfinished"),
                   count_at("circular")};
  return all;
}

Command add_metrics(CLI::App& parent) {
  auto* app = parent.add_subcommand("metrics", "Measure concurrency, critical path and efficiencies of a trace");
  set_usage(*app, "metrics [OPTIONS] DIR");
  const auto options = std::make_shared<MetricsOptions>();
  app->add_option("DIR", options->directory, "Trace directory")->required();
  app->add_option("--rho", options->rho_file, "JSON file with the relative speed of each rank's processor")
      ->type_name("FILE");
  app->add_option("--regions", options->regions,
                  "Report the N regions between message events that were least concurrent, and what they wait for")
      ->check(whole_number(1))
      ->type_name("N");
  app->add_option("--region", options->region,
                  "Measures of the region that this call ends (He-Sun): from the call before it that sends or receives")
      ->check(rank_and_call())
      ->type_name("RANK:CALL");
  app->add_option("--cone", options->cone,
                  "Measures of the cone of this call (Raynal): of all that happened before it and that it depends on")
      ->check(rank_and_call())
      ->type_name("RANK:CALL");
  app->add_option("--unit", options->unit_s,
                  "Raynal: computing for S seconds is one event (default: as long as is computed for each other event)")
      ->check(positive_number())
      ->type_name("S");
  app->add_flag(
      "--thread-waits", options->thread_waits,
      "Time in which a rank waits for other threads of its process is blocked, not computation (trace --threads)");
  app->add_flag("--no-phases", options->no_phases, "Do not look for phases: less time, and memory where ranks differ");
  app->add_flag("--json", options->json, "One JSON object on stdout");
  return {app, LauncherLine::none, [=](const Context& context) { return metrics_command(context, *options); }};
}

}  // namespace skelgen::cli
