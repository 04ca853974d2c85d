#pragma once
// Simulated platforms in a line of text, for SimGrid, and the files in which its users place ranks.

#include <filesystem>
#include <string>
#include <vector>

namespace skelgen::network {

/// homo:HOSTS:SPEED:BANDWIDTH:LATENCY, one subnet, or
/// hetero:HOSTSxSPEED,HOSTSxSPEED,...:BANDWIDTH:LATENCY[:BANDWIDTH:LATENCY], a subnet for each of the list.
/// Each host has a link of BANDWIDTH in each direction to its subnet's switch; LATENCY is that from host to host. The
/// second pair is the same of subnets: a link to the switch between them; without it nothing is slower there.
struct Platform {
  struct Subnet {
    int hosts = 1;
    double flops = 1e9;      ///< of a host, per second
    std::string speed = {};  ///< the same as it was written
  };
  struct Network {
    double bytes_per_s = 0, latency_s = 0;
    std::string bandwidth = {}, latency = {};  ///< the same as they were written
  };
  std::vector<Subnet> subnets;
  Network inside;
  Network between;  ///< bytes_per_s 0: no link
};

inline constexpr int kMostHosts = 100'000;

/// Whether `text` begins like one; else it is the name of a file.
bool is_platform_text(const std::string& text);

/// Speeds are like 866Mf (operations per second), bandwidths like 1Gb/s, 125MB/s or 125MBps, latencies like 50us.
/// Throws Error{usage} that says which part is wrong.
Platform platform_of(const std::string& text);

/// Names of the hosts, subnet by subnet.
std::vector<std::string> host_names(const Platform& platform);

/// SimGrid's platform file.
std::string xml_of(const Platform& platform);

/// The hosts of a file for smpirun, each as often as it takes ranks: a line is HOST or HOST:RANKS. Throws Error{io}, Error{corrupt}
/// for a line that is neither, or a file without hosts.
std::vector<std::string> read_hosts(const std::filesystem::path& hostfile);

}  // namespace skelgen::network
