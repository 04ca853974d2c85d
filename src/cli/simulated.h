#pragma once
// --platform: the smpirun line that starts a program's ranks on a simulated platform.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.h"

namespace skelgen::cli {

/// Values of predict's options --platform and --hostfile.
struct Simulated {
  std::string platform;  ///< a file, or text of network::platform_of(); empty: not simulated
  std::string hostfile;  ///< empty: a rank on each host
};

/// A platform as SimGrid reads it.
struct WrittenPlatform {
  std::string xml;
  std::vector<std::string> hosts;  ///< empty: those of the file, in SimGrid's order
};
/// Reads the platform file, or makes the platform of a text (homo:..., hetero:...).
WrittenPlatform read_platform(const std::string& platform);

/// Throws what is wrong before anything is started: no SimGrid, a platform that is neither text nor a file.
void require_simulated(const Simulated& options);

/// Throws Error{unsupported} where no host of the platform has a disk: SMPI ends a program that opens a file there.
void require_disks(const std::string& platform);

struct SimulatedLine {
  std::vector<std::string> line;  ///< without the program; computation is what the program tells, so runs are equal
  Json json;                      ///< "platform", "hosts" and "flops" (per second) by rank, "platform_hosts" if known
};
/// Files that the line names are in `scratch`; given: the platform, where it is not the one that --platform says. Hosts and speeds are found by starting the ranks there. Throws Error where the
/// platform cannot be simulated, or has no place for each rank.
SimulatedLine simulated_line(const Context& context, const Simulated& options, const std::string& compiler, int ranks,
                             const std::filesystem::path& scratch, const WrittenPlatform* given = nullptr);

/// "platform P.xml, 16 hosts of 1 Gf"; of hosts that differ "of 0.866 to 1 Gf"; how many others have no rank.
std::string description(const Json& simulated);

}  // namespace skelgen::cli
