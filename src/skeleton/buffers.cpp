// MPI's rules for the buffers of a call: no NULL buffer with elements, no buffer twice.

#include <fmt/format.h>

#include <algorithm>

#include "mpi/implementations.h"
#include "skeleton/valid.h"

namespace skelgen::skeleton {
namespace {

using mpi::Kind;
using mpi::Role;

constexpr std::uint64_t kMostCompared = 1 << 16;  ///< occurrences of one call

/// A call as a location makes it.
class Given {
 public:
  Given(const Skeleton& skeleton, const Node& node, std::size_t position, std::uint64_t occurrences,
        std::span<const Communicator* const> communicators)
      : skeleton_(skeleton), call_(node.call()), position_(position), occurrences_(occurrences) {
    if (function().find(Role::comm) < 0) return;
    for (const Communicator* c : communicators) {
      vague_ = vague_ || c->inter() || (comm_ && !alike(*comm_, *c));
      comm_ = c;
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
        if (!memory || of(a).takes(mpi::kNullBuffer, occurrences_) || of(a).takes(mpi::kInPlace, occurrences_))
          continue;
        for (std::uint64_t k = 0; k < std::min(occurrences_, kMostCompared); ++k)
          if (counted(parameters[a], k) > 0 && counted(parameters[b], k) > 0)
            return fmt::format("{} and {} are the same buffer", parameters[a].name, parameters[b].name);
      }
    return {};
  }

  /// A buffer that is NULL has elements.
  std::string null() const {
    if (vague_) return {};
    const auto& parameters = function().parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const mpi::Parameter& buffer = parameters[i];
      if (buffer.role != Role::buffer || buffer.datatype < 0 || buffer.count < 0) continue;
      if (parameters[static_cast<std::size_t>(buffer.count)].role != Role::count) continue;
      if (!of(i).takes(mpi::kNullBuffer, occurrences_)) continue;
      for (std::uint64_t k = 0; k < std::min(occurrences_, kMostCompared); ++k)
        if (of(i).at(k) == mpi::kNullBuffer && elements(buffer, k) > 0 && !for_nobody(i, k))
          return fmt::format("{} is NULL, but {} is {}", buffer.name,
                             parameters[static_cast<std::size_t>(buffer.count)].name, at(buffer.count, k));
    }
    return {};
  }

 private:
  /// Equal counts span equal memory in both.
  static bool alike(const Communicator& a, const Communicator& b) {
    return a.rank == b.rank && a.size == b.size && a.sources == b.sources && a.destinations == b.destinations;
  }
  const Sequence& of(std::size_t parameter) const { return call_.arguments[parameter].of(position_); }
  std::int64_t at(int parameter, std::uint64_t k) const { return of(static_cast<std::size_t>(parameter)).at(k); }

  /// The peers of the buffer, which stand between it and the next one, are MPI_PROC_NULL.
  bool for_nobody(std::size_t buffer, std::uint64_t k) const {
    const auto& parameters = function().parameters;
    bool named = false;
    for (std::size_t i = buffer + 1; i < parameters.size() && parameters[i].role != Role::buffer; ++i) {
      if (parameters[i].role != Role::peer) continue;
      if (of(i).at(k) != mpi::kProcNull) return false;
      named = true;
    }
    return named;
  }

  /// Elements of which the call uses the buffer.
  __int128 counted(const mpi::Parameter& buffer, std::uint64_t k) const {
    if (const int root = function().find(Role::root); buffer.root_only && root >= 0 && at(root, k) != comm_->rank)
      return 0;
    if (buffer.not_first && comm_->rank == 0) return 0;
    mpi::Amount amount{0, {}, buffer.times < 0 ? 1 : at(buffer.times, k)};
    if (const auto count = static_cast<std::size_t>(buffer.count); function().parameters[count].role == Role::count)
      amount.count = of(count).at(k);
    else
      amount.counts = skeleton_.arrays.at(static_cast<std::size_t>(of(count).at(k)));
    return mpi::elements(buffer, amount, comm_, false);
  }

  /// Number of elements, 0 for made datatypes and those without size.
  __int128 elements(const mpi::Parameter& buffer, std::uint64_t k) const {
    const std::int64_t type = at(buffer.datatype, k);
    const bool has_size = type >= 0 && type < std::ssize(skeleton_.name_bytes) &&
                          skeleton_.name_bytes[static_cast<std::size_t>(type)] != 0;
    return has_size ? counted(buffer, k) : 0;
  }

  const Skeleton& skeleton_;
  const Call& call_;
  const std::size_t position_;
  const std::uint64_t occurrences_;
  const Communicator* comm_ = nullptr;
  bool vague_ = false;  ///< the communicator is not known, or is an intercommunicator
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
                              std::uint64_t occurrences, std::span<const Communicator* const> communicators) {
  if (!moves_data(node.call().function->kind)) return {};
  const Given given(skeleton, node, position, occurrences, communicators);
  auto rule = given.null();
  if (rule.empty() && mpi::implementation(skeleton.mpi_name).refuses_equal_buffers) rule = given.aliased();
  return rule;
}

}  // namespace skelgen::skeleton
