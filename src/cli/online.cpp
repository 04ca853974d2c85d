#include "cli/online.h"

#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "build/json.h"
#include "cli/measures.h"

namespace skelgen::cli {
namespace {

namespace fs = std::filesystem;

}  // namespace

bool is_online(const fs::path& directory) {
  std::error_code ignored;
  return fs::is_regular_file(directory / kOnlineFile, ignored);
}

Json online_json(const build::Online& online, const std::vector<double>& rho) {
  return {{"schema", "skelgen.online/1"}, {"rho", rho}, {"metrics", json_of(online.measured())}};
}

void keep(const build::Online& online, const std::vector<double>& rho) {
  online.replace_records(kOnlineFile, [&](std::ostream& out) { print_json(out, online_json(online, rho)); });
}

Json read_online(const fs::path& directory, const std::vector<double>& rho) {
  const auto file = directory / kOnlineFile;
  std::ifstream in(file);
  if (!in) throw Error(Code::io, file.string(), {}, "cannot be read", "check its permissions");
  try {
    auto json = Json::parse(in);
    if (json.at("schema") != "skelgen.online/1") throw std::invalid_argument("schema");
    if (!rho.empty() && json.at("rho").get<std::vector<double>>() != rho)
      throw Error(Code::invalid_argument, file.string(), {}, "the run was measured with other speeds of its ranks",
                  "give them to trace --online --rho");
    metrics_of(json.at("metrics"));
    return json.at("metrics");
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {
    throw Error(Code::corrupt, file.string(), {}, "is not what trace --online writes", "trace the program again");
  }
}

}  // namespace skelgen::cli
