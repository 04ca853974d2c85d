#include "skeleton/datatypes.h"

#include <algorithm>

#include "engine/bytes.h"

namespace skelgen::skeleton {
namespace {

bool is_one(const Argument& argument) {
  return argument.choices.size() == 1 && argument.choices[0].kind == Sequence::Kind::constant;
}

}  // namespace

Datatypes::Datatypes(const Skeleton& skeleton) : skeleton_(skeleton) {
  while (add(skeleton.program)) {
  }
}

std::optional<std::int64_t> Datatypes::bytes(std::int64_t type) const {
  const auto known = layout(type);
  return known ? std::optional(known->size) : std::nullopt;
}

bool Datatypes::add(const Block& block) {
  bool changed = false;
  for (const Node& node : block) {
    if (node.is_loop())
      changed |= add(node.loop().body);
    else if (node.call().function->kind == mpi::Kind::type_create)
      changed |= add(node.call());
  }
  return changed;
}

bool Datatypes::add(const Call& call) {
  const int newtype = call.function->find(mpi::Role::newtype);
  if (newtype < 0) return false;
  const Argument& made = call.arguments[static_cast<std::size_t>(newtype)];
  if (!is_one(made)) {
    unclear_ = true;
    return false;
  }
  std::optional<mpi::Layout> own;
  if (std::ranges::all_of(call.arguments, is_one)) {
    engine::NumberedCall numbered;
    const auto number = [&](std::size_t i) { return call.arguments[i].choices[0].values[0]; };
    own = engine::made_layout(numbered.set(*call.function, skeleton_.arrays, number),
                              [&](std::int64_t type) { return layout(type); });
  }
  const auto [at, fresh] = made_.emplace(mpi::kMade + made.choices[0].values[0], own);
  if (fresh || !at->second || (own && own->size == at->second->size)) return false;
  at->second.reset();
  return true;
}

std::optional<mpi::Layout> Datatypes::layout(std::int64_t type) const {
  if (type >= 0 && type < std::ssize(skeleton_.name_bytes)) {
    const int bytes = skeleton_.name_bytes[static_cast<std::size_t>(type)];
    return mpi::contiguous(bytes, {.size = 1, .ub = 1, .true_ub = 1});
  }
  const auto found = made_.find(type);
  return unclear_ || found == made_.end() ? std::nullopt : found->second;
}

}  // namespace skelgen::skeleton
