#include "cli/compared.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/pipeline.h"
#include "cli/traffic.h"
#include "metrics/metrics.h"
#include "predict/skeleton_run.h"
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
  side.ranks = static_cast<std::size_t>(trace.ranks());
  const auto counted = traffic(trace);
  side.functions.push_back({"computation", counted.computation_s});
  for (const auto& function : counted.functions)
    side.functions.push_back({function.name, function.seconds, function.calls});
  metrics::Options wanted;
  wanted.phases = phases_if_any(trace).phases;
  const auto measured = metrics::measure(trace, wanted);
  for (const auto& phase : measured.phases) side.phases.push_back({phase.name, phase.seconds});
  const auto& waits = measured.waits.per_rank;
  for (std::size_t rank = 0; rank < waits.size(); ++rank) {
    side.computing.push_back({std::to_string(rank), 0});
    side.delays.push_back({std::to_string(rank), waits[rank].caused.total()});
  }
  const auto locations = trace.locations();
  for (std::size_t l = 0; l < locations.size(); ++l)
    side.computing[static_cast<std::size_t>(locations[l].rank)].seconds += measured.he_sun.per_rank[l].computing_s;
  return side;
}

Side of_skeleton(const std::filesystem::path& path) {
  const auto json = predict::read_skeleton_info(path).json;
  Side side;
  side.kind = "skeleton";
  side.seconds = json.at("traced_wall_s");
  for (const auto& phase : json.at("phases")) side.phases.push_back({phase.at("name"), phase.at("traced_s")});
  return side;
}

Side of_json(const Json& json) {
  const std::string schema = json.at("schema");
  Side side;
  if (schema == "skelgen.time/1") {
    side.kind = "time";
    side.seconds = json.at("wall_s");
    for (const auto& run : json.at("runs")) side.runs.push_back(run.at("wall_s"));
    return side;
  }
  if (schema != "skelgen.predict/1" && schema != "skelgen.skeleton/1") throw std::invalid_argument(schema);
  side.kind = "prediction";
  side.seconds = json.at("predicted_s");
  if (json.contains("runs")) side.runs = json.at("runs").get<std::vector<double>>();
  for (const auto& phase : json.at("phases"))
    side.phases.push_back({phase.at("name"), phase.at("weight").get<double>() * phase.at("seconds").get<double>()});
  side.phases.push_back({"finalize", json.at("finalize_s")});
  return side;
}

}  // namespace

Side read_side(const std::filesystem::path& path) {
  const auto unknown = [&] {
    return Error(Code::corrupt, path.string(), {}, "is nothing that can be compared",
                 "give a trace, a skeleton, or a file that predict --json or time --json printed");
  };
  try {
    if (predict::is_skeleton(path)) return of_skeleton(path);
    if (std::filesystem::is_directory(path)) return of_trace(path);
    std::ifstream in(path);
    if (!in) throw Error(Code::io, path.string(), {}, "cannot be read", "check the name");
    return of_json(Json::parse(in));
  } catch (const Json::exception&) {
    throw unknown();
  } catch (const std::invalid_argument&) {
    throw unknown();
  }
}

std::vector<Change> changes(const std::vector<Part>& before, const std::vector<Part>& after) {
  std::vector<Change> all;
  for (const Part& part : before) all.push_back({part.name, part.seconds, {}, part.calls, {}});
  for (const Part& part : after) {
    auto found = std::ranges::find(all, part.name, &Change::name);
    if (found == all.end()) found = all.insert(all.end(), {part.name, {}, {}, {}, {}});
    found->after = part.seconds;
    found->calls_after = part.calls;
  }
  return all;
}

std::optional<double> noise(const Side& before, const Side& after) {
  if (before.runs.size() < 2 && after.runs.size() < 2) return {};
  const auto& spread = before.runs.size() < 2 ? after : before;
  double variance = 0, weight = 0;  // Welch: of the difference, and for its degrees of freedom
  for (const Side* side : {&before, &after}) {
    const Side& known = side->runs.size() < 2 ? spread : *side;
    const double runs = static_cast<double>(std::max<std::size_t>(1, side->runs.size()));
    const double own = std::pow(predict::standard_deviation(known.runs), 2) / runs;
    variance += own;
    weight += own * own / static_cast<double>(known.runs.size() - 1);
  }
  if (variance == 0) return 0;
  const int degrees = std::max(1, static_cast<int>(variance * variance / weight));
  return predict::student_t(0.95, degrees) * std::sqrt(variance);
}

}  // namespace skelgen::cli
