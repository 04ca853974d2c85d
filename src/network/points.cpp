#include "network/points.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/error.h"

namespace skelgen::network {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Point point_of(const Json& json) {
  Point is{json.at("pattern"), json.at("ranks"),   json.at("bytes"),       json.at("seconds"),  json.at("least_s"),
           json.at("spread"),  json.at("samples"), json.value("from", -1), json.value("to", -1)};
  if (is.ranks < 2 || is.bytes < 1 || !(is.seconds > 0) || !std::isfinite(is.seconds) || is.samples < 1 ||
      (is.pattern == "pair" && !(0 <= is.from && is.from < is.to)))
    throw std::invalid_argument("point");
  return is;
}

std::size_t listed(const Points& points) {
  return points.points.size() - static_cast<std::size_t>(std::ranges::count(points.points, "leap", &Point::pattern));
}

Points read_points(const std::filesystem::path& report) {
  std::ifstream in(report, std::ios::binary);
  if (!in) throw Error(Code::io, report.string(), {}, "cannot be read", "measure again");
  Points is;
  std::string line;
  try {
    while (std::getline(in, line) && !in.eof()) {  // eof: the line has no end
      const auto json = Json::parse(line);
      if (is.bytes == 0) {
        if (json.at("schema") != "skelgen.points/2") throw std::invalid_argument("schema");
        is.ranks = json.at("ranks");
        is.largest = json.at("largest");
        is.all = json.at("points");
        is.mpi = json.at("mpi");
        if (is.ranks < 2) throw std::invalid_argument("ranks");
      } else {
        is.points.push_back(point_of(json));
      }
      is.bytes += line.size() + 1;
    }
  } catch (const std::exception&) {
    throw Error(Code::corrupt, report.string(), is.bytes, "is no measurement of a network",
                "remove it and measure again");
  }
  if (is.bytes == 0 || listed(is) > is.all)
    throw Error(Code::corrupt, report.string(), {}, "is no measurement of a network", "remove it and measure again");
  return is;
}

}  // namespace skelgen::network
