#pragma once
// Runs all locations call by call, as far as they need not wait for each other for ever.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "engine/call.h"
#include "engine/creation.h"
#include "engine/deferred_tests.h"
#include "engine/interpreter.h"
#include "engine/live_objects.h"
#include "engine/operations.h"

namespace skelgen::engine {

/// Whether calls that the standard lets either block or return early (standard sends, most collectives) block here.
enum class MayBlock : std::uint8_t { blocks, returns };
/// Whether a test that found sends complete waits for them, or leaves that for later (DeferredTests).
enum class SendTests : std::uint8_t { wait, defer };

/// Operations of a location that MPI_Cancel ends before they match: number of the call that starts each (from 1), and its
/// request slot. Sorted.
using EndedByCancel = std::vector<std::pair<std::uint64_t, std::int64_t>>;

/// Finds what MPI_Cancel ends in one location's calls, in order.
class CancelSearch {
 public:
  explicit CancelSearch(std::uint64_t most) : most_(most) {}
  /// False if it found more than `most`.
  bool call(const Call& call);
  EndedByCancel take();

 private:
  const std::uint64_t most_;
  std::uint64_t calls_ = 0;
  std::map<std::int64_t, std::uint64_t> started_;  ///< by request: number of the call
  EndedByCancel ended_;
};

/// By identity of a group: its ranks, and the locations that they are.
using Members = std::map<std::uint64_t, std::map<int, std::uint32_t>>;

/// Types of the interpreter in an Execution, where the members of communicators are known.
struct ExecutionTypes {
  using Operation = Id;
  using Comm = const mpi::Communicator*;
  using Collective = engine::Collective;
  static constexpr bool kParts = true, kSizes = true;
};
/// In an intercommunicator ranks have different names for the root, and those beside it say nothing of what is done.
/// Operations that the program made are other slots on other ranks. comm: nullptr if it is not known.
Collective collective_of(const Call& call, const mpi::Communicator* comm);

class Execution {
 public:
  struct Options {
    MayBlock may_block = MayBlock::blocks;
    SendTests tests = SendTests::wait;
    ExecutionLimits most{};
    std::span<const EndedByCancel> ended_by_cancel{};  ///< by location; empty: none
    TimeModel* times = nullptr;                        ///< sets clocks forward; with MayBlock::returns
  };
  /// Why it came to an end.
  enum class End : std::uint8_t { all_ended, blocked, clash, too_many_calls, too_many_messages };

  /// The main thread of a rank stands before its other threads. All must outlive the execution.
  Execution(Source& source, std::span<const LocationSetup> places, const Options& options);

  End run();

  /// Of a location that is blocked: the call; nullptr: its turn.
  const Call* call(std::uint32_t l) const { return states_[l].in_call ? states_[l].call : nullptr; }
  const Operations& operations() const { return operations_; }
  const Members& members() const { return members_; }
  /// A test or query named a send whose receive had not been posted.
  bool send_tested() const { return send_tested_; }

 private:
  /// State that the threads of a rank share: objects that the main thread makes.
  struct Rank {
    Rank(const LocationSetup& place, std::uint32_t l)
        : main(l), communicators(place.communicators, 2), windows(place.windows), files(place.files) {}
    std::uint32_t main;  ///< its location
    LiveObjects communicators, windows, files;
    RankCounts counts;
  };
  class Local;  ///< the interpreter's sink
  struct State {
    explicit State(Rank& shared) : rank(shared) {}
    Rank& rank;
    Interpreter<ExecutionTypes> interpreter;
    std::uint64_t calls = 0;  ///< begun
    std::size_t turn = 0;     ///< the next one, in LocationSetup::turns
    bool ended = false;
    bool again = false;                                 ///< the call at hand has had to wait before it could be made
    bool begun = false;                                 ///< the call at hand waits for earlier ones of other locations
    bool in_call = false;                               ///< else it waits for its turn
    std::vector<std::pair<std::uint64_t, Id>> awaited;  ///< turns of other threads: calls that they wait for
    DeferredTests deferred;
    std::vector<Id> held;  ///< operations of the call at hand that no request owns
    std::vector<Id> ends;  ///< operations before whose end the call at hand is not over; only with a time model
    const Call* call = nullptr;
    std::uint64_t made(bool waits) const { return calls - (waits && in_call ? 1 : 0); }
  };

  bool too_many_messages() const { return operations_.under_way() > most_messages_; }
  bool stopped() const { return operations_.clash() || !calls_left_ || too_many_messages(); }
  void advance(std::uint32_t l);
  void run_in_order();
  void collect();
  bool is_next(std::uint32_t l) const;
  void pass_time(std::uint32_t l);
  void tell(State& state);
  bool must_wait(std::uint32_t l);

  Source& source_;
  const std::span<const LocationSetup> places_;
  const Options options_;
  bool send_tested_ = false;
  std::uint64_t calls_left_;
  const std::uint64_t most_messages_;
  std::deque<Rank> ranks_;
  std::deque<State> states_;
  Operations operations_;
  using Waiting = std::pair<double, std::uint32_t>;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>>
      waiting_;  ///< locations that go on, by their clocks
  Members members_;
  NamedGroups groups_;
};

}  // namespace skelgen::engine
