#pragma once
// A skeleton's program executed on a measured network, with computation as it was traced: its run time, and what each rank
// sends, receives and spends where.

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "mpi/mpi.h"
#include "network/liu.h"
#include "network/message_times.h"
#include "skeleton/skeleton.h"

namespace skelgen::network {

/// Time inside calls, in seconds.
using CallTimes = std::map<const mpi::Function*, double>;

/// Whether a call's time comes from messages and meetings; others take what they took.
bool is_timed(const mpi::Function& function);

/// Times inside calls in the traced run, by location. O(nodes x locations).
std::vector<CallTimes> traced_calls(const skeleton::Skeleton& skeleton);

/// Of a location; times in seconds.
struct Account {
  double end_s = 0;       ///< when its last call ends
  double computed_s = 0;  ///< between calls
  /// Messages and bytes that it sends and receives point to point, those of scatter, gather, alltoall and their kin
  /// among them; calls of other collectives, and bytes of their buffer.
  Communication communication{};
  CallTimes calls_s{};
};

/// Messages of a statement in the executed iterations. Bytes of a collective are counted as its pattern of netbench counts them.
struct Sent {
  std::string pattern;  ///< "pingpong", or of the collective, see MessageTimes
  int ranks = 2;
  double messages = 0, bytes = 0;
};

struct Replay {
  std::vector<Account> locations;
  std::unordered_map<const skeleton::Call*, Sent> sent;  ///< by statement of the skeleton
  double run_s = 0;                                      ///< latest end
  std::uint64_t calls = 0;                               ///< executed; others are iterations like those
  std::uint64_t skipped = 0;  ///< of loops of the top level, iterations that were not executed
};

/// rho: relative speed of each location's rank, by rank: computation takes 1 / rho times what it took; empty: 1.
/// A message costs its sender the time of a send and, unless it is to itself, keeps the sender's and the receiver's port; long ones wait for their
/// receive. Collectives take what they took when measured. Calls that are neither take what they took in the traced run.
///
/// Of loops of the top level that are closed (skeleton::closed) and communicate alike in each cycle, some iterations are
/// executed, at least twice as many as their computation was sampled in; the later half of them stands for all others. They become more, until the run time changes by less than
/// kSteady. O(calls executed x log messages under way). Throws Error{unsupported} where the program cannot be executed to its end.
inline constexpr double kSteady = 1e-3;
Replay replay(const skeleton::Skeleton& skeleton, const MessageTimes& times, const std::vector<double>& rho);

}  // namespace skelgen::network
