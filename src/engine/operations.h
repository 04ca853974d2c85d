#pragma once
// Messages and meetings under way, matched by MPI's rules, and who waits for which.

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/times.h"
#include "mpi/mpi.h"

namespace skelgen::engine {

/// What a sender waits for: its receive; or nothing, as the message lies in the rank's buffer, or takes no room.
enum class Sending : std::uint8_t { synchronous, buffered, notice };

/// A message or collective that somebody may wait for; a turn: calls of another thread; a drain: that all messages in
/// the rank's buffer are received.
struct Operation {
  enum class What : std::uint8_t { send, receive, probe, meeting, turn, drain };
  std::uint32_t owner = 0;
  What what = What::send;
  bool done = false;
  bool waited = false;                      ///< the owner is blocked on it
  bool held = false;                        ///< release() is still to come
  bool buffered = false;                    ///< a message in its rank's buffer
  const mpi::Communicator* comm = nullptr;  ///< nullptr: of a turn or drain
  std::int64_t peer = 0, tag = 0;           ///< of a turn the thread and the calls
  double begun_s = 0, over_s = 0;           ///< by the time model, if there is one
};
using Id = std::size_t;

/// A collective call, and what of it must be the same on all ranks that make it.
struct Collective {
  const mpi::Function* function = nullptr;
  const void* origin = nullptr;  ///< see Call
  std::int64_t root = 0, op = 0;
  bool operator==(const Collective& other) const;
};
/// For whom a collective call waits: all members, the one that is the root, or nobody.
enum class CollectiveWait : std::uint8_t { for_all, for_root, for_nobody };
/// One side of a message: what is sent, or what the receive has room for.
struct MessageSide {
  const void* origin = nullptr;
  const mpi::Function* function = nullptr;
  std::int64_t bytes = -1;  ///< -1: not known
};
/// A message that does not fit into its receive.
struct Truncated {
  MessageSide receive, send;
};
/// Two collective calls that meet and are not the same one.
struct Clash {
  struct Side {
    std::uint32_t location;
    Collective call;
  };
  Side first, other;
};

/// Operations that have begun. Each that a function returns the id of is kept until release() and until it is over.
/// O(log messages under way to the receiver) per operation; of any source or tag O(senders and tags under way to it).
class Operations {
 public:
  /// rank_of: equal for the locations of a rank. times: nullptr: no time passes.
  explicit Operations(std::vector<std::uint32_t> rank_of, TimeModel* times = nullptr)
      : rank_of_(std::move(rank_of)), missing_(rank_of_.size(), 0), times_(times) {}

  /// A message to rank `dest` of the communicator's peers, which gets those of a sender and tag in order. The operation is
  /// over when its receive has begun, or at once if it does not wait for that or `dest` is MPI_PROC_NULL.
  Id send(std::uint32_t l, const mpi::Communicator& comm, std::int64_t dest, std::int64_t tag, Sending how,
          const MessageSide& load = {});
  /// source, tag: may be MPI_ANY_SOURCE, MPI_ANY_TAG. takes: false for a probe that keeps its message for take().
  Id receive(std::uint32_t l, const mpi::Communicator& comm, std::int64_t source, std::int64_t tag, bool takes = true,
             const MessageSide& load = {});
  Id probe(std::uint32_t l, const mpi::Communicator& comm, std::int64_t source, std::int64_t tag);
  /// The message that this receive kept is received.
  void take(Id kept);
  /// All members must come, with the same call; nobody leaves before those are there for whom it waits.
  /// takes_s: from when those are there until it is over; the longest of all members counts.
  Id meet(std::uint32_t l, const mpi::Communicator& comm, const Collective& call,
          CollectiveWait waits = CollectiveWait::for_all, double takes_s = 0) {
    return meet(l, comm, call, comm.all(), static_cast<std::size_t>(comm.all_size()), waits, takes_s);
  }
  /// The same for `size` ranks that know `who`.
  Id meet(std::uint32_t l, const mpi::Communicator& comm, const Collective& call, std::uint64_t who, std::size_t size,
          CollectiveWait waits = CollectiveWait::for_all, double takes_s = 0);
  /// Locations that have come to a meeting that is not over; nothing if all members of the communicator need not come.
  std::vector<std::uint32_t> present(Id meeting) const;
  /// A receive or probe of any source or tag took one of several messages, perhaps.
  bool chose() const { return chose_; }
  /// The first calls that met and were not the same; nobody knows what happens then.
  const std::optional<Clash>& clash() const { return clash_; }
  /// The first message that was received and does not fit.
  const std::optional<Truncated>& truncated() const { return truncated_; }

