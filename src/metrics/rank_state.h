#pragma once
// State of a rank while its calls are read. Internal to src/metrics.

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "engine/interpreter.h"
#include "metrics/call_sites.h"
#include "metrics/rank_reader.h"
#include "metrics/receive_order.h"

namespace skelgen::metrics {

/// A collective that a rank came to.
struct CollectiveCall {
  int comm = -1;
  std::uint32_t number = 0;
  std::int32_t root = -1;
  Shape shape = Shape::all;
  bool may_end_early = false;
};

/// A receive, send or collective that one call begins and the same or a later call completes.
struct Pending {
  bool receive = false, collective = false;
  std::uint32_t at = 0;  ///< index into Shared::receives
  CollectiveCall call{};
  std::uint32_t link = kNone, number = 0;  ///< of the message that it sends; kNone: it sends none that is completed
  double bytes = kNobodyWaits;             ///< see Step::bytes
};
/// Types of the engine's interpreter when it runs a trace. Communicators are indices into Shared::comms; -1: the trace does
/// not define this one.
struct TraceTypes {
  using Operation = Pending;
  using Comm = int;
  using Collective = CollectiveCall;  ///< without its number
  static constexpr bool kParts = false, kSizes = true;
};

/// First in, first out, in memory that is used again.
class StepQueue {
 public:
  bool empty() const { return first_ == last_; }
  std::size_t size() const { return last_ - first_; }
  Step& operator[](std::size_t i) { return ring_[(first_ + i) & (ring_.size() - 1)]; }
  const Step& front() const { return ring_[first_ & (ring_.size() - 1)]; }
  Step& front() { return (*this)[0]; }
  Step& back() { return (*this)[size() - 1]; }
  /// One more, which may be as any step before. References to others are invalid then.
  Step& add() {
    if (size() == ring_.size()) enlarge();
    return ring_[last_++ & (ring_.size() - 1)];
  }
  void pop_front() { ++first_; }

 private:
  void enlarge() {
    std::vector<Step> larger(std::max<std::size_t>(8, 2 * ring_.size()));
    for (std::size_t i = 0; i < size(); ++i) larger[i] = (*this)[i];
    last_ = size();
    first_ = 0;
    ring_ = std::move(larger);
  }

  std::vector<Step> ring_;
  std::size_t first_ = 0, last_ = 0;
};

/// A thread's steps that were read and not taken yet.
struct Queue {
  StepQueue steps;
  std::uint64_t taken = 0;
};

/// History of what handles stand for: MPIs give them out again, and a rank's threads are read one after the other.
class HandleHistory {
 public:
  /// From `time_s` on; the call that made it had begun then.
  void set(std::uint64_t handle, double time_s, int index);
  /// Index of what it stood for; -1: nothing.
  int at(std::uint64_t handle, double time_s) const;
  bool contains(std::uint64_t handle) const { return of_.contains(handle); }

  HandleHistory() = default;
  HandleHistory(HandleHistory&&) = default;
  HandleHistory& operator=(HandleHistory&&) = default;

 private:
  using Since = std::unordered_map<std::uint64_t, std::vector<std::pair<double, int>>>;  // ascending
  Since of_;
  mutable const Since::value_type* last_ = nullptr;  // that was asked for: most calls have the handle of the one before
};

/// What all threads of a rank share.
struct Shared {
  struct Receive {
    int comm, source, tag;
    double posted = 0;
    bool before = false;    // it is posted by a call that does not complete it
    bool numbered = false;  // its message is known
    bool freed = false;     // nobody asks for its completion any more
    std::uint32_t channel = kNone,
                  number = 0;      // number: the how many-th of the channel's receives, cancelled ones, too
    std::uint32_t thread = kNone;  // kNone: not completed
    std::uint64_t step = 0;        // of all of the thread
  };
  /// What messages are sent through, as the rank sees it: see Channel.
  struct Ends {
    int comm, peer, tag;
    bool sends;
    bool operator==(const Ends&) const = default;
  };
  struct HashOfEnds {
    std::size_t operator()(const Ends& ends) const;
  };

  Shared() { recent.fill({{}, kNone}); }

