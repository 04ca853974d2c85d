#include "predict/calibration.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "predict/interval.h"
#include "support/error.h"

namespace skelgen::predict {
namespace {

using Json = nlohmann::ordered_json;

KernelSpeed summary(std::vector<double> rounds) {
  if (rounds.empty() || !std::ranges::all_of(rounds, [](double speed) { return speed > 0 && std::isfinite(speed); }))
    throw std::invalid_argument("no speed");
  std::ranges::sort(rounds);
  KernelSpeed result{median(rounds), 0};
  const std::size_t half = rounds.size() / 2;  // without the middle one
  if (half > 0) {
    const std::span all(rounds);
    result.spread = (median(all.last(half)) - median(all.first(half))) / 2 / result.speed;
  }
  return result;
}

std::vector<double> by_greatest(std::vector<double> speeds) {
  const double most = std::ranges::max(speeds);
  for (double& speed : speeds) speed /= most;
  return speeds;
}

}  // namespace

Speeds read_speeds(const std::filesystem::path& report) {
  std::ifstream in(report);
  if (!in) throw Error(Code::io, report.string(), {}, "cannot be read", "calibrate again");
  Speeds speeds;
  try {
    const auto json = Json::parse(in);
    if (json.at("schema") != "skelgen.speeds/1") throw std::invalid_argument("schema");
    speeds.one_by_one = json.at("one_by_one").get<bool>();
    for (const auto& measured : json.at("ranks")) {
      auto& rank = speeds.ranks.emplace_back();
      std::vector<std::string> kernels;
      for (const auto& [name, value] : measured.items())
        if (name == "host")
          rank.host = value.get<std::string>();
        else if (name == "cores")
          rank.cores = value.get<int>();
        else
          kernels.push_back(name), rank.kernels.push_back(summary(value.get<std::vector<double>>()));
      if (speeds.ranks.size() == 1) speeds.kernels = kernels;
      if (kernels.empty() || kernels != speeds.kernels) throw std::invalid_argument("kernels");
    }
    if (speeds.ranks.empty()) throw std::invalid_argument("ranks");
  } catch (const std::exception&) {
    throw Error(Code::corrupt, report.string(), {}, "does not say how fast every rank is", "calibrate again");
  }
  return speeds;
}

std::vector<double> relative_speeds(const Speeds& speeds, std::size_t kernel) {
  std::vector<double> result;
  for (const auto& rank : speeds.ranks) result.push_back(rank.kernels[kernel].speed);
  return by_greatest(std::move(result));
}

std::vector<double> relative_speeds(const Speeds& speeds) {
  std::vector<double> logarithms(speeds.ranks.size());
  for (std::size_t kernel = 0; kernel < speeds.kernels.size(); ++kernel) {
    const auto relative = relative_speeds(speeds, kernel);
    for (std::size_t rank = 0; rank < relative.size(); ++rank) logarithms[rank] += std::log(relative[rank]);
  }
  for (double& value : logarithms) value = std::exp(value / static_cast<double>(speeds.kernels.size()));
  return by_greatest(std::move(logarithms));
}

double greatest_spread(const Speeds& speeds) {
  double most = 0;
  for (const RankSpeeds& rank : speeds.ranks)
    for (const KernelSpeed& kernel : rank.kernels) most = std::max(most, kernel.spread);
  return most;
}

bool are_alike(const Speeds& speeds) {
  for (std::size_t kernel = 0; kernel < speeds.kernels.size(); ++kernel) {
    const auto relative = relative_speeds(speeds, kernel);
    double spread = 0;
    for (const auto& rank : speeds.ranks) spread = std::max(spread, rank.kernels[kernel].spread);
    if (1 - std::ranges::min(relative) > spread) return false;
  }
  return true;
}

}  // namespace skelgen::predict
