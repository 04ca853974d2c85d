#pragma once
// One location's stream -> canonical records. Internal to src/normalize.

#include <deque>
#include <unordered_map>

#include "normalize/buffers.h"
#include "normalize/tables.h"
#include "trace/trace.h"

namespace skelgen::normalize {

/// Visits one location's stream twice: first to see which memory is touched, then to name everything.
class LocationReader : public trace::Visitor {
 public:
  enum class Pass { touch, name };
  LocationReader(Location where, Pass pass, Buffers& buffers, Tables& tables, Normalized& normalized,
                 LocationCalls& out);

  void event(const trace::Event& event) override;
  void comm(const trace::CommDefinition& definition) override;
  void datatype(const trace::DatatypeDefinition& definition) override;
  void op(const trace::OpDefinition& definition) override;
  void group(const trace::GroupDefinition& definition) override;

 private:
  struct Comm {
    Communicator is;
    std::uint64_t creations = 0;  ///< communicators made from this one so far
    std::size_t listed = 0;       ///< index in LocationCalls::communicators
  };
  struct Named {
    std::string name;
    std::int64_t bytes, extent;
    std::int64_t index = -1;  ///< in Normalized::names, once used
  };
  struct Request {
    int slot;
    bool wildcard;
    std::uint64_t first;  ///< see SharedRequest
  };
  struct Group {
    int slot = -1;
    std::vector<std::int64_t> members;
  };

  [[noreturn]] void fail(Code code, const std::string& text, const std::string& remedy) const;
  Comm* find_comm(std::int64_t raw);
  Named& find_type(std::int64_t raw, const char* what, std::unordered_map<std::uint64_t, Named>& from);
  std::uint64_t span(const trace::Event& event, const mpi::Parameter& parameter, std::uint64_t& address,
                     const Comm* comm);
  void touch(const trace::Event& event);
  void name(const trace::Event& event);
  std::int64_t value(const trace::Event& event, std::size_t i);
  std::int64_t buffer(const trace::Event& event, const mpi::Parameter& parameter, std::size_t i);
  std::int64_t request(const trace::Event& event, std::size_t i);
  void wait_for(std::span<const std::int64_t> raw);
  std::int64_t status(const trace::Event& event, std::span<const std::int64_t> recorded);
  std::int64_t created_comm(std::int64_t raw);
  void complete(const trace::Event& event);
  void finish(std::size_t position);
  void key(const trace::Event& event);

  Location where_;
  Pass pass_;
  Buffers& buffers_;
  Tables& tables_;
  Normalized& normalized_;
  LocationCalls& out_;
  std::uint64_t index_ = 0;  // of the call, for messages
  const mpi::Function* function_ = nullptr;

  std::unordered_map<std::uint64_t, Comm> comms_;
  Slots comm_slots_, request_slots_, group_slots_;
  std::uint64_t pending_identity_ = 0;  // of the communicator that the last event made
  std::uint64_t pending_raw_ = 0;
  std::unordered_map<std::uint64_t, Named> types_, ops_;
  std::unordered_map<std::uint64_t, std::deque<Request>> live_;
  std::unordered_map<std::uint64_t, Group> groups_;
  struct Waited {
    std::uint64_t raw;
    Request request;
  };
  std::vector<Waited> waited_;  // requests of the current completion call, by position; slot -1: null
  Comm* comm_ = nullptr;        // the current call's communicator
  std::vector<std::int64_t> values_, key_, scratch_;
};

}  // namespace skelgen::normalize
