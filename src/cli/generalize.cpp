// skelgen generalize: traces at several numbers of ranks -> the text of a skeleton for any number.

#include "build/generalize.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/commands.h"
#include "metrics/metrics.h"
#include "support/format.h"

namespace skelgen::cli {
namespace {

constexpr double kUneven = 0.05;

struct GeneralizeOptions {
  std::vector<std::string> directories;
  std::string output;
  bool approximate = false, json = false;
};

std::string list(const std::vector<std::uint32_t>& ranks) { return fmt::format("{}", fmt::join(ranks, ", ")); }

Json json_of(const build::General& general, const std::string& output) {
  Json json{{"schema", "skelgen.generalize/1"},
            {"skeleton", output},
            {"ranks", general.traced},
            {"records_in", general.records_in},
            {"statements", general.of.statements},
            {"rules", general.of.rules},
            {"confirmed", general.of.confirmed},
            {"tolerance", general.of.tolerance},
            {"grid", general.of.grid.empty() ? Json() : Json(general.of.grid)},
            {"checked_at", general.traced},
            {"doubts", Json::array()},
            {"computation_error", general.of.computation_error()},
            {"growth_error", general.of.growth_error},
            {"imbalance", general.of.imbalance},
            {"core_wait", general.core_wait},
            {"refused", nullptr}};
  for (const auto& [what, why] : general.of.doubts) json["doubts"].push_back({{"what", what}, {"why", why}});
  return json;
}

void print(std::ostream& out, const build::General& general, const std::string& output) {
  constexpr std::size_t kMostDoubts = 8;
  const auto line = [&](const char* name, const std::string& value) { out << fmt::format("{:<12}{}\n", name, value); };
  const auto& of = general.of;
  line("skeleton", output);
  line("calls", fmt::format("{} -> {} statements", format_count(general.records_in), format_count(of.statements)));
  line("ranks", fmt::format("any, from {}", list(general.traced)));
  line("grid", of.grid.empty() ? "none" : of.grid);
  line("rules", fmt::format("{}; {} of them are found alike without any one of the traces", format_count(of.rules),
                            format_count(of.confirmed)));
  line("checked",
       fmt::format("repeats the calls of all traces, at {} ranks{}", list(general.traced),
                   of.tolerance > 0 ? fmt::format(", with counts up to {} off", format_percent(of.tolerance)) : ""));
  line("computation",
       of.growth_error > generalize::kMostTrusted
           ? std::string("no formula predicts it where a run is left out")
           : fmt::format("formulas predict it within {} where a run is left out", format_percent(of.growth_error)));
  for (std::size_t i = 0; i < std::min(kMostDoubts, of.doubts.size()); ++i)
    line(i == 0 ? "in doubt" : "", fmt::format("{}: {}", of.doubts[i].what, of.doubts[i].why));
  if (of.doubts.size() > kMostDoubts) line("", fmt::format("and {} more", of.doubts.size() - kMostDoubts));
}

int generalize_command(const Context& context, const GeneralizeOptions& options) {
  require_writable_output(options.output);
  const auto general =
      build::generalize_traces({options.directories.begin(), options.directories.end()},
                               options.approximate ? generalize::Counts::means : generalize::Counts::exact,
                               context.terminal ? &context.err : nullptr);
  if (general.of.tolerance > 0)
    note(context, fmt::format("an approximate skeleton: counts that follow from data are their mean, up to {} off",
                              format_percent(general.of.tolerance)));
  write_output(context, options.output, general.of.text);
  if (!general.of.doubts.empty())
    note(context, fmt::format("{} rules are not decided by these traces: another number of ranks{} may decide them",
                              general.of.doubts.size(), general.sites ? "" : ", or traces made with --sites,"));
  if (const auto text = metrics::traced_without_cores(general.core_wait); !text.empty()) note(context, text);
  if (general.of.growth_error > generalize::kMostTrusted)
    note(context,
         "do not trust predicted run times: no formula of the number of ranks predicts the computation of a run that "
         "is left out; trace with a core for each rank, longer runs, or at more numbers of ranks");
  if (general.of.imbalance > kUneven)
    note(context,
         fmt::format("the slowest ranks computed {} longer in the traces than in the skeleton, as no rule of p and r "
                     "gives it: its predictions are too short by that, or by more at larger numbers of ranks",
                     format_percent(general.of.imbalance)));
  if (options.json)
    print_json(context.out, json_of(general, options.output));
  else if (options.output != "-")
    print(context.out, general, options.output);
  return 0;
}

}  // namespace

Command add_generalize(CLI::App& parent) {
  auto* app = parent.add_subcommand(
      "generalize", "Make one skeleton for any number of ranks from traces of a program at several numbers");
  set_usage(*app, "generalize [OPTIONS] DIR DIR...");
  const auto options = std::make_shared<GeneralizeOptions>();
  app->add_option("DIR", options->directories,
                  "Trace directories, each of another number of ranks; three or more tell most rules apart")
      ->required();
  app->add_option("-o,--output", options->output, "File of the skeleton's text, - for stdout (default: -)")
      ->type_name("FILE")
      ->default_str("-");
  app->add_flag(
      "--approximate", options->approximate,
      "Where the lists of counts of a collective (MPI_Alltoallv) follow from data, take their mean; such a skeleton is "
      "marked by its tolerance");
  app->add_flag("--json", options->json, "One JSON object on stdout");
  app->footer("Exit status 1 where the traces follow no rules; the first statement without one is named.");
  return {app, LauncherLine::none, [=](const Context& context) {
            if (options->output.empty()) options->output = "-";
            if (options->json && options->output == "-")
              throw Error(Code::usage, "--json and the text both go to stdout", "name a file: -o app.skel.txt");
            return generalize_command(context, *options);
          }};
}

}  // namespace skelgen::cli
