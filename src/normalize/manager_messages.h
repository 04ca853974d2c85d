#pragma once
// Messages between a manager and its workers. Internal to src/normalize.

#include <map>
#include <optional>
#include <vector>

#include "normalize/normalize.h"

namespace skelgen::normalize {

/// The blocking messages between a location that names MPI_ANY_SOURCE and the others, in one communicator of all ranks.
/// Locations are ranks of that communicator.
class ManagerMessages {
 public:
  /// O(calls of the manager and its workers).
  ManagerMessages(const Normalized& normalized, std::size_t manager);

  /// False if something is said in another way: other communicators, requests, threads, lost messages.
  bool plain() const { return plain_; }
  /// Those that calls of MPI_ANY_SOURCE got messages from, ascending.
  const std::vector<std::size_t>& workers() const { return workers_; }
  /// The manager's calls of MPI_ANY_SOURCE.
  const std::vector<std::uint64_t>& takes() const { return takes_; }

  /// Calls of equal shape are the same up to buffers, counts, tags of sends and what came back.
  std::vector<std::int64_t> shape(std::size_t l, std::uint64_t call) const;
  RecordId record(std::size_t l, std::uint64_t call) const { return normalized_.locations[l].calls[call]; }
  bool same_but_status(std::size_t l, std::uint64_t a, std::uint64_t b) const;
  /// Concerns nobody else.
  bool is_local(std::size_t l, std::uint64_t call) const;
  /// A blocking send to the manager, or a receive from it.
  bool speaks_with_manager(std::size_t worker, std::uint64_t call) const;
  bool sends_at(std::size_t l, std::uint64_t call) const { return function(l, call).kind == mpi::Kind::send; }

  /// A worker's receives from the manager, and the manager's sends that they received.
  std::vector<std::uint64_t> receives(std::size_t worker) const;
  std::optional<std::uint64_t> sent_by_manager(std::size_t worker, std::uint64_t receive) const;
  /// The manager's receive of the last message that the worker sent before this call.
  std::optional<std::uint64_t> last_received(std::size_t worker, std::uint64_t before) const;

  /// Of the manager's calls: whom MPI_ANY_SOURCE matched; whom another names; whether it receives.
  std::optional<std::size_t> received_from(std::uint64_t call) const;
  std::optional<std::size_t> peer(std::uint64_t call) const;
  bool receives_at(std::uint64_t call) const { return function(manager_, call).kind == mpi::Kind::recv; }

  /// Whoever sends, the manager's receives have room for the message and the tag that it waits for, and so have those
  /// of the workers that receive any message of the pool. `received`: the manager's receives from one worker, message by message, each time that it hears from one.
  bool fits(const Pool& pool, const std::vector<std::vector<std::uint64_t>>& received) const;
  /// Nothing that the manager receives later, before all ranks met, could be taken by MPI_ANY_SOURCE.
  bool undisturbed(std::uint64_t end) const;

 private:
  const mpi::Function& function(std::size_t l, std::uint64_t call) const;
  std::int64_t value(std::size_t l, std::uint64_t call, mpi::Role role) const;
  std::int64_t bytes(std::size_t l, std::uint64_t call) const;
  struct End {
    std::uint64_t call;
    std::int64_t tag;
  };
  struct Ends {
    std::vector<End> sends, receives;  ///< in order
  };
  void listen();
  std::map<std::size_t, Ends> ends(std::size_t l, const std::vector<std::size_t>& others);
  void pair();

  const Normalized& normalized_;
  std::size_t manager_;
  bool plain_ = true;
  std::int64_t comm_ = -1;
  std::vector<std::uint64_t> takes_;
  std::map<std::uint64_t, std::size_t> heard_;  // by take
  std::vector<std::size_t> workers_;
  std::map<std::size_t, std::map<std::uint64_t, std::uint64_t>> down_;   // by worker: receive -> manager's send
  std::map<std::size_t, std::map<std::uint64_t, std::uint64_t>> up_;     // by worker: send -> manager's receive
  std::map<std::uint64_t, std::pair<std::size_t, std::uint64_t>> from_;  // manager's receive -> who sent it where
};

}  // namespace skelgen::normalize
