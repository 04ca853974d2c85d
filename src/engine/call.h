#pragma once
// A call as the engine executes it, and where calls come from.

#include <cstdint>
#include <span>
#include <vector>

#include "mpi/mpi.h"
#include "mpi/turn.h"
#include "support/error.h"
#include "support/units.h"

namespace skelgen::engine {

/// A view of what its source holds. Slots, peers and tags are as in canonical records (normalize.h).
struct Call {
  const mpi::Function* function = nullptr;
  std::span<const mpi::Value> values;  ///< by parameter of the function
  std::int64_t matched =
      mpi::kAnySource;           ///< from whom a call that names MPI_ANY_SOURCE got its message; kAnySource: unknown
  const void* origin = nullptr;  ///< the source's own name of the statement, for its messages

  bool has(mpi::Role role) const { return function->find(role) >= 0; }
  /// Of the first parameter with this role, which the function must have.
  std::int64_t number(mpi::Role role) const { return values[static_cast<std::size_t>(function->find(role))].scalar; }
  /// Of the last one.
  std::int64_t last(mpi::Role role) const { return values[static_cast<std::size_t>(function->find_last(role))].scalar; }
  /// Empty if the function has no such parameter.
  std::span<const std::int64_t> array(mpi::Role role) const {
    const int at = function->find(role);
    return at < 0 ? std::span<const std::int64_t>() : values[static_cast<std::size_t>(at)].array;
  }
  /// The one that it names, or all of them.
  std::span<const std::int64_t> requests() const {
    const int at = function->find(mpi::Role::request);
    return at < 0 ? array(mpi::Role::requests) : std::span(&values[static_cast<std::size_t>(at)].scalar, 1);
  }
  /// False for a test, probe or query that found nothing.
  bool found() const {
    const int flag = function->find(mpi::Role::flag);
    return flag < 0 || values[static_cast<std::size_t>(flag)].scalar != 0;
  }
};

/// A call that is given in numbers, with arrays by their index.
class NumberedCall {
 public:
  /// number(i): of parameter i. Valid until the next set().
  template <class NumberOf>
  const Call& set(const mpi::Function& function, const std::vector<std::vector<std::int64_t>>& arrays,
                  const NumberOf& number, const void* origin = nullptr, std::int64_t matched = mpi::kAnySource) {
    values_.resize(function.parameters.size());
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] = {number(i), {}};
      if (mpi::is_array(mpi::written_role(function, function.parameters[i])))
        values_[i].array = arrays.at(static_cast<std::size_t>(values_[i].scalar));
    }
    return call_ = {&function, values_, matched, origin};
  }

 private:
  std::vector<mpi::Value> values_;
  Call call_;
};

/// Calls visit(slot, k) for each request that a call of kind complete or test completed; k: which of its statuses is the
/// request's. Null requests have the slot -1.
template <class Visit>
void each_completed(const Call& call, const Visit& visit) {
  const auto number = [&](mpi::Role role) { return call.number(role); };
  const auto array = [&](mpi::Role role) { return call.array(role); };
  mpi::each_completed_request(*call.function, number, array, visit);
}

/// Limits of an execution: it gives up at the first call or message beyond them.
struct ExecutionLimits {
  std::uint64_t calls = std::uint64_t{1} << 32;
  std::uint64_t messages = std::uint64_t{1} << 24;  ///< at a time, collective calls included; 64 more for each location
};

/// What is known of a location before it runs. Spans live as long as the execution.
struct LocationSetup {
  Location where;
  std::span<const mpi::Communicator>
      communicators;  ///< of a rank's main thread: in order of creation, first WORLD, SELF
  std::span<const mpi::Communicator> windows, files;  ///< the same
  std::span<const mpi::Turn> turns;                   ///< ascending by call
};

/// The calls of all locations, read location by location in any order.
class Source {
 public:
  virtual ~Source() = default;
  /// The next call of location l, valid until the next one of this location; nullptr at its end.
  virtual const Call* next(std::uint32_t l) = 0;
  /// Bytes of an element of the datatype, as location l names it; -1: not known.
  virtual std::int64_t element_bytes(std::uint32_t, std::int64_t) const { return -1; }
  /// Why location l cannot go on: it uses a communicator, window or file (`what`) that it has not made. call: nullptr
  /// between calls.
  virtual Error not_made(std::uint32_t l, const Call* call, const char* what, std::int64_t slot) const = 0;
};

}  // namespace skelgen::engine
