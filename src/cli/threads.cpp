// skelgen threads: what synchronisation between the threads of a process costs.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "cli/commands.h"
#include "cli/synchronisation.h"
#include "cli/thread_places.h"
#include "support/format.h"
#include "threads/groups.h"
#include "threads/simulate.h"

namespace skelgen::cli {
namespace {

struct ThreadsOptions {
  std::string trace, dot;
  std::vector<std::string> changes;
  unsigned processors = 0;
  bool json = false;
};

/// Adds "THREAD=FACTOR": of a thread's number, or else of all threads of that name.
void add_change(std::vector<threads::Change>& changes, const std::string& text, const threads::Run& run) {
  const auto sign = text.rfind('=');
  double factor = 0;
  if (sign != std::string::npos) {
    const auto* end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data() + sign + 1, end, factor);
    if (error != std::errc() || last != end) factor = 0;
  }
  constexpr double kLeast = 1e-4, kMost = 1e4;
  if (!(factor >= kLeast && factor <= kMost))
    throw Error(Code::usage, "--change", {}, "'" + text + "' is no change",
                fmt::format("give a thread and a factor from {:g} to {:g}, as in 2=0.5", kLeast, kMost));
  const auto name = text.substr(0, sign);
  const auto before = changes.size();
  bool is_number = false;
  for (std::size_t t = 0; t < run.threads.size(); ++t) is_number = is_number || name == std::to_string(t);
  for (std::uint32_t t = 0; t < run.threads.size(); ++t)
    if (name == (is_number ? std::to_string(t) : run.threads[t].name)) {
      if (std::ranges::find(changes, t, &threads::Change::thread) != changes.end())
        throw Error(Code::usage, "--change", {},
                    fmt::format("{} of {} is changed twice", thread_name(run, t), run.application),
                    "give one factor for it");
      changes.push_back({t, factor});
    }
  if (changes.size() == before)
    throw Error(Code::usage, "--change", {}, "no thread '" + name + "'",
                fmt::format("give a name, or a number from 0 to {}", run.threads.size() - 1));
}

/// Lists the files of several processes; threads::read_run() refuses them then.
void list_processes(const Context& context, const std::string& trace) {
  const auto files = threads::files_of(trace);
  if (files.size() < 2) return;
  for (const auto& file : files) try {
      const auto one = threads::summarize(file);
      const auto time =
          one.observed_s > 0 ? fmt::format(", {} of them together", format_seconds(one.observed_s)) : std::string();
      note(context, fmt::format("{}: {}, {} threads{}", file.string(), one.application, one.threads, time));
    } catch (const Error& error) {
      note(context, error.what());
    }
}

/// Fills Synchronisation::halves: the run with half the work of each thread, and of all threads of a function. Those that
/// compute most are tried first, as many as the number of events allows in some seconds.
void add_halves(Synchronisation& all, unsigned processors) {
  constexpr std::size_t kMostEvents = 20'000'000, kMostRuns = 12, kFew = 8;
  constexpr double kMember = 0.8;  // a thread with so much of its group's gain stands for it
  std::size_t events = 1;
  for (const auto& thread : all.run.threads) events += thread.events.size();
  struct Candidate {
    Half half;
    std::size_t group;
    double compute_s = 0;
  };
  std::vector<Candidate> candidates;
  for (std::size_t g = 0; g < all.groups.size(); ++g) {
    const auto add = [&](std::vector<std::uint32_t> threads) {
      Candidate one{{std::move(threads), 0}, g};
      for (const auto t : one.half.threads) one.compute_s += all.analysis.threads[t].compute_s;
      if (one.compute_s > 0) candidates.push_back(std::move(one));
    };
    add(all.groups[g]);
    if (all.groups[g].size() > 1 && all.groups[g].size() <= kFew)
      for (const auto t : all.groups[g]) add({t});
  }
  std::ranges::stable_sort(candidates, std::greater(), &Candidate::compute_s);
  const auto before = candidates.size();
  candidates.resize(std::min({candidates.size(), kMostRuns, std::max(std::size_t{2}, kMostEvents / events)}));
  all.all_halves = candidates.size() == before;
  for (auto& one : candidates) {
    std::vector<threads::Change> changes;
    for (const auto t : one.half.threads) changes.push_back({t, 0.5});
    one.half.seconds = threads::simulate(all.run, all.analysis, changes, processors).seconds;
  }
  // Of a group and its threads one stands for all.
  const auto gain = [&](const Candidate& one) { return all.evaluated.seconds - one.half.seconds; };
  std::map<std::size_t, const Candidate*> chosen;
  for (const bool members : {false, true})
    for (const auto& one : candidates) {
      if ((one.half.threads.size() == 1) != members) continue;
      auto& best = chosen[one.group];
      if (!best || gain(one) > (best->half.threads.size() > 1 ? kMember : 1) * gain(*best)) best = &one;
    }
  for (const auto& [group, one] : chosen) all.halves.push_back(one->half);
  std::ranges::stable_sort(all.halves, {}, &Half::seconds);
}

Synchronisation synchronisation_of(const Context& context, const ThreadsOptions& options) {
  list_processes(context, options.trace);
  Progress progress(context.terminal ? &context.err : nullptr, context.patience);
  progress.stage("read");
  Synchronisation result{threads::read_run(options.trace), {}, {}, {}, options.processors, {}, {}, 0, {}, true};
  for (const auto& text : options.changes) add_change(result.changes, text, result.run);
  if (!result.run.complete && !result.changes.empty())
    throw Error(Code::unsupported, options.trace, {},
                "the process did not end by exit: there is no prediction of how long it would have run",
                "leave out --change, or trace a run that ends");
  progress.stage("find loops and waits");
  result.groups = threads::groups(result.run);
  result.analysis = threads::analyse(result.run);
  if (!result.run.complete) return result;
  progress.stage("predict");
  result.evaluated = threads::simulate(result.run, result.analysis, {}, options.processors);
  add_halves(result, options.processors);
  if (result.changes.empty()) return result;
  result.changed = threads::simulate(result.run, result.analysis, result.changes, options.processors);
  for (std::uint32_t t = 0; t < result.run.threads.size(); ++t) {
    double seconds = result.analysis.threads[t].work / result.analysis.units_per_second;
    for (const auto& change : result.changes)
      if (change.thread == t) seconds *= change.factor;
    result.changed_without_s = std::max(result.changed_without_s, seconds);
  }
  return result;
}

double cycles(const Synchronisation& all, double seconds) { return seconds * all.analysis.units_per_second; }

std::vector<std::string> names(const threads::Analysis& analysis, const auto& loops) {
  std::vector<std::string> result;
  for (const auto loop : loops) result.push_back(analysis.synchronisation_loops[loop].name);
  return result;
}

std::vector<std::string> object_names(const threads::Run& run, const std::set<std::uint32_t>& objects) {
  std::vector<std::string> result;
  for (const auto object : objects) result.push_back(run.objects[object].name);
  return result;
}

Json json_of(const Synchronisation& all, const threads::Account& account) {
  return {{"work", account.work},           {"seconds", account.seconds()},
          {"compute_s", account.compute_s}, {"off_processor_s", account.off_processor_s},
          {"waiting_s", account.waiting_s}, {"hand_over_s", account.hand_over_s},
          {"call_s", account.call_s},       {"cycles", cycles(all, account.seconds())}};
}

Json vertex_json(const Synchronisation& all, const threads::Vertex& vertex) {
  constexpr const char* kKinds[] = {"loop start", "loop end", "producer", "consumer", "both"};
  const auto& loop = all.analysis.loops.all[vertex.loop];
  Json json{{"kind", kKinds[static_cast<std::size_t>(vertex.kind)]}, {"thread", loop.thread}, {"count", vertex.count}};
  if (vertex.kind <= threads::Vertex::Kind::loop_end) return json;
  json["action"] = threads::name_of(vertex.action);
  if (!threads::is_life(vertex.action)) json["object"] = all.run.objects[vertex.object].name;
  json["waiting_s"] = vertex.calls.waiting_s;
  json["hand_over_s"] = vertex.calls.hand_over_s;
  json["call_s"] = vertex.calls.call_s;
  return json;
}

Json json_of(const Context& context, const Synchronisation& all) {
  const auto& [run, analysis, groups, changes, processors, evaluated, changed, changed_without_s, halves, all_halves] =
      all;
  Json json{{"schema", "skelgen.threads/1"},
            {"application", run.application},
            {"threads", run.threads.size()},
            {"clock", run.clock},
            {"units_per_second", analysis.units_per_second},
            {"at_layers", run.at_layers},
            {"loops", Json::array()},
            {"layers", Json::array()},
            {"total_cycles", cycles(all, analysis.seconds())},
            {"total_s", analysis.seconds()},
            {"without_synchronisation_cycles", analysis.without_synchronisation()},
            {"without_synchronisation_s", analysis.without_synchronisation() / analysis.units_per_second},
            {"evaluated_s", run.complete ? Json(evaluated.seconds) : Json()},
            {"complete", run.complete},
            {"halves", Json::array()},
            {"forced_waits", evaluated.forced + changed.forced},
            {"per_thread", Json::array()},
            {"vertices", Json::array()},
            {"edges", Json::array()},
            {"signals", Json::array()},
            {"notes", run.notes}};
  for (const auto& half : halves) json["halves"].push_back({{"threads", half.threads}, {"seconds", half.seconds}});
  for (const auto& loop : analysis.synchronisation_loops) {
    const auto& is = analysis.loops.all[loop.loop];
    Json one{{"id", loop.name},
             {"thread", is.thread},
             {"parent", nullptr},
             {"is_thread", is.parent == threads::kNoLoop},
             {"trips", is.trips()},
             {"produces", object_names(run, loop.produces)},
             {"consumes", object_names(run, loop.consumes)},
             {"N", names(analysis, loop.nested)},
             {"P", names(analysis, loop.partners_it_produces_for)},
             {"C", names(analysis, loop.partners_it_consumes_from)},
             {"T", loop.threads},
             {"cost", json_of(all, loop.cost)}};
    if (loop.parent != threads::kNoLoop) one["parent"] = analysis.synchronisation_loops[loop.parent].name;
    json["loops"].push_back(std::move(one));
  }
  for (const auto& layer : analysis.layers)
    json["layers"].push_back({{"level", layer.level},
                              {"loops", names(analysis, layer.loops)},
                              {"cycles", cycles(all, layer.seconds)},
                              {"seconds", layer.seconds}});
  for (std::size_t t = 0; t < run.threads.size(); ++t) {
    auto one = json_of(all, analysis.threads[t]);
    one["name"] = run.threads[t].name;
    one["evaluated_s"] = run.complete ? Json(evaluated.thread_seconds[t]) : Json();
    if (run.threads[t].core_wait_s) one["core_wait_s"] = *run.threads[t].core_wait_s;
    if (!changes.empty()) one["changed_s"] = changed.thread_seconds[t];
    json["per_thread"].push_back(std::move(one));
  }
  for (const auto& vertex : analysis.vertices) json["vertices"].push_back(vertex_json(all, vertex));
  for (const auto& edge : analysis.edges)
    json["edges"].push_back({{"from", edge.from},
                             {"to", edge.to},
                             {"count", edge.count},
                             {"work", edge.work / static_cast<double>(edge.count)},
                             {"seconds", edge.seconds / static_cast<double>(edge.count)}});
  for (const auto& edge : analysis.signals)
    json["signals"].push_back({{"producer", edge.producer},
                               {"consumer", edge.consumer},
                               {"count", edge.count},
                               {"waited", edge.waited},
                               {"waiting_s", edge.waited ? edge.waiting_s / static_cast<double>(edge.waited) : 0},
                               {"hand_over_s", edge.waited ? edge.hand_over_s / static_cast<double>(edge.waited) : 0},
                               {"confidence", edge.confidence / static_cast<double>(edge.count)}});
  const auto objects = threads::awaited(run, analysis);
  const auto at = thread_places(context, run, objects);
  json["objects"] = Json::array();
  for (const auto& object : objects) {
    Json one{{"name", run.objects[object.object].name},
             {"waiting_s", object.waiting_s},
             {"hand_over_s", object.hand_over_s},
             {"places", Json::array()}};
    for (const auto& [site, seconds] : object.sites) {
      one["places"].push_back({{"place", at.at(site.first).text}, {"seconds", seconds}});
      if (site.second != threads::kNoSite) one["places"].back()["caller"] = at.at(site.second).text;
    }
    json["objects"].push_back(std::move(one));
  }
  if (changes.empty()) return json;
  json["changed"] = {
      {"seconds", changed.seconds}, {"without_synchronisation_s", changed_without_s}, {"changes", Json::array()}};
  for (const auto& change : changes)
    json["changed"]["changes"].push_back({{"thread", change.thread}, {"factor", change.factor}});
  return json;
}

int threads_command(const Context& context, const ThreadsOptions& options) {
  if (options.dot == "-" && options.json)
    throw Error(Code::usage, "--dot", {}, "goes to stdout, and so does --json", "name a file after --dot");
  if (!options.dot.empty()) require_writable_output(options.dot);
  const auto all = synchronisation_of(context, options);
  if (!options.dot.empty())
    write_output(context, options.dot,
                 threads::dot(all.run, all.analysis, false) + threads::dot(all.run, all.analysis, true));
  if (options.dot == "-") return 0;
  if (options.json)
    print_json(context.out, json_of(context, all));
  else
    print(context, all);
  return 0;
}

}  // namespace

Command add_threads(CLI::App& parent) {
  auto* app = parent.add_subcommand("threads", "Say what synchronisation between threads costs, layer by layer");
  set_usage(*app, "threads [OPTIONS] DIR");
  const auto options = std::make_shared<ThreadsOptions>();
  app->add_option("DIR", options->trace, "Trace directory of trace --threads, or the file of one process in it")
      ->required();
  app->add_option(
         "--change", options->changes,
         "Predict the run time with so many times the work of a thread (its number, or else all of a name); may be "
         "repeated for "
         "other threads")
      ->type_name("THREAD=FACTOR")
      ->take_all();
  app->add_option("--processors", options->processors,
                  "Processors that the threads share in the prediction (default: one for each thread)")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  app->add_option(
         "--dot", options->dot,
         "Write the synchronisation graph for Graphviz, before and after the reduction to layers (- for stdout)")
      ->type_name("FILE");
  app->add_flag("--json", options->json, "One JSON object on stdout");
  app->footer(
      "In the table of loops, N are the loops nested in one, P those that consume what it produces, C those that "
      "produce "
      "what it consumes.");
  return {app, LauncherLine::none, [=](const Context& context) { return threads_command(context, *options); }};
}

}  // namespace skelgen::cli
