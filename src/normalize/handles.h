#pragma once
// Live objects of one location by raw handle. Internal to src/normalize.

#include <string>
#include <unordered_map>
#include <vector>

#include "normalize/tables.h"
#include "trace/trace.h"

namespace skelgen::normalize {

/// MPI_COMM_WORLD and MPI_COMM_SELF as a rank's first thread was told.
struct Predefined {
  std::vector<trace::CommDefinition> comms;
};

class Communicators {
 public:
  struct Comm {
    Communicator is;
    std::uint64_t creations = 0;                                         ///< communicators made from this one so far
    std::unordered_map<std::uint64_t, std::uint64_t> creations_by_some;  ///< by key
    bool dynamic = false;                                                ///< a window that memory is attached to
  };

  /// The first definitions of thread 0 are WORLD and SELF, and are noted in `predefined`; other threads know them.
  Communicators(int thread, Predefined& predefined, std::vector<Communicator>& listed);
  /// The live communicator of this handle, or nullptr. Valid until it is freed.
  Comm* find(std::uint64_t raw);
  /// A call on `parent` (may be nullptr) returned this handle; 0: the null handle, here. Returns the slot or -1. The
  /// definition follows. grid: its topology. key: not 0 if not all members of the parent make the call; equal on those that do.
  std::int64_t create(Comm* parent, std::uint64_t raw, std::shared_ptr<const mpi::Grid> grid = {},
                      std::uint64_t key = 0);
  /// The same for a call that two groups make, which have no communicator in common; key: equal on all of them.
  std::int64_t create_between(std::uint64_t raw, std::uint64_t key);
  /// False if nothing that is known made this communicator.
  bool define(const trace::CommDefinition& definition);
  /// False if there is no such communicator.
  bool define(const trace::NeighbourDefinition& definition);
  void free(std::uint64_t raw);
  /// Another thread made this one; it has freed it.
  void borrow(std::uint64_t raw, const Communicator& is) { live_[raw].is = is; }
  void give_back(std::uint64_t raw) { live_.erase(raw); }

 private:
  std::int64_t take(std::uint64_t raw, std::uint64_t identity);
  void list(const trace::CommDefinition& definition, std::uint64_t identity);

  const bool first_thread_;
  Predefined& predefined_;
  std::vector<Communicator>& listed_;
  std::unordered_map<std::uint64_t, Comm> live_;
  Slots slots_;
  std::uint64_t pending_raw_ = 0, pending_identity_ = 0;      // made by the last call, not yet defined
  std::unordered_map<std::uint64_t, std::uint64_t> between_;  // intercommunicators of the same groups and key so far
};

/// Which requests a program forgets: no call names them behind the one that started them, because the variable was
/// written again, say. Of live requests with equal handles the newest one is taken for the one that a call completes.
class ForgottenRequests {
 public:
  /// A call returned this handle. may: it counts if no call names it.
  void create(std::uint64_t raw, bool may);
  void name(std::uint64_t raw);
  void complete(std::uint64_t raw);
  /// By request, in the order of create().
  std::vector<bool> take();

 private:
  struct Live {
    std::vector<std::size_t> requests;
    std::size_t named = 0;  // so many of them, the oldest
  };
  std::unordered_map<std::uint64_t, Live> live_;
  std::vector<bool> forgotten_;
};

/// Live requests by handle; equal handles: oldest first. Completing a persistent request leaves it.
class Requests {
 public:
  static constexpr std::size_t kNoMatch = ~std::size_t{0};
  struct Request {
    int slot = -1;  ///< of the null handle
    bool wildcard = false, persistent = false, receive = false, forgotten = false;
    std::size_t match = kNoMatch;      ///< index into LocationCalls::matches
    std::uint64_t raw = 0, first = 0;  ///< first: see SharedRequest
  };
  /// Returns the slot, which a forgotten one gives back at once. Lists the request in `shared` if its handle stands for
  /// another live one.
  int create(std::uint64_t raw, const Request& is, std::uint64_t call, std::vector<SharedRequest>& shared);
  /// The requests that an array of handles means. False if there is no such request. `call`: index, for equal handles.
  bool find(std::span<const std::int64_t> raw, std::uint64_t call, std::vector<Request>& found);
  /// False if it is complete already.
  bool complete(const Request& request) { return request.persistent || free(request); }
  /// The same for MPI_Request_free.
  bool free(const Request& request);
  /// How many are not complete, persistent ones not counted.
  std::size_t open() const;

 private:
  struct Queue {
    std::vector<Request> requests;  // oldest first; those before `begin` are complete
    std::size_t begin = 0;
    std::uint64_t call = ~std::uint64_t{0};  // that last looked here
    std::size_t taken = 0;                   // by that call
    std::optional<std::uint64_t> forgotten;  // SharedRequest::first of those that were forgotten
    bool empty() const { return begin == requests.size(); }
  };
  std::unordered_map<std::uint64_t, Queue> queues_;  // kept when empty: handles come back
  std::size_t forgotten_ = 0;
  Slots slots_;
};

/// Messages that a probe matched, until they are received.
class ProbedMessages {
 public:
  std::int64_t create(std::uint64_t raw);
  /// False if there is no such message. `slot`: where it was.
  bool receive(std::uint64_t raw, std::int64_t& slot);

 private:
  static constexpr std::uint64_t kNoProc = 1;
  std::unordered_map<std::uint64_t, int> live_;
  Slots slots_;
};

/// Windows or files by handle: objects that the ranks of a communicator share.
class SharedObjects {
 public:
  explicit SharedObjects(std::vector<Communicator>& listed) : listed_(listed) {}
  /// All of `parent` made this; the slot, or -1 for the null handle. kind: tells objects of one kind from another's.
  std::int64_t create(Communicators::Comm& parent, std::uint64_t raw, std::uint64_t kind, bool dynamic = false);
  /// Its ranks as a communicator, with the object's slot; nullptr: there is none. Valid until it is freed.
  Communicators::Comm* find(std::uint64_t raw);
  void free(std::uint64_t raw);
  /// As of Communicators.
  void borrow(std::uint64_t raw, const Communicator& is, bool dynamic = false) {
    live_[raw].is = is;
    live_[raw].dynamic = dynamic;
  }
  void give_back(std::uint64_t raw) { live_.erase(raw); }

 private:
  std::unordered_map<std::uint64_t, Communicators::Comm> live_;
  Slots slots_;
  std::vector<Communicator>& listed_;
};

/// Groups by handle. MPI may return one handle several times (MPI_Comm_group of the same communicator): each return
/// takes a slot, frees give them back oldest first.
class Groups {
 public:
  void define(const trace::GroupDefinition& definition);
  std::int64_t create(std::uint64_t raw);
  /// The slot; -1: the null handle, or made by a call that is not replayed.
  std::int64_t find(std::uint64_t raw) const;
  std::int64_t free(std::uint64_t raw);
  /// World ranks; nullptr if the handle was never defined.
  const std::vector<std::int64_t>* members(std::uint64_t raw) const;

 private:
  struct Group {
    std::vector<int> slots;
    std::vector<std::int64_t> members;
  };
  std::unordered_map<std::uint64_t, Group> live_;
  Slots slots_;
};

}  // namespace skelgen::normalize
