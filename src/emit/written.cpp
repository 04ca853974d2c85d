#include "emit/written.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/error.h"

namespace skelgen::emit {
namespace {

using mpi::Role;
using skeleton::Call;
using skeleton::Node;
using skeleton::Sequence;
using SequenceKind = Sequence::Kind;
using Indexes = std::vector<std::size_t>;

Indexes parameters(const mpi::Function& function, Role role) {
  Indexes all;
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    if (function.parameters[i].role == role) all.push_back(i);
  return all;
}

/// Whether two arguments may have the same value at one of so many occurrences; false only if they do not.
bool may_meet(const Sequence& a, const Sequence& b, std::uint64_t n) {
  if (a.kind == SequenceKind::constant || b.kind == SequenceKind::constant)
    return a.kind == SequenceKind::constant ? b.takes(a.values[0], n) : a.takes(b.values[0], n);
  if (a == b) return true;
  if (a.kind == SequenceKind::arithmetic && b.kind == SequenceKind::arithmetic) {
    const auto way = static_cast<__int128>(b.values[0]) - a.values[0],
               step = static_cast<__int128>(a.values[1]) - b.values[1];
    return step == 0 ? way == 0 : way % step == 0 && way / step >= 0 && way / step < static_cast<__int128>(n);
  }
  if (a.kind != SequenceKind::arithmetic && a.values.size() == b.values.size() && b.kind != SequenceKind::arithmetic) {
    for (std::size_t k = 0; k < a.values.size(); ++k)
      if (a.values[k] == b.values[k]) return true;
    return false;
  }
  return true;
}

/// Buffers that are some memory, and may be the same.
bool may_be_one(const Sequence& a, const Sequence& b, std::uint64_t n) {
  const auto is_memory = [&](const Sequence& s) {
    return s.kind != SequenceKind::constant || mpi::slot_of(s.values[0]) >= 0;
  };
  return is_memory(a) && is_memory(b) && may_meet(a, b, n);
}

/// The arguments of a call at one location.
struct At {
  const Node& node;
  std::span<const std::uint64_t> occurrences;
  std::size_t position;

  const Sequence& of(std::size_t parameter) const { return node.call().arguments[parameter].of(position); }
  std::uint64_t n() const { return occurrences[position]; }
  bool may_be_empty(std::size_t buffer) const { return of(buffer).takes(mpi::kNullBuffer, n()); }
  bool may_be_one(std::size_t a, std::size_t b) const { return emit::may_be_one(of(a), of(b), n()); }
};

/// Calls `visit(position, a, b)` for any two of them, at each location.
void each_pair(const Node& node, const Indexes& indexes, const auto& visit) {
  for (std::size_t p = 0; p < node.where.size(); ++p)
    for (std::size_t i = 0; i < indexes.size(); ++i)
      for (std::size_t j = i + 1; j < indexes.size(); ++j) visit(p, indexes[i], indexes[j]);
}

}  // namespace

Written how_written(const Node& node, std::span<const std::uint64_t> occurrences) {
  const mpi::Function& function = *node.call().function;
  Written written;
  written.of.resize(function.parameters.size());
  const Indexes buffers = parameters(function, Role::buffer), counts = parameters(function, Role::counts);
  bool empty = function.flow == mpi::Flow::neighbours, one = false;
  each_pair(node, buffers, [&](std::size_t p, std::size_t a, std::size_t b) {
    const At at{node, occurrences, p};
    empty = empty || (at.may_be_empty(a) && at.may_be_empty(b));
    one = one || (counts.size() > 1 && at.may_be_one(a, b));
  });
  if (empty && buffers.size() > kEmptyAddresses)
    throw Error(Code::internal, fmt::format("{} has {} buffers", function.name, buffers.size()), "please report this");
  for (std::size_t i = 0; empty && i < buffers.size(); ++i) written.of[buffers[i]].nothing = i;
  for (std::size_t i = 1; one && i < counts.size(); ++i) written.of[counts[i]].apart = true;
  if (function.flow == mpi::Flow::neighbours)  // MPICH looks at arrays that have no elements
    for (std::size_t i = 0; i < function.parameters.size(); ++i)
      if (mpi::is_array(function.parameters[i].role)) written.of[i].nothing = 0;
  return written;
}

void check_written(const skeleton::Skeleton& skeleton, const Node& node, std::span<const std::uint64_t> occurrences,
                   const Written& written) {
  const mpi::Function& function = *node.call().function;
  const auto fail = [&](std::size_t position, const std::string& rule) {
    throw Error(Code::internal,
                fmt::format("{} of rank {} would get {}", function.name,
                            skeleton.locations[node.where[position]].where.rank, rule),
                "please report this");
  };
  const auto name = [&](std::size_t i) { return function.parameters[i].name; };
  const Indexes buffers = parameters(function, Role::buffer), counts = parameters(function, Role::counts);
  each_pair(node, buffers, [&](std::size_t p, std::size_t a, std::size_t b) {
    const At at{node, occurrences, p};
    if (at.may_be_empty(a) && at.may_be_empty(b) && written.of[a].nothing == written.of[b].nothing)
      fail(p, fmt::format("the same address as {} and {}, which are both empty; MPI forbids that", name(a), name(b)));
    if (counts.size() > 1 && written.of[counts[0]].apart == written.of[counts[1]].apart && at.may_be_one(a, b))
      fail(p, fmt::format("the same buffer as {} and {} and the same array as {} and {}, which MPI forbids", name(a),
                          name(b), name(counts[0]), name(counts[1])));
  });
}

}  // namespace skelgen::emit
