#pragma once
// A trace's calls as steps of its locations, and which steps belong together. Internal to src/metrics.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "metrics/metrics.h"
#include "trace/trace.h"

namespace skelgen::metrics {

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

enum class StepKind : std::uint8_t {
  plain,    ///< time passes
  send,     ///< link: message
  receive,  ///< completion of a receive; link: message
  enter,    ///< a collective begins; link: participation
  leave     ///< and ends; link: participation
};

/// A moment of a location, and how the time since its previous step was spent: first computing, then blocked.
struct Step {
  double at = 0;       ///< seconds since the run began
  double entered = 0;  ///< when the call was entered that the step belongs to
  double blocked = 0;  ///< seconds
  double computing = 0;
  std::uint32_t gaps = 0;  ///< internal events since the previous step
  std::uint32_t link = kNone;
  std::uint32_t call = 0;  ///< index of the call in the location's stream
  std::uint16_t function = 0;
  StepKind kind = StepKind::plain;
};

/// Whose data a rank needs to leave a collective.
enum class Shape : std::uint8_t { all, from_root, to_root, prefix, neighbours };

struct Participation {
  std::uint32_t collective = kNone;  ///< index into Steps::collectives
  std::int32_t rank = 0, root = -1;  ///< in the communicator
  Shape shape = Shape::all;
  std::uint32_t sources = kNone;  ///< Shape::neighbours: index into Steps::sources
};

struct Collective {
  std::uint32_t expected = 0;  ///< how many ranks come
  std::uint32_t size = 0;      ///< of the communicator
};

/// Everything that replay() needs.
struct Steps {
  std::vector<Location> locations;
  std::vector<std::vector<Step>> steps;  ///< by location
  std::vector<double> starts;  ///< by location: when it left MPI_Init; a thread that is not the first: when it began
  std::vector<std::string> functions;
  std::uint32_t messages = 0;
  std::vector<Participation> participations;
  std::vector<std::vector<int>> sources;  ///< ranks in a communicator, some below 0: nobody
  std::vector<Collective> collectives;
  Unmatched unmatched;
};

/// Reads all locations (in parallel) and matches messages and collectives. O(calls).
Steps collect(const trace::Trace& trace, double unit_s);

}  // namespace skelgen::metrics
