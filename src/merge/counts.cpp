#include "merge/counts.h"

#include <algorithm>
#include <numeric>

namespace skelgen::merge {

using skeleton::Node;
using skeleton::Sequence;

namespace {

constexpr Type kUnknown{-1, 0};

}  // namespace

Types::Types(const normalize::Normalized& normalized, const skeleton::Skeleton& skeleton)
    : skeleton_(skeleton), made_(normalized.locations.size()) {
  for (std::size_t l = 0; l < normalized.locations.size(); ++l)
    for (const auto& type : normalized.locations[l].datatypes) {
      const Type one{type.bytes, type.extent};
      const auto [known, fresh] = made_[l].try_emplace(type.slot, one);
      if (!fresh && known->second != one) known->second = kUnknown;
    }
}

Type Types::of(const Node& node, std::size_t position, std::size_t parameter, std::size_t element) const {
  const mpi::Function& function = *node.call().function;
  const auto at = static_cast<std::size_t>(function.counted_type(parameter));
  const Sequence& types = node.call().arguments[at].of(position);
  if (types.kind == Sequence::Kind::arithmetic) return kUnknown;
  std::optional<Type> common;
  for (std::int64_t type : types.values) {
    if (function.parameters[at].role == mpi::Role::datatypes) {
      const auto& list = skeleton_.arrays[static_cast<std::size_t>(type)];
      type = element < list.size() ? list[element] : -1;
    }
    const Type one = this->type(node.where[position], type);
    if (common && *common != one) return kUnknown;
    common = one;
  }
  return *common;
}

Type Types::type(std::uint32_t l, std::int64_t name) const {
  if (name < 0) return {0, 0};
  if (name >= mpi::kMade) {
    const auto known = made_[l].find(name - mpi::kMade);
    // Elements that go down in memory would leave their buffer at its front if there were more of them.
    return known == made_[l].end() || known->second.extent < 0 ? kUnknown : known->second;
  }
  const std::int64_t bytes = skeleton_.name_bytes[static_cast<std::size_t>(name)];
  return {bytes, 2 * bytes};  // pairs like MPI_DOUBLE_INT have a gap
}

std::uint64_t occurrences(const Sequence& a, const Sequence& b, std::uint64_t executions) {
  return std::min(executions, std::lcm(a.period(executions), b.period(executions)));
}

}  // namespace skelgen::merge
