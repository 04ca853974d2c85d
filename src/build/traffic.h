#pragma once
// Calls, time and bytes of a trace, per function.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace skelgen::build {

struct FunctionTotals {
  std::string name;
  std::uint64_t calls = 0, bytes = 0;
  double seconds = 0;
};

struct Traffic {
  std::vector<FunctionTotals> functions;      ///< most time first, then by name
  std::vector<std::uint64_t> calls_per_rank;  ///< by rank, as read
  double call_s = 0, computation_s = 0;       ///< over all locations
  double without_core_s = 0;                  ///< the same, of gaps: see trace::Event::cpu
};

/// Reads every location once. Bytes of a call: what it sends, or receives if it only receives; of a one-sided call what
/// it brings to its target and what it takes from there. See engine::moved().
Traffic traffic(const trace::Trace& trace);

}  // namespace skelgen::build
