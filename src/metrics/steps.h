#pragma once
// A trace's calls as steps of its locations. Internal to src/metrics.

#include <cstdint>
#include <limits>
#include <vector>

#include "mpi/mpi.h"

namespace skelgen::metrics {

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// Step::bytes of a send that is over when its receive has begun; of one that never waits for that, or for which nobody
/// waits.
inline constexpr double kSynchronous = std::numeric_limits<double>::infinity(), kNobodyWaits = -1;

enum class StepKind : std::uint8_t {
  plain,    ///< time passes
  send,     ///< link: channel
  post,     ///< a receive that completes later begins, where the call was entered; link: channel
  receive,  ///< completion of a receive; link: channel
  sent,     ///< completion of a send; link: channel
  enter,    ///< a collective begins; link: communicator
  leave     ///< and ends; link: communicator
};

/// Whose data a rank needs to leave a collective.
using Shape = mpi::Flow;

/// Calls before which a location's phases begin, but for the first, by location; empty: no phases.
using Cuts = std::vector<std::vector<std::uint64_t>>;

/// Number of a step among all, in the order in which they are taken.
using Entry = std::uint64_t;
inline constexpr Entry kNoEntry = std::numeric_limits<Entry>::max();

/// A rank in a collective in which each waits for those below it.
struct ScanPlace {
  Entry collective = kNoEntry;  ///< none other has it
  std::uint32_t rank = 0, size = 0;
};

/// What a step has to do with steps of others.
struct Meeting {
  double came = 0;         ///< receive, sent, leave: when those that it waited for had come; 0: it waited for nobody,
                           ///< whoever `entry` names
  Entry entry = kNoEntry;  ///< receive, sent, leave: that of who it waited for; send, enter: that of who waits for it
                           ///< names
  std::uint32_t needed_by = 0;  ///< send, enter: by how many
  std::vector<Entry> others{};  ///< receive, leave: more of them
  ScanPlace scan{};             ///< of all such collectives; there `entry` says nothing of whom it waited for

  /// As new; keeps the memory.
  void reset() {
    came = 0;
    entry = kNoEntry;
    needed_by = 0;
    others.clear();
    scan = {};
  }
};

/// A moment of a location, and how the time since its previous step was spent: first computing, then blocked.
struct Step {
  double at = 0;            ///< seconds since the run began
  double entered = 0;       ///< when the call was entered that the step belongs to
  double computing = 0;     ///< seconds
  double blocked = 0;       ///< seconds
  double local = 0;         ///< of these, in calls that need no other rank
  double without_core = 0;  ///< of these, between calls, ready to compute
  double bytes = 0;         ///< sent: of the message; kSynchronous; kNobodyWaits
  double gaps = 0;          ///< internal events since the previous step; without a unit more than 0 stands for one
  const mpi::Function* function = nullptr;
  std::uint64_t site = 0;      ///< where the call is in the program: see CallSites
  std::uint32_t call = 0;      ///< index of the call in the location's stream
  std::uint32_t link = kNone;  ///< a number of the rank's own (rank_reader.h); kNone: it is not known
  std::uint32_t number = 0;    ///< which message of the channel, which collective of the communicator
  std::int32_t root = -1;    ///< enter, leave: in the communicator; post, receive: place of the receive among those of
                             ///< its rank that are posted, below 0: it is posted by the call that completes it
  Shape shape = Shape::all;  ///< enter, leave
  StepKind kind = StepKind::plain;
  bool asks = false;           ///< plain: the call asked whether something had come
  bool completes = false;      ///< send: there is a step `sent` for it
  bool open = false;           ///< a receive whose link is not known yet
  bool may_end_early = false;  ///< enter, leave: the call need not wait until all have come
};

}  // namespace skelgen::metrics
