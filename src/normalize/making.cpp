// What handles stand for, and what calls make: communicators, windows, files, datatypes, messages that probes match.

#include <fmt/format.h>

#include <algorithm>

#include "normalize/location.h"
#include "support/error.h"

namespace skelgen::normalize {

using mpi::Direction;
using mpi::Kind;
using mpi::Parameter;
using mpi::Role;

void LocationReader::comm(const trace::CommDefinition& definition) {
  ++epoch_;
  if (communicators_.define(definition)) {
    const auto* known = communicators_.find(definition.handle);
    if (lends() && known->is.slot >= 2) lend(now_s_, definition.handle, true, known->is);
  } else if (where_.thread == 0) {
    throw Error(
        Code::unsupported, directory_, {},
        fmt::format("rank {} uses a communicator that no recorded call of its main thread made (before call {})",
                    where_.rank, index_),
        "make and free communicators in the thread that calls MPI_Init");
  }  // else the main thread made it, see borrow()
}
void LocationReader::neighbours(const trace::NeighbourDefinition& definition) {
  ++epoch_;
  if (!communicators_.define(definition))
    throw Error(Code::corrupt, directory_, {},
                fmt::format("rank {} has neighbours in a communicator that was never made (before call {})",
                            where_.rank, index_),
                "trace the program again");
  if (lends()) lend(now_s_, definition.handle, true, communicators_.find(definition.handle)->is);
}
void LocationReader::datatype(const trace::DatatypeDefinition& d) {
  ++epoch_;
  types_.define(d);
  const auto* type = types_.find(static_cast<std::int64_t>(d.handle));
  if (lends() && type && type->slot >= 0) lend(now_s_, d.handle, true, *type);
}
void LocationReader::op(const trace::OpDefinition& d) {
  ++epoch_;
  ops_.define(d);
  const auto* op = ops_.find(static_cast<std::int64_t>(d.handle));
  if (lends() && op && op->slot >= 0) lend(now_s_, d.handle, true, *op);
}
void LocationReader::group(const trace::GroupDefinition& d) {
  ++epoch_;
  groups_.define(d);
}

void LocationReader::file(const trace::FileDefinition& d) {
  if (pass_ == Pass::name && !out_.opened.empty() && out_.opened.back().bytes == OpenedFile::kUnknown)
    out_.opened.back().bytes = d.bytes;
}

/// A window or a file.
std::int64_t LocationReader::make_shared(const Plan& plan, const trace::Event& event) {
  const bool window = function_->kind == Kind::win_create;
  const auto raw = static_cast<std::uint64_t>(event.values[function_->find(window ? Role::win : Role::file)].scalar);
  if (!window) return files_.create(*plan.comm, raw, 2);
  return windows_.create(*plan.comm, raw, 1, function_->way == mpi::Way::dynamic);
}

/// What the file held before is known from its first opening; the definition behind the call says it.
void LocationReader::opens(const Plan& plan) {
  const std::int64_t name = plan.values[static_cast<std::size_t>(function_->find(Role::text))];
  if (plan.values[static_cast<std::size_t>(function_->find(Role::file))] < 0) return;  // it could not be opened
  if (std::ranges::find(out_.opened, name, &OpenedFile::name) != out_.opened.end()) return;
  const std::int64_t amode = plan.values[static_cast<std::size_t>(function_->find(Role::integer))];
  out_.opened.push_back({name, (amode & mpi::kModeCreate) != 0, OpenedFile::kUnknown});
}

/// The Cartesian topology of the communicator that the call makes; nullptr: it has none.
std::shared_ptr<const mpi::Grid> LocationReader::grid_of(const Plan& plan, const trace::Event& event) const {
  const int first = function_->find(Role::integers), last = function_->find_last(Role::integers);
  if (first < 0) return mpi::made_grid(function_->way, plan.comm ? plan.comm->is.grid : nullptr, {}, {});
  return mpi::made_grid(function_->way, plan.comm ? plan.comm->is.grid : nullptr, event.values[first].array,
                        event.values[last].array);
}

std::int64_t LocationReader::make_communicator(const Plan& plan, const trace::Event& event, std::uint64_t makers) {
  const auto raw = static_cast<std::uint64_t>(event.values[function_->find(Role::newcomm)].scalar);
  const bool between = std::ranges::count(function_->parameters, Role::comm, &Parameter::role) == 2;
  if (!between) return communicators_.create(plan.comm, raw, grid_of(plan, event), makers);
  const int tag = function_->find(Role::tag);
  return communicators_.create_between(
      raw, pass_ == Pass::touch ? 0 : static_cast<std::uint64_t>(plan.values[static_cast<std::size_t>(tag)]));
}

std::int64_t LocationReader::make_type(const trace::Event& event) {
  try {
    return types_.create(event, event.values[function_->find(Role::newtype)].scalar);
  } catch (const Error& error) {  // which knows no call
    fail(error.code(), "makes " + error.text(), "trace the program again");
  }
}

/// What those ranks know that make a communicator without the others: their group and the tag. 0: all make it.
std::uint64_t LocationReader::makers(const Plan& plan) const {
  const int tag = function_->find(Role::tag), group = function_->find(Role::group);
  if (tag < 0 || group < 0) return 0;
  const auto& members = normalized_.arrays[static_cast<std::size_t>(plan.values[static_cast<std::size_t>(group)])];
  return hash_of(members, static_cast<std::uint64_t>(plan.values[static_cast<std::size_t>(tag)])) | 1;
}

std::int64_t LocationReader::message(const trace::Event& event, std::size_t i) {
  const auto raw = static_cast<std::uint64_t>(event.values[i].scalar);
  if (function_->parameters[i].direction == Direction::out) return messages_.create(raw);
  std::int64_t slot = -1;
  if (!messages_.receive(raw, slot)) fail_corrupt("receives a message that no probe matched");
  return slot;
}

}  // namespace skelgen::normalize
