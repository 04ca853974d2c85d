// skelgen compare: two runs, and whether the second one is slower than allowed.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <ostream>

#include "build/json.h"
#include "cli/commands.h"
#include "cli/compared.h"
#include "cli/table.h"

namespace skelgen::cli {
namespace {

/// Changes of less than this share of the run time are not shown to people.
constexpr double kShown = 0.01;

struct CompareOptions {
  std::string before, after;
  std::optional<double> most_percent;
  bool json = false;
};

struct Compared {
  Side before, after;
  std::optional<double> noise_s;
  bool allowed = true;
  std::optional<double> allowed_s = {};  ///< of change
  double change_s() const { return after.seconds - before.seconds; }
  /// Not nothing, as far as is known.
  std::optional<bool> significant() const {
    if (!noise_s) return {};
    return std::abs(change_s()) > *noise_s;
  }
  /// It may be slower than allowed, and noise is too great to see that.
  bool hidden() const {
    return allowed && allowed_s && noise_s && before.seconds > 0 && *noise_s > *allowed_s &&
           change_s() + *noise_s > *allowed_s;
  }
};

Compared compare(const CompareOptions& options) {
  Compared all{read_side(options.before), read_side(options.after), {}};
  all.noise_s = noise(all.before, all.after);
  if (options.most_percent) {
    all.allowed_s = *options.most_percent / 100 * all.before.seconds;
    all.allowed = all.change_s() - all.noise_s.value_or(0) <= *all.allowed_s;
  }
  return all;
}

std::string signed_percent(double change, double whole) {
  return whole > 0 ? fmt::format("{:+.1f} %", 100 * change / whole) : std::string("-");
}
std::string signed_seconds(double seconds) { return (seconds < 0 ? "-" : "+") + format_seconds(std::abs(seconds)); }

/// Those that matter, most first.
void print(std::ostream& out, const char* title, std::vector<Change> all, double whole) {
  if (all.empty()) return;
  std::erase_if(all, [&](const Change& change) { return std::abs(change.seconds()) < kShown * whole; });
  std::ranges::stable_sort(all, std::greater<>(), [](const Change& change) { return std::abs(change.seconds()); });
  out << '\n';
  if (all.empty()) {
    out << fmt::format("{}: no change of {} of the run time\n", title, format_percent(kShown));
    return;
  }
  const bool other_calls =
      std::ranges::any_of(all, [](const Change& change) { return change.calls_before != change.calls_after; });
  Table table({title, "old", "new", "change", other_calls ? "calls" : ""});
  const auto seconds = [](const std::optional<double>& s) { return s ? format_seconds(*s) : std::string("-"); };
  for (const Change& change : all) {
    std::string calls;
    if (change.calls_before != change.calls_after)
      calls = fmt::format("{} -> {}", format_count(change.calls_before.value_or(0)),
                          format_count(change.calls_after.value_or(0)));
    table.add(
        {"  " + change.name, seconds(change.before), seconds(change.after), signed_seconds(change.seconds()), calls});
  }
  table.print(out);
}

/// Nothing where a side does not know of ranks.
std::vector<Change> rank_changes(const Compared& all, double RankPart::*what) {
  const auto &before = all.before.ranks, &after = all.after.ranks;
  if (before.empty() || after.empty()) return {};
  std::vector<Change> list;
  for (std::size_t rank = 0; rank < std::max(before.size(), after.size()); ++rank) {
    list.push_back({std::to_string(rank), {}, {}, {}, {}});
    if (rank < before.size()) list.back().before = before[rank].*what;
    if (rank < after.size()) list.back().after = after[rank].*what;
  }
  return list;
}

void print(std::ostream& out, const Compared& all) {
  const Side &before = all.before, &after = all.after;
  out << fmt::format("run time  {} -> {}  {}", format_seconds(before.seconds), format_seconds(after.seconds),
                     signed_percent(all.change_s(), before.seconds));
  if (all.noise_s && before.seconds > 0)
    out << fmt::format("  (noise {}: {})", format_percent(*all.noise_s / before.seconds),
                       all.hidden()          ? "cannot tell"
                       : !*all.significant() ? "no difference beyond noise"
                       : all.change_s() > 0  ? "slower"
                                             : "faster");
  out << '\n';
  print(out, "functions, all ranks", changes(before.functions, after.functions),
        before.seconds * static_cast<double>(before.ranks.size()));
  print(out, "phases", phase_changes(before, after), before.seconds);
  print(out, "computation of rank", rank_changes(all, &RankPart::computing_s), before.seconds);
  print(out, "waiting for rank", rank_changes(all, &RankPart::caused_s), before.seconds);
}

Json json_of(const std::vector<Change>& all, bool calls) {
  Json list = Json::array();
  for (const Change& change : all) {
    list.push_back(
        {{"name", change.name}, {"old_s", change.before}, {"new_s", change.after}, {"change_s", change.seconds()}});
    if (calls) list.back().update({{"old_calls", change.calls_before}, {"new_calls", change.calls_after}});
  }
  return list;
}

/// Computation and what others waited for it, by rank.
Json ranks_of(const Compared& all) {
  const auto computing = rank_changes(all, &RankPart::computing_s), caused = rank_changes(all, &RankPart::caused_s);
  Json list = Json::array();
  for (std::size_t rank = 0; rank < computing.size(); ++rank)
    list.push_back({{"rank", rank},
                    {"old_computing_s", computing[rank].before},
                    {"new_computing_s", computing[rank].after},
                    {"old_caused_s", caused[rank].before},
                    {"new_caused_s", caused[rank].after}});
  return list;
}

Json json_of(const CompareOptions& options, const Compared& all) {
  const double old_s = all.before.seconds;
  return {
      {"schema", "skelgen.compare/1"},
      {"old",
       {{"path", options.before},
        {"kind", all.before.kind},
        {"runs", std::max<std::size_t>(1, all.before.runs.size())}}},
      {"new",
       {{"path", options.after}, {"kind", all.after.kind}, {"runs", std::max<std::size_t>(1, all.after.runs.size())}}},
      {"old_s", old_s},
      {"new_s", all.after.seconds},
      {"change", old_s > 0 ? Json(all.change_s() / old_s) : Json()},
      {"noise", all.noise_s && old_s > 0 ? Json(*all.noise_s / old_s) : Json()},
      {"significant", all.significant()},
      {"max_regress_percent", options.most_percent},
      {"allowed", all.allowed},
      {"cannot_tell", all.hidden()},
      {"caveats", caveats(all.before, all.after)},
      {"functions", json_of(changes(all.before.functions, all.after.functions), true)},
      {"phases", json_of(phase_changes(all.before, all.after), false)},
      {"ranks", ranks_of(all)}};
}

int compare_command(const Context& context, const CompareOptions& options) {
  const auto all = compare(options);
  for (const auto* side : {&all.before, &all.after})
    for (const auto& text : side->notes)
      note(context, (side == &all.before ? options.before : options.after) + ": " + text);
  for (const auto& caveat : caveats(all.before, all.after)) note(context, caveat);
  if (options.json)
    print_json(context.out, json_of(options, all));
  else
    print(context.out, all);
  if (all.hidden())
    note(context, fmt::format("{}: cannot tell whether it is slower than allowed: noise of {} is more than the {:g} % "
                              "that are allowed; take more runs, or a quieter machine",
                              options.after, format_percent(*all.noise_s / all.before.seconds), *options.most_percent));
  if (all.allowed) return 0;
  note(context, fmt::format("{}: slower than allowed: {}, allowed are {:+g} %{}", options.after,
                            signed_percent(all.change_s(), all.before.seconds), *options.most_percent,
                            all.noise_s && all.before.seconds > 0
                                ? " and noise of " + format_percent(*all.noise_s / all.before.seconds)
                                : ""));
  return 1;
}

}  // namespace

Command add_compare(CLI::App& parent) {
  auto* app = parent.add_subcommand("compare", "Compare two runs; fail on a regression");
  set_usage(*app, "compare [OPTIONS] OLD NEW");
  const auto options = std::make_shared<CompareOptions>();
  app->add_option("OLD", options->before, "Trace, skeleton, or file that predict --json or time --json printed")
      ->required();
  app->add_option("NEW", options->after, "The same of the other run")->required();
  app->add_option(
         "--max-regress", options->most_percent,
         "Exit status 1 if NEW is slower by more than PCT percent and noise together (default: any change is allowed)")
      ->check(number_from(0))
      ->type_name("PCT");
  app->add_flag("--json", options->json, "One JSON object on stdout");
  return {app, LauncherLine::none, [=](const Context& context) { return compare_command(context, *options); }};
}

}  // namespace skelgen::cli
