#include "launch/cores.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <thread>

namespace skelgen::launch {
namespace {

struct Ticks {
  double all = 0, idle = 0;
};

/// Of each core, by its number: lines "cpu0 user nice system idle iowait irq softirq steal".
std::map<int, Ticks> ticks_of(const std::string& stat) {
  constexpr int kColumns = 8, kIdle = 3, kWaitsForDisk = 4;
  std::map<int, Ticks> cores;
  std::istringstream lines(stat);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    int core = 0;
    if (!line.starts_with("cpu") || !(words.ignore(3) >> core)) continue;
    Ticks& ticks = cores[core];
    double value = 0;
    for (int i = 0; i < kColumns && words >> value; ++i) {
      ticks.all += value;
      if (i == kIdle || i == kWaitsForDisk) ticks.idle += value;
    }
  }
  return cores;
}

/// Nothing where the kernel does not say it.
std::optional<cpu_set_t> usable_set() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::optional(set) : std::nullopt;
}

std::string read_stat() {
  std::ifstream in("/proc/stat");
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::optional<double> busy_share(const std::string& before, const std::string& after,
                                 const std::function<bool(int)>& usable) {
  Ticks sum;
  auto first = ticks_of(before);
  for (const auto& [core, last] : ticks_of(after)) {
    if (!usable(core) || !first.contains(core)) continue;
    sum.all += last.all - first[core].all;
    sum.idle += last.idle - first[core].idle;
  }
  if (!(sum.all > 0) || sum.idle < 0 || sum.idle > sum.all) return {};
  return 1 - sum.idle / sum.all;
}

int usable_cores() {
  if (const auto set = usable_set()) return std::max(1, CPU_COUNT(&*set));
  return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

std::optional<double> load_by_others() {
  const auto set = usable_set();
  const auto before = read_stat();
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  return busy_share(before, read_stat(),
                    [&](int core) { return !set || (core < CPU_SETSIZE && CPU_ISSET(core, &*set)); });
}

}  // namespace skelgen::launch
