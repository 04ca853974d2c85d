// skelgen model: a traced program on another network, by Liu's formulas and by executing it on the measured times.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <set>
#include <span>

#include "build/build.h"
#include "cli/commands.h"
#include "cli/given.h"
#include "cli/rho.h"
#include "cli/table.h"
#include "metrics/metrics.h"
#include "network/advice.h"
#include "network/replay.h"
#include "predict/interval.h"
#include "predict/scaling.h"
#include "predict/skeleton_run.h"
#include "trace/trace.h"

namespace skelgen::cli {
namespace {

struct ModelOptions {
  std::string program, net, rho;
  std::vector<int> ranks;  ///< empty: 2, 4, 8, 16, and of a text for any number none
  double t1_s = 0;         ///< 0: the computation of all ranks
  bool what_if = false, json = false;
};

constexpr int kRanks[] = {2, 4, 8, 16};  ///< of Liu's speed-up

/// ranks: of a text for any number of ranks; 0: of another program.
skeleton::Skeleton program_of(const ModelOptions& options, int ranks) {
  const auto is = given(options.program);
  if (is == Given::skeleton)
    throw Error(Code::invalid_argument, options.program, {}, "is a skeleton, which is C and no folded program any more",
                "give the trace that it was built from, or the text of build --emit text");
  build::Options wanted;
  wanted.measure = false;
  wanted.work = false;
  if (ranks) wanted.ranks = static_cast<std::uint32_t>(ranks);
  auto built = is == Given::text ? build::build_text(options.program, wanted) : build::build(options.program, wanted);
  return std::move(built.result.skeleton);
}

/// Sums over a location's calls that have to do with others.
double total(const network::CallTimes& calls) {
  double sum = 0;
  for (const auto& [function, seconds] : calls)
    if (network::is_timed(*function)) sum += seconds;
  return sum;
}

/// Another network, or other processors.
struct Change {
  const char *name, *key;
  double latency, bandwidth, processor;
};
constexpr Change kChanges[] = {{"half the latency", "half_latency", 0.5, 1, 1},
                               {"twice the bandwidth", "twice_bandwidth", 1, 2, 1},
                               {"processors twice as fast", "twice_processor", 1, 1, 2},
                               {"messages that take no time", "ideal_network", 0, HUGE_VAL, 1}};

/// Run times after each of the changes, in seconds.
std::vector<double> run_after_changes(const skeleton::Skeleton& skeleton, const network::MessageTimes& times,
                                      const std::vector<double>& rho) {
  std::vector<double> runs;
  for (const auto& change : kChanges) {
    auto faster = rho.empty() ? std::vector<double>(skeleton::ranks(skeleton), 1) : rho;
    for (auto& speed : faster) speed *= change.processor;
    runs.push_back(network::replay(skeleton, times.changed(change.latency, change.bandwidth), faster).run_s);
  }
  return runs;
}

/// Everything that is said of a program.
struct Model {
  network::Network network;  ///< of a ping-pong
  double t1_s = 0, traced_s = 0;
  int ranks = 0;
  std::string misfit;  ///< of the network's lines; empty: they fit
  network::Replay replay;
  std::vector<network::Advice> advice;
  std::vector<double> changed_s;                      ///< run times with kChanges, if they were asked for
  std::vector<network::CallTimes> traced;             ///< by location
  std::vector<network::Communication> communication;  ///< by location
  std::vector<std::pair<int, double>> speedup;        ///< by number of ranks
  std::map<const mpi::Function*, std::pair<double, double>> functions;  ///< all locations: traced, replayed
  double run_error() const { return traced_s > 0 ? replay.run_s / traced_s - 1 : NAN; }
  /// Of the ranks' communication times, relative.
  std::optional<double> median_error() const {
    std::vector<double> errors;
    for (std::size_t l = 0; l < traced.size(); ++l)
      if (const double was = total(traced[l]); was > 0)
        errors.push_back(std::abs(total(replay.locations[l].calls_s) / was - 1));
    return errors.empty() ? std::nullopt : std::optional(predict::median(errors));
  }
};

/// ranks: of a text for any number of ranks, for which this is the skeleton; 0: of another program.
Model model_of(const ModelOptions& options, const network::Points& points, const skeleton::Skeleton& skeleton,
               int ranks = 0) {
  const network::MessageTimes times(points);
  Model model;
  model.ranks = static_cast<int>(skeleton::ranks(skeleton));
  model.traced_s = skeleton.traced_wall_s;
  const auto rho = options.rho.empty() ? std::vector<double>() : read_rho(options.rho, model.ranks);
  model.network = {times.pingpong().all.t0_s, times.pingpong().all.s_per_byte};
  model.replay = network::replay(skeleton, times, rho);
  const auto lines = network::model_of(points);
  model.misfit = network::misfit(lines);
  model.advice = network::advise(skeleton, model.replay, times, lines);
  if (options.what_if) model.changed_s = run_after_changes(skeleton, times, rho);
  model.traced = network::traced_calls(skeleton);
  for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l) {
    const auto& account = model.replay.locations[l];
    model.communication.push_back(account.communication);
    model.t1_s += skeleton::total_compute(skeleton, l);
    for (const auto& [function, seconds] : model.traced[l]) model.functions[function].first += seconds;
    for (const auto& [function, seconds] : account.calls_s) model.functions[function].second += seconds;
  }
  std::erase_if(model.functions, [](const auto& one) { return !network::is_timed(*one.first); });
  if (options.t1_s > 0) model.t1_s = options.t1_s;
  if (!(model.t1_s > 0))
    throw Error(Code::invalid_argument, options.program, {}, "has no computation to be divided", "give --t1");
  for (const int n : ranks ? std::span<const int>(&ranks, 1) : std::span<const int>(options.ranks))
    model.speedup.emplace_back(n, network::speedup(model.communication, model.network, n, model.t1_s));
  return model;
}

Json json_of(const Model& model) {
  Json json{
      {"schema", "skelgen.model/1"},
      {"ranks", model.ranks},
      {"t0_us", 1e6 * model.network.t0_s},
      {"us_per_byte", 1e6 * model.network.s_per_byte},
      {"traced_wall_s", model.traced_s},
      {"t1_s", model.t1_s},
      {"per_rank", Json::array()},
      {"predicted", Json::array()},
      {"replay",
       {{"run_s", model.replay.run_s}, {"calls", model.replay.calls}, {"iterations_skipped", model.replay.skipped}}},
      {"functions", Json::array()},
      {"advice", Json::array()}};
  for (const auto& one : model.advice)
    json["advice"].push_back({{"loop", one.loop.empty() ? Json() : Json(one.loop)},
                              {"function", one.function->name},
                              {"rank", one.rank},
                              {"bytes", one.bytes},
                              {"calls", one.calls},
                              {"state", one.congested ? "congested" : "spare"},
                              {one.congested ? "pieces" : "combined", one.parts},
                              {"now_s", one.now_s},
                              {"then_s", one.then_s}});
  for (std::size_t l = 0; l < model.communication.size(); ++l) {
    const auto& is = model.communication[l];
    const auto& account = model.replay.locations[l];
    json["per_rank"].push_back({{"c_p", is.messages_p},
                                {"m_p", is.bytes_p},
                                {"c_b", is.messages_b},
                                {"m_b", is.bytes_b},
                                {"interact_s", network::interact_s(is, model.network, model.ranks)},
                                {"bound_s", network::interact_bound_s(is, model.network, model.ranks)},
                                {"traced_s", total(model.traced[l])},
                                {"replay_s", total(account.calls_s)},
                                {"computed_s", account.computed_s}});
  }
  for (const auto& [n, speedup] : model.speedup)
    json["predicted"].push_back(
        {{"ranks", n}, {"seconds", model.t1_s / speedup}, {"speedup", speedup}, {"efficiency", speedup / n}});
  for (const auto& [function, seconds] : model.functions)
    json["functions"].push_back({{"name", function->name}, {"traced_s", seconds.first}, {"replay_s", seconds.second}});
  for (std::size_t i = 0; i < model.changed_s.size(); ++i) json["what_if"][kChanges[i].key] = model.changed_s[i];
  return json;
}

std::string number(double value) { return fmt::format("{:.6g}", value); }

std::string could_be(const network::Advice& one) {
  if (one.parts <= 1) return "-";
  return one.congested ? fmt::format("{:.0f} pieces each", one.parts) : fmt::format("one for {:.4g}", one.parts);
}

void print(std::ostream& out, const Model& model) {
  out << fmt::format("run time    {} on this network, by the replay", format_seconds(model.replay.run_s));
  if (model.traced_s > 0)
    out << fmt::format("; {} traced ({:+.2f} %)", format_seconds(model.traced_s), 100 * model.run_error());
  if (const auto error = model.median_error())
    out << fmt::format("; communication of a rank: median error {:.1f} %", 100 * *error);
  out << fmt::format("\nnetwork     t0 {:.2f} us, 1/r_inf {:.4f} ns/B (one line through the ping-pong)\n\n",
                     1e6 * model.network.t0_s, 1e9 * model.network.s_per_byte);
  Table ranks({"rank", "c_p", "M_p", "c_b", "M_b", "Liu", "bound", "replay", "traced"});
  for (std::size_t l = 0; l < model.communication.size(); ++l) {
    const auto& is = model.communication[l];
    ranks.add({std::to_string(l), number(is.messages_p), format_bytes(is.bytes_p), number(is.messages_b),
               format_bytes(is.bytes_b), format_seconds(network::interact_s(is, model.network, model.ranks)),
               format_seconds(network::interact_bound_s(is, model.network, model.ranks)),
               format_seconds(total(model.replay.locations[l].calls_s)), format_seconds(total(model.traced[l]))});
  }
  ranks.print(out);
  out << '\n';
  Table functions({"all ranks", "replay", "traced"});
  for (const auto& [function, seconds] : model.functions)
    functions.add({std::string(function->name), format_seconds(seconds.second), format_seconds(seconds.first)});
  functions.print(out);
  if (!model.changed_s.empty()) {
    out << '\n';
    Table changes({"what if", "run time", "change"});
    for (std::size_t i = 0; i < model.changed_s.size(); ++i)
      changes.add({kChanges[i].name, format_seconds(model.changed_s[i]),
                   fmt::format("{:+.1f} %", 100 * (model.changed_s[i] / model.replay.run_s - 1))});
    changes.print(out);
  }
  if (!model.advice.empty()) {
    out << '\n';
    Table advice({"messages", "loop", "rank", "bytes", "number", "take", "state", "could be", "then"});
    for (const auto& one : model.advice)
      advice.add({std::string(one.function->name), one.loop.empty() ? "-" : one.loop, std::to_string(one.rank),
                  format_bytes(one.bytes), number(one.calls), format_seconds(one.now_s),
                  one.congested ? "congested" : "spare", could_be(one),
                  one.parts > 1 ? format_seconds(one.then_s) : std::string("-")});
    advice.print(out);
  }
  out << fmt::format(
      "\nLiu's bound of the run time, formula (3), without a replay: t1 / ranks + the bound of the busiest rank; "
      "t1 {}, messages and bytes as in this run\n",
      format_seconds(model.t1_s));
  Table speedup({"ranks", "run time", "speed-up", "efficiency"});
  for (const auto& [n, s] : model.speedup)
    speedup.add({std::to_string(n), format_seconds(model.t1_s / s), fmt::format("{:.4f}", s), format_percent(s / n)});
  speedup.print(out);
}

/// Why the traced run's times are not to be trusted.
void note_trace(const Context& context, const std::string& directory) {
  const auto trace = trace::open(directory);
  for (const auto& text : {metrics::failed(trace.status()), metrics::without_cores(trace)})
    if (!text.empty()) note(context, text);
}

// --- a text for any number of ranks

/// The replayed run times and POP's efficiencies, for predict::scaling_of.
std::vector<predict::AtRanks> at_ranks(std::span<const Model> models) {
  const auto share = [](double part, double whole) { return whole > 0 ? std::optional(part / whole) : std::nullopt; };
  std::vector<predict::AtRanks> all;
  for (const Model& model : models) {
    double computed = 0, most = 0;
    for (const auto& account : model.replay.locations) {
      computed += account.computed_s;
      most = std::max(most, account.computed_s);
    }
    predict::AtRanks& point = all.emplace_back();
    point.all.origin.ranks = model.ranks;
    point.all.predicted_s = model.replay.run_s;
    point.parallel = share(computed, model.ranks * model.replay.run_s);
    point.load_balance = share(computed, model.ranks * most).value_or(1);
    point.communication = share(most, model.replay.run_s);
  }
  return all;
}

/// Seconds in a function's calls on the rank that spends most in them, by model; those that grow most from the first to the last model come
/// first.
std::vector<std::pair<std::string, std::vector<double>>> functions_of(std::span<const Model> models) {
  std::map<std::string, std::vector<double>> seconds;
  for (std::size_t i = 0; i < models.size(); ++i)
    for (const auto& account : models[i].replay.locations)
      for (const auto& [function, time] : account.calls_s) {
        if (!network::is_timed(*function)) continue;
        auto& own = seconds[std::string(function->name)];
        own.resize(models.size());
        own[i] = std::max(own[i], time);
      }
  std::vector<std::pair<std::string, std::vector<double>>> all(seconds.begin(), seconds.end());
  std::ranges::stable_sort(all, std::greater{}, [](const auto& one) { return one.second.back() - one.second.front(); });
  return all;
}

Json json_of(std::span<const Model> models) {
  Json json{{"schema", "skelgen.model_scaling/1"},
            {"scaling", Json::array()},
            {"functions", Json::array()},
            {"models", Json::array()}};
  const auto known = [](std::optional<double> value) { return value ? Json(*value) : Json(); };
  const auto points = at_ranks(models);
  const auto rows = predict::scaling_of(points);
  for (std::size_t i = 0; i < models.size(); ++i) {
    const Model& model = models[i];
    json["scaling"].push_back({{"ranks", model.ranks},
                               {"run_s", model.replay.run_s},
                               {"speed_up", known(rows[i].speed_up)},
                               {"efficiency", known(rows[i].efficiency)},
                               {"computation", known(rows[i].computation)},
                               {"load_balance", known(points[i].load_balance)},
                               {"communication", known(points[i].communication)},
                               {"liu_s", model.t1_s / model.speedup[0].second}});
    json["models"].push_back(json_of(model));
  }
  for (const auto& [name, seconds] : functions_of(models))
    json["functions"].push_back({{"name", name}, {"longest_s", seconds}});
  return json;
}

void print(std::ostream& out, std::span<const Model> models) {
  Table table(
      {"ranks", "replayed", "speed-up", "efficiency", "computation", "load balance", "communication", "Liu's bound"});
  const auto percent = [](std::optional<double> share) { return share ? format_percent(*share) : std::string("-"); };
  const auto points = at_ranks(models);
  const auto rows = predict::scaling_of(points);
  for (std::size_t i = 0; i < models.size(); ++i)
    table.add({std::to_string(models[i].ranks), format_seconds(models[i].replay.run_s),
               rows[i].speed_up ? fmt::format("{:.4g}", *rows[i].speed_up) : "-", percent(rows[i].efficiency),
               percent(rows[i].computation), percent(points[i].load_balance), percent(points[i].communication),
               format_seconds(models[i].t1_s / models[i].speedup[0].second)});
  table.print(out);
  out << fmt::format("(speed-up, efficiency and computation in relation to {} ranks)\n\n", models[0].ranks);
  std::vector<std::string> header{"time in calls, longest of a rank"};
  for (const Model& model : models) header.push_back(fmt::format("{} ranks", model.ranks));
  Table functions(std::move(header));
  for (const auto& [name, seconds] : functions_of(models)) {
    std::vector<std::string> row{name};
    for (const double one : seconds) row.push_back(format_seconds(one));
    functions.add(std::move(row));
  }
  functions.print(out);
}

/// Of a text for any number of ranks.
int model_scaling(const Context& context, const ModelOptions& options, const network::Points& points) {
  constexpr int kMost = 1 << 20;  // as build --ranks
  if (options.ranks.empty())
    throw Error(Code::usage, options.program, {}, "is a skeleton for any number of ranks",
                "say which ones: --ranks 16,64,256");
  const bool several = options.ranks.size() > 1;
  if (several && (!options.rho.empty() || options.what_if))
    throw Error(Code::usage, fmt::format("{} is for one number of ranks", options.what_if ? "--what-if" : "--rho"),
                "give one number to --ranks");
  std::vector<skeleton::Skeleton> skeletons;  // all before the first is replayed: what is wrong shows early
  std::set<int> different;
  for (const int ranks : options.ranks) {
    if (!different.insert(ranks).second)
      throw Error(Code::usage, fmt::format("--ranks has {} twice", ranks), "leave one out");
    if (ranks > kMost)
      throw Error(Code::usage, fmt::format("--ranks has {}, more than {}", ranks, kMost), "give a smaller number");
    skeletons.push_back(program_of(options, ranks));
  }
  std::vector<Model> models;
  for (std::size_t i = 0; i < skeletons.size(); ++i)
    models.push_back(model_of(options, points, skeletons[i], options.ranks[i]));
  if (!models[0].misfit.empty()) note_spoilt(context, options.net + ": " + models[0].misfit);
  if (options.json)
    print_json(context.out, several ? json_of(models) : json_of(models[0]));
  else if (several)
    print(context.out, models);
  else
    print(context.out, models[0]);
  return 0;
}

int model_command(const Context& context, ModelOptions options) {
  const bool of_text = given(options.program) == Given::text;
  const auto points = network::read_net(options.net);
  if (of_text && build::is_for_any_ranks(options.program)) return model_scaling(context, options, points);
  if (options.ranks.empty()) options.ranks.assign(std::begin(kRanks), std::end(kRanks));
  const auto model = model_of(options, points, program_of(options, 0));
  if (!of_text) note_trace(context, options.program);
  if (!model.misfit.empty()) note_spoilt(context, options.net + ": " + model.misfit);
  if (options.json)
    print_json(context.out, json_of(model));
  else
    print(context.out, model);
  return 0;
}

}  // namespace

