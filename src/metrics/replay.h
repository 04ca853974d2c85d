#pragma once
// Runs the steps of all locations in an order that respects who waits for whom, with the papers' clocks. Internal.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "metrics/charron_bost.h"
#include "metrics/meetings.h"
#include "metrics/metrics.h"
#include "metrics/path.h"
#include "metrics/phase_meter.h"
#include "metrics/slack.h"
#include "trace/trace.h"

namespace skelgen::metrics {

struct Replayed {
  // By location, at its end.
  std::vector<double> computing, blocked;                ///< seconds
  std::vector<double> scaled_computing, scaled_blocked;  ///< times rho
  std::vector<double> events;                            ///< V_i[i]
  std::uint64_t message_events = 0;                      ///< those that are not internal
  std::vector<double> starts, ends;                      ///< when it left MPI_Init, when it made its last step
  Chains chains;                                         ///< max W_i[i], max HT_i, the same with all speeds 1
  Chains unwaited;                                       ///< the same if sends never waited for their receives
  Sends sends;
  std::vector<Waits> waits;                    ///< seconds
  std::vector<Waits> caused;                   ///< of others, for it
  std::vector<Waits> rooted;                   ///< of others, of which it is the root cause
  std::vector<WaitPlaces> rooted_places = {};  ///< where others waited for it
  std::vector<InsideCalls> inside = {};        ///< what of `blocked` it did not wait for others
  double without_core_s = 0;                   ///< of all: between calls, ready, but without a processor
  std::vector<Waits> rooted_through;           ///< of these, where who came late had itself waited
  std::vector<Waits> rooted_computing;         ///< of the others of these, what it computed more
  std::vector<Stretch> path;                   ///< that the location waited for which ended last
  std::vector<double> altered;                 ///< when the altered runs end
  std::vector<Region> regions;                 ///< lowest alpha first
  std::optional<RegionMeasures> region;
  std::optional<ConeMeasures> cone;
  std::vector<PhaseTimes> phases;  ///< as many as the cuts make
  Windows windows;
  Slacks slacks;
  std::optional<EventClocks> clocks;  ///< of all events; nothing if there are more than asked for
  Unmatched unmatched;
  std::uint64_t wakes = 0;   ///< how often it was looked whether a location can go on
  std::size_t channels = 0;  ///< whose messages were numbered at a time, at most
};

/// A receive, in the order of its location's completions: which location sent the message, and its how many-th send that
/// was (from 0).
using MessageVisitor = std::function<void(std::uint32_t receiver, std::uint32_t sender, std::uint64_t send)>;

/// The same run with something taking less time.
struct AlteredRun {
  std::vector<std::pair<Rank, double>> computes = {};  ///< the computation of these ranks takes so many times its time
  std::string function = {};  ///< what is not spent waiting for others inside this function takes half; empty: none
};

struct ReplayOptions {
  std::span<const double> rho;         ///< by location, empty for all 1
  double unit_s = 0;                   ///< see Options
  std::size_t regions = 0;             ///< how many to find; 0 keeps the cost at O(1) per call
  std::optional<CallOf> region, cone;  ///< see Options
  Cuts cuts;                           ///< of phases
  std::size_t windows = 0;             ///< see Options
  std::size_t slack_window = 0;        ///< of SlackLog
  std::size_t events = 0;              ///< of up to so many the clocks are kept
  MessageVisitor message;              ///< may be empty
  std::vector<AlteredRun> altered;     ///< other runs to time, at most kMostAltered
  Observer* observer = nullptr;
  bool path = true;                ///< find Replayed::path
  std::size_t idle_channels = 64;  ///< for each rank, or 1,024 if there are less, may be kept, at some 400 bytes
};

/// O(calls) time. Locations are read side by side, by the time of their calls: memory is O(locations + messages under
/// way + waits on the chains that led to each location), see Path. Tags and peers that are not used any more take none.
Replayed replay(const trace::Trace& trace, const ReplayOptions& options);

}  // namespace skelgen::metrics
