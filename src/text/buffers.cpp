// MPI's rules for the buffers of a call: no NULL buffer with elements, no buffer twice.

#include <fmt/format.h>

#include <algorithm>

#include "text/valid.h"

namespace skelgen::text {
namespace {

using mpi::Kind;
using mpi::Role;

constexpr std::uint64_t kMostCompared = 1 << 16;  ///< occurrences of one call

/// A call as a location makes it.
class BufferArguments {
 public:
  BufferArguments(const Skeleton& skeleton, const Node& node, std::size_t position, std::uint64_t occurrences)
      : skeleton_(skeleton), call_(node.call()), position_(position), occurrences_(occurrences) {
    const int comm = function().find(Role::comm);
    if (comm < 0) return;
    const Sequence& slots = of(static_cast<std::size_t>(comm));
    for (const Communicator& c : skeleton.locations[node.where[position]].communicators)
      if (slots.kind == Sequence::Kind::constant && c.slot == slots.values[0]) {
        vague_ = vague_ || c.inter() || (comm_ && !alike(*comm_, c));
        comm_ = &c;
      }
    vague_ = vague_ || !comm_;
  }

  const mpi::Function& function() const { return *call_.function; }

  /// Two buffers of as many elements are the same memory.
  std::string aliased() const {
    const auto& parameters = function().parameters;
    for (std::size_t a = 0; a < parameters.size(); ++a)
      for (std::size_t b = a + 1; b < parameters.size(); ++b) {
        if (parameters[a].role != Role::buffer || parameters[b].role != Role::buffer || vague_) continue;
        if (parameters[a].count < 0 || parameters[a].count != parameters[b].count || of(a) != of(b)) continue;
        const bool memory = of(a).kind != Sequence::Kind::constant || mpi::slot_of(of(a).values[0]) >= 0;
        if (memory && !of(a).takes(mpi::kNullBuffer, occurrences_) && !of(a).takes(mpi::kInPlace, occurrences_))
          return fmt::format("{} and {} are the same buffer", parameters[a].name, parameters[b].name);
      }
    return {};
  }

  /// A buffer that is NULL has elements.
  std::string null() const {
    const auto& parameters = function().parameters;
    const int peer = function().find(Role::peer);
    if (vague_ || (peer >= 0 && of(static_cast<std::size_t>(peer)).takes(mpi::kProcNull, occurrences_))) return {};
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const mpi::Parameter& buffer = parameters[i];
      if (buffer.role != Role::buffer || buffer.datatype < 0 || buffer.count < 0) continue;
      if (parameters[static_cast<std::size_t>(buffer.count)].role != Role::count) continue;
      if (!of(i).takes(mpi::kNullBuffer, occurrences_)) continue;
      for (std::uint64_t k = 0; k < std::min(occurrences_, kMostCompared); ++k)
        if (of(i).at(k) == mpi::kNullBuffer && elements(buffer, k) > 0)
          return fmt::format("{} is NULL, but {} is {}", buffer.name,
                             parameters[static_cast<std::size_t>(buffer.count)].name, at(buffer.count, k));
    }
    return {};
  }

 private:
  /// As many elements mean as much memory in both.
  static bool alike(const Communicator& a, const Communicator& b) {
    return a.rank == b.rank && a.size == b.size && a.sources == b.sources && a.destinations == b.destinations;
  }
  const Sequence& of(std::size_t parameter) const { return call_.arguments[parameter].of(position_); }
  std::int64_t at(int parameter, std::uint64_t k) const { return of(static_cast<std::size_t>(parameter)).at(k); }

  /// That have a size, as far as the datatype is predefined.
  __int128 elements(const mpi::Parameter& buffer, std::uint64_t k) const {
    const std::int64_t type = at(buffer.datatype, k);
    if (type < 0 || type >= std::ssize(skeleton_.name_bytes) ||
        skeleton_.name_bytes[static_cast<std::size_t>(type)] == 0)
      return 0;
    if (const int root = function().find(Role::root); buffer.root_only && root >= 0 && at(root, k) != comm_->rank)
      return 0;
    mpi::Amount amount{at(buffer.count, k), {}, buffer.times < 0 ? 1 : at(buffer.times, k)};
    return mpi::elements(buffer, amount, comm_, false);
  }

  const Skeleton& skeleton_;
  const Call& call_;
  const std::size_t position_;
  const std::uint64_t occurrences_;
  const Communicator* comm_ = nullptr;
  bool vague_ = false;  ///< of several communicators, or with two groups, where the buffers of some mean nothing
};

/// Calls whose buffers are looked at: messages and collectives.
bool moves_data(Kind kind) {
  switch (kind) {
    case Kind::send:
    case Kind::recv:
    case Kind::sendrecv:
    case Kind::send_init:
    case Kind::recv_init:
    case Kind::collective:
    case Kind::collective_init:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string forbidden_buffers(const Skeleton& skeleton, const Node& node, std::size_t position,
                              std::uint64_t occurrences) {
  if (!moves_data(node.call().function->kind)) return {};
  const BufferArguments arguments(skeleton, node, position, occurrences);
  auto rule = arguments.null();
  // Open MPI does not look, and does what the program wants.
  if (rule.empty() && skeleton.mpi_name != "Open MPI") rule = arguments.aliased();
  return rule;
}

}  // namespace skelgen::text
