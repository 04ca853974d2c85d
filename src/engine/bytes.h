#pragma once
// Bytes that a call moves, and layouts of the datatypes that calls make.

#include <optional>
#include <vector>

#include "engine/call.h"
#include "mpi/layout.h"

namespace skelgen::engine {

/// Of data in a buffer of a call; nothing: the caller has no such buffer. comm: the call's; nullptr: it is not known.
/// element(type): of an element of a datatype, as the call names it; below 0: there is no such datatype.
template <class ElementBytes>
std::optional<std::uint64_t> bytes_of_buffer(const Call& call, std::size_t buffer, const mpi::Communicator* comm,
                                             const ElementBytes& element) {
  const auto parameters = call.function->parameters;
  const mpi::Parameter& is = parameters[buffer];
  const auto value = [&](int parameter) -> const mpi::Value& {
    return call.values[static_cast<std::size_t>(parameter)];
  };
  const auto is_list = [&](int parameter) {
    return mpi::is_array(parameters[static_cast<std::size_t>(parameter)].role);
  };
  const auto root = call.has(mpi::Role::root) ? std::optional(call.number(mpi::Role::root)) : std::nullopt;
  if (is.datatype < 0 || call.values[buffer].scalar == mpi::kInPlace || (comm && !mpi::uses(is, *comm, root, true)))
    return {};
  std::int64_t bytes = 0;
  if (is_list(is.datatype)) {
    const auto counts = value(is.count).array, types = value(is.datatype).array;
    for (std::size_t k = 0; k < std::min(counts.size(), types.size()); ++k)
      bytes += counts[k] * std::max<std::int64_t>(0, element(types[k]));
  } else {
    const std::int64_t each = element(value(is.datatype).scalar);
    if (each < 0) return {};
    mpi::Amount amount;
    if (is.times >= 0) amount.times = value(is.times).scalar;
    if (is.count >= 0 && is_list(is.count))
      amount.counts = value(is.count).array;
    else if (is.count >= 0)
      amount.count = value(is.count).scalar;
    bytes = static_cast<std::int64_t>(mpi::elements(is, amount, comm, false)) * each;
  }
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, bytes));
}

/// Bytes of the buffer that a call reads (in, inout) and of the one that it writes (out); nothing where it has no such buffer,
/// or MPI_IN_PLACE. MPI_Bcast's buffer is inout on all ranks, so it is `brought` on those that receive it, too.
struct Moved {
  std::optional<std::uint64_t> brought, taken;
};
/// Of a one-sided call all buffers, of others the first one of each kind. brings: false if the operation of a one-sided
/// call takes what is there and brings nothing (MPI_NO_OP). Else see bytes_of_buffer().
template <class ElementBytes>
Moved moved(const Call& call, const mpi::Communicator* comm, const ElementBytes& element, bool brings = true) {
  Moved sum;
  const auto parameters = call.function->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool out = parameters[i].direction == mpi::Direction::out;
    auto& known = out ? sum.taken : sum.brought;
    if (parameters[i].role != mpi::Role::buffer || (!out && !brings)) continue;
    if (known && call.function->kind != mpi::Kind::rma) continue;
    if (const auto bytes = bytes_of_buffer(call, i, comm, element)) known = known.value_or(0) + *bytes;
  }
  return sum;
}

/// Of the datatype that a call makes. layout(type): of one that it is made of, as the call names it, or nothing where that is not known.
/// Nothing where one of them is not, and for parametrized basic types.
template <class LayoutOf>
std::optional<mpi::Layout> made_layout(const Call& call, const LayoutOf& layout) {
  std::vector<mpi::Layout> olds;
  for (std::size_t i = 0; i < call.values.size(); ++i) {
    const auto role = call.function->parameters[i].role;
    if (role != mpi::Role::datatype && role != mpi::Role::datatypes) continue;
    const auto& value = call.values[i];
    for (const auto type : role == mpi::Role::datatypes ? value.array : std::span(&value.scalar, 1)) {
      const auto old = layout(type);
      if (!old) return std::nullopt;
      olds.push_back(*old);
    }
  }
  if (olds.empty() && call.function->way != mpi::Way::structure) return std::nullopt;
  return mpi::made_layout(*call.function, call.values, olds);
}

}  // namespace skelgen::engine