  /// Over when all messages in the rank's buffer are received.
  Id drain(std::uint32_t l);
  /// The location waits until finish() says that this thread of its rank has made so many calls.
  Id turn(std::uint32_t l, std::int64_t thread, std::int64_t calls);
  void finish(Id id);

  /// The next event of the time model's messages under way.
  void pass();

  /// The owner goes on when the operation is over.
  void wait(Id id);
  /// For how many operations a location waits.
  std::size_t missing(std::uint32_t l) const { return missing_[l]; }
  /// Operations that somebody may still wait for, and messages that nobody has received.
  std::size_t under_way() const { return operations_.size() - free_.size(); }
  /// No message and no receive waits for another side.
  bool messages_met() const { return boxes_.empty() && kept_.empty() && passing_.empty(); }
  /// Nor does a meeting.
  bool all_met() const { return messages_met() && meetings_.empty(); }
  /// Nobody needs this operation any more; it goes on.
  void release(Id id);
  /// A location that was waiting and can go on; false if there is none.
  bool next(std::uint32_t& l);
  const std::deque<Operation>& all() const { return operations_; }
  /// A send whose receive is not there.
  bool is_open_send(Id id) const { return operations_[id].what == Operation::What::send && !operations_[id].done; }

 private:
  struct Posted {
    Id operation;
    std::int64_t peer, tag;
    std::uint64_t number;  ///< of all that were posted
    bool takes = true;
    MessageSide load{};
  };
  /// What is on its way between the members of a communicator to one of them.
  struct Box {
    using Named =
        std::map<std::pair<std::int64_t, std::int64_t>, std::list<Posted>>;  ///< by sender and tag; none empty
    Named sends, receives;
    std::list<Posted> wildcards, probes;
    bool empty() const { return sends.empty() && receives.empty() && wildcards.empty() && probes.empty(); }
  };
  using BoxKey = std::pair<std::uint64_t, std::int64_t>;  ///< group and rank
  struct HashOfBox {
    std::size_t operator()(const BoxKey& key) const {
      return std::hash<std::uint64_t>()(key.first * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(key.second));
    }
  };
  using Boxes = std::unordered_map<BoxKey, Box, HashOfBox>;
  struct Buffer {
    std::size_t messages = 0;
    std::vector<Id> drains;
  };
  struct Meeting {
    Clash::Side first;
    std::size_t size;
    std::vector<std::uint32_t> present;  ///< locations
    std::vector<Id> for_all, for_root;
    bool root_came = false;
    double last_s = 0, root_s = 0, takes_s = 0;  ///< when the last one and the root came
  };

  Id start(std::uint32_t owner, Operation::What what, const mpi::Communicator* comm, std::int64_t peer,
           std::int64_t tag, bool held = true);
  void match(const Posted& receive, const Posted& send);
  void received(const Posted& receive, const Posted& send);
  void finish_at(Id id, double over_s) {
    operations_[id].over_s = over_s;
    finish(id);
  }
  static bool fits(const Posted& receive, const Posted& send);
  /// The first one that fits is taken out; the receive that was posted before others gets the message.
  static std::optional<Posted> take_receive(Box& box, const Posted& send);
  static const Posted* find_send(const Box& box, const Posted& receive);
  static std::optional<Posted> take_send(Box& box, const Posted& receive);
  static Posted take_first(Box::Named& all, Box::Named::iterator at);

  std::vector<std::uint32_t> rank_of_;
  std::vector<std::size_t> missing_;
  TimeModel* const times_;
  std::deque<std::uint32_t> ready_;
  std::deque<Operation> operations_;
  std::vector<Id> free_;
  std::uint64_t posted_ = 0;
  std::map<std::uint32_t, Buffer> buffers_;  ///< by rank
  std::unordered_map<Id, std::pair<Posted, Posted>>
      passing_;            ///< by receive: messages of which the time model will say when they are there
  std::map<Id, Id> kept_;  ///< by operation of a probe that keeps its message: the send
  Boxes boxes_;            ///< none empty
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> met_;  ///< by rank and who: how often
  std::map<std::pair<std::uint64_t, std::uint64_t>, Meeting> meetings_;
  std::optional<Clash> clash_;
  std::optional<Truncated> truncated_;
  bool chose_ = false;
};

}  // namespace skelgen::engine
