#pragma once
// One rank's calls as steps, with what must be matched with other ranks. Internal to src/metrics.

#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "metrics/collect.h"

namespace skelgen::metrics {

/// A communicator as one rank knows it: what makes it the same one on other ranks. Each persistent collective counts as
/// one of its own, since ranks may start theirs in different order.
struct CommIdentity {
  int parent = -1;  ///< index of the communicator that it was made from, or one of the below
  int ordinal = 0;  ///< how many were made from that one before
  int leader = 0;   ///< world rank of its rank 0
  int size = 0, rank = 0;
  static constexpr int kWorld = -1, kSelf = -2, kForeign = -3;  ///< kForeign: made by calls that are not recorded
  /// An intercommunicator is three: all its ranks, the lower leader's group first; and for each group (the leader's) the
  /// messages that it sends, which have ranks of both groups.
  static constexpr int kBetween = -4, kFromGroup = -5;
};

/// A step that is to be matched, and when it was begun (a rank's threads are put in order by that).
struct Begun {
  double at = 0;
  std::uint32_t thread = 0, step = kNone;  ///< step: kNone if it was never seen to complete
};

struct CollectiveCall {
  Begun begun;  ///< the step that enters
  std::uint32_t leave = kNone;
  std::int32_t root = -1;
  Shape shape = Shape::all;
};

/// Communicator (index into RankSteps::comms), peer, tag.
using Channel = std::tuple<int, int, int>;

struct RankSteps {
  std::vector<std::vector<Step>> threads;
  std::vector<double> starts;          ///< by thread
  std::vector<std::string> functions;  ///< Step::function
  std::vector<CommIdentity> comms;
  std::map<Channel, std::vector<Begun>> sends, receives;
  std::vector<std::vector<CollectiveCall>> collectives;  ///< by communicator
  std::vector<std::vector<int>> sources;                 ///< by communicator: of the rank in its topology
  Unmatched unmatched;
};

RankSteps read_rank(const trace::Trace& trace, Rank rank, int threads, double unit_s);

}  // namespace skelgen::metrics
