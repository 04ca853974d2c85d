#pragma once
// PAPI events that this machine really counts.

#include <string>
#include <vector>

namespace skelgen::cli {

struct CounterEvent {
  std::string name;
  bool works = false;
  std::string reason;  ///< why not
};

struct Counters {
  std::string version;   ///< of the PAPI library that was loaded; empty: none
  std::string problem;   ///< why there is none
  std::string remedy;    ///< what installs it
  std::string disabled;  ///< why PAPI counts no event of processors or of the kernel; empty if it counts some
  std::vector<CounterEvent> events;
};

/// Loads libpapi (skelgen itself is not linked with it) and adds, starts, reads and stops each event alone: PAPI knows
/// more names than the machine counts, only starting tells.
Counters probe_counters(const std::vector<std::string>& events);

}  // namespace skelgen::cli