Command add_model(CLI::App& parent) {
  auto* app = parent.add_subcommand("model", "Predict run time and communication on a network that netbench measured");
  set_usage(*app, "model [OPTIONS] DIR|TEXT --net NET.json");
  const auto options = std::make_shared<ModelOptions>();
  app->add_option("DIR", options->program, "Trace directory, or text form of a skeleton, also for any number of ranks")
      ->required();
  app->add_option("--net", options->net, "What skelgen netbench -o wrote")->required()->type_name("NET.json");
  app->add_option("--rho", options->rho, "Relative speed of each rank's processor, from skelgen calibrate")
      ->type_name("RHO.json");
  comma_separated(
      app->add_option("--ranks", options->ranks,
                      "Numbers of ranks for speed-up and efficiency, by Liu's formula (3); of a text for any "
                      "number of ranks by the replay, too"))
      ->check(whole_number(2, 1'000'000'000))
      ->default_str("2,4,8,16; of such a text none")
      ->type_name("LIST");
  app->add_option("--t1", options->t1_s, "Run time of one rank, seconds (default: the computation of all ranks)")
      ->check(positive_number())
      ->type_name("SECONDS");
  app->add_flag("--what-if", options->what_if,
                "Replay with half the latency, twice the bandwidth, processors twice as fast, and messages that take "
                "no time, too");
  app->add_flag("--json", options->json, "One JSON object on stdout");
  return {app, LauncherLine::none, [=](const Context& context) { return model_command(context, *options); }};
}

}  // namespace skelgen::cli
