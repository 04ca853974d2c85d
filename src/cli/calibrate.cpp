// skelgen calibrate: the relative speed of each rank's processor, kernel by kernel.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/commands.h"
#include "cli/ranks.h"
#include "cli/speeds.h"
#include "cli/table.h"
#include "predict/calibration.h"
#include "support/replace.h"

namespace skelgen::cli {
namespace {

struct CalibrateOptions {
  std::string output, compiler, kernel = "mean";
  launch::Yield yield = launch::Yield::automatic;
  bool json = false;
};

std::vector<double> rho_of(const predict::Speeds& speeds, const std::string& kernel) {
  if (kernel == "mean") return predict::relative_speeds(speeds);
  const auto found = std::ranges::find(speeds.kernels, kernel);
  if (found == speeds.kernels.end())
    throw Error(Code::invalid_argument, "--kernel " + kernel, {}, "was not measured", "take mean");
  return predict::relative_speeds(speeds, static_cast<std::size_t>(found - speeds.kernels.begin()));
}

Json json_of(const predict::Speeds& speeds, const std::vector<double>& rho, const std::string& kernel) {
  Json json{{"schema", "skelgen.calibrate/1"},
            {"rho", rho},
            {"kernel", kernel},
            {"one_by_one", speeds.one_by_one},
            {"alike", predict::are_alike(speeds)},
            {"kernels", Json::array()},
            {"ranks", Json::array()}};
  for (std::size_t k = 0; k < speeds.kernels.size(); ++k) {
    Json one{{"name", speeds.kernels[k]}, {"rho", predict::relative_speeds(speeds, k)}};
    for (const auto& rank : speeds.ranks) {
      one["per_second"].push_back(rank.kernels[k].speed);
      one["spread"].push_back(rank.kernels[k].spread);
    }
    json["kernels"].push_back(std::move(one));
  }
  for (const auto& rank : speeds.ranks) json["ranks"].push_back({{"host", rank.host}, {"cores", rank.cores}});
  return json;
}

void print(std::ostream& out, const predict::Speeds& speeds, const std::vector<double>& rho) {
  std::vector<std::string> header{"rank", "host", "cores"};
  std::vector<std::vector<double>> relative;
  for (std::size_t k = 0; k < speeds.kernels.size(); ++k) {
    header.push_back(speeds.kernels[k]);
    header.push_back("+-");
    relative.push_back(predict::relative_speeds(speeds, k));
  }
  header.push_back("rho");
  Table table(header);
  for (std::size_t r = 0; r < speeds.ranks.size(); ++r) {
    const auto& rank = speeds.ranks[r];
    std::vector<std::string> row{std::to_string(r), rank.host, std::to_string(rank.cores)};
    for (std::size_t k = 0; k < relative.size(); ++k) {
      row.push_back(fmt::format("{:.3f}", relative[k][r]));
      row.push_back(fmt::format("{:.3f}", relative[k][r] * rank.kernels[k].spread));
    }
    row.push_back(fmt::format("{:.4f}", rho[r]));
    table.add(std::move(row));
  }
  table.print(out);
}

int calibrate(const Context& context, const CalibrateOptions& options) {
  if (options.output == "-" && options.json)
    throw Error(Code::usage, "-o - and --json both write to standard output", "give one of them");
  if (!options.output.empty()) require_writable_output(options.output);
  const auto speeds = measure_speeds(context, context.launcher, options.compiler, options.yield);
  const auto rho = rho_of(speeds, options.kernel);
  const auto json = json_of(speeds, rho, options.kernel);
  if (speeds.one_by_one)
    note(context, "ranks share cores: one after the other measured, so rho is what each has when the others wait");
  if (const double most = predict::greatest_spread(speeds); most > predict::kMostSpread)
    note_spoilt(context, fmt::format("speeds vary by {} from round to round", format_percent(most)));
  if (predict::are_alike(speeds) && speeds.ranks.size() > 1)
    note(context, "the ranks' speeds differ by no more than they vary: they may be taken for equal");
  if (!options.output.empty()) write_output(context, options.output, json.dump(2) + "\n");
  if (options.output == "-") return 0;
  if (options.json)
    print_json(context.out, json);
  else
    print(context.out, speeds, rho);
  return 0;
}

}  // namespace

Command add_calibrate(CLI::App& parent) {
  auto* app = parent.add_subcommand("calibrate", "Measure the relative speed of each rank's processor");
  set_usage(*app, "calibrate [OPTIONS] -- LAUNCHER...");
  const auto options = std::make_shared<CalibrateOptions>();
  app->add_option("-o,--output", options->output, "File for the result, for metrics --rho; - for stdout")
      ->type_name("RHO.json");
  one_of(app->add_option("--kernel", options->kernel,
                         "What rho is: the speed of one kernel, or the geometric mean of all"),
         {"mean", "integer", "floating", "stream", "random"})
      ->capture_default_str();
  app->add_option("--cc", options->compiler, "MPI compiler (default: mpicc of the launcher's MPI)")->type_name("MPICC");
  app->add_flag("--json", options->json, "One JSON object on stdout");
  add_yield_option(*app, options->yield);
  app->footer("The program that measures is added to the end of LAUNCHER.");
  return {app, LauncherLine::needed, [=](const Context& context) { return calibrate(context, *options); }};
}

}  // namespace skelgen::cli
