#include "normalize/location.h"

#include <algorithm>

#include "support/error.h"

namespace skelgen::normalize {

using mpi::Direction;
using mpi::Kind;
using mpi::Parameter;
using mpi::Role;

LocationReader::LocationReader(Location where, Pass pass, Buffers& buffers, Tables& tables, Normalized& normalized,
                               LocationCalls& out)
    : where_(where), pass_(pass), buffers_(buffers), tables_(tables), normalized_(normalized), out_(out) {}

void LocationReader::fail(Code code, const std::string& text, const std::string& remedy) const {
  std::string place = "rank " + std::to_string(where_.rank) + ", call " + std::to_string(index_);
  if (where_.thread) place += " of thread " + std::to_string(where_.thread);
  throw Error(code, (function_ ? std::string(function_->name) + " (" + place + ") " : place + ": ") + text, remedy);
}

LocationReader::Comm* LocationReader::find_comm(std::int64_t raw) {
  if (raw == 0) return nullptr;
  const auto found = comms_.find(static_cast<std::uint64_t>(raw));
  if (found == comms_.end()) fail(Code::corrupt, "uses a communicator that was never made", "trace the program again");
  return &found->second;
}

LocationReader::Named& LocationReader::find_type(std::int64_t raw, const char* what,
                                                 std::unordered_map<std::uint64_t, Named>& from) {
  const auto found = from.find(static_cast<std::uint64_t>(raw));
  if (found == from.end()) fail(Code::corrupt, std::string("uses an undefined ") + what, "trace the program again");
  return found->second;
}

// --- what handles stand for

void LocationReader::comm(const trace::CommDefinition& definition) {
  auto [found, fresh] = comms_.try_emplace(definition.handle);
  Comm& comm = found->second;
  std::uint64_t identity;
  if (definition.handle == pending_raw_ && pending_raw_ != 0) {  // made by the last call; its slot is taken already
    identity = mix(pending_identity_, static_cast<std::uint64_t>(definition.leader));
    pending_raw_ = 0;
  } else if (fresh) {
    comm.is.slot = comm_slots_.take();
    identity = comm.is.slot == 0 ? 1
                                 : mix(mix(2, static_cast<std::uint64_t>(definition.leader)),
                                       static_cast<std::uint64_t>(definition.size));
  } else {
    return;  // said again
  }
  comm.is.size = definition.size;
  comm.is.rank = definition.rank;
  comm.is.identity = identity;
  comm.creations = 0;
  out_.communicators.push_back(comm.is);
}

void LocationReader::datatype(const trace::DatatypeDefinition& d) { types_[d.handle] = {d.name, d.size, d.extent}; }
void LocationReader::op(const trace::OpDefinition& d) { ops_[d.handle] = {d.name, 0, 0}; }
void LocationReader::group(const trace::GroupDefinition& d) {
  groups_[d.handle].members.assign(d.members.begin(), d.members.end());
}

// --- events

void LocationReader::event(const trace::Event& event) {
  function_ = event.function;
  if (function_->kind == Kind::opaque) {
    if (!function_->harmless)
      fail(Code::unsupported, "cannot be replayed yet",
           "skelgen can fold and replay the calls of wrappers/mpi_calls.table");
    if (pass_ == Pass::name) ++normalized_.opaque[std::string(function_->name)];
  }
  const int comm = function_->find(Role::comm);
  comm_ = comm < 0 ? nullptr : find_comm(event.values[comm].scalar);
  if (comm >= 0 && !comm_ && function_->parameters[comm].direction == Direction::in)
    fail(Code::unsupported, "was called with MPI_COMM_NULL", "mend the program");
  if (pass_ == Pass::touch)
    touch(event);
  else
    name(event);
  if (function_->kind == Kind::comm_free && comm_) {
    comm_slots_.give(comm_->is.slot);
    comms_.erase(static_cast<std::uint64_t>(event.values[comm].scalar));
  }
  ++index_;
}

std::uint64_t LocationReader::span(const trace::Event& event, const Parameter& parameter, std::uint64_t& address,
                                   const Comm* comm) {
  const std::int64_t raw = event.values[static_cast<std::size_t>(&parameter - function_->parameters.data())].scalar;
  if (raw == mpi::kNullBuffer || raw == mpi::kInPlace) return 0;
  if (parameter.root_only) {
    const int root = function_->find(Role::root);
    if (root >= 0 && comm && event.values[root].scalar != comm->is.rank) return 0;
  }
  const std::int64_t type = event.values[parameter.datatype].scalar;
  if (type == 0) return 0;
  const std::int64_t extent = find_type(type, "datatype", types_).extent;
  address = static_cast<std::uint64_t>(raw);
  if (parameter.displs >= 0) {
    const auto counts = event.values[parameter.count].array, displs = event.values[parameter.displs].array;
    std::int64_t low = 0, high = 0;  // from the address that was given, which is always part of it
    for (std::size_t i = 0; i < std::min(counts.size(), displs.size()); ++i) {
      if (counts[i] <= 0) continue;
      low = std::min(low, displs[i] * extent);
      high = std::max(high, (displs[i] + counts[i]) * extent);
    }
    if (high == low) return 0;
    high = std::max<std::int64_t>(high, 1);
    address += static_cast<std::uint64_t>(low);
    return static_cast<std::uint64_t>(high - low);
  }
  const std::int64_t count = event.values[parameter.count].scalar * (parameter.per_rank && comm ? comm->is.size : 1);
  return count > 0 && extent > 0 ? static_cast<std::uint64_t>(count * extent) : 0;
}

void LocationReader::touch(const trace::Event& event) {
  for (const Parameter& parameter : function_->parameters) {
    if (parameter.role != Role::buffer) continue;
    std::uint64_t address = 0;
    if (const std::uint64_t bytes = span(event, parameter, address, comm_)) buffers_.touch(address, bytes);
  }
  // Communicators come and go: only their sizes and ranks matter here, but their slots must be taken in the same order.
  if (function_->kind == Kind::comm_create) {
    const int made = function_->find(Role::newcomm);
    if (made >= 0) created_comm(event.values[made].scalar);
  }
}

std::int64_t LocationReader::created_comm(std::int64_t raw) {
  const std::uint64_t made = comm_ ? mix(mix(comm_->is.identity, 3), ++comm_->creations) : 0;
  if (raw == 0) return -1;
  const auto handle = static_cast<std::uint64_t>(raw);
  Comm comm;
  comm.is.slot = comm_slots_.take();
  const int slot = comm.is.slot;
  comms_[handle] = comm;
  pending_raw_ = handle;
  pending_identity_ = made;
  return slot;
}

std::int64_t LocationReader::buffer(const trace::Event& event, const Parameter& parameter, std::size_t i) {
  const std::int64_t raw = event.values[i].scalar;
  if (raw == mpi::kInPlace) return mpi::kInPlace;
  std::uint64_t address = 0;
  if (span(event, parameter, address, comm_) == 0) return mpi::kNullBuffer;
  return buffers_.name(static_cast<std::uint64_t>(raw));
}

std::int64_t LocationReader::request(const trace::Event& event, std::size_t i) {
  const std::int64_t raw = event.values[i].scalar;
  if (function_->parameters[i].direction == Direction::out) {
    if (raw == 0) return -1;
    const int peer = function_->find(Role::peer), tag = function_->find(Role::tag);
    const bool wildcard =
        function_->kind == Kind::recv && ((peer >= 0 && event.values[peer].scalar == mpi::kAnySource) ||
                                          (tag >= 0 && event.values[tag].scalar == mpi::kAnyTag));
    const int slot = request_slots_.take();
    auto& queue = live_[static_cast<std::uint64_t>(raw)];
    const std::uint64_t first = queue.empty() ? index_ : queue.front().first;
    if (!queue.empty()) out_.shared_requests.push_back({index_, first});
    queue.push_back({slot, wildcard, first});
    return slot;
  }
  wait_for({&raw, 1});
  return waited_[0].request.slot;
}

/// Names the requests of a completion call: the j-th of several equal handles means the j-th oldest live request.
void LocationReader::wait_for(std::span<const std::int64_t> raw) {
  std::unordered_map<std::uint64_t, std::size_t> seen;
  waited_.clear();
  for (const std::int64_t one : raw) {
    const auto handle = static_cast<std::uint64_t>(one);
    if (handle == 0) {
      waited_.push_back({0, {-1, false, 0}});
    } else {
      const auto found = live_.find(handle);
      const std::size_t nth = raw.size() == 1 ? 0 : seen[handle]++;
      if (found == live_.end() || nth >= found->second.size())
        fail(Code::corrupt, "waits for a request that was never started",
             "trace the program again; persistent requests cannot be replayed yet");
      waited_.push_back({handle, found->second[nth]});
    }
  }
}

void LocationReader::finish(std::size_t position) {
  const Waited& done = waited_[position];
  if (done.request.slot < 0) return;
  auto& queue = live_[done.raw];
  const auto found = std::ranges::find(queue, done.request.slot, &Request::slot);
  if (found == queue.end()) fail(Code::corrupt, "completes a request twice", "trace the program again");
  queue.erase(found);
  if (queue.empty()) live_.erase(done.raw);
  request_slots_.give(done.request.slot);
}

/// Frees what the call completed.
void LocationReader::complete(const trace::Event& event) {
  const int flag = function_->find(Role::flag), index = function_->find(Role::index),
            indices = function_->find(Role::indices);
  if (flag >= 0 && event.values[flag].scalar == 0) return;
  if (indices >= 0) {
    for (const std::int64_t i : event.values[indices].array) {
      if (i < 0 || static_cast<std::size_t>(i) >= waited_.size())
        fail(Code::corrupt, "completes request number " + std::to_string(i), "trace the program again");
      finish(static_cast<std::size_t>(i));
    }
  } else if (index >= 0) {
    const std::int64_t i = event.values[index].scalar;
    if (i == mpi::kUndefined) return;
    if (i < 0 || static_cast<std::size_t>(i) >= waited_.size())
      fail(Code::corrupt, "completes request number " + std::to_string(i), "trace the program again");
    finish(static_cast<std::size_t>(i));
  } else {
    for (std::size_t i = 0; i < waited_.size(); ++i) finish(i);
  }
}

/// The matched (source, tag) says something new only where a wildcard was given.
std::int64_t LocationReader::status(const trace::Event& event, std::span<const std::int64_t> recorded) {
  const auto wild = [&](Role role, std::int64_t any) {
    for (std::size_t i = 0; i < function_->parameters.size(); ++i)
      if (function_->parameters[i].role == role && event.values[i].scalar == any) return true;
    return false;
  };
  switch (function_->kind) {
    case Kind::recv:
    case Kind::sendrecv:
    case Kind::probe:
      return wild(Role::peer, mpi::kAnySource) || wild(Role::tag, mpi::kAnyTag) ? tables_.array(recorded) : 0;
    case Kind::complete:
    case Kind::test:
      break;
    default:
      return 0;
  }
  const int index = function_->find(Role::index), indices = function_->find(Role::indices);
  scratch_.assign(recorded.begin(), recorded.end());
  bool any = false;
  for (std::size_t i = 0; i + 1 < scratch_.size(); i += 2) {
    std::int64_t position = static_cast<std::int64_t>(i / 2);
    if (index >= 0) position = event.values[index].scalar;
    if (indices >= 0 && i / 2 < event.values[indices].array.size()) position = event.values[indices].array[i / 2];
    const bool wildcard =
        position >= 0 && static_cast<std::size_t>(position) < waited_.size() && waited_[position].request.wildcard;
    if (!wildcard) scratch_[i] = mpi::kAnySource, scratch_[i + 1] = mpi::kAnyTag;
    any = any || wildcard;
  }
  return any ? tables_.array(scratch_) : 0;
}

std::int64_t LocationReader::value(const trace::Event& event, std::size_t i) {
  const Parameter& parameter = function_->parameters[i];
  const trace::Value& recorded = event.values[i];
  switch (parameter.role) {
    case Role::buffer:
      return buffer(event, parameter, i);
    case Role::counts:
    case Role::displs:
    case Role::integers:
    case Role::indices:
      return tables_.array(recorded.array);
    case Role::requests:
      wait_for(recorded.array);
      scratch_.clear();
      for (const Waited& one : waited_) scratch_.push_back(one.request.slot);
      return tables_.array(scratch_);
    case Role::request:
      return request(event, i);
    case Role::status:
    case Role::statuses:
      return status(event, recorded.array);
    case Role::comm:
      return comm_ ? comm_->is.slot : -1;
    case Role::newcomm:
      return created_comm(recorded.scalar);
    case Role::datatype: {
      if (recorded.scalar == 0) return -1;
      Named& type = find_type(recorded.scalar, "datatype", types_);
      if (type.name.empty()) fail(Code::unsupported, "uses a derived datatype, which cannot be replayed yet", "");
      if (type.index < 0) type.index = tables_.name(type.name, type.bytes);
      return type.index;
    }
    case Role::op: {
      if (recorded.scalar == 0) return -1;
      Named& op = find_type(recorded.scalar, "operation", ops_);
      if (op.name.empty())
        fail(Code::unsupported, "uses a reduction operation of the user's own, which cannot be replayed yet", "");
      if (op.index < 0) op.index = tables_.name(op.name, 0);
      return op.index;
    }
    case Role::group: {
      const auto found = groups_.find(static_cast<std::uint64_t>(recorded.scalar));
      if (found == groups_.end()) fail(Code::corrupt, "uses an undefined group", "trace the program again");
      if (function_->kind == Kind::comm_create) return tables_.array(found->second.members);
      const int slot = found->second.slot;
      if (parameter.direction == Direction::inout) {
        if (slot >= 0) group_slots_.give(slot);
        groups_.erase(found);
      }
      return slot;
    }
    case Role::newgroup: {
      if (recorded.scalar == 0) return -1;
      Group& group = groups_[static_cast<std::uint64_t>(recorded.scalar)];
      if (group.slot < 0) group.slot = group_slots_.take();
      return group.slot;
    }
    default:
      return recorded.scalar;
  }
}

/// What must be equal for two records to be one statement.
void LocationReader::key(const trace::Event& event) {
  key_.clear();
  for (std::size_t i = 0; i < function_->parameters.size(); ++i) {
    switch (function_->parameters[i].role) {
      case Role::comm:
      case Role::datatype:
      case Role::op:
      case Role::root:
        key_.push_back(values_[i]);
        break;
      case Role::peer: {
        const std::int64_t peer = event.values[i].scalar;
        const int size = comm_ ? comm_->is.size : 0;
        if (peer >= size && size > 0)
          fail(Code::corrupt, "names rank " + std::to_string(peer) + " of " + std::to_string(size),
               "trace the program again");
        key_.push_back(peer < 0 || size == 0 ? peer : (peer - comm_->is.rank + size) % size);
        break;
      }
      default:
        break;
    }
  }
}

void LocationReader::name(const trace::Event& event) {
  values_.clear();
  waited_.clear();
  for (std::size_t i = 0; i < function_->parameters.size(); ++i) values_.push_back(value(event, i));
  key(event);
  if (function_->kind == Kind::complete || function_->kind == Kind::test) complete(event);
  out_.calls.push_back(tables_.record(tables_.symbol(function_, key_), values_));
  out_.gap_s.push_back(event.gap.value);
  out_.duration_s.push_back((event.end - event.start).value);
}

}  // namespace skelgen::normalize
