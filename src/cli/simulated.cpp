#include "cli/simulated.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "cli/speeds.h"
#include "launch/program.h"
#include "network/platform.h"
#include "support/read.h"

namespace skelgen::cli {
namespace {

namespace fs = std::filesystem;

const char* const kHostfile = "name where ranks go with --hostfile, a line HOST:RANKS each";

Error no_place(const std::string& place, std::size_t hosts, int ranks) {
  return Error(Code::mismatch, place, {},
               fmt::format("has {} host{} for {} ranks", hosts, hosts == 1 ? "" : "s", ranks), kHostfile);
}

}  // namespace

void require_simulated(const Simulated& options) {
  for (const char* tool : {"smpirun", "smpicc"})
    if (!launch::find_program(tool))
      throw Error(Code::launch, "--platform", {}, fmt::format("SimGrid is not installed (no {})", tool),
                  "apt install libsimgrid-dev");
  if (network::is_platform_text(options.platform))
    network::platform_of(options.platform);
  else if (!fs::is_regular_file(options.platform))
    throw Error(Code::io, options.platform, {}, "no such platform file",
                "give an XML file of SimGrid, or homo:HOSTS:SPEED:BANDWIDTH:LATENCY");
  if (!options.hostfile.empty()) network::read_hosts(options.hostfile);
}

WrittenPlatform read_platform(const std::string& platform) {
  if (network::is_platform_text(platform)) {
    const auto is = network::platform_of(platform);
    return {network::xml_of(is), network::host_names(is)};
  }
  return {read_file(platform, "give a platform file of SimGrid (XML)"), {}};
}

void require_disks(const std::string& platform) {
  if (read_platform(platform).xml.find("<disk") != std::string::npos) return;
  throw Error(
      Code::unsupported, platform, {}, "its hosts have no disks, and the program opens files by MPI",
      "give an XML file whose hosts have disks, or leave the files out: delete their calls in the text of build "
      "--emit text");
}

SimulatedLine simulated_line(const Context& context, const Simulated& options, const std::string& compiler, int ranks,
                             const fs::path& scratch, const WrittenPlatform* given) {
  auto platform = options.platform, hostfile = options.hostfile;
  std::vector<std::string> hosts;
  std::size_t there = 0;  // hosts of the platform; 0: not known
  if (!hostfile.empty()) hosts = network::read_hosts(hostfile);
  if (given || network::is_platform_text(platform)) {
    const auto is = given ? *given : read_platform(platform);
    platform = (scratch / "platform.xml").string();
    std::ofstream(platform) << is.xml;
    there = is.hosts.size();
    if (hostfile.empty()) hosts = is.hosts;
  }
  if (!hosts.empty()) {
    if (hosts.size() < static_cast<std::size_t>(ranks))
      throw no_place(hostfile.empty() ? options.platform : hostfile, hosts.size(), ranks);
    hostfile = (scratch / "hosts").string();
    std::ofstream out(hostfile);
    for (const auto& host : hosts) out << host << '\n';
  }

  SimulatedLine simulated;
  auto& line = simulated.line;
  line = {"smpirun", "-np", std::to_string(ranks), "-platform", platform};
  if (!hostfile.empty()) line.insert(line.end(), {"-hostfile", hostfile});
  line.insert(line.end(), {"--log=root.thres:critical", "--cfg=smpi/simulate-computation:no"});

  predict::Speeds speeds;
  try {
    speeds = measure_speeds(context, line, compiler, launch::Yield::off);
  } catch (const launch::FailedRun& failed) {
    throw Error(Code::mismatch, options.platform, {},
                fmt::format("smpirun cannot start {} ranks there ({})", ranks, failed.text()),
                "are platform and hostfile for SimGrid?");
  }
  std::set<std::string> used;
  simulated.json = {{"platform", options.platform}, {"hosts", Json::array()}, {"flops", Json::array()}};
  if (there > 0) simulated.json["platform_hosts"] = there;
  for (const auto& rank : speeds.ranks) {
    used.insert(rank.host);
    simulated.json["hosts"].push_back(rank.host);
    simulated.json["flops"].push_back(rank.kernels.at(0).speed);
  }
  if (hosts.empty() && used.size() < static_cast<std::size_t>(ranks))
    throw no_place(options.platform, used.size(), ranks);
  return simulated;
}

std::string description(const Json& simulated) {
  std::set<std::string> hosts;
  for (const auto& host : simulated.at("hosts")) hosts.insert(host.get<std::string>());
  const auto flops = simulated.at("flops").get<std::vector<double>>();
  const auto [least, most] = std::ranges::minmax(flops);
  const auto there = simulated.value("platform_hosts", hosts.size());
  const auto unused = there > hosts.size() ? fmt::format("; {} other{} no rank", there - hosts.size(),
                                                         there - hosts.size() == 1 ? " has" : "s have")
                                           : std::string();
  return fmt::format("{}, {} host{} of {}{:.4g} Gf{}", simulated.at("platform").get<std::string>(), hosts.size(),
                     hosts.size() == 1 ? "" : "s", least == most ? "" : fmt::format("{:.4g} to ", least / 1e9),
                     most / 1e9, unused);
}

}  // namespace skelgen::cli