  std::span<const LoadedCode> code;  // empty: it is not asked where calls are made
  bool matched = true;               // messages are numbered
  bool knows_cancelled = false;      // statuses say which requests were cancelled
  std::vector<CommIdentity> comms;
  std::vector<Channel> channels;
  std::vector<std::uint32_t> free_channels;  // indices that can be used again
  std::vector<std::uint32_t> collectives;    // by communicator: how many so far
  std::vector<std::vector<int>> sources;     // by communicator
  Unmatched unmatched;
  std::vector<Queue> queues;  // by thread
  HandleHistory comm_of;
  engine::Interpreter<TraceTypes> interpreter;
  std::vector<std::int64_t> in_doubt;  // MPI_Cancel was called for them; not complete
  std::vector<Receive> receives;
  std::vector<std::uint32_t> free_receives;  // indices that can be used again
  std::vector<ReceiveOrder> turns;           // by communicator: of `receives` that are not numbered
  std::unordered_map<Ends, std::uint32_t, HashOfEnds> channel_of;
  std::array<std::pair<Ends, std::uint32_t>, 64> recent;  // some of channel_of, found without a hash; kNone: none
  std::map<std::pair<int, int>, int> foreign;             // (leader, size) -> how many so far
  std::vector<int> made;                                  // by communicator: how many were made from it
  std::vector<int> persistent_collectives;                // by communicator: how many
  std::map<std::vector<std::int64_t>, int> made_by_some;  // by communicator, tag and group: the same
  std::map<std::vector<int>, int> between;                // intercommunicators by leaders and sizes: how many so far
  std::map<int, bool> lower_group;  // of an intercommunicator, by index: the rank is in the first group
  HandleHistory windows, files;     // indices of communicators that stand for them
  std::unordered_map<std::uint64_t, double> type_bytes;  // of an element of the datatype
  std::pair<std::int64_t, double> last_type{-1, 0};      // one of these, found without a hash
  std::map<int, int> own_size;                           // of the rank's group, the same
  bool world = false;

  /// Index of a new communicator.
  int add(const CommIdentity& identity);
  /// Index of a new intercommunicator: all of it, then what the rank's group sends, then what it receives.
  int add_between(const trace::CommDefinition& definition);
  /// The rank's own number for the root of a collective; kNobody: it does not take part in it.
  static constexpr int kNobody = -2;
  int root_of(int comm, std::int64_t root) const;

  /// The next message of a channel: its index, and the message's number; receives that were cancelled count.
  std::pair<std::uint32_t, std::uint32_t> next_message(int comm, int peer, int tag, bool sends);
  std::pair<Ends, std::uint32_t>& recent_of(const Ends& ends);
  void drop(std::uint32_t channel);
  /// A receive is posted; its index.
  std::uint32_t post(int comm, int source, int tag);
  /// Number of its message, as far as it is known which receives of its channel were cancelled.
  std::uint32_t number_of(const Receive& receive) const;
  /// The thread's last step completes the receive, whose message came from `source` with `tag`.
  void complete(std::uint32_t receive, int source, int tag, std::uint32_t thread);
  /// The receive got no message that is known; its index is free.
  void forget(std::uint32_t receive);
  /// It is cancelled: those behind it get the messages that it does not, and its index is free. False: they have theirs
  /// already, so that this one has one, too, and was cancelled too late.
  bool cancel(std::uint32_t receive);
  /// A receive whose cancellation is in doubt counts as cancelled, except where receives behind it have completed.
  void take_for_cancelled(std::int64_t request);
  /// The same of all that may have been posted before this one for its message, which came from `source` with `tag` (below
  /// 0: not known).
  void take_doubtful_before(std::uint32_t receive, int source, int tag);
  /// The same of all.
  void take_doubtful_for_cancelled();
  /// Its completion will not be seen.
  void let_go(std::uint32_t receive);
  /// Nothing more will be known: receives of any source that never completed are of none.
  void number_the_rest();

 private:
  void number(std::uint32_t receive);
  void number(const std::vector<std::uint32_t>& receives);
  /// The step that completes the receive learns which message it got.
  void tell(std::uint32_t receive);
};

/// Which of those that were made by what `who` says; below 0, so that it is none of those that all members of a parent
/// made.
int ordinal(std::span<const std::int64_t> who, int made);

}  // namespace skelgen::metrics
