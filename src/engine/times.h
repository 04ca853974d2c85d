#pragma once
// Time in an execution: a clock for each location, set forward by what calls, messages and collectives take. Who executes first
// does not matter: an operation keeps when it began, and ends when what it needs has come. Where messages share something, as a
// rank's port, a model sees the sends of a rank in their order, and messages in the order in which they are matched. Where
// messages that are under way delay each other, locations are executed in the order of their clocks.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "engine/call.h"

namespace skelgen::engine {

class TimeModel {
 public:
  explicit TimeModel(std::size_t locations) : now_(locations, 0.0) {}
  virtual ~TimeModel() = default;

  double& now(std::uint32_t l) { return now_[l]; }
  double now(std::uint32_t l) const { return now_[l]; }

  /// The call begins: computation before it. `now` is when the previous one ended.
  virtual void begin(std::uint32_t l, const Call& call) = 0;
  /// It is over.
  virtual void end(std::uint32_t l, const Call& call) = 0;

  /// Bytes below 0: not known.
  /// Whether a standard send is over only when its receive has begun.
  virtual bool waits(std::int64_t bytes) const = 0;
  /// A send begins; `now` is set to when it is over if it waits for nobody. Returns when its message leaves, at the earliest.
  virtual double send(std::uint32_t l, std::int64_t bytes, bool waits, bool to_itself) = 0;
  struct Message {
    std::uint32_t from, to;
    std::int64_t bytes;
    double sent_s, posted_s;  ///< what send() returned, and when the receive began
    bool waits;               ///< the send is over when the message is there
    std::size_t id;           ///< of the messages under way
  };
  /// When a message is received: the receive is over, and a send that waits. Nothing: pass() will say when.
  virtual std::optional<double> receive(const Message& message) = 0;
  /// Whether messages under way delay each other.
  virtual bool in_order() const { return false; }
  /// When the next event of messages under way is; infinite: there is none.
  virtual double next_s() const { return std::numeric_limits<double>::infinity(); }
  struct Arrival {
    std::size_t id;
    double received_s;
  };
  /// That event, after which next_s() is another; nothing: it is no arrival.
  virtual std::optional<Arrival> pass() { return std::nullopt; }
  /// Seconds that a collective takes once all ranks for which the caller waits have entered it.
  virtual double collective(std::uint32_t l, const Call& call, const mpi::Communicator& comm) = 0;

 private:
  std::vector<double> now_;
};

}  // namespace skelgen::engine
