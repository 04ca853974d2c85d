#include "cli/rho.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "support/read.h"

namespace skelgen::cli {

std::vector<double> read_rho(const std::string& file, std::optional<int> ranks) {
  const auto text = read_file(file, "give a JSON file with the relative speed of each rank, as calibrate -o writes it");
  std::vector<double> rho;
  try {
    const auto json = Json::parse(text);
    rho = (json.is_object() ? json.at("rho") : json).get<std::vector<double>>();
  } catch (const Json::exception&) {
    throw Error(Code::corrupt, file, {}, "is no JSON array of numbers and no object with one under \"rho\"",
                "give the relative speed of each rank");
  }
  if (ranks && rho.size() != static_cast<std::size_t>(*ranks))
    throw Error(Code::invalid_argument, file, {}, fmt::format("has {} speeds for {} ranks", rho.size(), *ranks),
                "give one for each rank");
  for (const double speed : rho)
    if (!(speed > 0 && speed <= 1))
      throw Error(Code::invalid_argument, file, {}, "has a speed that is not above 0 and at most 1",
                  "divide all by the largest");
  return rho;
}

}  // namespace skelgen::cli
