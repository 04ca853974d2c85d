#pragma once
// What a simulated location knows, and what a simulation that came to nothing says. Internal to src/emit.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "emit/cursor.h"
#include "emit/deferred_tests.h"
#include "emit/emit.h"
#include "emit/operations.h"

namespace skelgen::emit {

/// Tag of what is said of the n-th message of a tag that one rank partitions for another: its end, or that a part of it
/// is ready. No other message has it.
constexpr std::int64_t partitioned(std::int64_t tag, std::int64_t n, bool begun) {
  return tag - ((2 * n + begun + 1) << 32);
}

/// What a persistent request does each time.
struct Persistent {
  const mpi::Function* function = nullptr;
  const skeleton::Communicator* comm = nullptr;
  std::int64_t peer = 0, tag = 0;
  Load load{};
  std::int64_t partitions = 0, number = 0;  ///< of a partitioned message; see partitioned()
  Collective collective{};                  ///< of a collective, as these two
  std::uint64_t meeting = 0;                ///< the same on all members that start it
};
/// What the threads of a rank share; the main thread makes it.
struct RankState {
  std::uint32_t main = 0;                            ///< its location
  std::map<std::int64_t, std::size_t> communicator;  ///< slot -> index in LocationData::communicators
  std::size_t created = 0;                           ///< how many of them exist
  /// Windows or files: by slot the index in LocationData, and how many were made.
  struct Shared {
    std::map<std::int64_t, std::size_t> index;
    std::size_t created = 0;
  };
  Shared windows, files;
  /// The communicator that was made next, of all that are, in `slot`; false: none (MPI_COMM_NULL).
  bool create(const std::vector<skeleton::Communicator>& all, std::int64_t slot) {
    if (created == all.size() || all[created].slot != slot) return false;
    communicator[slot] = created++;
    return true;
  }
  std::map<std::uint64_t, std::uint64_t> inits;  ///< communicator -> persistent collectives made so far
  /// Partitioned messages made so far, by who is the other, which tag, and whether they are sent.
  std::map<std::tuple<std::uint64_t, std::int64_t, std::int64_t, bool>, std::int64_t> partitioned;
};
/// Whether a test that found sends complete waits for them.
enum class Tests : std::uint8_t { wait, go_on };

/// Operations of a location that MPI_Cancel ends before they match: number of the call that starts each (from 1), and its
/// request slot. Sorted.
using EndedByCancel = std::vector<std::pair<std::uint64_t, std::int64_t>>;
/// By location. No value: the program has more than `most` calls, or more such operations than `most` messages.
/// O(calls) if the program calls MPI_Cancel.
std::optional<std::vector<EndedByCancel>> ended_by_cancel(const skeleton::Skeleton& skeleton,
                                                          const Shortened& shortened, const Effort& most);

struct State {
  State(const skeleton::Skeleton& skeleton, std::uint32_t l, RankState& shared, const Shortened& shortened,
        const EndedByCancel& cancelled)
      : cursor(skeleton, l, shortened), rank(shared), ended_by_cancel(cancelled) {}
  Cursor cursor;
  RankState& rank;
  const EndedByCancel& ended_by_cancel;
  std::uint64_t calls = 0;  ///< begun
  std::size_t turn = 0;     ///< the next one, in LocationData::turns
  bool ended = false;
  std::vector<std::pair<std::uint64_t, Id>> awaited;  ///< turns of other threads: calls that they wait for
  std::map<std::int64_t, std::vector<std::int64_t>> posted, started;  ///< by window: world ranks
  std::multimap<std::int64_t, Id> request;                            ///< an exchange has two operations
  std::map<std::int64_t, Persistent> persistent;                      ///< by request
  std::map<std::int64_t, std::int64_t> unready;                       ///< by request that was started: partitions
  std::map<std::int64_t, Id> message;                                 ///< matched: the send
  DeferredTests deferred;
  bool again = false;    ///< the call at hand has had to wait before it could be made
  std::vector<Id> held;  ///< operations of the call at hand that no request owns
  const skeleton::Call* call = nullptr;
  const mpi::Function* function = nullptr;

  /// Peer of the current call's request: `peer`, or MPI_PROC_NULL if the request is cancelled.
  std::int64_t peer_of(std::int64_t slot, std::int64_t peer) const {
    return std::ranges::binary_search(ended_by_cancel, std::pair{calls, slot}) ? mpi::kProcNull : peer;
  }
  /// True if the deferred tests of this persistent request (of all requests without one) are complete. Otherwise the
  /// location waits and repeats the call.
  bool settled(std::optional<std::int64_t> slot, Operations& operations) {
    again = deferred.wait_for_tests(slot, operations) || again;
    return !again;
  }
};

/// Wakes the threads that wait for calls that this one has made.
void tell(State& state, Operations& operations);
/// Before the next call of location l: true if it must wait for calls of other threads; it then waits.
bool must_wait(const skeleton::Skeleton& skeleton, std::uint32_t l, std::deque<State>& states, Operations& operations);

/// By identity of a group: its ranks, and the locations that they are.
using Members = std::map<std::uint64_t, std::map<int, std::uint32_t>>;

/// By location that of the main thread of its rank.
std::vector<std::uint32_t> mains(const skeleton::Skeleton& skeleton);

/// "FILE:LINE", "FILE" of no call.
std::string place(const skeleton::Places& places, const skeleton::Call* call);
/// Throws Error{corrupt} that names both calls.
[[noreturn]] void refuse_truncated(const skeleton::Places& places, const Truncated& truncated);

/// Who waits in which call for whom, once nobody goes on: nobody if all have ended.
Deadlock explain(const skeleton::Skeleton& skeleton, const Members& members, const std::deque<State>& states,
                 const Operations& operations);

}  // namespace skelgen::emit
