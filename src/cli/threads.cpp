// skelgen threads: what synchronisation between the threads of a process costs.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "build/sites.h"
#include "cli/commands.h"
#include "cli/table.h"
#include "support/printable.h"
#include "threads/simulate.h"

namespace skelgen::cli {
namespace {

struct ThreadsOptions {
  std::string trace, dot;
  std::vector<std::string> changes;
  unsigned processors = 0;
  bool json = false;
};

/// What `skelgen threads` says: the run, its analysis, and the run with other work where that was asked for.
struct Synchronisation {
  threads::Run run;
  threads::Analysis analysis;
  std::vector<threads::Change> changes;
  threads::Simulated evaluated, changed;
  double changed_without_s = 0;  ///< the same without synchronisation
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
        throw Error(Code::usage, "--change", {}, fmt::format("thread {} {} is changed twice", t, run.threads[t].name),
                    "give one factor for it");
      changes.push_back({t, factor});
    }
  if (changes.size() == before)
    throw Error(Code::usage, "--change", {}, "no thread '" + name + "'",
                fmt::format("give a name, or a number from 0 to {}", run.threads.size() - 1));
}

Synchronisation synchronisation_of(const ThreadsOptions& options) {
  Synchronisation result{threads::read_run(options.trace), {}, {}, {}, {}, 0};
  for (const auto& text : options.changes) add_change(result.changes, text, result.run);
  result.analysis = threads::analyse(result.run);
  result.evaluated = threads::simulate(result.run, result.analysis, {}, options.processors);
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

std::string whole_cycles(const Synchronisation& all, double seconds) {
  constexpr double kMost = 0x1p63;  // damaged files may have more
  return format_count(static_cast<std::uint64_t>(std::min(cycles(all, seconds), kMost)));
}

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

/// "solver.c:120", or "app+0x1234" where the module has no debug information or is not what was traced. By site.
std::map<std::uint32_t, std::string> places(const Context& context, const threads::Run& run,
                                            const std::vector<threads::Awaited>& objects) {
  std::map<std::uint32_t, std::string> result;
  std::set<build::Site> known;
  const auto site_of = [&](std::uint32_t site) {
    const auto& [module, offset, build_id] = run.sites[site];
    return build::Site{module, build_id, offset};
  };
  for (const auto& object : objects)
    for (const auto& [key, seconds] : object.sites)
      for (const auto site : {key.first, key.second}) {
        if (site == threads::kNoSite) continue;
        const auto name = std::filesystem::path(run.sites[site].module).filename().string();
        result[site] = fmt::format("{}{:#x}", name.empty() ? name : printable(name) + "+", run.sites[site].offset);
        if (!name.empty()) known.insert(site_of(site));
      }
  if (known.empty() || !launch::find_program("addr2line")) return result;
  const auto lines = build::lines_of(context.launch, known, [](const std::string&) {});
  for (auto& [site, place] : result)
    if (const auto line = lines.find(site_of(site)); line != lines.end()) place = line->second;
  return result;
}

Json json_of(const Context& context, const Synchronisation& all) {
  const auto& [run, analysis, changes, evaluated, changed, changed_without_s] = all;
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
            {"evaluated_s", evaluated.seconds},
            {"forced_waits", evaluated.forced + changed.forced},
            {"per_thread", Json::array()},
            {"vertices", Json::array()},
            {"edges", Json::array()},
            {"signals", Json::array()},
            {"notes", run.notes}};
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
    one["evaluated_s"] = evaluated.thread_seconds[t];
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
  const auto at = places(context, run, objects);
  json["objects"] = Json::array();
  for (const auto& object : objects) {
    Json one{{"name", run.objects[object.object].name},
             {"waiting_s", object.waiting_s},
             {"hand_over_s", object.hand_over_s},
             {"places", Json::array()}};
    for (const auto& [site, seconds] : object.sites) {
      one["places"].push_back({{"place", at.at(site.first)}, {"seconds", seconds}});
      if (site.second != threads::kNoSite) one["places"].back()["caller"] = at.at(site.second);
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

/// The first ones; --json has all.
std::string listed(const std::vector<std::string>& all) {
  constexpr std::size_t kMost = 8;
  if (all.empty()) return "-";
  if (all.size() <= kMost) return fmt::format("{}", fmt::join(all, ", "));
  return fmt::format("{} and {} more", fmt::join(all.begin(), all.begin() + kMost, ", "), all.size() - kMost);
}

std::vector<std::string> account_cells(const threads::Account& account) {
  return {format_seconds(account.compute_s), format_seconds(account.off_processor_s),
          format_seconds(account.waiting_s), format_seconds(account.hand_over_s),
          format_seconds(account.call_s),    format_seconds(account.seconds())};
}

void add_row(Table& table, std::vector<std::string> first, const threads::Account& account) {
  for (auto& cell : account_cells(account)) first.push_back(std::move(cell));
  table.add(std::move(first));
}

void print_loops(std::ostream& out, const Synchronisation& all) {
  const auto& analysis = all.analysis;
  if (analysis.synchronisation_loops.empty()) {
    out << "\nno synchronisation loops: no thread waits for signals of another, but for its beginning and its end\n";
    return;
  }
  out << '\n';
  Table loops({"loop", "thread", "in", "trips", "N", "P", "C", "produces", "consumes"});
  for (const auto& loop : analysis.synchronisation_loops) {
    const auto& is = analysis.loops.all[loop.loop];
    loops.add({loop.name, all.run.threads[is.thread].name,
               loop.parent == threads::kNoLoop ? "-" : analysis.synchronisation_loops[loop.parent].name,
               is.parent == threads::kNoLoop ? "thread" : format_count(is.trips()),
               listed(names(analysis, loop.nested)), listed(names(analysis, loop.partners_it_produces_for)),
               listed(names(analysis, loop.partners_it_consumes_from)), listed(object_names(all.run, loop.produces)),
               listed(object_names(all.run, loop.consumes))});
  }
  loops.print(out);
  out << '\n';
  Table layers({"level", "layer", "cost", "cycles"});
  for (const auto& layer : analysis.layers)
    layers.add({std::to_string(layer.level), listed(names(analysis, layer.loops)), format_seconds(layer.seconds),
                whole_cycles(all, layer.seconds)});
  layers.print(out);
  out << '\n';
  Table costs({"loop", "computes", "off", "waits", "hand-over", "calls", "all"});
  for (const auto& loop : analysis.synchronisation_loops) add_row(costs, {loop.name}, loop.cost);
  costs.print(out);
}

void print_signals(std::ostream& out, const Synchronisation& all) {
  constexpr std::size_t kMost = 20;
  auto signals = all.analysis.signals;
  std::erase_if(signals, [](const threads::SignalEdge& edge) { return edge.waited == 0; });
  if (signals.empty()) return;
  std::ranges::stable_sort(signals, std::greater(),
                           [](const threads::SignalEdge& edge) { return edge.waiting_s + edge.hand_over_s; });
  out << '\n';
  Table table({"signal", "from", "to", "times", "waited", "wait", "hand-over", "sure"});
  for (std::size_t i = 0; i < std::min(kMost, signals.size()); ++i) {
    const auto& edge = signals[i];
    const auto& to = all.analysis.vertices[edge.consumer];
    const auto thread = [&](std::uint32_t v) {
      return all.run.threads[all.analysis.loops.all[all.analysis.vertices[v].loop].thread].name;
    };
    const auto waited = static_cast<double>(edge.waited);
    table.add({threads::is_life(to.action) ? threads::name_of(to.action) : all.run.objects[to.object].name,
               thread(edge.producer), thread(edge.consumer), format_count(edge.count), format_count(edge.waited),
               format_seconds(edge.waiting_s / waited), format_seconds(edge.hand_over_s / waited),
               format_percent(edge.confidence / static_cast<double>(edge.count))});
  }
  table.print(out);
  if (signals.size() > kMost) out << fmt::format("and {} more, all of them with --json\n", signals.size() - kMost);
}

/// A table of the objects that threads waited for, each with the source line at which they waited longest.
void print_objects(const Context& context, const Synchronisation& all) {
  constexpr std::size_t kMost = 20;
  auto objects = threads::awaited(all.run, all.analysis);
  if (objects.empty()) return;
  const auto count = objects.size();
  objects.resize(std::min(count, kMost));
  const auto at = places(context, all.run, objects);
  const auto place_of = [&](const auto& site) {
    return at.at(site.first) + (site.second == threads::kNoSite ? "" : ", called at " + at.at(site.second));
  };
  context.out << '\n';
  Table table({"object", "waits", "hand-over", "most of it at", "there"});
  for (const auto& object : objects) {
    const auto most = std::ranges::max_element(object.sites, {}, [](const auto& site) { return site.second; });
    table.add({all.run.objects[object.object].name, format_seconds(object.waiting_s),
               format_seconds(object.hand_over_s), place_of(most->first), format_seconds(most->second)});
  }
  table.print(context.out);
  if (count > kMost) context.out << fmt::format("and {} more, all of them with --json\n", count - kMost);
}

void print(const Context& context, const Synchronisation& all) {
  auto& out = context.out;
  const auto& [run, analysis, changes, evaluated, changed, changed_without_s] = all;
  out << fmt::format("program     {}: {} threads, work is {}\n", printable(run.application), run.threads.size(),
                     run.clock);
  for (const auto& text : run.notes) out << "note        " << printable(text) << '\n';
  if (run.at_layers)
    out << "note        work was counted where layers begin and end, and divided evenly between: only sums over layers "
           "are "
           "true\n";
  out << '\n';
  Table table({"thread", "computes", "off", "waits", "hand-over", "calls", "all"});
  for (std::size_t t = 0; t < run.threads.size(); ++t)
    add_row(table, {fmt::format("{} {}", t, run.threads[t].name)}, analysis.threads[t]);
  table.print(out);
  print_loops(out, all);
  print_signals(out, all);
  print_objects(context, all);
  const double total = analysis.seconds(), without = analysis.without_synchronisation() / analysis.units_per_second;
  const auto of_total = [&](double seconds) { return total > 0 ? 100 * (seconds / total - 1) : 0; };
  out << fmt::format("\ntotal       {} ({} cycles of the clock)\n", format_seconds(total), whole_cycles(all, total));
  out << fmt::format("graph       {} ({:+.1f} %): waits follow from the graph\n", format_seconds(evaluated.seconds),
                     of_total(evaluated.seconds));
  out << fmt::format("without     {} ({:+.1f} %): synchronisation is ignored\n", format_seconds(without),
                     of_total(without));
  const auto note_forced = [&](std::uint64_t forced) {
    if (forced > 0)
      out << fmt::format("note        {} wait{} could not end in the order of the run\n", forced,
                         forced == 1 ? "" : "s");
  };
  note_forced(evaluated.forced);
  if (changes.empty()) return;
  std::vector<std::string> what;  // threads of the same name once
  for (const auto& change : changes) {
    auto text = fmt::format("{} works {:g} times as much", run.threads[change.thread].name, change.factor);
    if (std::ranges::find(what, text) == what.end()) what.push_back(std::move(text));
  }
  out << fmt::format("\nchanged     {}: {}; {} if synchronisation is ignored\n", fmt::join(what, ", "),
                     format_seconds(changed.seconds), format_seconds(changed_without_s));
  note_forced(changed.forced);
}

int threads_command(const Context& context, const ThreadsOptions& options) {
  if (options.dot == "-" && options.json)
    throw Error(Code::usage, "--dot", {}, "goes to stdout, and so does --json", "name a file behind --dot");
  if (!options.dot.empty()) require_writable_output(options.dot);
  const auto all = synchronisation_of(options);
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
  return {app, LauncherLine::none, [=](const Context& context) { return threads_command(context, *options); }};
}

}  // namespace skelgen::cli
