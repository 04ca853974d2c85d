#include "network/platform.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <sstream>

#include "support/error.h"

namespace skelgen::network {
namespace {

/// A name, and times / parts of 1 that it is: both whole numbers, so that 50us is the double next to 5e-5.
struct Unit {
  const char* name;
  double times, parts = 1;
};
using Units = std::initializer_list<Unit>;

constexpr const char* kForms =
    "homo:16:1Gf:1Gb/s:50us, or hetero:4x866Mf,12x1Gf:1Gb/s:50us:100Mb/s:100us, or the name of an XML file";

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

/// A number and its unit, in the unit that stands for 1; what is not above `above` is none.
double quantity(const std::string& text, Units units, double above, const char* what, const char* example) {
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit(end, text.data() + text.size());
  for (const auto& [name, times, parts] : units)
    if (problem == std::errc() && unit == name && std::isfinite(number) && number > above)
      return number * times / parts;
  throw Error(Code::usage, fmt::format("--platform: {} '{}' is no {}", what, text, what),
              fmt::format("write it like {}", example));
}

double speed(const std::string& text) {
  return quantity(text, {{"f", 1}, {"kf", 1e3}, {"Mf", 1e6}, {"Gf", 1e9}, {"Tf", 1e12}}, 0, "speed",
                  "1Gf (operations per second; a machine that is not simulated counts as 1Gf where it was traced)");
}

double bandwidth(std::string text) {
  if (text.ends_with("ps")) text.replace(text.size() - 2, 2, "/s");
  constexpr double kBit = 0.125;
  return quantity(text,
                  {{"B/s", 1},
                   {"kB/s", 1e3},
                   {"MB/s", 1e6},
                   {"GB/s", 1e9},
                   {"b/s", kBit},
                   {"kb/s", kBit * 1e3},
                   {"Mb/s", kBit * 1e6},
                   {"Gb/s", kBit * 1e9}},
                  0, "bandwidth", "1Gb/s or 125MB/s");
}

double latency(const std::string& text) {
  constexpr double kAboveNone = -1e-300;  // 0 is a latency
  return quantity(text, {{"s", 1}, {"ms", 1, 1e3}, {"us", 1, 1e6}, {"ns", 1, 1e9}}, kAboveNone, "latency", "50us");
}

/// From 1 to kMostHosts; 0: it is no such number.
int whole(const std::string& text) {
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() && number >= 1 && number <= kMostHosts ? number : 0;
}

int hosts(const std::string& text) {
  const int number = whole(text);
  if (number == 0)
    throw Error(Code::usage, fmt::format("--platform: '{}' is no number of hosts from 1 to {}", text, kMostHosts),
                std::string("write it like ") + kForms);
  return number;
}

std::string prefix(const Platform& platform, std::size_t subnet) {
  return platform.subnets.size() == 1 ? "h" : fmt::format("s{}h", subnet);
}

}  // namespace

bool is_platform_text(const std::string& text) { return text.starts_with("homo:") || text.starts_with("hetero:"); }

Platform platform_of(const std::string& text) {
  const auto parts = split(text, ':');
  const bool homogeneous = parts[0] == "homo";
  const std::size_t least = homogeneous ? 5 : 4;
  if (parts.size() != least && (homogeneous || parts.size() != least + 2))
    throw Error(Code::usage, fmt::format("--platform: {} has {} parts", text, parts.size()),
                std::string("write it like ") + kForms);
  Platform platform;
  if (homogeneous) {
    platform.subnets = {{hosts(parts[1]), speed(parts[2]), parts[2]}};
  } else {
    for (const auto& subnet : split(parts[1], ',')) {
      const auto sign = subnet.find('x');
      const auto written = sign == std::string::npos ? std::string() : subnet.substr(sign + 1);
      platform.subnets.push_back({hosts(subnet.substr(0, sign)), speed(written), written});
    }
    if (platform.subnets.empty()) hosts("");
  }
  const std::size_t network = least - 2;
  const auto pair = [&](std::size_t at) {
    return Platform::Network{bandwidth(parts[at]), latency(parts[at + 1]), parts[at], parts[at + 1]};
  };
  platform.inside = pair(network);
  if (parts.size() > least) platform.between = pair(least);
  return platform;
}

std::vector<std::string> host_names(const Platform& platform) {
  std::vector<std::string> names;
  for (std::size_t s = 0; s < platform.subnets.size(); ++s)
    for (int i = 0; i < platform.subnets[s].hosts; ++i) names.push_back(prefix(platform, s) + std::to_string(i));
  return names;
}

std::string xml_of(const Platform& platform) {
  std::string xml =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n<zone id=\"all\" routing=\"Full\">\n";
  const std::size_t n = platform.subnets.size();
  for (std::size_t s = 0; s < n; ++s)
    xml += fmt::format(
        "  <cluster id=\"s{}\" prefix=\"{}\" suffix=\"\" radical=\"0-{}\" speed=\"{}f\" bw=\"{}Bps\" lat=\"{}s\" "
        "loopback_bw=\"5GBps\" loopback_lat=\"1us\"/>\n",
        s, prefix(platform, s), platform.subnets[s].hosts - 1, platform.subnets[s].flops, platform.inside.bytes_per_s,
        platform.inside.latency_s / 2);
  const bool links = platform.between.bytes_per_s > 0;
  for (std::size_t s = 0; links && s < n; ++s)
    xml += fmt::format("  <link id=\"up{}\" bandwidth=\"{}Bps\" latency=\"{}s\" sharing_policy=\"SPLITDUPLEX\"/>\n", s,
                       platform.between.bytes_per_s, platform.between.latency_s / 2);
  // A switch that nothing waits for: as fast as all hosts together.
  if (!links && n > 1)
    xml += fmt::format("  <link id=\"switch\" bandwidth=\"{}Bps\" latency=\"0s\" sharing_policy=\"FATPIPE\"/>\n",
                       platform.inside.bytes_per_s);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a + 1; b < n; ++b)
      xml += fmt::format(
          "  <zoneRoute src=\"s{0}\" dst=\"s{1}\" gw_src=\"{2}s{0}_router\" "
          "gw_dst=\"{3}s{1}_router\">{4}</zoneRoute>\n",
          a, b, prefix(platform, a), prefix(platform, b),
          links
              ? fmt::format("<link_ctn id=\"up{}\" direction=\"UP\"/><link_ctn id=\"up{}\" direction=\"DOWN\"/>", a, b)
              : std::string("<link_ctn id=\"switch\"/>"));
  return xml + "</zone>\n</platform>\n";
}

std::vector<std::string> read_hosts(const std::filesystem::path& hostfile) {
  std::ifstream in(hostfile);
  if (!in) throw Error(Code::io, hostfile.string(), {}, "the hostfile cannot be read");
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) {
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.empty()) continue;
    const auto colon = line.find(':');
    const int ranks = colon == std::string::npos ? 1 : whole(line.substr(colon + 1));
    if (colon == 0 || ranks < 1)
      throw Error(Code::corrupt, hostfile.string(), {}, "has a line '" + line + "'", "write HOST or HOST:RANKS");
    all.insert(all.end(), static_cast<std::size_t>(ranks), line.substr(0, colon));
  }
  if (all.empty()) throw Error(Code::corrupt, hostfile.string(), {}, "has no hosts", "write HOST or HOST:RANKS");
  return all;
}

}  // namespace skelgen::network
