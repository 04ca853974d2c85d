#include "support/stages.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdio>

namespace skelgen {
namespace {

std::atomic<std::uint64_t> peak_before = 0;  // the highest peak that was reset

/// The kernel's high-water mark; 0 if it does not tell.
std::uint64_t high_water() {
  std::FILE* status = std::fopen("/proc/self/status", "r");
  if (!status) return 0;
  char line[256];
  unsigned long long kib = 0;
  while (std::fgets(line, sizeof line, status))
    if (std::sscanf(line, "VmHWM: %llu kB", &kib) == 1) break;
  std::fclose(status);
  return std::uint64_t{kib} * 1024;
}

void reset_high_water() {
  peak_before = std::max<std::uint64_t>(peak_before, high_water());
  if (std::FILE* refs = std::fopen("/proc/self/clear_refs", "w")) {
    std::fputs("5", refs);
    std::fclose(refs);
  }
}

}  // namespace

void Stage::add(const Stage& more) {
  seconds += more.seconds;
  peak_bytes = std::max(peak_bytes, more.peak_bytes);
}

std::uint64_t peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::max({static_cast<std::uint64_t>(usage.ru_maxrss) * 1024, high_water(), peak_before.load()});
}

Laps::Laps() : last_(std::chrono::steady_clock::now()) { reset_high_water(); }

Stage Laps::lap() {
  const auto now = std::chrono::steady_clock::now();
  const Stage stage{std::chrono::duration<double>(now - last_).count(), high_water()};
  reset_high_water();
  last_ = now;
  return stage;
}

}  // namespace skelgen
